"""Markers as tokens: which texts of a tag become whole tokens with `token_markers=True`.

Works on trees alone; with a vocabulary the result is walked in test_tokens.py. Families without
named markers stay as they are.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr
from xgrammar.models.token_markers import with_token_markers
from xgrammar.structural_tag import (
    AnyTextFormat,
    AnyTokensFormat,
    ConstStringFormat,
    JSONSchemaFormat,
    OptionalFormat,
    SequenceFormat,
    StructuralTag,
    TagFormat,
    TagsWithSeparatorFormat,
    TokenFormat,
    TokenTriggeredTagsFormat,
    TriggeredTagsFormat,
)

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}]
MARKERS = ["<a>", "</a>"]
THINK = ["<think>", "</think>"]


def text(value):
    return ConstStringFormat(value=value)


def token(value):
    return TokenFormat(token=value)


def test_documented_example():
    tag = xgr.get_model_structural_tag("qwen_3_5", TOOLS, token_markers=True)
    thoughts = TagFormat(
        begin="", content=AnyTokensFormat(exclude_tokens=THINK), end=token("</think>")
    )
    call = TagFormat(
        begin=token("<tool_call>"),
        content=SequenceFormat(
            elements=[
                text("\n<function=f>\n"),
                JSONSchemaFormat(json_schema=SCHEMA, style="qwen_xml"),
                text("\n</function>\n"),
            ]
        ),
        end=token("</tool_call>"),
    )
    calls = TokenTriggeredTagsFormat(
        trigger_tokens=["<tool_call>"], tags=[call], exclude_tokens=THINK
    )
    assert tag.format == SequenceFormat(
        elements=[SequenceFormat(elements=[thoughts, text("\n\n")]), calls]
    )


def test_flags_and_optional_parts_stay():
    tag = xgr.get_model_structural_tag(
        "glm_4_7", TOOLS, "required", "auto", parallel_tool_calls=False, token_markers=True
    )
    optional, calls = tag.format.elements
    assert isinstance(optional, OptionalFormat)
    assert optional.content.begin == token("<think>")
    assert calls.at_least_one
    assert calls.stop_after_first
    assert "<arg_key>" in calls.exclude_tokens
    assert "<tool_call>" not in calls.exclude_tokens


def test_text_without_tools_stays_text():
    tag = xgr.get_model_structural_tag("qwen_3", reasoning="disabled", token_markers=True)
    assert isinstance(tag.format, AnyTextFormat)


def test_forced_calls():
    choice = {"type": "function", "function": {"name": "f"}}
    tag = xgr.get_model_structural_tag("qwen_3", TOOLS, choice, "disabled", token_markers=True)
    assert tag.format.begin == token("<tool_call>")
    assert tag.format.end == token("</tool_call>")


def test_markers_inside_literals():
    tag = TagFormat(begin="<a>x</a>y", content=text("c"), end=["z<a></a>"])
    converted = with_token_markers(StructuralTag(format=tag), MARKERS).format
    assert converted == TagFormat(
        begin=token("<a>"),
        content=SequenceFormat(
            elements=[text("x"), token("</a>"), text("y"), text("c"), text("z"), token("<a>")]
        ),
        end=token("</a>"),
    )


def test_free_text_before_a_token_end():
    content = SequenceFormat(
        elements=[OptionalFormat(content=AnyTextFormat(excludes=["<a>"], max_tokens=2)), text("x")]
    )
    tag = TagFormat(begin="", content=content, end="</a>")
    converted = with_token_markers(StructuralTag(format=tag), MARKERS).format
    assert converted.content.elements == [
        OptionalFormat(content=AnyTokensFormat(exclude_tokens=["<a>"], max_tokens=2)),
        text("x"),
    ]
    inner = TagFormat(begin="(", content=AnyTextFormat(), end=")")
    tag = TagFormat(begin="", content=inner.model_copy(deep=True), end="</a>")
    assert with_token_markers(StructuralTag(format=tag), MARKERS).format.content == inner


def test_triggers_without_a_common_marker_stay_text():
    tags = [TagFormat(begin=b, content=AnyTextFormat(), end="</a>") for b in ("<a>1", "<b>2")]
    node = TriggeredTagsFormat(triggers=["<a>", "<b>"], tags=tags)
    converted = with_token_markers(StructuralTag(format=node), MARKERS).format
    assert isinstance(converted, TriggeredTagsFormat)
    assert [tag.begin for tag in converted.tags] == ["<a>1", "<b>2"]


def test_other_containers_are_walked():
    tag = TagFormat(begin="<a>", content=AnyTextFormat(excludes=["<a>", "no"]), end="</a>")
    node = TagsWithSeparatorFormat(tags=[tag], separator=",")
    converted = with_token_markers(StructuralTag(format=node), MARKERS).format
    assert converted.tags[0].content == AnyTokensFormat(exclude_tokens=["<a>"])


@pytest.mark.parametrize("model", ["mimo", "gemma_4", "kimi", "harmony"])
def test_families_without_markers(model):
    with pytest.raises(
        ValueError, match=f"for model {model}, supported models: .*'qwen_3', 'glm_4_7'"
    ):
        xgr.get_model_structural_tag(model, tools="x", token_markers=True)
