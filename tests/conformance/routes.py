"""The routes: ways to ask "is this text in the language" that must all give the same answer.

Whole string, byte tokens, long tokens, printed and read back, serialized, on a fork, after
rollback. By tokens, every mask on the way is compared with what is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

import xgrammar as xgr
from tests.conformance.cases import Case
from tests.conftest import at_end

Judge = Callable[[bytes], bool]
PIECE = 3


def matched(matcher: xgr.GrammarMatcher, data: bytes) -> bool:
    """The whole text, from the matcher's state."""
    return bool(matcher.accept_string(data)) and bool(matcher.is_completed())


@lru_cache(maxsize=1)
def strings_only() -> xgr.GrammarCompiler:
    at_end(strings_only.cache_clear)
    return xgr.GrammarCompiler(xgr.TokenizerInfo([]), max_threads=1, cache_enabled=False)


def compiler_for(tokens: list[bytes]) -> tuple[xgr.GrammarCompiler, int]:
    """A compiler with these tokens and a stop token after them."""
    info = xgr.TokenizerInfo([*tokens, b"</s>"], xgr.VocabType.RAW, stop_token_ids=[len(tokens)])
    return xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False), len(tokens)


def whole_string(case: Case, grammar: xgr.Grammar) -> Judge:
    del case
    compiled = strings_only().compile_grammar(grammar)
    return lambda data: matched(xgr.GrammarMatcher(compiled), data)


def token_judge(
    compiled: xgr.CompiledGrammar, stop: int, tokenize: Callable[[bytes], Iterable[int]]
) -> Judge:
    """Token by token to the stop token; each mask must agree with what is accepted."""
    size = compiled.tokenizer_info.vocab_size
    row: Any = np.zeros((1, (size + 31) // 32), dtype=np.int32)

    def judge(data: bytes) -> bool:
        matcher = xgr.GrammarMatcher(compiled)
        for token in [*tokenize(data), stop]:
            matcher.fill_next_token_bitmask(row)
            bit = bool((int(row[0, token // 32]) >> (token % 32)) & 1)
            accepted = matcher.accept_token(token)
            assert accepted == bit, f"mask and accept_token disagree on token {token} of {data!r}"
            if not accepted:
                return False
        return bool(matcher.is_terminated())

    return judge


def byte_tokens(case: Case, grammar: xgr.Grammar) -> Judge:
    del case
    compiler, stop = compiler_for([bytes([byte]) for byte in range(256)])
    return token_judge(compiler.compile_grammar(grammar), stop, iter)


def long_tokens(case: Case, grammar: xgr.Grammar) -> Judge:
    """Tokens of several bytes, cut without regard to characters, and single bytes for the rest."""
    pieces: dict[bytes, int] = {}
    for data in case.texts("accept") + case.texts("reject"):
        for begin in range(0, len(data) - PIECE + 1, PIECE):
            pieces.setdefault(data[begin : begin + PIECE], 256 + len(pieces))
    compiler, stop = compiler_for([bytes([byte]) for byte in range(256)] + list(pieces))

    def tokenize(data: bytes) -> list[int]:
        tokens: list[int] = []
        for begin in range(0, len(data), PIECE):
            piece = data[begin : begin + PIECE]
            tokens += [pieces[piece]] if piece in pieces else list(piece)
        return tokens

    return token_judge(compiler.compile_grammar(grammar), stop, tokenize)


def printed(case: Case, grammar: xgr.Grammar) -> Judge:
    """After str() and from_ebnf(); printing again gives the same text."""
    text = str(grammar)
    again = xgr.Grammar.from_ebnf(text)
    assert str(again) == text, "printing is not idempotent"
    return whole_string(case, again)


def serialized_grammar(case: Case, grammar: xgr.Grammar) -> Judge:
    return whole_string(case, xgr.Grammar.deserialize_json(grammar.serialize_json()))


def serialized_compiled(case: Case, grammar: xgr.Grammar) -> Judge:
    del case
    compiled = strings_only().compile_grammar(grammar)
    again = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), compiled.tokenizer_info)
    return lambda data: matched(xgr.GrammarMatcher(again), data)


def on_a_fork(case: Case, grammar: xgr.Grammar) -> Judge:
    """Half on the original, the rest on a fork, while the original goes elsewhere."""
    del case
    compiled = strings_only().compile_grammar(grammar)

    def judge(data: bytes) -> bool:
        half = len(data) // 2
        original = xgr.GrammarMatcher(compiled)
        if not original.accept_string(data[:half]):
            return False
        fork = original.fork()
        original.rollback(1)
        original.accept_string(data[:1])
        return matched(fork, data[half:])

    return judge


def after_rollback(case: Case, grammar: xgr.Grammar) -> Judge:
    """Byte by byte forward, all the way back, then at once."""
    del case
    compiled = strings_only().compile_grammar(grammar)

    def judge(data: bytes) -> bool:
        matcher = xgr.GrammarMatcher(compiled)
        steps = 0
        while steps < len(data) and matcher.accept_string(data[steps : steps + 1]):
            steps += 1
        first = steps == len(data) and matcher.is_completed()
        matcher.rollback(steps)
        second = matched(matcher, data)
        assert first == second, f"another verdict after rollback on {data!r}"
        return second

    return judge


ROUTES: dict[str, Callable[[Case, xgr.Grammar], Judge]] = {
    "whole_string": whole_string,
    "byte_tokens": byte_tokens,
    "long_tokens": long_tokens,
    "printed": printed,
    "serialized_grammar": serialized_grammar,
    "serialized_compiled": serialized_compiled,
    "on_a_fork": on_a_fork,
    "after_rollback": after_rollback,
}
