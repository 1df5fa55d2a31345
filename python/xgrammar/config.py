"""Process-wide settings: how deeply sources may be nested."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import _core
from ._integers import integer
from .exception import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "get_max_recursion_depth",
    "get_serialization_version",
    "max_recursion_depth",
    "set_max_recursion_depth",
]

_DEFAULT_DEPTH = 10_000
_LARGEST_DEPTH = 1_000_000
_ENVIRONMENT_VARIABLE = "XGRAMMAR_MAX_RECURSION_DEPTH"


def _depth_from_environment() -> int:
    text = os.environ.get(_ENVIRONMENT_VARIABLE)
    if text is None:
        return _DEFAULT_DEPTH
    try:
        depth = int(text)
    except ValueError:
        depth = 0
    if depth < 1:
        warnings.warn(
            f"{_ENVIRONMENT_VARIABLE} must be an integer of at least 1, not {text!r:.80}; "
            f"{_DEFAULT_DEPTH} is used",
            stacklevel=2,
        )
        return _DEFAULT_DEPTH
    if depth > _LARGEST_DEPTH:
        warnings.warn(
            f"{_ENVIRONMENT_VARIABLE} is larger than {_LARGEST_DEPTH}, which is used instead",
            stacklevel=2,
        )
        return _LARGEST_DEPTH
    return depth


_depth = _depth_from_environment()
_core.set_max_json_depth(_depth)


def get_max_recursion_depth() -> int:
    """Return how many levels deep JSON text, schemas and groups may be nested.

    Returns
    -------
    int
        10,000 unless it was set.

    Notes
    -----
    A source must keep to this and to `Limits.max_nesting`, whichever is smaller. JSON text
    (schemas, structural tags, serialized grammars) keeps to it in every call; a compiler reads
    other sources with the depth of the time when it was made.
    """
    return _depth


def set_max_recursion_depth(max_recursion_depth: int) -> None:
    """Set the nesting limit of the process.

    Parameters
    ----------
    max_recursion_depth : int
        From 1 to 1,000,000.

    Raises
    ------
    UsageError
        If it is outside that range.
    """
    global _depth  # noqa: PLW0603 - the setting is process-wide by contract.
    depth = integer("max_recursion_depth", max_recursion_depth)
    if not 1 <= depth <= _LARGEST_DEPTH:
        raise UsageError(f"max_recursion_depth must be from 1 to {_LARGEST_DEPTH}, not {depth}")
    _depth = depth
    _core.set_max_json_depth(depth)


@contextmanager
def max_recursion_depth(temp_depth: int) -> Iterator[None]:
    """Set the nesting limit inside a `with` block.

    Parameters
    ----------
    temp_depth : int
        The limit; the former one is restored at the end.
    """
    before = get_max_recursion_depth()
    set_max_recursion_depth(temp_depth)
    try:
        yield
    finally:
        set_max_recursion_depth(before)


def get_serialization_version() -> str:
    """Return the version of all serialized forms; another version is refused when read."""
    return _core.SERIALIZATION_VERSION
