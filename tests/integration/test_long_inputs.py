"""Deep and long outputs: no native recursion, no state that grows where nothing new can happen.

Brackets nested 100,000 deep, ambiguous nesting, long strings, lists and loops. Time is bounded with
room for slow machines; how fast it is stands in tests/bench.
"""

from __future__ import annotations

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration import serving

DEPTH = 100_000
NESTED = {
    "ebnf": 'root ::= "[" root "]" | ""\n',
    "ambiguous": 'root ::= "[" root "]" | root root | ""\n',
    "mutual": 'root ::= "[" x "]" | ""\nx ::= root | "(" root ")"\n',
}


@pytest.mark.parametrize("name", ["ebnf", "mutual"])
def test_brackets_nested_100_000_deep(name):
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(NESTED[name]))
    row = serving.new_row(info)
    for token, closing in ((ord("["), False), (ord("]"), True)):
        for step in range(DEPTH):
            assert matcher.accept_token(token), (closing, step)
            if step % 10_000 == 0:
                matcher.fill_next_token_bitmask(row)
                assert serving.allows(row[0], ord("]"))
    assert matcher.is_completed()
    matcher.rollback(DEPTH)
    assert matcher.accept_string("]" * DEPTH)
    fork = matcher.fork()
    assert fork.accept_token(info.stop_token_ids[0])


def test_json_nested_100_000_deep():
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(
        xgr.GrammarCompiler(info).compile_json_schema({"type": "array"}, strict_mode=False)
    )
    assert matcher.accept_string("[" * DEPTH + "1" + "]" * DEPTH)
    assert matcher.is_completed()


def test_ambiguous_nesting():
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(NESTED["ambiguous"]))
    assert matcher.accept_string("[]" * 500 + "[" * 200 + "]" * 200)
    assert matcher.is_completed()


@pytest.mark.parametrize(
    ("grammar", "piece", "length"),
    [
        ('root ::= [a-z] root | ""\n', "a", 20_000),
        ('root ::= root [a-z] | ""\n', "a", 20_000),
        # Every step adds an origin here: Earley sets of this grammar grow with the output.
        ('root ::= "a" | root root\n', "a", 1_500),
        ('root ::= (x | y)* "z"\nx ::= "a"* "b"\ny ::= "a"* "c"\n', "aab", 20_000),
        ('root ::= [^"]* "\\"" | "a"{0,1000000}\n', "a", 20_000),
    ],
)
def test_the_masks_of_a_loop_stay_the_same(grammar, piece, length):
    """A step that slows down with the output hits the time limit of the test."""
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(grammar))
    row, masks = serving.new_row(info), set()
    for _ in range(length // len(piece)):
        for byte in piece.encode():
            assert matcher.accept_token(byte)
        matcher.fill_next_token_bitmask(row)
        masks.add(row.tobytes())
    assert len(masks) <= 4


def test_long_strings_and_lists():
    info = serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(
        {"type": "array", "items": {"type": "string", "maxLength": 50_000}, "maxItems": 20_000}
    )
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string('["' + "é" * 50_000)
    row = serving.new_row(info)
    matcher.fill_next_token_bitmask(row)
    assert not serving.allows(row[0], ord("a"))
    assert serving.allows(row[0], ord('"'))
    assert matcher.accept_string('"' + ',""' * 19_999)
    matcher.fill_next_token_bitmask(row)
    assert not serving.allows(row[0], ord(","))
    assert matcher.accept_string("]")


def test_masks_of_a_batch_of_views():
    """Row strides are honoured."""
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_builtin_json_grammar())
    plain = serving.new_row(info)
    matcher.fill_next_token_bitmask(plain)
    wide = np.full((6, plain.shape[1] * 2), 3, dtype=np.int32)
    view = wide[::2, : plain.shape[1]]
    matcher.fill_next_token_bitmask(view, 1)
    assert np.array_equal(wide[2, : plain.shape[1]], plain[0])
    wide[2, : plain.shape[1]] = 3
    assert (wide == 3).all()
    with pytest.raises(RuntimeError):
        matcher.fill_next_token_bitmask(wide[:, ::2], 0)
