"""Lark grammars through the Python calls.

Guards arguments (named grammars, the tokenizer), errors with their place, the report of attributes
without effect, captures and temperatures. What the language means is tests/data/lark and
tests/cpp/frontend/lark.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr
from xgrammar.testing import _is_grammar_accept_string as accepts

PAIR = 'start: "[" @x ("," @x)* "]"'


def test_from_lark():
    grammar = xgr.Grammar.from_lark("start: A+\nA: /[a-c]/")
    for route in (grammar, xgr.Grammar.from_ebnf(str(grammar))):
        assert accepts(route, "abc")
        assert not accepts(route, "abd")


def test_named_grammars_are_texts_or_grammars():
    for value in ('start: "q"', xgr.Grammar.from_ebnf('root ::= "q"')):
        grammar = xgr.Grammar.from_lark(PAIR, named_grammars={"x": value})
        assert accepts(grammar, "[q,q]")
        assert not accepts(grammar, "[]")


@pytest.mark.parametrize("named", [["x"], {1: "start:"}, {"x": 1}, {"x": None}])
def test_named_grammars_of_another_type(named):
    with pytest.raises(TypeError):
        xgr.Grammar.from_lark("start:", named_grammars=named)
    with pytest.raises(TypeError):
        xgr.GrammarCompiler(xgr.TokenizerInfo(["a"])).compile_lark("start:", named_grammars=named)


def test_arguments_of_another_type():
    with pytest.raises(TypeError):
        xgr.Grammar.from_lark(b"start:")
    with pytest.raises(TypeError):
        xgr.Grammar.from_lark("start:", tokenizer_info=["a"])


def test_errors_show_their_place():
    with pytest.raises(xgr.exception.GrammarSyntaxError) as caught:
        xgr.Grammar.from_lark('start: "é"\n     | "b" * *')
    assert str(caught.value) == (
        "Lark error at line 2, column 14: unexpected '*'\n     | \"b\" * *\n             ^"
    )
    assert (caught.value.line, caught.value.column) == (2, 14)


def test_named_tokens_need_a_tokenizer():
    text = 'start: <t> "a"'
    with pytest.raises(xgr.exception.GrammarSyntaxError, match="needs a tokenizer"):
        xgr.Grammar.from_lark(text)
    info = xgr.TokenizerInfo(["a", "<t>", "</s>"], stop_token_ids=[2])
    compiler = xgr.GrammarCompiler(info)
    for compiled in (
        compiler.compile_lark(text),
        compiler.compile_grammar(xgr.Grammar.from_lark(text, tokenizer_info=info)),
    ):
        matcher = xgr.GrammarMatcher(compiled)
        assert not matcher.accept_token(0)
        assert matcher.accept_token(1)
        assert matcher.accept_token(0)
        assert matcher.accept_token(2)


def test_compile_lark_is_cached():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a"]))
    first = compiler.compile_lark("start: @x", named_grammars={"x": 'start: "a"'})
    assert compiler.compile_lark("start: @x", named_grammars={"x": 'start: "a"'}) == first
    assert compiler.compile_lark("start: @x", named_grammars={"x": 'start: "b"'}) != first


def test_captures_and_temperatures():
    text = (
        'start: x y "!"\nx[capture="n", temperature=0.5]: /a+/\n'
        'y[stop="#b", capture, stop_capture="m"]: /[b-z]*/'
    )
    info = xgr.TokenizerInfo(["a", "b", "#b", "!", "</s>"], stop_token_ids=[4])
    compiler = xgr.GrammarCompiler(info)
    assert xgr.Grammar.from_lark(text).json_schema_report == []
    for compiled in (
        compiler.compile_lark(text),
        compiler.compile_grammar(str(xgr.Grammar.from_lark(text))),
    ):
        matcher = xgr.GrammarMatcher(compiled, default_temperature=1.0)
        assert matcher.temperature == 0.5
        for token in (0, 0, 1, 2, 3):
            assert matcher.accept_token(token)
        assert matcher.temperature == 1.0
        assert ("n", b"aa") in matcher.get_captures()
        assert matcher.get_captures()[-2:] == [("m", b"#b"), ("y", b"b")]
        assert matcher.accept_token(4)
        assert matcher.get_captures()[-1] == ("y", b"b")


def test_attributes_without_effect_are_reported():
    text = 'start: x\nx[capture, stop=/#+;/]: /[a-z]*/\nunused[temperature=1]: "a"'
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a"]))
    for report in (
        xgr.Grammar.from_lark(text).json_schema_report,
        compiler.compile_lark(text).json_schema_report,
    ):
        assert [(record["pointer"], record["keyword"]) for record in report] == [
            ("x", "stop"),
            ("unused", "temperature"),
        ]


def test_max_tokens_ends_the_rule():
    info = xgr.TokenizerInfo(["a", "!", "</s>"], stop_token_ids=[2])
    compiled = xgr.GrammarCompiler(info).compile_lark('start: x "!"\nx[max_tokens=2]: /a*/')
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_token(0)
    assert matcher.accept_token(0)
    assert not matcher.accept_token(0)
    assert matcher.accept_token(1)
