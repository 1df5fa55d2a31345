"""Puts the keys of an instance into the order in which its schema declares them.

A generator that fixes the order of declared properties rejects the same data in another order,
rightly; the benchmark tries such an instance again in this order and records it. Best effort: it
follows `properties`, `$ref`, the combinators and items, and gives up quietly where a schema is
stranger than that.
"""

from __future__ import annotations

from typing import Any

COMBINATORS = ("allOf", "anyOf", "oneOf")
BRANCHES = ("then", "else", "if")


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


def parts(schema: Any, root: Any, depth: int = 0) -> list[dict[str, Any]]:
    """The schema and every sub-schema that applies to the same value."""
    schema = resolve(schema, root)
    if not isinstance(schema, dict) or depth > 8:
        return []
    found = [schema]
    for name in COMBINATORS:
        for branch in schema.get(name) or []:
            found += parts(branch, root, depth + 1)
    for name in BRANCHES:
        if name in schema:
            found += parts(schema[name], root, depth + 1)
    return found


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


def in_schema_order(data: Any, schema: Any, root: Any = None) -> Any:
    """The same value with declared keys first, in declared order."""
    root = schema if root is None else root
    here = parts(schema, root)
    if isinstance(data, list):
        return [
            in_schema_order(value, item_schema(here, index), root)
            for index, value in enumerate(data)
        ]
    if not isinstance(data, dict):
        return data
    declared: dict[str, Any] = {}
    for part in here:
        properties = part.get("properties")
        for name, sub_schema in (properties if isinstance(properties, dict) else {}).items():
            declared.setdefault(name, sub_schema)
    additional = next(
        (p["additionalProperties"] for p in here if "additionalProperties" in p), True
    )
    ordered = [name for name in declared if name in data] + [
        name for name in data if name not in declared
    ]
    return {
        name: in_schema_order(data[name], declared.get(name, additional), root) for name in ordered
    }
