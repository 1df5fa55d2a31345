"""The classes of structural tags: fields, defaults, ranges, and how they read and write JSON.

Guards that classes and dicts refuse the same values and hold schemas of the same depth. What the
formats accept is tests/data/structural_tag; the engine's side is test_structural_tag_engine.py.
"""

from __future__ import annotations

import json
from typing import get_args

import pydantic
import pytest

import xgrammar as xgr
from xgrammar import structural_tag as st

TEXT = st.AnyTextFormat()
TAG = st.TagFormat(begin="<a>", content=TEXT, end="</a>")
TOKEN_TAG = st.TagFormat(
    begin=st.TokenFormat(token=3), content=TEXT, end=st.TokenFormat(token="</t>")
)
# One of every format, with what its dump holds besides `type`.
FORMATS = [
    (st.ConstStringFormat(value="a"), {"value": "a"}),
    (
        st.JSONSchemaFormat(json_schema=True),
        {
            "json_schema": True,
            "style": "json",
            "any_order": False,
            "max_whitespace_cnt": None,
            "excludes": [],
        },
    ),
    (st.QwenXMLParameterFormat(json_schema={}), {"json_schema": {}}),
    (TEXT, {"excludes": [], "max_tokens": None, "max_chars": None}),
    (st.GrammarFormat(grammar='root ::= "a"'), {"grammar": 'root ::= "a"', "syntax": "ebnf"}),
    (st.RegexFormat(pattern="a"), {"pattern": "a"}),
    (st.TokenFormat(token="<t>"), {"token": "<t>"}),
    (st.ExcludeTokenFormat(), {"exclude_tokens": []}),
    (st.AnyTokensFormat(exclude_tokens=[1]), {"exclude_tokens": [1], "max_tokens": None}),
    (st.SequenceFormat(elements=[]), {"elements": []}),
    (st.OrFormat(elements=[]), {"elements": []}),
    (st.OptionalFormat(content=TEXT), {"content": TEXT.model_dump()}),
    (st.PlusFormat(content=TEXT), {"content": TEXT.model_dump()}),
    (st.StarFormat(content=TEXT), {"content": TEXT.model_dump()}),
    (
        st.RepeatFormat(min=1, max=-1, content=TEXT),
        {"min": 1, "max": -1, "content": TEXT.model_dump()},
    ),
    (TAG, {"begin": "<a>", "content": TEXT.model_dump(), "end": "</a>"}),
    (
        st.TriggeredTagsFormat(triggers=["<"], tags=[TAG]),
        {
            "triggers": ["<"],
            "tags": [TAG.model_dump()],
            "at_least_one": False,
            "stop_after_first": False,
            "excludes": [],
        },
    ),
    (
        st.TokenTriggeredTagsFormat(trigger_tokens=[3], tags=[TOKEN_TAG]),
        {
            "trigger_tokens": [3],
            "tags": [TOKEN_TAG.model_dump()],
            "exclude_tokens": [],
            "at_least_one": False,
            "stop_after_first": False,
        },
    ),
    (
        st.TagsWithSeparatorFormat(tags=[TAG], separator=""),
        {
            "tags": [TAG.model_dump()],
            "separator": "",
            "at_least_one": False,
            "stop_after_first": False,
        },
    ),
    (
        st.DispatchFormat(rules=[("a", TEXT)]),
        {"rules": [("a", TEXT.model_dump())], "loop": True, "excludes": []},
    ),
    (
        st.TokenDispatchFormat(rules=[(1, TEXT)]),
        {"rules": [(1, TEXT.model_dump())], "loop": True, "exclude_tokens": []},
    ),
]


@pytest.mark.parametrize(("value", "fields"), FORMATS, ids=lambda value: getattr(value, "type", ""))
def test_dumps_hold_every_field(value, fields):
    assert value.model_dump() == {"type": value.type, **fields}
    tag = st.StructuralTag(format=value)
    assert st.StructuralTag.from_json(tag.model_dump_json()) == tag
    assert st.StructuralTag.from_json(json_str=tag.model_dump()) == tag
    assert tag.format is value


