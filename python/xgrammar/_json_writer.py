"""JSON text of Python values of any depth.

`json.dumps` recurses and so ends in a `RecursionError` at a depth that depends on the caller's own
stack; what is too deep for it is written here with a stack of its own, so that the limits of the
native readers decide. What `json.loads` makes is written by the extension, several times as fast.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from . import _core
from .exception import GrammarLimitError

if TYPE_CHECKING:
    from collections.abc import Callable


class CyclicValueError(Exception):
    """A container is part of itself."""


def encoded(
    value: Any, default: Callable[[Any], Any] | None = None, model_class: type | None = None
) -> bytes:
    """Return a value as JSON in UTF-8, however deep it is.

    Parameters
    ----------
    value
        What JSON can express.
    default
        As in `json.dumps`: makes something JSON can express of a value that is none.
    model_class
        A class of pydantic objects of which `default` makes the dict of their fields.

    Raises
    ------
    CyclicValueError
        A container is part of itself.
    GrammarLimitError
        An integer has more digits than Python writes.
    TypeError
        A value has no JSON form.
    """
    text: Any = _core.json_text(value, model_class)
    return dumped(value, default).encode() if text is None else bytes(text)


def dumped(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Write a value as `json.dumps` does, however deep it is.

    Parameters
    ----------
    value
        What JSON can express.
    default
        As in `json.dumps`: makes something JSON can express of a value that is none.

    Raises
    ------
    CyclicValueError
        A container is part of itself.
    GrammarLimitError
        An integer has more digits than Python writes.
    TypeError
        A value has no JSON form.
    """
    try:
        try:
            return json.dumps(value, default=default)
        except RecursionError:
            return dumped_iteratively(value, default)
    except ValueError as error:
        if "ircular" in str(error):
            raise CyclicValueError from None
        if "integer string conversion" in str(error):
            raise _digits_error() from None
        raise


def _digits_error() -> GrammarLimitError:
    most = sys.get_int_max_str_digits()
    error = GrammarLimitError(
        f"An integer has more than {most:,} digits, which Python does not write; send the JSON as "
        "text, or raise the bound by sys.set_int_max_str_digits()"
    )
    error.maximum = most
    error.hint = "send the JSON as text"
    return error


def dumped_iteratively(value: Any, default: Callable[[Any], Any] | None = None) -> str:
    """Do what `dumped` does, without recursion."""
    out: list[str] = []
    # Text to write, or a value, or a container that ends here. Held, not only its id: what
    # `default` made has no other owner, and its id must not be given to another one meanwhile.
    work: list[tuple[str, Any]] = [("value", value)]
    open_ids: set[int] = set()
    while work:
        kind, item = work.pop()
        if kind == "text":
            out.append(item)
        elif kind == "end":
            open_ids.remove(id(item))
        elif item is None or isinstance(item, (str, int, float)):
            out.append(json.dumps(item))
        else:
            if id(item) in open_ids:
                raise CyclicValueError
            open_ids.add(id(item))
            work.append(("end", item))
            if isinstance(item, (dict, list, tuple)):
                work += reversed(_parts(item))
            elif default is not None:
                work.append(("value", default(item)))
            else:
                json.dumps(item)  # Raises what it raises for this type.
    return "".join(out)


def _parts(container: Any) -> list[tuple[str, Any]]:
    parts: list[tuple[str, Any]] = []
    if isinstance(container, dict):
        opening, closing = "{", "}"
        for key, child in container.items():
            # The key as `json.dumps` spells it, numbers and None included.
            parts += [("text", json.dumps({key: 0})[1:-2]), ("value", child), ("text", ", ")]
    else:
        opening, closing = "[", "]"
        for child in container:
            parts += [("value", child), ("text", ", ")]
    return [("text", opening), *parts[:-1], ("text", closing)]
