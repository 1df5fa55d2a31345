"""Arguments of the JSON Schema front end, checked once for grammars and compilers alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import flag
from ._integers import integer
from ._json_writer import CyclicValueError, encoded
from .exception import JSONSchemaError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable


_LARGEST_INT = 2**31 - 1


def _cycle_error() -> JSONSchemaError:
    error = JSONSchemaError(
        "The schema is a Python object that contains itself, which JSON cannot express; "
        "use '$ref' for recursion"
    )
    error.hint = "use '$ref' for recursion"
    return error


def _dumped(schema: Any) -> bytes:
    try:
        return encoded(schema)
    except CyclicValueError:
        raise _cycle_error() from None


def class_schema(make: Callable[[], Any]) -> Any:
    """Return the schema that a method of a pydantic class makes.

    Raises
    ------
    JSONSchemaError
        Its parts are nested too deeply for pydantic.
    """
    try:
        return make()
    except RecursionError:
        hint = "give the schema as JSON text or as a dict"
        error = JSONSchemaError(
            f"The parts of this class are nested too deeply for pydantic to write a schema; {hint}"
        )
        error.hint = hint
        raise error from None


def schema_text(schema: Any) -> bytes:
    """Return a schema given as text, dict, bool or pydantic class as JSON in UTF-8.

    Raises
    ------
    ValueError
        It is none of these.
    TypeError
        A dict holds what JSON cannot express.
    JSONSchemaError
        A dict contains itself, or a class is nested too deeply for pydantic.
    """
    if isinstance(schema, str):
        return schema.encode()
    if isinstance(schema, (dict, bool)):
        return _dumped(schema)
    if isinstance(schema, type):
        # pydantic version 2, then version 1: neither needs to be imported for this.
        for method in ("model_json_schema", "schema"):
            make = getattr(schema, method, None)
            if make is not None:
                return _dumped(class_schema(make))
    raise ValueError(
        "schema must be JSON text, a dict, a bool or a pydantic model class, "
        f"not {type(schema).__name__}"
    )


def _optional_int(name: str, value: int | None, at_least: int) -> int | None:
    if value is None:
        return None
    number = integer(name, value)
    if number < at_least:
        raise UsageError(f"{name} must be at least {at_least} or None, not {number}")
    if number > _LARGEST_INT:
        raise UsageError(f"{name} must be at most {_LARGEST_INT}, not {number}")
    return number


def _checked_separators(separators: Any) -> tuple[str, str] | None:
    if separators is None:
        return None
    if not isinstance(separators, (tuple, list)):
        raise TypeError(f"separators must be a tuple of two str, not {type(separators).__name__}")
    expected = 2
    if len(separators) != expected:
        raise ValueError(f"separators must have two elements, not {len(separators)}")
    for separator in separators:
        if not isinstance(separator, str):
            raise TypeError(f"separators must be two str, not {type(separator).__name__}")
        separator.encode()  # Raises for lone surrogates.
    return separators[0], separators[1]


def json_schema_options(
    *,
    any_whitespace: bool,
    indent: int | None,
    separators: tuple[str, str] | None,
    strict_mode: bool,
    max_whitespace_cnt: int | None,
    any_order: bool,
    lenient: bool,
) -> _core.JsonSchemaOptions:
    """Return the native options after checks of their values."""
    return _core.JsonSchemaOptions(
        any_whitespace=flag("any_whitespace", any_whitespace),
        indent=_optional_int("indent", indent, 0),
        separators=_checked_separators(separators),
        strict_mode=flag("strict_mode", strict_mode),
        max_whitespace_cnt=_optional_int("max_whitespace_cnt", max_whitespace_cnt, 1),
        any_order=flag("any_order", any_order),
        lenient=flag("lenient", lenient),
    )
