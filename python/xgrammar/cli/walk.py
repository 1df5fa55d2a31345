"""A text walked through a grammar by bytes and, where the grammar asks for them, whole tokens.

Text has no token boundaries, so they are found the way tokenizers find added tokens: the text of a
special token is that token wherever the grammar takes the token there, and its characters
elsewhere. Any other token is tried only where no byte of the text can follow. So a text that the
walk rejects may still have another reading, if its grammar mixes tokens with free text that spells
them; without tokens in the grammar the walk is exact.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xgrammar.bitmask import allocate_token_bitmask

if TYPE_CHECKING:
    from xgrammar.matcher import GrammarMatcher
    from xgrammar.tokenizer_info import TokenizerInfo

_NOTHING = re.compile(rb"(?!)")


class TokenTexts:
    """Tokens of a vocabulary by their text, and the places of special ones in a text."""

    def __init__(self, info: TokenizerInfo) -> None:
        vocab = info.decoded_vocab
        self._ids: dict[bytes, list[int]] = {}
        for token_id, text in enumerate(vocab):
            if text:
                self._ids.setdefault(text, []).append(token_id)
        self._longest = max(map(len, self._ids), default=0)
        named = {*info.special_token_ids, *info.stop_token_ids}
        texts = sorted({vocab[i] for i in named if vocab[i]}, key=len, reverse=True)
        self._special = re.compile(b"|".join(map(re.escape, texts))) if texts else _NOTHING

    def next_special(self, data: bytes, start: int) -> tuple[int, int]:
        """Return begin and end of the next special text, or twice the end of the data."""
        found = self._special.search(data, start)
        return found.span() if found else (len(data), len(data))

    def accept(self, matcher: GrammarMatcher, data: bytes, start: int, end: int) -> int:
        """Accept the longest possible token at a place; return its bytes, 0 if there is none."""
        for length in range(min(self._longest, end - start), 0, -1):
            ids = self._ids.get(data[start : start + length], ())
            if any(matcher.accept_token(token_id) for token_id in ids):
                return length
        return 0


def walk(matcher: GrammarMatcher, data: bytes, tokens: TokenTexts) -> int:
    """Accept as much of a text as the grammar allows and return how many bytes that is."""
    place = 0
    while place < len(data) and not matcher.is_terminated():
        begin, end = tokens.next_special(data, place)
        if begin == place:
            length = tokens.accept(matcher, data, begin, end)
            if length == end - begin:
                place = end
                continue
            if length:  # A shorter token that begins alike: not what the text says.
                matcher.rollback(1)
            begin, _ = tokens.next_special(data, place + 1)
        matched = matcher._match_prefix(data[place:begin])
        if matched:
            matcher.accept_string(data[place : place + matched])
            place += matched
        if place < begin:
            length = tokens.accept(matcher, data, place, begin)
            if not length:
                break
            place += length
    return place


def expected_tokens(matcher: GrammarMatcher, info: TokenizerInfo) -> list[int]:
    """Return the tokens that may come next and that no text, read by bytes, stands for."""
    if matcher.is_terminated() or info.vocab_size == 0:
        return []
    bitmask = allocate_token_bitmask(1, info.vocab_size, like="numpy")
    matcher.fill_next_token_bitmask(bitmask)
    first_bytes = set(matcher._next_bytes())
    ends = set(info.stop_token_ids) if matcher.is_completed() else set()
    special = set(info.special_token_ids)
    words = bitmask[0].tolist()
    return [
        token_id
        for token_id, text in enumerate(info.decoded_vocab)
        if words[token_id // 32] >> (token_id % 32) & 1
        and token_id not in ends
        and (token_id in special or not text or text[0] not in first_bytes)
    ]
