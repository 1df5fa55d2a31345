"""Draft tokens: the library's tree traversal equals the loop that engines write by hand.

On random trees; malformed trees are refused and nothing is written; k accepted tokens are rolled
back. The native walk is tests/cpp/matcher/draft_tree_test.cc.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration import serving


def random_tree(rng, info, tokens, size):
    """First-child and next-sibling arrays; tokens of a real continuation, or at random."""
    child, sibling, drafts = [-1] * size, [-1] * size, [0] * size
    depth = [0] * size
    for node in range(1, size):
        parent = rng.randrange(node)
        depth[node] = depth[parent] + 1
        drafts[node] = (
            tokens[min(depth[parent], len(tokens) - 1)]
            if rng.random() < 0.7
            else rng.randrange(info.vocab_size)
        )
        if child[parent] == -1:
            child[parent] = node
        else:
            last = child[parent]
            while sibling[last] != -1:
                last = sibling[last]
            sibling[last] = node
    return child, sibling, drafts


def by_hand(matcher, child, sibling, drafts, rows):
    """Per node: read the bit in the parent's row, accept, fill, roll back."""

    def visit(node, parent):
        accepted = parent is None
        if parent is not None:
            token = drafts[node]
            accepted = (
                token >= 0 and serving.allows(rows[parent], token) and matcher.accept_token(token)
            )
            if not accepted:
                rows[node] = 0
        if accepted:
            if matcher.is_terminated():
                rows[node] = 0
            else:
                matcher.fill_next_token_bitmask(rows, node)
                if child[node] != -1:
                    visit(child[node], node)
            if parent is not None:
                matcher.rollback(1)
        if sibling[node] != -1:
            visit(sibling[node], parent)

    visit(0, None)


@pytest.mark.parametrize("seed", range(12))
def test_tree_equals_the_loop(seed):
    rng, info = random.Random(seed), serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    tokens = [*serving.tokenize(info, serving.texts()[seed % 3], seed), info.stop_token_ids[0]]
    matcher = xgr.GrammarMatcher(compiled)
    accepted = rng.randrange(len(tokens) - 1)
    assert all(matcher.accept_token(token) for token in tokens[:accepted])
    child, sibling, drafts = random_tree(rng, info, tokens[accepted:], 24)
    expected = np.full(xgr.get_bitmask_shape(24, info.vocab_size), 7, dtype=np.int32)
    by_hand(matcher, child, sibling, drafts, expected)
    found = np.full_like(expected, 7)
    arrays = [np.array(values, dtype=np.int64) for values in (child, sibling, drafts)]
    assert matcher.traverse_draft_tree(*arrays, found) is True
    assert np.array_equal(found, expected)
    assert all(matcher.accept_token(token) for token in tokens[accepted:]), "the state is as before"


def test_malformed_trees_are_refused_and_nothing_is_written():
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_builtin_json_grammar())
    rows = np.full(xgr.get_bitmask_shape(3, info.vocab_size), 7, dtype=np.int32)
    for child, sibling in (
        ([1, 2, 0], [-1, -1, -1]),  # a link to the root
        ([1, 1, -1], [-1, -1, -1]),  # a cycle of one
        ([1, 2, -1], [-1, 2, -1]),  # two parents
        ([3, -1, -1], [-1, -1, -1]),  # out of range
        ([-2, -1, -1], [-1, -1, -1]),
    ):
        with pytest.raises(RuntimeError):
            matcher.traverse_draft_tree(
                np.array(child, dtype=np.int64),
                np.array(sibling, dtype=np.int64),
                np.zeros(3, dtype=np.int64),
                rows,
            )
        assert (rows == 7).all()


def test_accept_k_then_roll_back_k():
    """What speculative decoding does in each step, over a long output."""
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_builtin_json_grammar())
    assert matcher.accept_string("[")
    row, again = serving.new_row(info), serving.new_row(info)
    for _ in range(300):
        matcher.fill_next_token_bitmask(row)
        for byte in b'"ab",':
            assert matcher.accept_token(byte)
        matcher.rollback(5)
        matcher.fill_next_token_bitmask(again)
        assert np.array_equal(row, again)
        assert matcher.accept_string("1,")
