"""Which schemas let a call have no arguments.

Families that write such a call in another way need a safe answer: "yes" only where the empty object
is certainly valid. Schemas with references in circles must end.
"""

from __future__ import annotations

import pytest

from xgrammar.models.empty_arguments import accepts_no_arguments

STRING = {"type": "string"}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"type": "object"},
        {"type": ["object", "null"], "properties": {"q": STRING}, "required": []},
        {"anyOf": [{"type": "object", "required": ["q"]}, {"minProperties": 0}]},
        {"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "object"}}},
        {"allOf": [{"type": "object"}, {"additionalProperties": False}]},
        {"const": {}},
        {"enum": [{}, {"q": 1}]},
    ],
)
def test_no_arguments_are_fine(schema):
    assert accepts_no_arguments(schema)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"type": "string"},
        {"type": "object", "required": ["q"]},
        {"minProperties": 1},
        {"allOf": [{}, {"required": ["q"]}]},
        {"$ref": "#/$defs/missing"},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#"},
        {"not": {"required": ["q"]}},
        {"const": {"q": 1}},
        {"anyOf": 5},
        {"allOf": [{"$ref": "#"}]},
        {"$ref": 5},
        "no schema",
    ],
)
def test_no_arguments_are_wrong_or_uncertain(schema):
    assert not accepts_no_arguments(schema)


def test_references_in_circles_end():
    many = [{"$ref": "#/$defs/a"}] * 50
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": many, "allOf": many}}}
    assert not accepts_no_arguments(schema)
    deep = {}
    for _ in range(5000):
        deep = {"allOf": [deep]}
    assert not accepts_no_arguments(deep)


def test_one_line_end_less_without_arguments():
    import xgrammar as xgr

    free = {"function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    bound = {"function": {"name": "f", "parameters": {"type": "object", "required": ["q"]}}}
    begins = [
        xgr.get_model_structural_tag("qwen_3_5", [tool], "required", "disabled")
        .format.tags[0]
        .begin
        for tool in (free, bound)
    ]
    assert begins == ["<tool_call>\n<function=f>", "<tool_call>\n<function=f>\n"]
