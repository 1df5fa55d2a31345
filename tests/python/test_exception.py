"""Every kind of error has its class, its attributes and its base.

Guards places (line and column, position, pointer), limits with their values, texts that are short
and clean whatever the source holds, and pickling. Single messages are tested where they are raised.
"""

import inspect
import pickle

import pytest

import xgrammar as xgr
from xgrammar import exception

CLASSES = [getattr(exception, name) for name in exception.__all__]


@pytest.mark.parametrize("cls", CLASSES)
def test_classes_are_documented_runtime_errors(cls):
    assert issubclass(cls, RuntimeError)
    assert issubclass(cls, xgr.XGrammarError)
    assert inspect.getdoc(cls)
    assert getattr(xgr, cls.__name__) is cls
    error = cls("text")
    assert str(error) == "text"
    for name in ("line", "column", "position", "pointer", "feature", "limit", "value", "maximum"):
        assert getattr(error, name) is None
    assert error.where is None
    assert error.hint is None


def test_syntax_error_has_line_and_column():
    with pytest.raises(xgr.GrammarSyntaxError) as caught:
        xgr.Grammar.from_ebnf('root ::= "a"\nother ::= (')
    assert caught.value.line == 2
    assert caught.value.column is not None
    assert caught.value.where == f"line 2, column {caught.value.column}"


def test_regex_error_has_a_position():
    with pytest.raises(xgr.GrammarSyntaxError) as caught:
        xgr.Grammar.from_regex("ab(c")
    assert caught.value.position is not None
    assert caught.value.where == f"position {caught.value.position}"


def test_schema_error_has_a_pointer():
    with pytest.raises(xgr.JSONSchemaError) as caught:
        xgr.Grammar.from_json_schema({"properties": {"a": {"type": "nothing"}}})
    assert caught.value.pointer is not None
    assert caught.value.pointer.startswith("/properties/a")


def test_limit_error_names_the_limit():
    with pytest.raises(xgr.GrammarLimitError) as caught:
        xgr.Grammar.from_ebnf("root ::= " + "(" * 5000 + '"a"' + ")" * 5000)
    assert caught.value.limit == "max_nesting"
    assert caught.value.value is not None
    assert caught.value.maximum == 2000
    assert "max_nesting" in str(caught.value)


def test_unsatisfiable_and_unsupported():
    with pytest.raises(xgr.UnsatisfiableGrammarError):
        xgr.Grammar.from_json_schema(schema=False)
    with pytest.raises(xgr.UnsupportedFeatureError):
        xgr.Grammar.from_regex(r"(a)\1")


def test_texts_are_short_and_clean():
    with pytest.raises(xgr.XGrammarError) as caught:
        xgr.Grammar.from_ebnf("root ::= \x01" + "x" * 100_000)
    text = str(caught.value)
    assert len(text.encode()) <= 1024
    assert "\x01" not in text
    assert not text.endswith("\n")
    assert ".cc" not in text


def test_errors_keep_their_attributes_when_pickled():
    with pytest.raises(xgr.GrammarSyntaxError) as caught:
        xgr.Grammar.from_ebnf("root ::= (")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert copy.line == caught.value.line
