"""Lists, texts, flags and numbers among arguments, or a `TypeError` that names the argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["elements", "encode_source", "flag", "number"]

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


def encode_source(text: str, name: str) -> bytes:
    """Return a source text in UTF-8.

    Raises
    ------
    TypeError
        If it is not a `str`.
    UnicodeEncodeError
        If it holds a lone surrogate.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be str, not {type(text).__name__}")
    return text.encode()


def flag(name: str, value: Any) -> bool:
    """Return a flag as `bool`. Booleans of numpy count, and 0 and 1.

    Raises
    ------
    TypeError
        It is something else, which is hardly meant: the text "no" would be true.
    """
    if isinstance(value, bool):
        return value
    is_numpy = getattr(value, "dtype", None) == "bool" and getattr(value, "ndim", None) == 0
    if is_numpy or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} must be a bool, not {type(value).__name__}")


def number(name: str, value: Any) -> float:
    """Return a number as `float`. Scalars of numpy and torch count.

    Raises
    ------
    TypeError
        It is no number; a `bool` is none.
    """
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return float(value)
