"""The public module: one builder per family, with the documented signature.

Guards names, defaults and errors as serving engines use them. What tags accept is
tests/python/models.
"""

from __future__ import annotations

import inspect

import pytest

import xgrammar as xgr
from xgrammar import builtin_structural_tag as public
from xgrammar.models.families import FAMILIES
from xgrammar.openai_tool_call_schema import FunctionToolParam

TOOL = FunctionToolParam.model_validate({"function": {"name": "f"}})


def test_names():
    keys = [key for family in FAMILIES for key in (family.key, *family.aliases)]
    assert set(public.__all__) >= {f"get_{key}_structural_tag" for key in keys}
    assert all(hasattr(public, name) for name in public.__all__)
    assert public.get_qwen_3_coder_structural_tag is public.get_qwen_3_5_structural_tag
    assert public.get_builtin_structural_tag is public.get_model_structural_tag
    for name in ("get_model_structural_tag", "normalize_tool_choice", "get_builtin_structural_tag"):
        assert getattr(xgr, name) is getattr(public, name)


def test_signature_of_the_dispatcher():
    parameters = inspect.signature(xgr.get_model_structural_tag).parameters
    assert {name: p.default for name, p in parameters.items()} == {
        "model": inspect.Parameter.empty,
        "tools": None,
        "tool_choice": "auto",
        "reasoning": "enabled",
        "force_reasoning": False,
        "any_order": False,
        "exclude_special_tokens": True,
        "max_whitespace_cnt": None,
        "parallel_tool_calls": True,
        "token_markers": False,
    }


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_builders(family):
    builder = getattr(public, f"get_{family.key}_structural_tag")
    parameters = inspect.signature(builder).parameters
    assert list(parameters)[:8] == [
        "tools",
        "builtin_tools",
        "tool_choice",
        "reasoning",
        "any_order",
        "exclude_special_tokens",
        "max_whitespace_cnt",
        "parallel_tool_calls",
    ]
    default = "auto" if family.key == "minimax_m3" else "enabled"
    assert parameters["reasoning"].default == default
    assert builder.__name__ == f"get_{family.key}_structural_tag"
    assert family.title in builder.__doc__
    by_dispatcher = xgr.get_model_structural_tag(family.key, [TOOL], "required", default)
    assert builder([TOOL], [], "required", unknown=1) == by_dispatcher


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_errors_of_builders(family):
    builder = getattr(public, f"get_{family.key}_structural_tag")
    with pytest.raises(ValueError, match="Unsupported tool choice"):
        builder([TOOL], tool_choice="any")
    for choice in ("required", "forced"):
        with pytest.raises(ValueError, match=f"(?i){choice}"):
            builder([], tool_choice=choice)
    if family.checks_reasoning:
        with pytest.raises(ValueError, match='"enabled", "disabled" or "auto"'):
            builder([], reasoning=True)


def test_calls_of_serving_engines():
    tag = xgr.get_model_structural_tag(
        model="glm_4_7", tools=[], tool_choice="auto", reasoning=False
    )
    assert tag.format.type == "any_text"
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}, "strict": False}}]
    for choice in ("auto", "required", {"type": "function", "function": {"name": "f"}}):
        xgr.get_model_structural_tag(
            model="deepseek_v3_2",
            tools=tools,
            tool_choice=choice,
            reasoning=True,
            parallel_tool_calls=False,
        )


def test_markers_are_excluded_in_the_documented_order():
    pairs = ("think", "tool_call", "arg_key", "arg_value")
    markers = [marker for name in pairs for marker in (f"<{name}>", f"</{name}>")]
    tag = xgr.get_model_structural_tag("glm_4_7", tools=[], reasoning=False)
    assert tag.format.excludes == markers
    tag = xgr.get_model_structural_tag("glm_4_7", tools=[TOOL], reasoning=False)
    assert tag.format.excludes == [marker for marker in markers if marker != "<tool_call>"]
