"""Matching a generation against a compiled grammar, and the masks of its next tokens."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import flag, number
from ._batch_matcher import BatchGrammarMatcher
from ._signatures import described
from .bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)
from .compiler import CompiledGrammar
from .exception import UsageError
from .tokenizer_info import id_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "BatchGrammarMatcher",
    "GrammarMatcher",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",  # noqa: F822 - resolved by __getattr__, since it needs torch.
    "get_bitmask_shape",
    "reset_token_bitmask",
]


def __getattr__(name: str) -> Any:
    if name == "bitmask_dtype":
        from . import bitmask

        return bitmask.bitmask_dtype
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class GrammarMatcher(_core.GrammarMatcher):
    """The state of one generation; belongs to one thread at a time.

    Parameters
    ----------
    compiled_grammar : CompiledGrammar
        What to match.
    override_stop_tokens : iterable of int, int or None
        Stop tokens of this matcher instead of the tokenizer's.
    terminate_without_stop_token : bool
        The matcher is terminated as soon as the input is a complete match; stop tokens do not end
        it.
    max_rollback_tokens : int
        Accepted for compatibility: rollback has no limit.
    default_temperature : float or None
        What `temperature` returns where the grammar asks for none; finite and not negative.

    Raises
    ------
    ValueError
        If `compiled_grammar` is not a `CompiledGrammar`.
    UsageError
        `override_stop_tokens` is empty or holds an id outside the vocabulary, or a bad temperature.

    Warns
    -----
    DeprecationWarning
        `max_rollback_tokens` is given.
    """

    accept_token = described(_core.GrammarMatcher.accept_token)
    accept_string = described(_core.GrammarMatcher.accept_string)
    fill_next_token_bitmask = described(_core.GrammarMatcher.fill_next_token_bitmask)
    find_jump_forward_string = described(_core.GrammarMatcher.find_jump_forward_string)
    find_jump_forward_tokens = described(_core.GrammarMatcher.find_jump_forward_tokens)
    is_completed = described(_core.GrammarMatcher.is_completed)
    is_terminated = described(_core.GrammarMatcher.is_terminated)
    reset = described(_core.GrammarMatcher.reset)
    rollback = described(_core.GrammarMatcher.rollback)

    def __init__(
        self,
        compiled_grammar: CompiledGrammar,
        *,
        override_stop_tokens: Iterable[int] | int | None = None,
        terminate_without_stop_token: bool = False,
        max_rollback_tokens: int = -1,
        default_temperature: float | None = None,
    ) -> None:
        if not isinstance(compiled_grammar, CompiledGrammar):
            raise ValueError(  # noqa: TRY004 - the class is part of the API.
                f"compiled_grammar must be a CompiledGrammar, not {type(compiled_grammar).__name__}"
            )
        if max_rollback_tokens != -1:
            warnings.warn(
                "max_rollback_tokens is ignored: rollback has no limit",
                DeprecationWarning,
                stacklevel=2,
            )
        stops = id_list("override_stop_tokens", override_stop_tokens)
        if stops is not None:
            vocab_size = compiled_grammar.tokenizer_info.vocab_size
            for token_id in stops:
                if not 0 <= token_id < vocab_size:
                    raise UsageError(
                        f"override_stop_tokens holds {token_id}, outside [0, {vocab_size})"
                    )
        super().__init__(
            compiled_grammar._handle,
            stops,
            flag("terminate_without_stop_token", terminate_without_stop_token),
        )
        self._default_temperature = _checked_temperature(default_temperature)

    @property
    def temperature(self) -> float | None:
        """The highest that the innermost rules open here ask for, or else the default one."""
        asked = self._temperature()
        return self._default_temperature if asked is None else asked

    @property
    def max_rollback_tokens(self) -> int:
        """Always -1: rollback has no limit."""
        return -1

    def fork(self) -> GrammarMatcher:
        """Return an independent copy with the same state, history and settings."""
        copy = type(self).__new__(type(self))
        _core.GrammarMatcher.__init__(copy, self)
        copy.__dict__.update(self.__dict__)
        return copy

    def get_captures(self, *, deduplicate: bool = True) -> list[tuple[str, bytes]]:
        """Return the parts of the accepted text that rules with `capture` have matched.

        Parameters
        ----------
        deduplicate : bool
            Only the longest of those that one rule begins at one place.

        Returns
        -------
        list of (str, bytes)
            Names and texts by where they end, inner before outer; only parts of derivations of the
            whole text so far.

        Raises
        ------
        GrammarLimitError
            The record would pass `Limits.max_state_bytes`.
        """
        return super().get_captures(deduplicate=flag("deduplicate", deduplicate))

    def find_jump_forward_encoding(
        self, encode: Callable[[str], Sequence[int]], token_ids: Sequence[int] = ()
    ) -> tuple[int, list[int]]:
        """Return the forced text in the tokens of the tokenizer's own encoding.

        The text of `token_ids` is encoded together with the forced text. Of the result, the end
        that later text may still change the tokens of is left out. The state stays as it is: roll
        back as many steps as the first value says, then accept the tokens.

        Parameters
        ----------
        encode : callable
            Token ids of a text, without any added marker.
        token_ids : sequence of int
            Tokens that were accepted last, each as a step of its own, from a place where the
            encoding of a text can begin: best the whole output. With none, the forced text is
            encoded by itself.

        Returns
        -------
        tuple[int, list[int]]
            Steps to undo, and tokens to accept; 0 and none if there is nothing to gain, or if
            the encoding does not spell the text.

        Raises
        ------
        UsageError
            A stop token was accepted, or there are fewer steps than tokens to undo.
        ValueError
            A token is outside the vocabulary.

        Examples
        --------
        >>> undo, tokens = matcher.find_jump_forward_encoding(encode, output)  # doctest: +SKIP
        >>> matcher.rollback(undo)  # doctest: +SKIP
        >>> output[len(output) - undo :] = tokens  # doctest: +SKIP
        """
        from ._jump_forward import jump_forward_encoding

        return jump_forward_encoding(self, encode, token_ids)

    def traverse_draft_tree(
        self,
        retrieve_next_token: Any,
        retrieve_next_sibling: Any,
        draft_tokens: Any,
        token_bitmask: Any,
        time_threshold: float = -1.0,
        temperatures: Any = None,
    ) -> bool:
        """Fill the masks of a tree of draft tokens; the state is the same afterwards.

        Node 0 is the root, whose token has been accepted before. A node that its parent's mask
        rejects gets an empty row and its subtree is left out; rows that are not reached stay as
        they are.

        Parameters
        ----------
        retrieve_next_token, retrieve_next_sibling, draft_tokens : array
            int64 in CPU memory, shape (n,): first child, next sibling (-1 for none) and token.
        token_bitmask : array
            int32 in CPU memory, shape (n, ceil(vocab_size / 32)).
        time_threshold : float
            Seconds after which to stop, if positive.
        temperatures : array or None
            float32 in CPU memory, shape (n,): gets the temperature of each node, or -1.

        Returns
        -------
        bool
            False if the time ran out.

        Raises
        ------
        UsageError
            A wrong dtype, shape or link.
        """
        seconds = number("time_threshold", time_threshold)
        if math.isnan(seconds):
            raise UsageError("time_threshold must be a number of seconds, not nan")
        return self._traverse_draft_tree(
            retrieve_next_token,
            retrieve_next_sibling,
            draft_tokens,
            token_bitmask,
            seconds,
            temperatures,
            self._default_temperature,
        )

    def __copy__(self) -> GrammarMatcher:
        return self.fork()

    def __deepcopy__(self, memo: dict[int, Any]) -> GrammarMatcher:
        return self.fork()

    def __repr__(self) -> str:
        state = "terminated" if self.is_terminated() else "running"
        return f"<xgrammar.GrammarMatcher after {self.num_steps} steps, {state}>"


def _checked_temperature(temperature: float | None) -> float | None:
    if temperature is None:
        return None
    value = number("default_temperature", temperature)
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"default_temperature must be finite and not negative, not {value}")
    return value
