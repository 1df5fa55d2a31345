"""Integers among arguments: any type that can stand for one, and an error that names the argument.

Integers of numpy and torch and booleans count; floats and text do not.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ._arguments import elements

if TYPE_CHECKING:
    from collections.abc import Iterable


def integer(name: str, value: Any) -> int:
    """Return the value as an `int`.

    Raises
    ------
    TypeError
        It is no integer; the text names the argument and the type.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None


def integers(name: str, values: Iterable[Any]) -> list[int]:
    """Return the values as a list of `int`.

    Raises
    ------
    TypeError
        One of them is no integer; the text names the argument, the position and the type.
    """
    kept = elements(name, values)
    try:
        return list(map(operator.index, kept))
    except TypeError:
        return [integer(f"{name}[{i}]", value) for i, value in enumerate(kept)]
