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
# The values with which other keywords accept one.
_EMPTY_VALUES: dict[str, Any] = {"required": [], "minProperties": 0, "const": {}}
# Deeper schemas count as uncertain: the reader must not exhaust the stack.
_MAX_DEPTH = 64


def accepts_no_arguments(schema: Any) -> bool:
    """Return whether the empty object is certainly valid for a schema."""
    return _Reader(schema).accepts(schema, _MAX_DEPTH)


class _Reader:
    """Looks at every part of a schema at most once, so that references cannot lead in circles."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._seen: set[int] = set()

    def accepts(self, schema: Any, depth: int) -> bool:
        """Return whether a part of the schema certainly accepts the empty object."""
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or id(schema) in self._seen or depth == 0:
            return False
        # What most schemas of arguments are settled by.
        if schema.get("required", []) != []:
            return False
        self._seen.add(id(schema))
        return all(
            key in _HARMLESS or self._keyword_accepts(key, value, depth - 1)
            for key, value in schema.items()
        )

    def _keyword_accepts(self, key: str, value: Any, depth: int) -> bool:
        parts = value if isinstance(value, list) else []
        if key in ("anyOf", "oneOf"):
            return any(self.accepts(part, depth) for part in parts)
        if key == "allOf":
            return all(self.accepts(part, depth) for part in parts)
        if key == "$ref":
            return self.accepts(_resolve(value, self._root), depth)
        if key == "type":
            return value == "object" or "object" in parts
        if key == "enum":
            return {} in parts
        return key in _EMPTY_VALUES and bool(value == _EMPTY_VALUES[key])


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
