"""Arguments of the structural-tag entry points, read once for grammars and compilers alike."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ._json_writer import CyclicValueError, encoded
from .exception import InvalidStructuralTagError

if TYPE_CHECKING:
    from collections.abc import Callable

_FORMS = (
    "a structural tag is given as one argument structural_tag (a StructuralTag, JSON text or a "
    "dict), or as two lists tags and triggers"
)


def structural_tag_text(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """Return the structural tag of a call as JSON in UTF-8.

    Parameters
    ----------
    args, kwargs
        One structural tag, positional or as `structural_tag`; or, deprecated, lists of tags and
        triggers, positional or as `tags` and `triggers`.

    Returns
    -------
    bytes
        JSON text.

    Raises
    ------
    TypeError
        Another number or set of arguments, or an argument of another type.
    ValueError
        `structural_tag` is of another type.
    InvalidStructuralTagError
        A dict or list in it contains itself.
    """
    if len(args) == 1 and not kwargs:
        text = _text_of(args[0])
        if text is None:
            raise TypeError(f"Invalid argument of type {type(args[0]).__name__}: {_FORMS}")
        return text
    if not args and set(kwargs) == {"structural_tag"}:
        value = kwargs["structural_tag"]
        text = _text_of(value)
        if text is None:
            raise ValueError(f"Invalid argument of type {type(value).__name__}: {_FORMS}")
        return text
    if len(args) == 2 and not kwargs:  # noqa: PLR2004 - tags and triggers.
        return _legacy_text(*args)
    if not args and set(kwargs) == {"tags", "triggers"}:
        return _legacy_text(**kwargs)
    raise TypeError(f"Invalid arguments: {_FORMS}")


def _text_of(value: Any) -> bytes | None:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        return _encoded(value)
    # A value of the class exists only if its module, which loads pydantic, is there.
    module = sys.modules.get(f"{__package__}.structural_tag")
    if module is not None and isinstance(value, module.StructuralTag):
        return _dumped(value, module.FormatModel)
    return None


def _dumped(structural_tag: Any, model_class: type) -> bytes:
    # Not pydantic's own writer: it turns what JSON does not have into something else (NaN into
    # null, sets into lists), where the dict form of the same tag is refused.
    return _encoded(structural_tag, _fields_of, model_class)


def _encoded(
    value: Any, default: Callable[[Any], Any] | None = None, model_class: type | None = None
) -> bytes:
    try:
        return encoded(value, default, model_class)
    except CyclicValueError:
        error = InvalidStructuralTagError(
            "The structural tag is a Python object that contains itself, which JSON cannot "
            "express; use '$ref' for recursion in a schema"
        )
        error.hint = "use '$ref' for recursion in a schema"
        raise error from None


def _fields_of(value: Any) -> dict[str, Any]:
    fields = getattr(type(value), "model_fields", None)
    if fields is None:
        raise TypeError(
            f"a structural tag holds a value of type {type(value).__name__}, which JSON cannot "
            "express"
        )
    values: dict[str, Any] = value.__dict__
    return values if values.keys() == fields.keys() else {n: getattr(value, n) for n in fields}


def _legacy_text(tags: Any, triggers: Any) -> bytes:
    if not isinstance(tags, list) or not isinstance(triggers, list):
        names = f"{type(tags).__name__} and {type(triggers).__name__}"
        raise TypeError(f"Invalid arguments of types {names}: {_FORMS}")
    from .structural_tag import FormatModel, StructuralTag  # Loads pydantic.

    return _dumped(StructuralTag.from_legacy_structural_tag(tags, triggers), FormatModel)
