"""Reading the outer form of serialized objects: JSON with a version."""

from __future__ import annotations

import json
from typing import Any

from . import _core
from .exception import DeserializeFormatError, DeserializeVersionError, InvalidJSONError

_REPORT_FIELD_COUNT = 4


def load_object(json_string: str) -> dict[str, Any]:
    """Return the object in a serialized text after the checks that all forms share.

    Raises
    ------
    TypeError
        If it is not a `str`.
    InvalidJSONError
        If it is not JSON.
    DeserializeVersionError
        If the version is missing or another one.
    DeserializeFormatError
        If the top value is not an object.
    """
    if not isinstance(json_string, str):
        raise TypeError(f"The serialized form must be str, not {type(json_string).__name__}")
    try:
        value = json.loads(json_string)
    except (ValueError, RecursionError) as error:
        raise InvalidJSONError(f"The serialized form is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise DeserializeFormatError("The serialized form must be a JSON object")
    version = value.get("__VERSION__")
    if version != _core.SERIALIZATION_VERSION:
        raise DeserializeVersionError(
            f"The serialized form has version {version!r:.80}; "
            f"this library reads {_core.SERIALIZATION_VERSION!r}"
        )
    return value


def checked_report(value: object) -> list[tuple[str, str, str, str]]:
    """Return the records of a serialized report: pointer, keyword, reason and effect of each.

    Raises
    ------
    DeserializeFormatError
        If it is malformed.
    """
    message = "The serialized grammar has a malformed 'json_schema_report'"
    if not isinstance(value, list):
        raise DeserializeFormatError(message)
    records: list[tuple[str, str, str, str]] = []
    for record in value:
        if not isinstance(record, list) or not all(isinstance(item, str) for item in record):
            raise DeserializeFormatError(message)
        if len(record) != _REPORT_FIELD_COUNT:
            raise DeserializeFormatError(message)
        pointer, keyword, reason, effect = record
        records.append((pointer, keyword, reason, effect))
    return records
