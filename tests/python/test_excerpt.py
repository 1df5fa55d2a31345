"""The place of an error in its source, shown under the message.

Guards lines, columns in characters, cut lines and control characters, in grammars and compilers
alike; and that errors of schemas inside keep their pointer alone. What is wrong where is tested
with each front end.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr


@pytest.fixture
def compiler():
    return xgr.GrammarCompiler(xgr.TokenizerInfo(["a", "</s>"]))


def shown(call, text):
    """The last two lines of the message."""
    with pytest.raises(xgr.XGrammarError) as caught:
        call(text)
    return str(caught.value).split("\n")[-2:]


def test_every_call_shows_the_same(compiler):
    regexes = (xgr.Grammar.from_regex, compiler.compile_regex)
    grammars = (xgr.Grammar.from_ebnf, compiler.compile_grammar)
    assert [shown(call, "ab(c") for call in regexes] == [["ab(c", "  ^"]] * 2
    text = 'root ::= word\nword ::= "a" )\n'
    assert [shown(call, text) for call in grammars] == [['word ::= "a" )', " " * 13 + "^"]] * 2


def test_characters_are_counted_and_only_shown_if_printable():
    assert shown(xgr.Grammar.from_regex, "é\t\u4f60(b") == ["é \u4f60(b", "   ^"]
    assert shown(xgr.Grammar.from_regex, "a\nb(c") == ["a b(c", "   ^"]


def test_long_lines_are_cut():
    line, mark = shown(xgr.Grammar.from_regex, "a" * 5000 + "(" + "b" * 5000)
    assert len(line) == 100
    assert line[mark.index("^")] == "("


def test_unsupported_constructs_are_shown():
    assert shown(xgr.Grammar.from_regex, r"(a)b\1") == [r"(a)b\1", "    ^"]


def test_other_errors_are_left_as_they_are(compiler):
    with pytest.raises(xgr.JSONSchemaError) as caught:
        compiler.compile_json_schema({"type": "nonsense"})
    assert "^" not in str(caught.value)
    with pytest.raises(RuntimeError) as caught:
        xgr.Grammar.from_json_schema({"pattern": "a(b", "type": "string"})
    assert "\n" not in str(caught.value)
    assert caught.value.pointer is not None
