"""Calls over many matchers at once; `xgrammar.matcher` has the class under its public name.

Masks are filled, and tokens and strings accepted, on several threads; rolling back is too short for
that and runs one after the other.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._arguments import elements
from ._integers import integer, integers
from .exception import UsageError

if TYPE_CHECKING:
    from .matcher import GrammarMatcher

__all__ = ["BatchGrammarMatcher"]

T = TypeVar("T")


def _in_64_bits(values: list[int]) -> list[int]:
    """Return what the extension can take; nothing that large is in range of anything."""
    return [max(-(2**63), min(value, 2**63 - 1)) for value in values]


def _as_list(name: str, values: Iterable[T]) -> list[T]:
    """Return the elements; a list as it is, since the extension copes with changes meanwhile."""
    return values if isinstance(values, list) else elements(name, values)


class _OnThreads:
    """A static method that works on the threads of the instance, if it is called through one.

    The function gets that instance, or else the class, before the other arguments.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self._function = function

    def __get__(self, instance: object, owner: type) -> Any:
        return types.MethodType(self._function, owner if instance is None else instance)


if TYPE_CHECKING:
    _on_threads = classmethod  # What it looks like to those who call it.
else:
    _on_threads = _OnThreads


def _pool_of(caller: Any) -> _core.ThreadPool | None:
    return None if isinstance(caller, type) else caller._pool


class BatchGrammarMatcher:
    """Calls over many matchers at once, filling masks on several threads.

    Parameters
    ----------
    max_threads : int or "auto"
        Upper bound of threads; "auto" is half of the hardware's. More than the hardware's count as
        all of them.

    Raises
    ------
    UsageError
        If it is less than 1.
    ValueError
        If it is another string.
    """

    __slots__ = ("_max_threads", "_pool")

    def __init__(self, max_threads: int | str = "auto") -> None:
        available = os.cpu_count() or 1
        if isinstance(max_threads, str):
            if max_threads != "auto":
                raise ValueError(f'max_threads must be an int or "auto", not {max_threads!r:.80}')
            number = max(1, available // 2)
        else:
            number = integer("max_threads", max_threads)
        if number < 1:
            raise UsageError(f"max_threads must be at least 1, not {number}")
        self._max_threads = min(number, available)
        self._pool = _core.ThreadPool(self._max_threads)

    @property
    def max_threads(self) -> int:
        """Upper bound of threads."""
        return self._max_threads

    def batch_fill_next_token_bitmask(
        self,
        matchers: Sequence[GrammarMatcher],
        bitmask: Any,
        indices: Sequence[int] | None = None,
        debug_print: bool = False,
    ) -> None:
        """Fill one row of a bitmask for each matcher.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each at most once.
        bitmask : array
            int32 in CPU memory, shape (rows, ceil(vocab_size / 32)).
        indices : list of int or None
            The row of each matcher; None means the matcher's own position.
        debug_print : bool
            Write the states to stderr.

        Raises
        ------
        UsageError
            A wrong dtype, shape or row, or a matcher that has terminated; the text names its
            position.
        """
        rows = None if indices is None else _as_list("indices", indices)
        items: list[_core.GrammarMatcher] = _as_list("matchers", matchers)
        _core.batch_fill_next_token_bitmask(items, bitmask, rows, self._pool)
        _debug_print(items, debug_print)

    @_on_threads
    def batch_accept_token(
        self,
        matchers: Sequence[GrammarMatcher],
        tokens: Sequence[int],
        debug_print: bool = False,
    ) -> list[bool]:
        """Accept one token in each matcher.

        Called through an instance, many of them are accepted on its threads; through the class, on
        the calling one.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each at most once.
        tokens : list of int
            One token id for each matcher.
        debug_print : bool
            Write the states to stderr.

        Returns
        -------
        list of bool
            For each whether it was accepted; the state is unchanged where it was not.

        Raises
        ------
        UsageError
            The lists differ in length.
        """
        items: list[_core.GrammarMatcher] = _as_list("matchers", matchers)
        accepted = _core.batch_accept_token(items, _as_list("tokens", tokens), _pool_of(self))
        _debug_print(items, debug_print)
        return accepted

    @_on_threads
    def batch_accept_string(
        self,
        matchers: Sequence[GrammarMatcher],
        strings: Sequence[str | bytes],
        debug_print: bool = False,
    ) -> list[bool]:
        """Accept one string in each matcher, as `batch_accept_token` does tokens.

        `strings` has a text, or its UTF-8 bytes, for each of `matchers`; `debug_print` writes the
        states to stderr.
        """
        items: list[_core.GrammarMatcher] = _as_list("matchers", matchers)
        accepted = _core.batch_accept_string(items, elements("strings", strings), _pool_of(self))
        _debug_print(items, debug_print)
        return accepted

    @staticmethod
    def batch_rollback(
        matchers: Sequence[GrammarMatcher], num_tokens: int | Sequence[int] = 1
    ) -> None:
        """Undo steps in each matcher, in all of them or, if one has too few, in none.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Each at most once.
        num_tokens : int or list of int
            How many steps, for all or for each.

        Raises
        ------
        UsageError
            A matcher has fewer steps, or the lists differ in length.
        ValueError
            A number is negative.
        """
        items: list[_core.GrammarMatcher] = _as_list("matchers", matchers)
        if isinstance(num_tokens, Iterable):
            counts = _in_64_bits(integers("num_tokens", num_tokens))
        else:
            counts = _in_64_bits([integer("num_tokens", num_tokens)]) * len(items)
        _core.batch_rollback(items, counts)

    @staticmethod
    def batch_fill_temperature(
        matchers: Sequence[GrammarMatcher],
        temperatures: Any,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Store the temperature of each matcher, -1 for none.

        Parameters
        ----------
        matchers : list of GrammarMatcher
            Any number of them.
        temperatures : array
            float32 in CPU memory, shape (rows,).
        indices : list of int or None
            The place of each matcher; None means its own position.

        Raises
        ------
        UsageError
            A wrong dtype, shape or place.
        """
        items = elements("matchers", matchers)
        rows = (
            list(range(len(items)))
            if indices is None
            else _in_64_bits(integers("indices", indices))
        )
        values = [-1.0 if m.temperature is None else m.temperature for m in items]
        _core.write_temperatures(temperatures, rows, values)


def _debug_print(matchers: Sequence[_core.GrammarMatcher], enabled: bool) -> None:
    if not enabled:
        return
    for i, matcher in enumerate(matchers):
        sys.stderr.write(f"matcher {i}: {matcher._debug_print_internal_state()}\n")