def test_the_union_is_complete():
    union, field = get_args(st.Format)
    assert field.discriminator == "type"
    assert set(get_args(union)) == {type(value) for value, _ in FORMATS}
    exported = {type(value).__name__ for value, _ in FORMATS}
    assert set(st.__all__) == exported | {"Format", "StructuralTag", "StructuralTagItem"}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "any_text", "max_tokens": -1},
        {"type": "any_text", "max_chars": 2**31},
        {"type": "any_tokens", "max_tokens": 1.5},
        {"type": "json_schema", "json_schema": {}, "style": "yaml"},
        {"type": "json_schema"},
        {"type": "grammar", "grammar": "a", "syntax": "bnf"},
        {"type": "repeat", "content": {"type": "any_text"}},
        {"type": "nope"},
        {"value": "a"},
        {"type": "const_string", "value": 1},
        "a",
        None,
    ],
)
def test_wrong_fields(value):
    with pytest.raises(pydantic.ValidationError):
        st.StructuralTag.from_json({"format": value})


def test_limits_and_coercions():
    assert st.AnyTextFormat(max_tokens=0, max_chars=2**31 - 1).max_tokens == 0
    assert [st.TokenFormat(token=value).token for value in (True, 1.0, "1")] == [1, 1, "1"]
    assert st.JSONSchemaFormat(json_schema=True, max_whitespace_cnt="2").max_whitespace_cnt == 2


def test_unknown_fields_are_ignored():
    tag = st.StructuralTag.from_json('{"format": {"type": "any_text", "x": 1}, "y": 2}')
    assert tag == st.StructuralTag(format=TEXT)


def test_trees_are_mutable():
    tag = st.StructuralTag(format=st.TriggeredTagsFormat(triggers=["<"], tags=[TAG.model_copy()]))
    tag.format.stop_after_first = True
    tag.format.excludes[:] = ["x"]
    tag.format.tags[0].content = st.RegexFormat(pattern="b")
    dumped = tag.model_dump()["format"]
    assert (dumped["stop_after_first"], dumped["excludes"]) == (True, ["x"])
    assert st.TriggeredTagsFormat(triggers=["<"], tags=[]).excludes == []


def test_json_schema_of_the_classes():
    schema = st.StructuralTag.model_json_schema()
    assert schema["properties"]["format"]["discriminator"]["propertyName"] == "type"

    class Request(pydantic.BaseModel):
        response_format: st.StructuralTag | dict[str, str] | None = None

    assert "StructuralTag" in Request.model_json_schema()["$defs"]


@pytest.mark.parametrize("value", [None, 1, [], b"{}"])
def test_from_json_takes_text_and_dicts(value):
    with pytest.raises(ValueError, match="JSON text or a dict"):
        st.StructuralTag.from_json(value)


def test_from_json_refuses_broken_text():
    with pytest.raises(ValueError):
        st.StructuralTag.from_json("{")


def test_legacy_form():
    class Arguments(pydantic.BaseModel):
        q: str

    schema = {"type": "integer"}
    items = [
        xgr.StructuralTagItem(begin="<a>", schema=given, end="</a>")
        for given in (schema, json.dumps(schema), Arguments)
    ]
    assert items[0].schema_ == schema
    tag = xgr.StructuralTag.from_legacy_structural_tag(items, ["<a"])
    assert [t.content.json_schema for t in tag.format.tags] == [
        schema,
        schema,
        Arguments.model_json_schema(),
    ]
    assert tag.format.triggers == ["<a"]
    assert (tag.format.at_least_one, tag.format.stop_after_first) == (False, False)
    with pytest.raises(json.JSONDecodeError):
        xgr.StructuralTag.from_legacy_structural_tag(
            [xgr.StructuralTagItem(begin="a", schema="{", end="b")], ["a"]
        )
    with pytest.raises(AttributeError):
        xgr.StructuralTag.from_legacy_structural_tag([{"begin": "a"}], ["a"])


