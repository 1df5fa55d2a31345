"""The shape of tags: engines walk the tree and edit it.

Guards where thoughts, text and calls stand in the tree, that options reach every arguments format,
that nothing is shared between tags, and that trees survive JSON. Which texts they accept is
test_families.py.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr
from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    JSONSchemaFormat,
    OptionalFormat,
    OrFormat,
    SequenceFormat,
    TagFormat,
    TagsWithSeparatorFormat,
    TriggeredTagsFormat,
)

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
TOOLS = [
    {"type": "function", "function": {"name": "f", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "g", "parameters": SCHEMA, "strict": False}},
]
FORCED = {"type": "function", "function": {"name": "f"}}


def format_of(model, *args, **kwargs):
    return xgr.get_model_structural_tag(model, *args, **kwargs).format


def nodes(node):
    """All format objects of a tree."""
    if isinstance(node, list):
        for element in node:
            yield from nodes(element)
    elif hasattr(type(node), "model_fields"):
        yield node
        for name in type(node).model_fields:
            yield from nodes(getattr(node, name))


def test_thoughts_then_text_with_calls():
    top = format_of("qwen_3", TOOLS)
    assert isinstance(top, SequenceFormat)
    prefix, suffix = top.elements
    thoughts, line_ends = prefix.elements
    assert thoughts == TagFormat(
        begin="", content=AnyTextFormat(excludes=["<think>", "</think>"]), end="</think>"
    )
    assert line_ends == ConstStringFormat(value="\n\n")
    assert isinstance(suffix, TriggeredTagsFormat)
    assert suffix.triggers == ["<tool_call>"]
    assert suffix.excludes == ["<think>", "</think>"]
    assert (suffix.at_least_one, suffix.stop_after_first) == (False, False)
    assert [tag.content.json_schema for tag in suffix.tags] == [SCHEMA, True]
    assert suffix.tags[0].begin == '<tool_call>\n{"name": "f", "arguments": '
    assert suffix.tags[0].end == "}\n</tool_call>"


def test_choices():
    required = format_of("glm_4_7", TOOLS, "required", "disabled")
    assert isinstance(required, TriggeredTagsFormat)
    assert required.at_least_one
    single = format_of("glm_4_7", TOOLS, "required", "disabled", parallel_tool_calls=False)
    assert single.stop_after_first
    forced = format_of("glm_4_7", TOOLS, FORCED, "disabled")
    assert isinstance(forced, TagFormat)
    assert forced.begin == "<tool_call>f"
    assert isinstance(format_of("glm_4_7", [], "auto", "disabled"), AnyTextFormat)


def test_optional_thoughts():
    assert isinstance(format_of("gemma_4", [], reasoning="auto").elements[0], OptionalFormat)
    either = format_of("minimax_m3", [], reasoning="auto").elements[0].content
    assert isinstance(either, OrFormat)
    assert either.elements[1] == ConstStringFormat(value="</mm:think>")


def test_literals_instead_of_thoughts():
    elements = format_of("minimax", TOOLS, reasoning="disabled").elements
    assert elements[0] == ConstStringFormat(value="\n</think>\n\n")
    assert elements[1] == ConstStringFormat(value="\n\n")


def test_blocks_of_calls():
    suffix = format_of("kimi", TOOLS, reasoning="disabled", parallel_tool_calls=False)
    block = suffix.tags[0]
    assert isinstance(block.content, TagsWithSeparatorFormat)
    assert block.content.at_least_one
    assert block.content.stop_after_first
    assert suffix.stop_after_first


def test_options_reach_every_arguments_format():
    for model in ("llama", "harmony", "kimi_k3", "cohere", "qwen_3_5", "mistral_v7"):
        top = format_of(model, TOOLS, any_order=True, max_whitespace_cnt=2)
        formats = [node for node in nodes(top) if isinstance(node, JSONSchemaFormat)]
        assert len(formats) >= 2
        assert all(f.any_order and f.max_whitespace_cnt == 2 for f in formats)


@pytest.mark.parametrize("excluded", [True, False])
def test_exclusions_of_arguments(excluded):
    markers = ["<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>"]
    top = format_of("gemma_4", TOOLS, exclude_special_tokens=excluded)
    for node in nodes(top):
        if isinstance(node, JSONSchemaFormat):
            assert node.excludes == (markers if excluded else [])


def test_names_are_escaped_where_the_format_escapes_them():
    tools = [{"function": {"name": 'a&"<'}}]
    forced = format_of("kimi_k3", tools, "required", "disabled").elements[1].content.tags[0]
    assert forced.begin == '<|open|>call tool="a&amp;&quot;<" index="'
    call = format_of("cohere", tools, "required", "disabled").content.tags[0]
    assert call.content.elements[1].value == '" name="a&amp;&quot;&lt;">'


def test_builtin_tools():
    tools = [{"type": "python"}, {"type": "web", "name": "browser.search", "parameters": SCHEMA}]
    values = [
        n.value for n in nodes(format_of("harmony", tools)) if isinstance(n, ConstStringFormat)
    ]
    assert "<|channel|>commentary to=python code<|message|>" in values
    assert " to=browser.search<|channel|>analysis code<|message|>" in values
    assert format_of("qwen_3", tools) == format_of("qwen_3", [])
    for model in ("mimo", "minimax_m3"):
        with pytest.raises(ValueError, match="does not support builtin tools"):
            format_of(model, tools)


def test_nothing_is_shared():
    for model in ("harmony", "kimi", "qwen_3_5", "granite"):
        first, second = format_of(model, TOOLS), format_of(model, TOOLS)
        assert not {id(node) for node in nodes(first)} & {id(node) for node in nodes(second)}
        ids = [id(node) for node in nodes(first)]
        assert len(ids) == len(set(ids)), "a node stands at two places of one tree"
        schemas = [n.json_schema for n in nodes(first) if isinstance(n, JSONSchemaFormat)]
        schemas[0]["properties"]["q"]["type"] = "null"
    assert SCHEMA["properties"]["q"]["type"] == "string"


def test_trees_are_mutable_and_survive_json():
    tag = xgr.get_model_structural_tag("deepseek_v3_2", TOOLS)
    for node in nodes(tag.format):
        if isinstance(node, TriggeredTagsFormat | TagsWithSeparatorFormat):
            node.stop_after_first = True
    assert xgr.StructuralTag.from_json(tag.model_dump_json()) == tag
    assert xgr.StructuralTag.model_validate(tag.model_dump()) == tag
