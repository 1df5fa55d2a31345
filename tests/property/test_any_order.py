"""Parts in any order against the slow oracle: all quantifiers, bounds, separators and kinds of
members, over all states that few tokens reach and along random texts.
"""

from __future__ import annotations

import json
import random
from typing import Any, get_args

import pytest

import xgrammar as xgr
from tests.property import earley_oracle
from tests.property.harness import (
    Vocabulary,
    byte_vocabulary,
    check_state,
    compile_or_none,
    explore,
    mask_of,
)
from xgrammar.structural_tag import SchemaStyle

PIECES = ["a", "b", "c", ",", "=", "1", "ab", "a=", "=1", "1,", ",a", "a=1", "1,b", "b=1,", "ab=1"]
TEXTS = [piece.encode() for piece in [*PIECES, "c=1,a=1", "}", "1}", "{", "{a"]]
VOCABULARY = Vocabulary([*TEXTS, b"</s>"], [len(TEXTS)])
MEMBERS = [
    '"a=1"',
    '"a="',
    '"ab=" [1c]',
    '"b=" x',
    "x",
    '[bc] "=1"',
    '"b=1"',
    '"" "c=1"',
    '("a" | "b") "="',
]
SEPARATORS = ['","', '""', "[,]", "s", '("," | "1,")', "none"]
QUANTIFIERS = ["", "?", "*", "+"]
BOUNDS = ["", "{0,2}", "{1,}", "{2,3}", "{3}", "{4,}", "{0,1}", "{2,2}"]
REST = '\nx ::= "1" | "c" x\ns ::= "," s?\nnone ::= [^\\x00-\\U0010FFFF]\n'


def random_grammar(seed: int) -> str:
    """One grammar; parts may be ambiguous, unproductive and prefixes of each other."""
    choose = random.Random(seed)
    members = choose.choices(MEMBERS, k=choose.randint(1, 4))
    if choose.random() < 0.2:
        members[0] = "none"
    parts = [f"({member}){choose.choice(QUANTIFIERS)}" for member in members]
    separator = choose.choice(SEPARATORS)
    inner = f"AnyOrder{choose.choice(BOUNDS)}({separator}, {', '.join(parts)})"
    shape = choose.choice(['root ::= "{" %s "}"', "root ::= %s", 'root ::= "{" (%s "}")*'])
    return shape % inner + REST


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_random_grammars_equal_the_oracle(first: int) -> None:
    visited = 0
    for seed in range(first, first + 40):
        grammar = random_grammar(seed)
        compiled = compile_or_none(grammar, VOCABULARY)
        chart = earley_oracle.start(grammar)
        assert (compiled is None) == (chart is None), grammar
        if compiled is None or chart is None:
            continue
        try:
            visited += explore(xgr.GrammarMatcher(compiled), chart, VOCABULARY, depth=5, states=30)
        except AssertionError as error:
            message = f"{grammar}{error}"
            raise AssertionError(message) from error
        text = str(compiled.grammar)
        assert str(xgr.Grammar.from_ebnf(text)) == text
    assert visited > 200


KEYS = ["name", "names", "nam\\x7f", "id", "identity", ""]


def test_printed_objects_equal_the_oracle() -> None:
    """A schema's object along random texts, counts and free members included."""
    schema = {
        "type": "object",
        "properties": {key: {"enum": [1, 12]} for key in KEYS},
        "required": ["id", "name"],
        "additionalProperties": {"const": 2},
        "minProperties": 3,
        "maxProperties": 5,
    }
    grammar = xgr.Grammar.from_json_schema(schema, any_order=True, any_whitespace=False)
    pieces = [
        '{"',
        '"',
        '":',
        '": ',
        ", ",
        ', "',
        "n",
        "name",
        "na",
        'name"',
        "id",
        'id": 1',
        "entity",
        "1",
        "2",
        "}",
        "2}",
        '2, "',
        '1, "name": 1',
        "\\u007f",
        "\x7f",
        "zz",
        "s",
        '{"id": 12, "',
        "}}",
        *" :,{",
    ]
    vocabulary = Vocabulary([piece.encode() for piece in pieces] + [b"</s>"], [len(pieces)])
    compiled = xgr.GrammarCompiler(vocabulary.info).compile_grammar(grammar)
    start = earley_oracle.start(str(grammar))
    assert start is not None
    completed = 0
    for seed in range(60):
        choose = random.Random(seed)
        matcher, chart, text = xgr.GrammarMatcher(compiled), start, b""
        while True:
            allowed = check_state(matcher, chart, vocabulary)
            if not allowed:
                break
            structural = [t for t in allowed if vocabulary.tokens[t][:1] in b'":, 12}']
            token = choose.choice(structural or allowed)
            assert matcher.accept_token(token)
            after = chart.advance(vocabulary.tokens[token])
            assert after is not None
            chart, text = after, text + vocabulary.tokens[token]
            if len(text) > 200:
                break
        if chart.completed:
            value = json.loads(text)
            assert {"id", "name"} <= value.keys()
            completed += 1
    assert completed > 20


