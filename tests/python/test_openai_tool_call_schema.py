"""The classes of tools and tool choices: defaults, unions, unknown fields, and what is refused.

Only the classes; how tools and choices are normalised from dicts and objects is
tests/python/models/test_tool_choice.py.
"""

from __future__ import annotations

from typing import get_args

import pydantic
import pytest

from xgrammar import openai_tool_call_schema as schema


def test_defaults():
    tool = schema.FunctionToolParam(function={"name": "f"})
    assert tool.model_dump() == {
        "type": "function",
        "function": {"name": "f", "description": None, "parameters": None, "strict": None},
    }
    builtin = schema.BuiltinToolParam(type="web")
    assert builtin.model_dump() == {"type": "web", "name": None, "parameters": None}
    choice = schema.NamedToolChoiceParam(function={"name": "f"})
    assert choice.type == "function"
    allowed = schema.AllowedToolChoiceParam(allowed_tools={"mode": "auto", "tools": []})
    assert allowed.type == "allowed_tools"
    reference = schema.AllowedToolRef(type="function")
    assert (reference.function, reference.name) == (None, None)


def test_unknown_fields_are_ignored():
    tool = schema.FunctionToolParam(function={"name": "f", "x": 1}, y=2)
    assert tool == schema.FunctionToolParam(function=schema.FunctionDefinition(name="f"))


def test_unions():
    assert get_args(schema.ToolParam) == (schema.FunctionToolParam, schema.BuiltinToolParam)
    assert schema.NamedToolChoiceParam in get_args(schema.ToolChoiceOptionParam)
    choice = pydantic.TypeAdapter(schema.ToolChoiceOptionParam)
    assert choice.validate_python("none") == "none"
    assert isinstance(
        choice.validate_python({"type": "function", "function": {"name": "f"}}),
        schema.NamedToolChoiceParam,
    )


@pytest.mark.parametrize("name", ["BuiltinToolParam", "BuiltinToolChoiceParam"])
@pytest.mark.parametrize("kind", ["function", "allowed_tools"])
def test_a_malformed_function_is_no_builtin_tool(name, kind):
    with pytest.raises(pydantic.ValidationError, match="not the type of a builtin tool"):
        getattr(schema, name)(type=kind, name="f")


@pytest.mark.parametrize("strict", [1, "true", []])
def test_strict_is_a_bool(strict):
    with pytest.raises(pydantic.ValidationError, match="strict"):
        schema.FunctionDefinition(name="f", strict=strict)


def test_wrong_modes():
    with pytest.raises(pydantic.ValidationError, match="mode"):
        schema.AllowedToolsParam(mode="none", tools=[])


def test_everything_is_exported():
    classes = {
        name
        for name, value in vars(schema).items()
        if isinstance(value, type)
        and issubclass(value, pydantic.BaseModel)
        and not name.startswith("_")
        and value.__module__ == schema.__name__
    }
    assert set(schema.__all__) == classes | {"ToolParam", "ToolChoiceOptionParam"}
