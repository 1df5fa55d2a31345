"""Tools and tool choices in all their forms, as dicts and as objects of client libraries.

Guards order, duplicates, the choice of one tool, allowed subsets, and errors for what is malformed.
What the choice does to a response is test_families.py.
"""

from __future__ import annotations

import pydantic
import pytest

import xgrammar as xgr
from xgrammar.openai_tool_call_schema import (
    AllowedToolChoiceParam,
    BuiltinToolChoiceParam,
    BuiltinToolParam,
    FunctionToolParam,
    NamedToolChoiceParam,
)

F = {"type": "function", "function": {"name": "f", "extra": 1}, "extra": 2}
G = {"function": {"name": "g"}}
WEB = {"type": "web", "name": "browser", "parameters": {}}
TOOLS = [F, WEB, G]


def allowed(mode, *references):
    return {
        "type": "allowed_tools",
        "allowed_tools": {"mode": mode, "tools": list(references)},
    }


def named(name):
    return {"type": "function", "function": {"name": name}}


def names(tools, choice="auto"):
    functions, builtins, simple = xgr.normalize_tool_choice(tools, choice)
    return [t.function.name for t in functions], [t.type for t in builtins], simple


@pytest.mark.parametrize(
    ("choice", "want"),
    [
        (None, (["f", "g"], ["web"], "auto")),
        ("auto", (["f", "g"], ["web"], "auto")),
        ("none", ([], [], "auto")),
        ("required", (["f", "g"], ["web"], "required")),
        (named("g"), (["g"], [], "forced")),
        ({"function": {"name": "g"}}, (["g"], [], "forced")),
        ({"type": "web", "name": "ignored"}, ([], ["web"], "forced")),
        (allowed("auto", {"type": "web"}, named("f")), (["f"], ["web"], "auto")),
        (allowed("required", named("g")), (["g"], [], "required")),
        (allowed("auto"), ([], [], "auto")),
        (NamedToolChoiceParam.model_validate(named("f")), (["f"], [], "forced")),
        (BuiltinToolChoiceParam(type="web"), ([], ["web"], "forced")),
        (AllowedToolChoiceParam.model_validate(allowed("auto", named("f"))), (["f"], [], "auto")),
    ],
)
def test_choices(choice, want):
    assert names(TOOLS, choice) == want


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (named("zz"), "zz"),
        ({"type": "other"}, "exactly one"),
        ("any", "any"),
        (1, "dictionary"),
        ([], "dictionary"),
        ({}, "type"),
        ({"name": "f"}, "type"),
        ({"type": "function", "name": "f"}, "function"),
        ({"type": "function"}, "function"),
        ({"type": "allowed_tools", "mode": "auto", "tools": []}, "allowed_tools"),
        (allowed("none"), "mode"),
        (allowed("auto", {"type": "function", "name": "f"}), "must include 'function'"),
        (allowed("auto", named("zz")), "^Allowed function tools"),
        (allowed("auto", {"type": "zz"}), "^Allowed builtin tools"),
        (allowed("required"), "required"),
    ],
)
def test_wrong_choices(choice, message):
    with pytest.raises(ValueError, match=message):
        xgr.normalize_tool_choice(TOOLS, choice)


@pytest.mark.parametrize("choice", ["any", "", 1, [], {}, {"type": "function"}, allowed("none")])
def test_malformed_choices_raise_one_class(choice):
    with pytest.raises(pydantic.ValidationError):
        xgr.normalize_tool_choice(TOOLS, choice)


def test_required_needs_tools():
    with pytest.raises(ValueError, match="required"):
        xgr.normalize_tool_choice(None, "required")


def test_forced_is_one_tool():
    with pytest.raises(ValueError, match="exactly one tool"):
        xgr.normalize_tool_choice([F, F], named("f"))
    with pytest.raises(ValueError, match=r"exactly one .*2 matches"):
        xgr.normalize_tool_choice([WEB, WEB], {"type": "web"})


def test_order_and_duplicates_are_kept():
    assert names([G, F, G]) == (["g", "f", "g"], [], "auto")


@pytest.mark.parametrize("tools", [(), {}, "x", 1])
def test_tools_are_a_list(tools):
    with pytest.raises(ValueError, match="must be a list"):
        xgr.normalize_tool_choice(tools)


def test_instances_are_kept():
    function, builtin = FunctionToolParam.model_validate(F), BuiltinToolParam.model_validate(WEB)
    functions, builtins, _ = xgr.normalize_tool_choice([function, builtin])
    assert functions[0] is function
    assert builtins[0] is builtin


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ({"type": "function"}, "function"),
        ({"type": "function", "name": "f", "parameters": {}}, "function"),
        ({"function": {}}, r"function\.name"),
        ({"function": {"name": 1}}, r"function\.name"),
        ({"function": {"name": "f", "parameters": True}}, r"function\.parameters"),
        ({"function": {"name": "f", "parameters": []}}, r"function\.parameters"),
        ({"function": {"name": "f", "strict": "yes"}}, r"function\.strict"),
        ({"type": 1}, "type"),
        ({}, "type"),
        ("f", "dictionary"),
        ({"type": "web", "parameters": []}, "parameters"),
    ],
)
def test_malformed_tools_are_errors(tool, message):
    with pytest.raises(ValueError, match=message):
        xgr.normalize_tool_choice([tool])
