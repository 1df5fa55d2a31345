"""Whether an argument schema lets a call have no arguments at all.

Some formats write a call without arguments differently. The answer is "yes" only where it is
certain: keywords that are not looked at count as "no".
"""

from __future__ import annotations

from typing import Any

__all__ = ["accepts_no_arguments"]

# Keywords that cannot refuse an empty object.
_HARMLESS = frozenset(
    {
        "$anchor", "$comment", "$defs", "$id", "$schema", "additionalProperties", "default",
        "definitions", "dependentRequired", "dependentSchemas", "deprecated", "description",
        "examples", "format", "maxProperties", "patternProperties", "properties", "propertyNames",
        "readOnly", "title", "unevaluatedProperties", "writeOnly",
    }
)  # fmt: skip
_MAX_DEPTH = 32


def accepts_no_arguments(schema: Any) -> bool:
    """Return whether the empty object is certainly valid for a schema."""
    return _accepts(schema, schema, _MAX_DEPTH)


def _accepts(schema: Any, root: Any, depth: int) -> bool:
    if isinstance(schema, bool):
        return schema
    if not isinstance(schema, dict) or depth == 0:
        return False
    return all(
        key in _HARMLESS or _keyword_accepts(key, value, root, depth - 1)
        for key, value in schema.items()
    )


def _keyword_accepts(key: str, value: Any, root: Any, depth: int) -> bool:
    if key in ("anyOf", "oneOf"):
        return any(_accepts(part, root, depth) for part in value)
    if key == "allOf":
        return all(_accepts(part, root, depth) for part in value)
    if key == "$ref":
        return _accepts(_resolve(value, root), root, depth)
    certain = {
        "type": value == "object" or (isinstance(value, list) and "object" in value),
        "required": value == [],
        "minProperties": value == 0,
        "const": value == {},
        "enum": isinstance(value, list) and {} in value,
    }
    return bool(certain.get(key))


def _resolve(reference: Any, root: Any) -> Any:
    """Return what a local reference points at; None if it is not found."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    target = root
    for step in reference[1:].split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(target, dict) or name not in target:
            return None
        target = target[name]
    return target
