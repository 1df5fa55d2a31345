"""Distinct items against their definition: languages small enough to be listed, so that what may
come next is known for each prefix, and random arrays of real schemas judged by their values.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest

import xgrammar as xgr
from tests.property.harness import Vocabulary, explore, mask_of

# Spellings of values, several of some.
SPELLINGS = [
    *['"a"', '"b"', '"ab"', '""', r'"\u0061"', r'"\ud83d\ude00"', r'"\ud83d"', r'"\n"', r'"\/"'],
    *["0", "-0", "1", "1.0", "1e0", "10e-1", "12", "1.5", "true", "false", "null"],
    *["[]", "[0]", "[ 0]", "[0,1]", "[0.0]", '["a"]', '[{"a":1}]', "[[0]]"],
    *["{}", '{"a":1}', '{"a":1.0}', '{"a":1,"b":2}', '{"b":2,"a":1}', '{ "a" : 1 }', '{"b":2}'],
]
PIECES = [
    *["1,1", "1,", ",1", '","', '"a","a"', '"a', 'a"', '",', ',"a"', '","a"', "[0", "0]", "],[0"],
    *[
        "[1,1]",
        "[1,",
        "tr",
        "ue",
        "true,",
        ",true",
        ",t",
        "0,0",
        "-0",
        ".0",
        "e0",
        "], ",
        ", ",
        "{",
    ],
    *['{"a', '":1', "1}", "},{", '"a":1', r"\u", r"0061", r"\n", '""', '"",""', ',"",', "[0],[0]"],
]


def key_of(value: Any) -> Any:
    """Equal for equal JSON values."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (str(type(value)), value)
    if isinstance(value, list):
        return ("list", tuple(key_of(item) for item in value))
    if isinstance(value, dict):
        return ("dict", frozenset((name, key_of(item)) for name, item in value.items()))
    return ("number", float(value))


@dataclass
class Language:
    """All texts, in short."""

    texts: set[str]

    def __post_init__(self) -> None:
        self.prefixes = {text[:size] for text in self.texts for size in range(len(text) + 1)}


@dataclass
class Place:
    """A prefix of a language, with the questions that the harness asks a chart."""

    language: Language
    text: str = ""

    @property
    def completed(self) -> bool:
        return self.text in self.language.texts

    def advance(self, token: bytes) -> Place | None:
        text = self.text + token.decode()
        return Place(self.language, text) if text in self.language.prefixes else None

    def forced(self) -> bytes:
        text = self.text
        while text not in self.language.texts:
            longer = {p for p in self.language.prefixes if p[:-1] == text and p}
            if len(longer) != 1:
                break
            text = longer.pop()
        return text[len(self.text) :].encode()


class ListedVocabulary(Vocabulary):
    """Masks by looking the texts up."""

    def expected(self, chart: Any) -> list[bool]:
        return [
            chart.completed if token in self.stop_ids else chart.advance(text) is not None
            for token, text in enumerate(self.tokens)
        ]


CHARACTERS = sorted({character for text in [*SPELLINGS, *PIECES, ", ]["] for character in text})
TEXTS = [piece.encode() for piece in dict.fromkeys([*CHARACTERS, *PIECES])]
VOCABULARY = ListedVocabulary([*TEXTS, b"</s>"], [len(TEXTS)])


def lists(
    first: list[list[str]], rest: list[str], separator: str, bounds: tuple[int, int]
) -> Iterable[str]:
    """All texts of distinct items within the bounds."""
    for size in range(bounds[0], bounds[1] + 1):
        options = [first[i] if i < len(first) else rest for i in range(size)]
        for items in itertools.product(*options):
            keys = [key_of(json.loads(item)) for item in items]
            if len(set(keys)) == size:
                yield separator.join(items)


def literal(text: str) -> str:
    return json.dumps(text)


def choice(spellings: Iterable[str]) -> str:
    return "(" + " | ".join(literal(spelling) for spelling in spellings) + ")"


def random_case(seed: int) -> tuple[str, Language]:
    """A grammar and its texts."""
    choose = random.Random(seed)
    rest = choose.sample(SPELLINGS, k=choose.randint(1, 4))
    inner = ""
    if choose.random() < 0.4:
        few = choose.sample(SPELLINGS[:20], k=2)
        inner = f' | "[" Distinct(",", {choice(few)}) "]"'
        bounds = (0, 2)
        rest = [*dict.fromkeys([*rest, *(f"[{text}]" for text in lists([], few, ",", bounds))])]
        rest_text = f"({choice(rest)}{inner})"
    else:
        rest_text = choice(rest)
    first = [choose.sample(SPELLINGS, k=2) for _ in range(choose.choice([0, 0, 1, 2]))]
    separator = choose.choice([",", ", ", " , "])
    bounds = (choose.randint(0, 1), choose.randint(2, 3))
    arguments = ", ".join([literal(separator), rest_text, *(choice(item) for item in first)])
    grammar = f'root ::= "[" Distinct{{{bounds[0]},{bounds[1]}}}({arguments}) "]"\n'
    texts = {f"[{text}]" for text in lists(first, rest, separator, bounds)}
    return grammar, Language(texts)


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_listed_languages(first: int) -> None:
    visited = 0
    for seed in range(first, first + 40):
        grammar, language = random_case(seed)
        compiled = xgr.GrammarCompiler(VOCABULARY.info, max_threads=1).compile_grammar(grammar)
        try:
            place: Any = Place(language)
            visited += explore(xgr.GrammarMatcher(compiled), place, VOCABULARY, depth=8, states=60)
        except AssertionError as error:
            message = f"{seed}: {grammar}{error}"
            raise AssertionError(message) from error
        text = str(compiled.grammar)
        assert str(xgr.Grammar.from_ebnf(text)) == text
    assert visited > 1000


