"""Forced text in the tokens that the tokenizer itself would write.

Tokens that spell a forced text greedily need not be those of the tokenizer's own encoding, and a
model goes on worse from tokens that it never saw in training. Here the text before the forced one
is encoded together with it, and what later text may still join with is left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._integers import integers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .matcher import GrammarMatcher

_NOTHING: tuple[int, list[int]] = (0, [])


def jump_forward_encoding(
    matcher: GrammarMatcher, encode: Callable[[str], Sequence[int]], token_ids: Sequence[int]
) -> tuple[int, list[int]]:
    """Implement `GrammarMatcher.find_jump_forward_encoding`."""
    before = integers("token_ids", token_ids)
    forced = matcher.find_jump_forward_string()
    if not forced:
        return _NOTHING
    tokenizer = matcher._tokenizer_info
    old = tokenizer.token_bytes(before)
    text = old + forced.encode()
    try:
        encoded = integers("encode", encode(text.decode()))
    except UnicodeDecodeError:  # The tokens begin inside a character.
        return _NOTHING
    if tokenizer.token_bytes(encoded) != text:  # It normalizes, or writes a space or marker first.
        return _NOTHING
    settled = tokenizer.settled_size(text)
    size = len(text)
    while encoded and size > settled:
        size -= len(tokenizer.token_bytes([encoded.pop()]))
    same = _common_prefix(before, encoded)
    num_undone, tokens = len(before) - same, encoded[same:]
    # Nothing is undone unless what replaces it goes further.
    if size <= len(old):
        return _NOTHING
    trial = matcher.fork()
    trial.rollback(num_undone)
    if not all(map(trial.accept_token, tokens)):
        return _NOTHING
    return num_undone, tokens


def _common_prefix(first: list[int], second: list[int]) -> int:
    for i, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            return i
    return min(len(first), len(second))
