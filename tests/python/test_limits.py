"""Limits: immutable values with positive integer fields, for one call, one compiler or the process.

Guards that a lifted bound on nesting never overflows the native stack. Where each field counts is
tested with the stage that counts it, in tests/cpp; the table of docs/reliability.md is not compared
here.
"""

import copy
import pickle

import pytest

import xgrammar as xgr


def test_limits_are_values():
    limits = xgr.Limits(max_nesting=50, max_items=None)
    assert limits.max_nesting == 50
    assert limits.max_items is None
    assert limits == xgr.Limits(max_items=None, max_nesting=50)
    assert hash(limits) == hash(xgr.Limits(max_items=None, max_nesting=50))
    assert limits != xgr.Limits()
    assert repr(limits) == "Limits(max_nesting=50, max_items=None)"
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert copy.deepcopy(limits) == limits


def test_limits_are_immutable():
    limits = xgr.Limits()
    with pytest.raises(AttributeError):
        limits.max_items = 3
    with pytest.raises(AttributeError):
        del limits.max_items


@pytest.mark.parametrize("value", [0, -5])
def test_fields_must_be_positive(value):
    with pytest.raises(ValueError, match="max_rules"):
        xgr.Limits(max_rules=value)


def test_fields_must_be_integers():
    with pytest.raises(TypeError, match="max_rules must be an integer, not float"):
        xgr.Limits(max_rules=1.5)
    with pytest.raises(TypeError):
        xgr.Limits(no_such_field=1)


def test_limits_of_one_call():
    source = 'root ::= "aaaaaaaaaa"'
    with pytest.raises(xgr.GrammarLimitError) as caught:
        xgr.Grammar.from_ebnf(source, limits=xgr.Limits(max_source_bytes=5))
    assert caught.value.limit == "max_source_bytes"
    assert caught.value.maximum == 5
    xgr.Grammar.from_ebnf(source, limits=xgr.Limits(max_source_bytes=None))


def test_limits_of_a_compiler(info):
    compiler = xgr.GrammarCompiler(info, limits=xgr.Limits(max_source_bytes=5))
    with pytest.raises(xgr.GrammarLimitError):
        compiler.compile_regex("aaaaaaaaaa")


def test_default_limits():
    assert xgr.get_default_limits() == xgr.Limits()
    xgr.set_default_limits(xgr.Limits(max_source_bytes=5))
    try:
        with pytest.raises(xgr.GrammarLimitError):
            xgr.Grammar.from_regex("aaaaaaaaaa")
    finally:
        xgr.set_default_limits(xgr.Limits())
    xgr.Grammar.from_regex("aaaaaaaaaa")


def test_wrong_types():
    with pytest.raises(TypeError):
        xgr.set_default_limits(3)
    with pytest.raises(TypeError):
        xgr.Grammar.from_regex("a", limits=3)


@pytest.mark.parametrize("depth", [9_999, 200_000])
def test_lifted_nesting_does_not_overflow_the_stack(depth):
    limits = xgr.Limits(max_nesting=None)
    sources = [
        (xgr.Grammar.from_ebnf, "root ::= " + "(" * depth + '"a"' + ")" * depth),
        (xgr.Grammar.from_regex, "(" * depth + "a" + ")" * depth),
        (xgr.Grammar.from_json_schema, '{"items":' * depth + "{}" + "}" * depth),
        (xgr.Grammar.from_json_schema, '{"enum":[' + "[" * depth + "]" * depth + "]}"),
    ]
    for make, source in sources:
        try:
            str(make(source, limits=limits))
        except xgr.XGrammarError as error:
            assert error.maximum is not None  # noqa: PT017 - both outcomes are right.


def test_the_limit_that_an_error_names_is_the_one_that_helps():
    schema = {"type": "string", "pattern": r"^\p{L}{20}$"}
    with pytest.raises(xgr.GrammarLimitError, match="raise max_dfa_states") as caught:
        xgr.Grammar.from_json_schema(schema, limits=xgr.Limits(max_dfa_states=1000))
    assert caught.value.limit == "max_dfa_states"
    assert caught.value.value is not None
    xgr.Grammar.from_json_schema(schema, limits=xgr.Limits(max_dfa_states=caught.value.value))


def test_fixed_bounds_do_not_advise_to_raise_a_limit():
    schema = '{"minimum":' + "1" * 500 + "}"
    with pytest.raises(xgr.GrammarLimitError) as caught:
        xgr.Grammar.from_json_schema(schema)
    assert caught.value.limit is None
    assert (caught.value.value, caught.value.maximum) == (500, 400)
    assert "raise" not in str(caught.value)


def test_no_compilation_takes_long_by_default():
    # Each pattern is within the limits on its own.
    names = [f"p{i}" for i in range(200)]
    schema = {"properties": {n: {"pattern": f"(a|b)*a(a|b){{15}}{n}"} for n in names}}
    with pytest.raises(xgr.CompileBudgetError) as caught:
        xgr.Grammar.from_json_schema(schema)
    assert (caught.value.limit, caught.value.maximum) == ("max_compile_work", 30_000_000)
