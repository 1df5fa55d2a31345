"""Arguments of the JSON Schema front end; what keywords mean is tested elsewhere.

Schemas as text, dict, bool and pydantic class, of any depth or containing themselves; layout
options and their ranges; strict and lenient mode. Keywords are tests/data/json_schema and
tests/json_schema_suite.
"""

import pytest

import xgrammar as xgr
from xgrammar.testing import _is_grammar_accept_string as accepts

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def grammar(schema=None, **options):
    return xgr.Grammar.from_json_schema(SCHEMA if schema is None else schema, **options)


def test_kinds_of_schemas():
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")

    class Model(pydantic.BaseModel):
        a: int

    for schema in (SCHEMA, '{"required":["a"],"properties":{"a":{"type":"integer"}}}', Model):
        assert accepts(grammar(schema), '{"a": 1}')
        assert not accepts(grammar(schema), "{}")
    assert accepts(grammar(True), "[1]")
    assert accepts(grammar("true"), "[1]")
    with pytest.raises(ValueError, match="schema must be"):
        grammar(Model(a=1))


@pytest.mark.parametrize("schema", [[], 3, 1.5, object(), b"{}", int])
def test_wrong_types_are_value_errors(schema):
    with pytest.raises(ValueError, match="schema must be"):
        grammar(schema)


def test_none_is_a_value_error():
    with pytest.raises(ValueError, match="schema must be"):
        xgr.Grammar.from_json_schema(None)


def test_what_json_cannot_express_is_a_type_error():
    with pytest.raises(TypeError):
        grammar({"enum": [object()]})


def test_a_dict_that_contains_itself():
    schema = {"type": "object"}
    schema["properties"] = {"again": schema}
    with pytest.raises(xgr.JSONSchemaError, match="contains itself"):
        grammar(schema)
    items = []
    items.append(items)
    with pytest.raises(xgr.JSONSchemaError, match=r"\$ref"):
        grammar({"enum": [items]})


def test_deep_dicts():
    levels = 1000
    schema = {"type": "integer"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    assert accepts(grammar(schema), '{"a":' * levels + "1" + "}" * levels)
    assert not accepts(grammar(schema), '{"a":' * (levels - 1) + "1" + "}" * (levels - 1))
    for _ in range(100 * levels):
        schema = {"items": schema}
    with pytest.raises(xgr.GrammarLimitError, match="max_nesting"):
        grammar(schema)


def nested_models(levels):
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    model = int
    for level in range(levels):
        model = pydantic.create_model(f"M{level}", a=(model, ...))
    return model


def test_classes_nested_too_deeply_for_pydantic():
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    assert isinstance(grammar(nested_models(10)), xgr.Grammar)

    class TooDeep(pydantic.BaseModel):
        """Its schema is one that pydantic cannot write; how deep such a class is, and whether it
        can be made at all, depends on the version.
        """

        @classmethod
        def model_json_schema(cls, *_args, **_options):
            raise RecursionError("maximum recursion depth exceeded")

    with pytest.raises(xgr.JSONSchemaError, match="too deeply for pydantic"):
        grammar(TooDeep)
    item = xgr.StructuralTagItem(begin="<a>", schema=TooDeep, end="</a>")
    with pytest.raises(xgr.JSONSchemaError, match="too deeply for pydantic"):
        xgr.Grammar.from_structural_tag([item], ["<a"])


@pytest.mark.parametrize("text", ["", "{", "nothing"])
def test_text_that_is_not_json(text):
    with pytest.raises(xgr.InvalidJSONError):
        grammar(text)


@pytest.mark.parametrize("text", ["[]", "3", '"x"', "null", "false"])
def test_json_that_is_no_schema(text):
    with pytest.raises(RuntimeError):
        grammar(text)


def test_whitespace_options():
    assert accepts(grammar(), '{ "a" :\n1}')
    compact = grammar(any_whitespace=False, separators=(",", ":"))
    assert accepts(compact, '{"a":1}')
    assert not accepts(compact, '{"a": 1}')
    assert accepts(grammar(any_whitespace=False), '{"a": 1}')
    assert accepts(grammar(any_whitespace=False, indent=2), '{\n  "a": 1\n}')
    bounded = grammar(max_whitespace_cnt=1)
    assert accepts(bounded, '{ "a": 1}')
    assert not accepts(bounded, '{  "a": 1}')
    assert accepts(grammar(any_whitespace=False, separators=[",", ":"]), '{"a":1}')


@pytest.mark.parametrize("separators", [(",",), (",", ":", ";"), ()])
def test_separators_are_two(separators):
    with pytest.raises(ValueError, match="two elements"):
        grammar(separators=separators)


def test_bad_options():
    with pytest.raises(TypeError):
        grammar(separators=",:")
    with pytest.raises(TypeError):
        grammar(separators=(",", 3))
    with pytest.raises(RuntimeError, match="indent"):
        grammar(any_whitespace=False, indent=-1)
    for count in (0, -3):
        with pytest.raises(RuntimeError, match="max_whitespace_cnt"):
            grammar(max_whitespace_cnt=count)
    with pytest.raises(TypeError):
        grammar(indent="x")


def test_strict_mode_and_any_order():
    two = {"properties": {"a": {"type": "null"}, "b": {"type": "null"}}, "required": ["a", "b"]}
    assert not accepts(grammar(two), '{"b": null, "a": null}')
    assert accepts(grammar(two, any_order=True), '{"b": null, "a": null}')
    assert not accepts(grammar(two), '{"a": null, "b": null, "c": 1}')
    assert accepts(grammar(two, strict_mode=False), '{"a": null, "b": null, "c": 1}')


def test_lenient_mode_reports():
    schema = {"type": "array", "items": {"type": "string"}, "not": {"uniqueItems": True}}
    with pytest.raises(xgr.UnsupportedFeatureError) as caught:
        grammar(schema)
    assert caught.value.feature == "uniqueItems"
    report = grammar(schema, lenient=True).json_schema_report
    assert [(r["keyword"], r["effect"]) for r in report] == [("uniqueItems", "ignored")]


def test_reports_are_in_document_order_whatever_the_type():
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "format": "int32"},
            "b": {"enum": ["x", 1], "format": "zip"},
            "c": {"type": "string", "format": "phone"},
            "d": {"type": "integer", "format": "date"},
        },
    }
    found = [(r["pointer"], r["keyword"], r["effect"]) for r in grammar(schema).json_schema_report]
    assert found == [(f"/properties/{name}", "format", "annotation") for name in "abc"]


def test_lenient_patterns_are_dropped_and_reported():
    schema = {"type": "array", "items": {"type": "string", "pattern": "(?<=a)b", "maxLength": 1}}
    (record,) = grammar(schema, lenient=True).json_schema_report
    assert (record["pointer"], record["keyword"]) == ("/items", "pattern")
    assert (record["effect"], "look-behind" in record["reason"]) == ("ignored", True)


def test_strings_that_are_too_large_name_what_they_combine():
    schema = {"type": "string", "format": "regex", "pattern": "a"}
    with pytest.raises(xgr.GrammarLimitError, match="combines pattern and format needs") as caught:
        grammar(schema)
    assert caught.value.limit == "max_dfa_states"
