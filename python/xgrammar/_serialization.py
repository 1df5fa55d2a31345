"""The outer forms of serialized objects: JSON with a version, and the same compressed."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

from . import _core
from . import limits as _limits
from .exception import (
    DeserializeFormatError,
    DeserializeVersionError,
    GrammarLimitError,
    InvalidJSONError,
)

_REPORT_FIELDS = ("pointer", "keyword", "reason", "effect")
# The binary form: a mark that no text begins with, its own version, the size of the JSON text in
# UTF-8, and that text as a zlib stream (RFC 1950), which ends in a checksum.
_MARK = b"\x93XGR"
_BINARY_VERSION = 1
_HEADER = struct.Struct("<4sBQ")
# What texts of all kinds are bounded by where the caller has lifted the limit.
_LARGEST_TEXT_BYTES = (1 << 31) - 1


def _max_text_bytes() -> int:
    limit = _limits.max_serialized_bytes()
    return _LARGEST_TEXT_BYTES if limit is None else min(limit, _LARGEST_TEXT_BYTES)


def readable(text: str) -> str:
    """Return a serialized grammar unchanged if it can be read back under the default limits.

    Raises
    ------
    GrammarLimitError
        If it is longer than the readers take.
    """
    size = len(text) if text.isascii() else len(text.encode())
    maximum = _max_text_bytes()
    if size > maximum:
        error = GrammarLimitError(
            f"The limit max_source_bytes was exceeded: the serialized grammar has {size} bytes, "
            f"and no more than {maximum}, 16 times the limit, can be read back; "
            "raise it by set_default_limits, here and where the grammar is read"
        )
        error.limit, error.value, error.maximum = "max_source_bytes", size, maximum
        raise error
    return text


def pack(text: str) -> bytes:
    """Return the binary form of a serialized text."""
    data = text.encode()
    return _HEADER.pack(_MARK, _BINARY_VERSION, len(data)) + zlib.compress(data, 6)


def unpack(data: bytes | bytearray | memoryview) -> str:
    """Return the serialized text in a binary form.

    Memory is bounded by the size that the header states, which is bounded in turn.

    Raises
    ------
    TypeError
        If it is not bytes-like.
    DeserializeFormatError
        If it is malformed or cut.
    DeserializeVersionError
        If it is of another version.
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data must be bytes, not {type(data).__name__}")
    raw = bytes(data)
    if not raw.startswith(_MARK):
        raise DeserializeFormatError("The data is not a serialized object of this library")
    if len(raw) < _HEADER.size:
        raise DeserializeFormatError("The serialized object is cut")
    _, version, size = _HEADER.unpack_from(raw)
    if version != _BINARY_VERSION:
        raise DeserializeVersionError(
            f"The serialized object has binary version {version}; "
            f"this library reads {_BINARY_VERSION}"
        )
    if size > (maximum := _max_text_bytes()):
        raise DeserializeFormatError(
            f"The serialized object claims {size} bytes; at most {maximum} are read, 16 times "
            "the limit max_source_bytes"
        )
    stream = zlib.decompressobj()
    try:
        # One more than stated, so that a longer stream does not end here.
        text = stream.decompress(raw[_HEADER.size :], size + 1)
    except zlib.error as error:
        raise DeserializeFormatError(f"The serialized object is damaged: {error}") from error
    if len(text) != size or not stream.eof or stream.unused_data:
        raise DeserializeFormatError("The serialized object is damaged: its size is not as stated")
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise DeserializeFormatError("The serialized object does not hold text") from error


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


def load_grammar(json_string: str) -> tuple[str, list[tuple[str, str, str, str]]]:
    """Return the EBNF text and the report in a serialized grammar.

    Raises
    ------
    TypeError, InvalidJSONError, DeserializeVersionError, DeserializeFormatError
        As `load_object` does, and for a malformed text or report.
    """
    value = load_object(json_string)
    text = value.get("grammar")
    if not isinstance(text, str):
        raise DeserializeFormatError("The serialized grammar has no text 'grammar'")
    return text, checked_report(value.get("json_schema_report", []))


def report_as_dicts(report: list[tuple[str, str, str, str]]) -> list[dict[str, str]]:
    """Return native report records with names."""
    return [dict(zip(_REPORT_FIELDS, record, strict=True)) for record in report]


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
        if len(record) != len(_REPORT_FIELDS):
            raise DeserializeFormatError(message)
        pointer, keyword, reason, effect = record
        records.append((pointer, keyword, reason, effect))
    return records
