"""JSON texts of suite instances, with the digits of numbers kept.

An instance is a value; the library judges texts. Which texts of a value count is part of the
contract: declared properties come in declared order, and numbers have one plain spelling besides
the one of the schema text. So a value has several texts here.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

MAX_ORDERS = 1000
MAX_PLAIN_DIGITS = 2000


class Number(str):
    """A number as it is written."""

    __slots__ = ()

    def plain(self) -> str:
        """Without exponent and superfluous fraction; as written if that would be very long."""
        value = Decimal(self)
        if abs(value.adjusted()) > MAX_PLAIN_DIGITS:
            return str(self)
        text = format(value, "f")
        if "." in text:
            text = text.rstrip("0").rstrip(".")
        return "0" if text in {"-0", ""} else text


def load(path: Path) -> Any:
    """A JSON file; its numbers are `Number`."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text, parse_int=Number, parse_float=Number)


def orders(value: Any) -> Iterator[Any]:
    """The value with the members of its objects in every order, the given one first."""
    if isinstance(value, list):
        for items in itertools.product(*[list(bounded(orders(item))) for item in value]):
            yield list(items)
    elif isinstance(value, dict):
        for names in itertools.permutations(value):
            for members in itertools.product(
                *[list(bounded(orders(value[name]))) for name in names]
            ):
                yield dict(zip(names, members, strict=True))
    else:
        yield value


def bounded(values: Iterator[Any]) -> Iterator[Any]:
    """The first ones of a sequence that may be very long."""
    return itertools.islice(values, MAX_ORDERS)


def string_text(value: str) -> str:
    """The canonical spelling; an unpaired surrogate has only its escape."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)


def text_of(value: Any, *, plain_numbers: bool = False) -> str:
    """Compact JSON text; numbers as they are written, or all of them plain."""
    if isinstance(value, Number):
        return value.plain() if plain_numbers else str(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return "[" + ",".join(text_of(item, plain_numbers=plain_numbers) for item in value) + "]"
    if isinstance(value, dict):
        members = (
            string_text(key) + ":" + text_of(item, plain_numbers=plain_numbers)
            for key, item in value.items()
        )
        return "{" + ",".join(members) + "}"
    return json.dumps(value)


def texts_of(value: Any, *, plain_numbers: bool = False) -> Iterator[str]:
    """The texts of a value in all orders, each once."""
    seen = set()
    for variant in bounded(orders(value)):
        text = text_of(variant, plain_numbers=plain_numbers)
        if text not in seen:
            seen.add(text)
            yield text
