"""Free text with budgets of tokens and of characters, alone and together, against a model written
from the definition: every reachable state of small budgets, random walks through large ones.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace

import pytest

import xgrammar as xgr
from tests.property.harness import Vocabulary, mask_of

PIECES: list[str | bytes] = [
    *(bytes([byte]) for byte in (*b"ab<>", 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xFF)),
    *("é", "€", "aé", "é€", "aa", "aaa", "<a", "<é", "<aa", "<>", "<a>"),
    *("a>", "aa>", "é>", ">a", "<aaaa>", "€>"),
    *(b"\xa9a", b"\x82\xac>", b"a\xe2", b"<\xc3", b"\xa9>", b"\xaca", b"b\xc3\xa9\xe2\x82"),
]
TOKENS = [piece.encode() if isinstance(piece, str) else piece for piece in PIECES]
VOCABULARY = Vocabulary([*TOKENS, b"</s>"], [len(TOKENS)])
BYTES_OF_LEAD = {0xC3: 2, 0xE2: 3}


@dataclass(frozen=True)
class State:
    """Where a text `<...>` stands: outside (0), inside (1) or done (2)."""

    phase: int = 0
    chars: int = 0
    tokens: int = 0
    pending: int = 0  # bytes of a character that are still to come

    def advance(self, token: bytes, max_tokens: int, max_chars: int) -> State | None:
        """After a token, or None."""
        state, begins_inside, puts_bytes = self, self.phase == 1, False
        for byte in token:
            used_up = state.chars >= max_chars or (begins_inside and state.tokens >= max_tokens)
            if state.phase == 0 and byte == ord("<"):
                state = replace(state, phase=1)
            elif state.phase == 1 and state.pending:
                if not 0x80 <= byte < 0xC0:
                    return None
                state, puts_bytes = replace(state, pending=state.pending - 1), True
            elif state.phase == 1 and byte == ord(">"):
                state = replace(state, phase=2)
            elif state.phase == 1 and not used_up and (byte < 0x80 or byte in BYTES_OF_LEAD):
                size = BYTES_OF_LEAD.get(byte, 1)
                state, puts_bytes = replace(state, chars=state.chars + 1, pending=size - 1), True
            else:
                return None
        return replace(state, tokens=state.tokens + (begins_inside and puts_bytes))


def compiled(max_tokens: int | None, max_chars: int | None) -> xgr.CompiledGrammar:
    content = {"type": "any_text", "max_tokens": max_tokens, "max_chars": max_chars}
    tag = {"type": "tag", "begin": "<", "content": content, "end": ">"}
    text = json.dumps({"type": "structural_tag", "format": tag})
    return xgr.GrammarCompiler(VOCABULARY.info).compile_structural_tag(text)


def expected(state: State, max_tokens: int, max_chars: int) -> list[bool]:
    following = [state.advance(token, max_tokens, max_chars) is not None for token in TOKENS]
    return [*following, state.phase == 2]


@pytest.mark.parametrize("max_tokens", [1, 2, 3, None])
@pytest.mark.parametrize("max_chars", [1, 2, 4, 5, None])
def test_all_states_of_small_budgets(max_tokens: int | None, max_chars: int | None) -> None:
    tokens = 10**9 if max_tokens is None else max_tokens
    chars = 10**9 if max_chars is None else max_chars
    work = [(xgr.GrammarMatcher(compiled(max_tokens, max_chars)), State())]
    seen = {State()}
    while work:
        matcher, state = work.pop()
        mask = mask_of(matcher, VOCABULARY.size)
        assert mask == expected(state, tokens, chars), state
        for token, allowed in enumerate(mask[:-1]):
            after = state.advance(TOKENS[token], tokens, chars) if allowed else None
            if after is None or after in seen or after.tokens > 6 or after.chars > 8:
                continue
            seen.add(after)
            fork = matcher.fork()
            assert fork.accept_token(token)
            work.append((fork, after))
    assert len(seen) > 6


@pytest.mark.parametrize(("max_tokens", "max_chars"), [(40, 60), (3, 100_000), (2**31 - 1, 50)])
def test_walks_through_large_budgets(max_tokens: int, max_chars: int) -> None:
    """Both run out somewhere; what is far off is one mask."""
    grammar = compiled(max_tokens, max_chars)
    for seed in range(8):
        choose = random.Random(seed)
        matcher, state = xgr.GrammarMatcher(grammar), State()
        while state.phase < 2:
            mask = mask_of(matcher, VOCABULARY.size)
            assert mask == expected(state, max_tokens, max_chars), state
            allowed = [token for token, bit in enumerate(mask[:-1]) if bit]
            inside = [token for token in allowed if b">" not in TOKENS[token]]
            token = choose.choice(inside or allowed)
            assert matcher.accept_token(token)
            after = state.advance(TOKENS[token], max_tokens, max_chars)
            assert after is not None
            state = after
        assert matcher.is_completed()


def test_rules_of_grammars_take_both() -> None:
    """The same by the options of a rule, printed and read back; strings know no tokens."""
    grammar = xgr.Grammar.from_ebnf(
        'root ::= "<" text ">"\ntext[max_tokens=2, max_chars=100000] ::= [^>]*\n'
    )
    assert str(xgr.Grammar.from_ebnf(str(grammar))) == str(grammar)
    again = xgr.GrammarCompiler(VOCABULARY.info).compile_grammar(str(grammar))
    matcher, state = xgr.GrammarMatcher(again), State()
    for token in (b"<a", b"aa", "é€".encode(), b">"):
        assert mask_of(matcher, VOCABULARY.size) == expected(state, 2, 100_000)
        after = state.advance(token, 2, 100_000)
        assert after is not None
        assert matcher.accept_token(TOKENS.index(token))
        state = after
    matcher.reset()
    assert matcher.accept_string("<" + "a" * 100_000 + ">")
    matcher.reset()
    assert not matcher.accept_string("<" + "a" * 100_001)
