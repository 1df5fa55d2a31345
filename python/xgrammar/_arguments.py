"""Lists of objects in arguments, or a `TypeError` that names the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["elements"]

T = TypeVar("T")


def elements(name: str, values: Iterable[T]) -> list[T]:
    """Return the elements of an iterable.

    Raises
    ------
    TypeError
        If it is not iterable, or one text, whose elements are hardly meant.
    """
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{name} must be a list, not {type(values).__name__}")
    try:
        return list(values)
    except TypeError:
        raise TypeError(f"{name} must be a list, not {type(values).__name__}") from None
