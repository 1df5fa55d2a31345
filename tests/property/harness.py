"""Compares a matcher with the oracle: at one state, and over all states that few tokens reach.

The oracle (earley_oracle.py) tries each token on its own; a difference is reported with grammar,
text and tokens. What grammars are tried is up to the tests.
"""

from __future__ import annotations

import functools
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np

import xgrammar as xgr
from tests.conftest import at_end
from tests.property import earley_oracle
from tests.property.earley_oracle import Chart


@dataclass
class Vocabulary:
    """Tokens by id; stop tokens and tokens without text are no text."""

    tokens: list[bytes]
    stop_ids: list[int]
    padding: int = 0

    @functools.cached_property
    def info(self) -> xgr.TokenizerInfo:
        """Made when first needed, dropped with the session."""
        at_end(lambda: self.__dict__.pop("info", None))
        return xgr.TokenizerInfo(
            self.tokens, xgr.VocabType.RAW, vocab_size=self.size, stop_token_ids=self.stop_ids
        )

    @property
    def size(self) -> int:
        return len(self.tokens) + self.padding

    def expected(self, chart: Chart) -> list[bool]:
        """The mask by brute force."""
        return earley_oracle.mask(chart, self.tokens, set(self.stop_ids)) + [False] * self.padding


def byte_vocabulary() -> Vocabulary:
    """All bytes, and a stop token."""
    return Vocabulary([bytes([byte]) for byte in range(256)] + [b"</s>"], [256])


def mask_of(matcher: xgr.GrammarMatcher, size: int) -> list[bool]:
    """The mask as booleans; checks the result value and the bits past the vocabulary as well."""
    row: Any = np.full((1, (size + 31) // 32), 0x55555555, dtype=np.int32)
    need_apply = matcher.fill_next_token_bitmask(row)
    bits = np.unpackbits(row.view(np.uint8), bitorder="little").astype(bool)
    assert need_apply == (not bits[:size].all())
    assert not need_apply or not bits[size:].any(), "bits past the vocabulary are set"
    return [bool(bit) for bit in bits[:size]]


def check_state(matcher: xgr.GrammarMatcher, chart: Chart, vocabulary: Vocabulary) -> list[int]:
    """Every question that can be asked of a state, against the oracle; returns the text tokens
    allowed.
    """
    expected = vocabulary.expected(chart)
    mask = mask_of(matcher, vocabulary.size)
    assert mask == expected, differences(mask, expected, vocabulary)
    assert matcher.is_completed() == chart.completed
    assert matcher.find_jump_forward_string().encode() == chart.forced()
    for token, allowed in enumerate(mask):
        fork = matcher.fork()
        assert fork.accept_token(token) == allowed, f"mask and accept_token disagree on {token}"
        if token in vocabulary.stop_ids:
            assert fork.is_terminated() == allowed
        fork.rollback(int(allowed))
        assert not fork.is_terminated()
        if allowed or token % 4 == 0:
            assert mask_of(fork, vocabulary.size) == mask, (
                f"accept and rollback of {token} changed the state"
            )
    assert mask_of(matcher, vocabulary.size) == mask, "a fork changed its original"
    return [
        token for token, allowed in enumerate(mask) if allowed and token not in vocabulary.stop_ids
    ]


def differences(mask: list[bool], expected: list[bool], vocabulary: Vocabulary) -> str:
    """The first tokens on which two masks differ, for the message."""
    tokens = [*vocabulary.tokens, *[b""] * vocabulary.padding]
    found = [
        f"{i} {tokens[i]!r}: mask {mask[i]}, oracle {expected[i]}"
        for i in range(len(mask))
        if mask[i] != expected[i]
    ]
    return "; ".join(found[:8])


def explore(
    matcher: xgr.GrammarMatcher, chart: Chart, vocabulary: Vocabulary, *, depth: int, states: int
) -> int:
    """Breadth first over token sequences; different sequences of equal bytes are one state."""
    queue = deque([(matcher, chart, 0, b"")])
    seen = {b""}
    visited = 0
    while queue and visited < states:
        matcher, chart, steps, text = queue.popleft()
        visited += 1
        try:
            allowed = check_state(matcher, chart, vocabulary)
        except AssertionError as error:
            message = f"after {text!r}: {error}"
            raise AssertionError(message) from error
        if steps == depth:
            continue
        for token in allowed:
            after = text + vocabulary.tokens[token]
            if after in seen:
                continue
            seen.add(after)
            fork = matcher.fork()
            assert fork.accept_token(token)
            next_chart = chart.advance(vocabulary.tokens[token])
            assert next_chart is not None
            queue.append((fork, next_chart, steps + 1, after))
    return visited


def compile_or_none(grammar: str, vocabulary: Vocabulary) -> xgr.CompiledGrammar | None:
    """None where the library says that the language is empty."""
    try:
        return xgr.GrammarCompiler(vocabulary.info, max_threads=1).compile_grammar(grammar)
    except xgr.exception.UnsatisfiableGrammarError:
        return None


def check_grammar(grammar: str, vocabulary: Vocabulary, *, depth: int = 3, states: int = 12) -> int:
    """One grammar with one vocabulary: masks, acceptance, forks, rollback, jump-forward; returns
    the states visited.
    """
    chart = earley_oracle.start(grammar)
    compiled = compile_or_none(grammar, vocabulary)
    assert (compiled is None) == (chart is None), "only an empty language may be refused"
    if compiled is None or chart is None:
        return 0
    return explore(xgr.GrammarMatcher(compiled), chart, vocabulary, depth=depth, states=states)