def test_shared_cases(shared_dir):
    read = 0
    for name in ("structural_tag.jsonl", "styles.jsonl", "reports.jsonl"):
        with (shared_dir / "cases" / name).open(encoding="utf-8") as lines:
            cases = [json.loads(line) for line in lines]
        for case in cases:
            typed = not case["id"].endswith("-notype")  # the classes infer no types
            if case["kind"].startswith("structural_tag") and not case.get("error") and typed:
                tag = st.StructuralTag.from_json(case["input"])
                assert st.StructuralTag.from_json(tag.model_dump_json()) == tag
                read += 1
    assert read > 50


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (float("nan"), xgr.InvalidJSONError),
        (float("inf"), xgr.InvalidJSONError),
        ("\ud800", xgr.InvalidJSONError),
        ({1, 2}, TypeError),
        (b"a", TypeError),
        (1j, TypeError),
    ],
)
def test_what_json_does_not_have_is_refused_in_classes_as_in_dicts(value, error):
    tag = st.StructuralTag(format=st.JSONSchemaFormat(json_schema={"const": value}))
    as_dict = {"format": {"type": "json_schema", "json_schema": {"const": value}}}
    for form in (tag, as_dict):
        with pytest.raises(error):
            xgr.Grammar.from_structural_tag(form)


@pytest.mark.parametrize("levels", [400, 700, 990])
def test_schemas_in_classes_may_be_as_deep_as_in_dicts(levels):
    schema = {"type": "null"}
    for _ in range(levels):
        schema = {"type": "array", "prefixItems": [schema], "minItems": 1, "items": False}
    tag = st.StructuralTag(format=st.JSONSchemaFormat(json_schema=schema))
    grammar = xgr.Grammar.from_structural_tag(tag)
    as_dict = {"format": {"type": "json_schema", "json_schema": schema}}
    assert str(grammar) == str(xgr.Grammar.from_structural_tag(as_dict))


@pytest.mark.parametrize("levels", [100, 480, 900, 5000])
def test_formats_nested_too_deeply(levels):
    as_class, as_dict = TEXT, {"type": "any_text"}
    for _ in range(levels):
        as_class = st.SequenceFormat(elements=[as_class])
        as_dict = {"type": "sequence", "elements": [as_dict]}
    for form in (st.StructuralTag(format=as_class), {"format": as_dict}):
        with pytest.raises((xgr.InvalidStructuralTagError, xgr.InvalidJSONError), match="nest"):
            xgr.Grammar.from_structural_tag(form)


def test_objects_that_contain_themselves():
    schema = {"type": "object"}
    schema["properties"] = {"again": schema}
    chain = {"type": "object"}
    end = chain
    for _ in range(3000):
        end["items"] = {}
        end = end["items"]
    end["items"] = chain
    sequence = st.SequenceFormat(elements=[TEXT])
    sequence.elements.append(sequence)
    forms = [
        {"format": {"type": "json_schema", "json_schema": schema}},
        {"format": {"type": "json_schema", "json_schema": chain}},
        st.StructuralTag(format=st.JSONSchemaFormat(json_schema=chain)),
        st.StructuralTag.model_construct(type="structural_tag", format=sequence),
    ]
    for form in forms:
        with pytest.raises(xgr.InvalidStructuralTagError, match="contains itself"):
            xgr.Grammar.from_structural_tag(form)


def test_legacy_schemas_nested_too_deeply():
    text = '{"items":' * 3000 + "{}" + "}" * 3000
    item = xgr.StructuralTagItem(begin="<a>", schema=text, end="</a>")
    # Which of the two says so depends on how deeply this version of Python reads JSON.
    errors = (xgr.JSONSchemaError, xgr.InvalidJSONError)
    with pytest.raises(errors, match=r"too deeply|max_nesting"):
        xgr.Grammar.from_structural_tag([item], ["<a"])
