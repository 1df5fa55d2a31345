"""Following one sequence that a generation library grows, cuts and swaps.

A library hands its logits processors the whole sequence at every step. What a processor must know
is a function of the generated tokens alone, so it keeps them beside the matcher and moves from what
it has to what it is given: back to the last token in common, then forward. Plain sampling is one
step forward; a rejected draft is some steps back; a beam that continues another one is a fork of
it.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from xgrammar.exception import UsageError
from xgrammar.matcher import GrammarMatcher

if TYPE_CHECKING:
    from xgrammar.compiler import CompiledGrammar

__all__ = ["GeneratedRow"]

_MAX_SHOWN_BYTES = 40


class GeneratedRow:
    """A matcher and the generated tokens of its sequence; the prompt is not among them.

    Parameters
    ----------
    grammar : CompiledGrammar
        What the generated tokens must match.
    matcher : GrammarMatcher or None
        Its matcher, at the start; None makes one.

    Attributes
    ----------
    grammar : CompiledGrammar
        As given.
    matcher : GrammarMatcher
        Has accepted the first `num_accepted` tokens. It has not been asked for the others, because
        it had terminated, or it refused the first of them.
    tokens : list of int
        All generated tokens that were seen.
    num_accepted : int
        Number of tokens that the matcher has accepted.
    """

    __slots__ = ("grammar", "matcher", "num_accepted", "tokens")

    def __init__(self, grammar: CompiledGrammar, matcher: GrammarMatcher | None = None) -> None:
        self.grammar = grammar
        self.matcher = matcher or GrammarMatcher(grammar)
        self.tokens: list[int] = []
        self.num_accepted = 0

    @property
    def is_refused(self) -> bool:
        """Whether the sequence has left the grammar."""
        return self.num_accepted < len(self.tokens) and not self.matcher.is_terminated()

    @property
    def is_ended(self) -> bool:
        """Whether nothing more can be accepted: a stop token was, or something was refused."""
        return self.matcher.is_terminated() or self.is_refused

    def fork(self) -> GeneratedRow:
        """Return an independent copy."""
        copy = GeneratedRow(self.grammar, self.matcher.fork())
        copy.tokens, copy.num_accepted = list(self.tokens), self.num_accepted
        return copy

    def num_common(self, tokens: list[int]) -> int:
        """Return the length of the longest common beginning."""
        if tokens[: len(self.tokens)] == self.tokens:
            return len(self.tokens)
        pairs = zip(self.tokens, tokens, strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))

    def move_to(self, tokens: list[int]) -> None:
        """Take back what differs and accept what is new; stop where the matcher refuses."""
        num_common = self.num_common(tokens)
        if num_common < self.num_accepted:
            self.matcher.rollback(self.num_accepted - num_common)
            self.num_accepted = num_common
        self.tokens = list(tokens)
        self._accept_rest()

    def append(self, token: int) -> None:
        """Go one token forward; costs nothing that grows with the sequence."""
        self.tokens.append(token)
        self._accept_rest()

    def _accept_rest(self) -> None:
        while self.num_accepted < len(self.tokens) and not self.matcher.is_terminated():
            if not self.matcher.accept_token(self.tokens[self.num_accepted]):
                return
            self.num_accepted += 1

    def refusal(self, row: int) -> UsageError:
        """Return the error for a sequence that has left the grammar."""
        token = self.tokens[self.num_accepted]
        return UsageError(
            f"Row {row}: the grammar does not allow token {token}{self._text_of(token)} after "
            f"{self.num_accepted} generated tokens"
        )

    def _text_of(self, token: int) -> str:
        vocab = self.grammar.tokenizer_info.decoded_vocab
        return f" ({vocab[token][:_MAX_SHOWN_BYTES]!r})" if 0 <= token < len(vocab) else ""
