"""Grammar: constructors and their arguments, printing and reading back, union, copies, stored
forms.

One example a source: what each language means is tests/data with tests/conformance. The report of
keywords that are not enforced has to survive serialization.
"""

import copy
import pickle

import pytest

import xgrammar as xgr
from xgrammar.testing import _is_grammar_accept_string as accepts

AB = 'root ::= "a" | "b"'


def test_constructor_is_refused():
    with pytest.raises(TypeError):
        xgr.Grammar()


def test_from_ebnf():
    grammar = xgr.Grammar.from_ebnf('start ::= "x" rest\nrest ::= [0-9]+', root_rule_name="start")
    assert accepts(grammar, "x12")
    assert not accepts(grammar, "x")


@pytest.mark.parametrize(
    "text", ["", 'other ::= "a"', 'root ::= "a', "root ::= missing", 'root ::= "a"\nroot ::= "b"']
)
def test_bad_ebnf(text):
    with pytest.raises(RuntimeError):
        xgr.Grammar.from_ebnf(text)


@pytest.mark.parametrize("make", [xgr.Grammar.from_ebnf, xgr.Grammar.from_regex])
@pytest.mark.parametrize("value", [None, 3, b"a", ["a"]])
def test_sources_must_be_text(make, value):
    with pytest.raises(TypeError):
        make(value)


def test_lone_surrogates_are_unicode_errors():
    for make in (xgr.Grammar.from_ebnf, xgr.Grammar.from_regex, xgr.Grammar.from_json_schema):
        with pytest.raises(UnicodeEncodeError):
            make('"\ud800"')


def test_from_regex():
    grammar = xgr.Grammar.from_regex(r"\d{2}-[a-c]+")
    assert accepts(grammar, "12-abc")
    assert not accepts(grammar, "x12-abc")


def test_print_converted_ebnf_goes_to_stderr(capsys):
    xgr.Grammar.from_regex("a", print_converted_ebnf=True)
    xgr.Grammar.from_json_schema({}, print_converted_ebnf=True)
    captured = capsys.readouterr()
    assert "root ::=" in captured.err
    assert captured.out == ""


def test_builtin_json():
    grammar = xgr.Grammar.builtin_json_grammar()
    assert accepts(grammar, '{"a": [1, null, "x"]}')
    assert accepts(grammar, "[]")
    assert not accepts(grammar, "1")
    assert not accepts(grammar, " []")


def test_text_is_read_back():
    grammar = xgr.Grammar.from_json_schema({"properties": {"root": {"type": "integer"}}})
    text = str(grammar)
    assert text.endswith("\n")
    assert text.startswith("root ::= ")
    again = xgr.Grammar.from_ebnf(text)
    for sample in ('{"root": 12}', '{"root": "x"}', "{}"):
        assert accepts(grammar, sample) == accepts(again, sample)


def test_union_and_concat():
    a, b = xgr.Grammar.from_ebnf('root ::= "a"'), xgr.Grammar.from_regex("b+")
    for union in (xgr.Grammar.union(a, b), a | b):
        assert accepts(union, "a")
        assert accepts(union, "bb")
        assert not accepts(union, "ab")
    for concat in (xgr.Grammar.concat(a, b), a + b):
        assert accepts(concat, "abb")
        assert not accepts(concat, "a")
    assert accepts(xgr.Grammar.concat(), "")
    with pytest.raises(ValueError, match="at least one"):
        xgr.Grammar.union()
    for combine in (xgr.Grammar.union, xgr.Grammar.concat):
        with pytest.raises(TypeError):
            combine([a, b])
    with pytest.raises(TypeError):
        _ = a + "b"
    with pytest.raises(TypeError):
        _ = a | None


def test_identity_and_copies():
    grammar = xgr.Grammar.from_ebnf(AB)
    other = xgr.Grammar.from_ebnf(AB)
    assert grammar == grammar  # noqa: PLR0124 - the operator is tested.
    assert grammar != other
    assert grammar != AB
    assert copy.copy(grammar) is grammar
    assert copy.deepcopy([grammar])[0] is grammar
    assert len({grammar, other, grammar}) == 2
    assert "Grammar" in repr(grammar)


def test_serialization():
    grammar = xgr.Grammar.from_json_schema(
        {"type": "array", "items": {"enum": ["é", "\u0000"]}, "maxItems": 3}
    )
    for copied in (
        xgr.Grammar.deserialize_json(grammar.serialize_json()),
        pickle.loads(pickle.dumps(grammar)),
    ):
        assert str(copied) == str(grammar)
        assert accepts(copied, '["é"]')


def test_report_survives_serialization():
    grammar = xgr.Grammar.from_json_schema({"type": "string", "format": "no-such-format"})
    report = grammar.json_schema_report
    assert report
    assert set(report[0]) == {"pointer", "keyword", "reason", "effect"}
    assert report[0]["keyword"] == "format"
    assert xgr.Grammar.deserialize_json(grammar.serialize_json()).json_schema_report == report
    assert xgr.Grammar.from_ebnf(AB).json_schema_report == []
    both = grammar + xgr.Grammar.from_ebnf(AB) + grammar
    assert both.json_schema_report == 2 * report
    assert (grammar | xgr.Grammar.from_ebnf(AB)).json_schema_report == report
