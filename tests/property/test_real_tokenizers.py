"""Masks over real vocabularies, for sampled states: against acceptance token by token, and against
the slow oracle.

The default run takes two states of one grammar per tokenizer and all tokens that are allowed with
every 23rd other; `-m slow` takes every token of every state of every grammar.
"""

from __future__ import annotations

import random

import pytest

import xgrammar as xgr
from tests.property import earley_oracle
from tests.property.harness import mask_of
from tests.property.real_tokenizers import MAKERS, real_tokenizer

JSON_EBNF = r"""root ::= value
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (pair ("," ws pair)*)? "}" ws
pair ::= string ws ":" ws value
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [+-]? [0-9]+)?
ws ::= [ \n\t]*
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "kind": {"enum": ["alpha", "alphabet", "größe", 3, None]},
        "tags": {
            "type": "array",
            "items": {"type": "string", "pattern": "^[a-z]+(-[0-9]{2,4})?$"},
            "maxItems": 3,
        },
        "score": {"type": "integer", "minimum": -5, "maximum": 1200},
        "more": {"$ref": "#"},
    },
    "required": ["name"],
}
WALKS = {
    "json": (
        '{"a\\u00e9 b": [1.5e3, {"naïve": "日本語 \\n"}, null, ',
        "",
        '{"',
        "[[[[",
        '{"x":"\\',
        '["é',
    ),
    "schema": (
        '{"name": "über 12',
        '{"',
        '{"name":"a","kind":"alph',
        '{"name":"","tags":["ab-1',
        '{"name":"x","score":11',
        '{"name":"日',
    ),
    "arithmetic": ("12 + (3", "", "1 ", "((((1"),
}
ARITHMETIC = 'root ::= root ws [-+*/] ws root | "(" ws root ws ")" | [0-9]+\nws ::= " "*\n'


def grammar_of(name):
    if name == "schema":
        return xgr.Grammar.from_json_schema(SCHEMA)
    return xgr.Grammar.from_ebnf(JSON_EBNF if name == "json" else ARITHMETIC)


def matcher_after(grammar, info, text):
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info, max_threads=1).compile_grammar(grammar))
    assert matcher.accept_string(text), text
    return matcher


def sampled(mask, every):
    offset = random.Random(0).randrange(every)
    return [token for token, allowed in enumerate(mask) if allowed or token % every == offset]


def check_against_acceptance(matcher, info, every):
    """On a fork through the token, and through its bytes."""
    mask = mask_of(matcher, info.vocab_size)
    vocabulary, stops, specials = (
        info.decoded_vocab,
        set(info.stop_token_ids),
        set(info.special_token_ids),
    )
    fork = matcher.fork()
    for token in sampled(mask, every):
        accepted = fork.accept_token(token)
        assert accepted == mask[token], (token, mask[token])
        fork.rollback(int(accepted))
        if token in stops:
            assert mask[token] == matcher.is_completed()
        elif token not in specials and token < len(vocabulary):
            consumed = fork.accept_string(vocabulary[token])
            assert consumed == mask[token], (token, vocabulary[token], mask[token])
            fork.rollback(int(consumed))
    return mask


def check_against_oracle(mask, info, grammar, text, every):
    chart = earley_oracle.start(str(grammar)).advance(text.encode())
    vocabulary, stops, specials = (
        info.decoded_vocab,
        set(info.stop_token_ids),
        set(info.special_token_ids),
    )
    wrong = []
    for token in sampled(mask, every):
        if token in stops:
            expected = chart.completed
        else:
            data = b"" if token in specials or token >= len(vocabulary) else vocabulary[token]
            expected = bool(data) and chart.advance(data) is not None
        if mask[token] != expected:
            wrong.append((token, mask[token]))
    assert not wrong, wrong[:10]


@pytest.mark.hf
@pytest.mark.parametrize("tokenizer", MAKERS)
@pytest.mark.parametrize("name", ["json", "schema", "arithmetic"])
def test_sampled_states(name, tokenizer):
    info, grammar = real_tokenizer(tokenizer), grammar_of(name)
    for text in WALKS[name][:2]:
        mask = check_against_acceptance(matcher_after(grammar, info, text), info, 23)
        assert any(mask)


@pytest.mark.hf
def test_sampled_states_against_the_slow_oracle():
    info = real_tokenizer("sentencepiece")
    for name in ("json", "arithmetic"):
        grammar = grammar_of(name)
        for text in WALKS[name][:2]:
            mask = mask_of(matcher_after(grammar, info, text), info.vocab_size)
            check_against_oracle(mask, info, grammar, text, 29)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("tokenizer", MAKERS)
@pytest.mark.parametrize("name", list(WALKS))
def test_all_tokens_of_all_states(name, tokenizer):
    info, grammar = real_tokenizer(tokenizer), grammar_of(name)
    for text in WALKS[name]:
        mask = check_against_acceptance(matcher_after(grammar, info, text), info, 1)
        check_against_oracle(mask, info, grammar, text, 1)
