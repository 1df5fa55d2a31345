"""Puts the keys of an instance into the order in which its schema declares them.

A generator that fixes the order of declared properties rejects the same data in another order,
rightly; the benchmark tries such an instance again in this order and records it. Best effort: it
follows `properties`, `$ref`, the combinators (those branches that the value satisfies, where
jsonschema is installed) and items, and gives up quietly where a schema is stranger than that.
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
from typing import Any

COMBINATORS = ("allOf", "anyOf", "oneOf")
BRANCHES = ("if", "then", "else")
MAX_DEPTH = 8


def resolve(schema: Any, root: Any) -> Any:
    """Follow local references, at most 32 of them."""
    for _ in range(32):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema
        target: Any = root
        for part in schema["$ref"].lstrip("#").strip("/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            if name and isinstance(target, dict):
                target = target.get(name)
        if target is None or target is schema:
            return schema
        if len(schema) > 1 and isinstance(target, dict):
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        else:
            schema = target
    return schema


class Orderer:
    """Orders values of one document."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.validator = None
        if importlib.util.find_spec("jsonschema") and isinstance(root, dict):
            import jsonschema

            self.validator = jsonschema.Draft202012Validator(root)

    def fits(self, schema: Any, data: Any) -> bool:
        """Whether a branch of a combinator may be the one that the value was made for."""
        if self.validator is None:
            return True
        try:
            return bool(self.validator.evolve(schema=schema).is_valid(data))
        except Exception:  # noqa: BLE001  (an odd schema: no opinion)
            return True

    def parts(self, schema: Any, data: Any, depth: int = 0) -> list[dict[str, Any]]:
        """The schema and every sub-schema that applies to the same value."""
        schema = resolve(schema, self.root)
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return []
        found = [schema]
        for name in (*COMBINATORS, *BRANCHES):
            branches = schema.get(name, [])
            for branch in branches if isinstance(branches, list) else [branches]:
                if name == "allOf" or self.fits(branch, data):
                    found += self.parts(branch, data, depth + 1)
        return found

    def ordered(self, data: Any, schema: Any) -> Any:
        """The same value with declared keys first, in declared order."""
        here = self.parts(schema, data)
        if isinstance(data, list):
            return [self.ordered(value, item_schema(here, i)) for i, value in enumerate(data)]
        if not isinstance(data, dict):
            return data
        declared: dict[str, Any] = {}
        for part in here:
            properties = part.get("properties")
            for name, sub_schema in (properties if isinstance(properties, dict) else {}).items():
                declared.setdefault(name, sub_schema)
        names = [name for name in declared if name in data]
        names += [name for name in data if name not in declared]
        return {
            name: self.ordered(data[name], declared.get(name) or undeclared(here, name))
            for name in names
        }


def undeclared(here: list[dict[str, Any]], name: str) -> Any:
    """What applies to a property that is not declared by name."""
    for part in here:
        for pattern, schema in (part.get("patternProperties") or {}).items():
            with contextlib.suppress(re.error):
                if re.search(pattern, name):
                    return schema
    return next((p["additionalProperties"] for p in here if "additionalProperties" in p), True)


def item_schema(here: list[dict[str, Any]], index: int) -> Any:
    """What applies to one item."""
    for part in here:
        prefix = part.get("prefixItems") or (
            part["items"] if isinstance(part.get("items"), list) else []
        )
        if index < len(prefix):
            return prefix[index]
        if isinstance(part.get("items"), dict):
            return part["items"]
    return True


def in_schema_order(data: Any, schema: Any) -> Any:
    """The same value with declared keys first, in declared order, on every level."""
    return Orderer(schema).ordered(data, schema)
