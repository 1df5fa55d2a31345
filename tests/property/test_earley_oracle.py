"""The oracle itself: against Python's `re` where the language is regular, and by hand where it is
not.
"""

from __future__ import annotations

import itertools
import math
import re

import pytest

from tests.property import earley_oracle
from tests.property.ebnf_reader import class_ranges, read_ebnf

REGULAR = [
    ('root ::= ("a" | "b")* "a"', r"[ab]*a"),
    ('root ::= "a"{2,3} x\nx ::= ("b" "a"?)+', r"a{2,3}(ba?)+"),
    ('root ::= root "a" | "b"', r"ba*"),
    ('root ::= x root | ()\nx ::= "a" | "bb"', r"(a|bb)*"),
    ('root ::= ("a"?){3} [^b]', r"a{0,3}[^b]"),
    ('root ::= ("" | "a"*)* "b"', r"a*b"),
]


@pytest.mark.parametrize(("grammar", "pattern"), REGULAR)
def test_agrees_with_re(grammar, pattern):
    whole = re.compile(pattern)
    start = earley_oracle.start(grammar)
    for length in range(6):
        for letters in itertools.product("ab", repeat=length):
            text = "".join(letters)
            chart = start.advance(text.encode())
            assert (chart is not None and chart.completed) == bool(whole.fullmatch(text)), text


def test_context_free():
    start = earley_oracle.start('root ::= "(" root ")" root | ""')
    assert start.advance(b"(()())()").completed
    assert not start.advance(b"(()").completed
    assert start.advance(b"())") is None


def test_unproductive_alternatives_are_no_prefix():
    start = earley_oracle.start('root ::= "a" x | "b"\nx ::= "c" x')
    assert start.advance(b"a") is None
    assert start.advance(b"b").completed
    assert earley_oracle.start('root ::= "a" root') is None


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (0, 0x10FFFF),
        (0x61, 0x7A),
        (0x7F, 0x801),
        (0x7FF, 0x10001),
        (0xE000, 0xFFFF),
        (0x3040, 0x309F),
    ],
)
def test_utf8_sequences_spell_exactly_the_range(low, high):
    parts = class_ranges(f"[\\U{low:08x}-\\U{high:08x}]")
    sequences = [s for a, b in parts for s in earley_oracle.utf8_sequences(a, b)]
    probes = {
        low,
        low + 1,
        high - 1,
        high,
        (low + high) // 2,
        0x7F,
        0x80,
        0x7FF,
        0x800,
        0xD7FF,
        0xE000,
        0xFFFF,
        0x10000,
    }
    for point in probes | {max(0, low - 1), min(0x10FFFF, high + 1)}:
        if 0xD800 <= point < 0xE000:
            continue
        data = chr(point).encode()
        found = any(
            len(sequence) == len(data)
            and all(a <= byte <= b for byte, (a, b) in zip(data, sequence, strict=True))
            for sequence in sequences
        )
        assert found == (low <= point <= high), hex(point)
    counted = sum(math.prod(b - a + 1 for a, b in sequence) for sequence in sequences)
    assert counted == sum(b - a + 1 for a, b in parts)


def test_reader():
    rules = read_ebnf('root ::= "a\\x41" [^\\-a-c] | x{2, -1} # note\nx ::= () (="q")\n')
    assert rules["root"][0] == "alt"
    assert rules["root"][1][0][1][0] == ("bytes", b"aA")
    assert rules["root"][1][1] == ("rep", ("ref", "x"), 2, None)
    assert rules["x"] == ("seq", ())


def test_forced_text():
    start = earley_oracle.start('root ::= "ab" ("\\u00e9" | "\\u00e8") "c"')
    assert start.forced() == b"ab"
    assert start.advance(b"ab\xc3").forced() == b""
    assert start.advance("abé".encode()).forced() == b"c"