STYLES = get_args(SchemaStyle)
VALUES = [{"const": "v w"}, {"const": 7}, {"enum": [True]}, {"type": "null"}, {"const": "é"}]


def styled(schema: dict[str, Any], style: str, **options: Any) -> xgr.CompiledGrammar:
    tag = {
        "type": "structural_tag",
        "format": {"type": "json_schema", "json_schema": schema, "style": style, **options},
    }
    return xgr.GrammarCompiler(byte_vocabulary().info).compile_structural_tag(json.dumps(tag))


def some_text(compiled: xgr.CompiledGrammar, choose: random.Random) -> bytes:
    """A text of the grammar, without more white space than it must have."""
    vocabulary = byte_vocabulary()
    matcher, text = xgr.GrammarMatcher(compiled), b""
    while not matcher.is_completed():
        mask = mask_of(matcher, vocabulary.size)
        allowed = [byte for byte in range(256) if mask[byte]]
        byte = choose.choice([byte for byte in allowed if byte > 0x20] or allowed)
        assert matcher.accept_token(byte)
        text += bytes([byte])
    return text


@pytest.mark.parametrize("style", STYLES)
def test_every_style_takes_every_order(style: str) -> None:
    """What the ordered grammar of any permutation writes is taken, and nothing that lacks a
    required name or has a name twice.
    """
    choose = random.Random(style)
    names = [f"name{i}" if i % 3 else f"n{i}" for i in range(12)]
    values = {name: VALUES[i % len(VALUES)] for i, name in enumerate(names)}

    def of(chosen: list[str], required: list[str]) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: values[name] for name in chosen},
            "required": required,
            "additionalProperties": False,
        }

    compiled = styled(of(names, names[:9]), style, any_order=True)
    for _ in range(4):
        chosen = [*names[:9], *choose.sample(names[9:], 2)]
        choose.shuffle(chosen)
        text = some_text(styled(of(chosen, chosen), style), choose)
        assert xgr.GrammarMatcher(compiled).accept_string(text), text
        left_out = [name for name in chosen if name != names[4]]
        text = some_text(styled(of(left_out, left_out), style), choose)
        matcher = xgr.GrammarMatcher(compiled)
        assert not matcher.accept_string(text) or not matcher.is_completed(), text


def test_hundreds_of_names() -> None:
    """Required, optional, additional and nested names of one object, and the same name twice."""
    names = [f"key_{i}" for i in range(300)]
    inner = {"type": "object", "properties": {"x": {"type": "null"}, "y": {"type": "null"}}}
    schema = {
        "type": "object",
        "properties": {
            name: inner if i % 50 == 0 else {"type": "integer"} for i, name in enumerate(names)
        },
        "required": names[::2],
        "additionalProperties": {"type": "boolean"},
    }
    compiled = xgr.GrammarCompiler(byte_vocabulary().info).compile_json_schema(
        schema, any_order=True
    )
    choose = random.Random(3)

    def accepts(pairs: list[tuple[str, Any]]) -> bool:
        text = "{" + ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in pairs) + "}"
        matcher = xgr.GrammarMatcher(compiled)
        return matcher.accept_string(text) and matcher.is_completed()

    def value(name: str) -> Any:
        return {"y": None, "x": None} if names.index(name) % 50 == 0 else 5

    for _ in range(3):
        pairs = [(name, value(name)) for name in names]
        pairs += [("other", True), ("other", False), ("key_300", True)]
        choose.shuffle(pairs)
        assert accepts(pairs)
        assert accepts([pair for pair in pairs if pair[0] != names[7]])
        assert not accepts([pair for pair in pairs if pair[0] != names[8]])
        assert not accepts([*pairs, (names[7], 5)])
        assert not accepts([*pairs, ("key_301", 5)])


def test_too_many_names_are_refused() -> None:
    schema = {"properties": {f"n{i}": {"type": "null"} for i in range(4097)}}
    with pytest.raises(xgr.exception.UnsupportedFeatureError, match="4096") as caught:
        xgr.Grammar.from_json_schema(schema, any_order=True)
    assert caught.value.feature == "any_order"