SCHEMAS: list[dict[str, Any]] = [
    {},
    {"items": {"type": "string"}},
    {"items": {"type": "string", "maxLength": 1}},
    {"items": {"type": "string", "pattern": "^[ab]{1,2}$"}, "maxItems": 4},
    {"items": {"type": "string", "format": "date"}},
    {"items": {"type": "number"}},
    {"items": {"type": "number", "minimum": 0, "maximum": 1}},
    {"items": {"type": "integer", "minimum": 0, "maximum": 12}, "minItems": 2},
    {"items": {"type": ["boolean", "null", "integer"]}},
    {"items": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}},
    {"items": {"type": "array", "items": {"enum": [1, 2, 3]}, "uniqueItems": True}},
    {
        "items": {
            "properties": {"a": {"type": "integer"}, "b": {"type": "boolean"}},
            "required": ["a"],
            "additionalProperties": False,
            "type": "object",
        }
    },
    {"prefixItems": [{"type": "boolean"}, {"type": "boolean"}]},
    {"prefixItems": [{"enum": ["a", "b"]}, {"type": "string"}], "items": False},
]
VALUES: list[Any] = [
    *[
        True,
        False,
        None,
        0,
        1,
        1.5,
        12,
        2,
        "",
        "a",
        "b",
        "ab",
        "é",
        '"',
        "2024-02-29",
        "2024-02-28",
    ],
    *[[], [1], [1, 2], [2, 1], ["a"], {}, {"a": 1}, {"a": 1, "b": True}, {"a": 2}, {"a": 12}],
]
CHUNKS = [
    '","',
    ", ",
    '", "',
    "1,",
    ",1",
    "},{",
    "[[",
    "]]",
    "],[",
    "true",
    "1.0",
    "1,2",
    "\n  ",
    '""',
]
CHUNKED = Vocabulary(
    [bytes([b]) for b in range(256)] + [chunk.encode() for chunk in CHUNKS] + [b"</s>"],
    [256 + len(CHUNKS)],
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
@pytest.mark.parametrize("is_ordered", [False, True])
def test_arrays_are_judged_by_their_values(schema: dict[str, Any], is_ordered: bool) -> None:
    options: dict[str, Any] = {"any_order": not is_ordered, "strict_mode": False}
    compiler = xgr.GrammarCompiler(CHUNKED.info, max_threads=1)
    unique = compiler.compile_json_schema(
        {"type": "array", **schema, "uniqueItems": True}, **options
    )
    plain = compiler.compile_json_schema({"type": "array", **schema}, **options)
    choose = random.Random(json.dumps(schema))
    for _ in range(150):
        value = choose.choices(VALUES, k=choose.randint(0, 5))
        text = json.dumps(
            value, ensure_ascii=choose.random() < 0.2, indent=choose.choice([None, 1])
        )
        is_valid = xgr.GrammarMatcher(plain).accept_string(text)
        matcher = xgr.GrammarMatcher(unique)
        is_unique = len({key_of(item) for item in value}) == len(value)
        accepted = matcher.accept_string(text) and matcher.is_completed()
        assert accepted == (is_valid and is_unique), text


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_random_walks_agree_with_acceptance_and_end(schema: dict[str, Any]) -> None:
    compiled = xgr.GrammarCompiler(CHUNKED.info, max_threads=1).compile_json_schema(
        {"type": "array", **schema, "uniqueItems": True}, strict_mode=False
    )
    choose = random.Random(json.dumps(schema))
    likely = [
        token
        for token, text in enumerate(CHUNKED.tokens)
        if text in b'[]{},:"ab012. ' or token > 256
    ]
    for _ in range(8):
        matcher = xgr.GrammarMatcher(compiled)
        for _ in range(40):
            mask = mask_of(matcher, CHUNKED.size)
            for token in choose.sample(range(CHUNKED.size), 40) + likely:
                fork = matcher.fork()
                assert fork.accept_token(token) == mask[token], CHUNKED.tokens[token]
            allowed = [token for token in likely if mask[token]]
            allowed = allowed or [token for token, bit in enumerate(mask) if bit]
            assert allowed, "a dead end"
            matcher.accept_token(choose.choice(allowed))
            if matcher.is_terminated():
                break


ESCAPED = {
    # Half a million spellings of a string that was there, before the one that was not.
    'item ::= "\\"Z" c{18} "\\"" | "\\"A" c{18} [ab] "\\""\nc ::= "a" | "\\\\u0061"': (
        ['"Z' + "a" * 18 + '"', '"A' + "a" * 18 + 'a"', '"A' + "a" * 17 + '\\u0061b"'],
        '"A' + "\\u0061" * 18 + 'b"',
    ),
    # Zeros before a digit make another number each time; after it, or in an exponent, the same.
    'item ::= "1." "0"+ "5"?': (["1.0", "1.005", "1.05", "1.00005"], "1.00"),
    'item ::= "2" | "0." "0"+ "5"? "e0"': (["0.0e0", "0.05e0", "0.005e0", "2"], "0.00e0"),
    'item ::= "1e" "0"* "1" | "1e" "0"+ | "0e" [0-9]+ | "0.5"': (
        ["1e01", "0e7", "1e00", "0.5"],
        "0e1",
    ),
}


@pytest.mark.parametrize("items", ESCAPED)
def test_another_value_is_found_among_many_spellings(items: str) -> None:
    values, repetition = ESCAPED[items]
    grammar = f'root ::= "[" Distinct(",", item) "]"\n{items}\n'
    compiled = xgr.GrammarCompiler(WORDS.info, max_threads=1).compile_grammar(grammar)
    for order in itertools.permutations(values):
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_string(f"[{','.join(order)}"), order
        assert not matcher.fork().accept_string(f",{repetition}]"), order
        assert matcher.fork().accept_string("]")
        assert matcher.limit_error is None


def unordered(names: str) -> str:
    """Objects with one value a name, of which the last may be missing."""
    item = {
        "type": "object",
        "properties": {name: {"const": 1} for name in names},
        "required": list(names[:-1]),
        "additionalProperties": False,
    }
    return json.dumps({"type": "array", "items": item, "uniqueItems": True})


@pytest.mark.parametrize("names", ["abcd", "abcdefghijkl", "abcdefghijklmnopqrstuvwx"])
def test_another_object_is_found_among_many_orders(names: str) -> None:
    compiled = xgr.GrammarCompiler(WORDS.info, max_threads=1).compile_json_schema(
        unordered(names), any_order=True
    )
    full = dict.fromkeys(names, 1)
    short = dict.fromkeys(names[:-1], 1)
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string(json.dumps([full, short])), matcher.limit_error
    assert matcher.is_completed()


def test_a_search_that_takes_too_long_says_so() -> None:
    """All orders of the other members would have to be seen to know that nothing is left."""
    names = "abcdefghijklmnopqr"
    compiled = xgr.GrammarCompiler(WORDS.info, max_threads=1).compile_json_schema(
        unordered(names), any_order=True
    )
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string("[" + json.dumps(dict.fromkeys(names, 1)) + ",")
    assert not matcher.accept_string('{"r":1')
    assert "max_items" in str(matcher.limit_error)


WORD_CHUNKS = ["ab", 'b"', 'ab"', '"a', 'a","', '",', r"\u0061", r"\u00", r"\"", r"\\", "é", 'é"]']
WORDS = Vocabulary(
    [bytes([b]) for b in range(256)] + [chunk.encode() for chunk in WORD_CHUNKS] + [b"</s>"],
    [256 + len(WORD_CHUNKS)],
)


@pytest.mark.parametrize("seed", range(12))
def test_open_strings_that_may_become_one_of_many(seed: int) -> None:
    """Masks within a string, where values are looked up instead of read."""
    compiled = xgr.GrammarCompiler(WORDS.info, max_threads=1).compile_json_schema(
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True}, strict_mode=False
    )
    choose = random.Random(seed)
    parts = ["a", "b", "ab", '"', "\\", "\n", "é", "\U0001f600"]
    words = {"".join(choose.choices(parts, k=choose.randint(0, 3))) for _ in range(12)}
    spelled = [json.dumps(word, ensure_ascii=choose.random() < 0.3) for word in sorted(words)]
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string(f"[{', '.join(spelled)}, ")
    for spelling in spelled:
        begun = spelling.encode()[: choose.randint(1, len(spelling.encode()) - 1)]
        fork = matcher.fork()
        assert fork.accept_string(begun)
        refused = [bit for bit in compare_with_acceptance(fork) if not bit]
        assert refused
        whole = matcher.fork()
        assert not whole.accept_string(spelling)


def compare_with_acceptance(matcher: xgr.GrammarMatcher) -> list[bool]:
    mask = mask_of(matcher, WORDS.size)
    for token in range(WORDS.size):
        assert matcher.fork().accept_token(token) == mask[token], WORDS.tokens[token]
    return list(mask)
