"""Hostile sources: deep, wide, big counts, many branches, patterns that explode when expanded.

What counts is the time until an answer: a first mask, or an error with a reason. An engine that
needs longer than the time limit, or dies, is recorded as such and started again. Where there is an
instance, it is walked too.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from tests.bench.workloads.schemas import source_of


def nested(depth: int) -> dict[str, Any]:
    """Objects in objects."""
    schema: dict[str, Any] = {"type": "integer"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    return schema


def nested_value(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def wide(count: int, required: bool) -> dict[str, Any]:
    """An object of many properties."""
    properties = {f"property_{i}": {"type": "string" if i % 2 else "integer"} for i in range(count)}
    names = list(properties) if required else []
    return {"type": "object", "properties": properties, "required": names}


def doubling_references(count: int) -> dict[str, Any]:
    """Each definition names the next one twice: 2^count when expanded."""
    definitions: dict[str, Any] = {f"d{count}": {"type": "integer"}}
    for i in range(count):
        pair = {"$ref": f"#/$defs/d{i + 1}"}
        definitions[f"d{i}"] = {
            "type": "object",
            "properties": {"l": pair, "r": pair},
            "additionalProperties": False,
        }
    return {"$defs": definitions, "$ref": "#/$defs/d0"}


def branches(count: int, keyword: str) -> dict[str, Any]:
    """Many alternatives that begin alike."""
    return {
        keyword: [
            {
                "type": "object",
                "properties": {"kind": {"const": f"kind_{i}"}, f"value_{i}": {"type": "number"}},
                "required": ["kind", f"value_{i}"],
            }
            for i in range(count)
        ]
    }


def product(count: int) -> dict[str, Any]:
    """allOf of anyOf: 2^count combinations when multiplied out."""
    pairs = [
        {
            "anyOf": [
                {"properties": {f"p{i}": {"type": "string"}}},
                {"properties": {f"p{i}": {"type": "integer"}}},
            ]
        }
        for i in range(count)
    ]
    return {"type": "object", "allOf": pairs}


UNIQUE_OBJECT: dict[str, Any] = {
    "type": "object",
    "properties": {"id": {"type": "integer"}, "name": {"type": "string"}},
    "required": ["id", "name"],
}

SCHEMAS: dict[str, tuple[Any, list[Any]]] = {
    "deep: 100 objects": (nested(100), [nested_value(100)]),
    "deep: 10,000 objects": (nested(10_000), []),
    "wide: 2,000 optional properties": (wide(2_000, False), [{"property_7": "x"}]),
    "wide: 2,000 required properties": (wide(2_000, True), []),
    "unique: 2,000 strings": (
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        [[f"item{i}" for i in range(2_000)]],
    ),
    "unique: 200 objects": (
        {"type": "array", "items": UNIQUE_OBJECT, "uniqueItems": True},
        [[{"id": i, "name": f"user {i}"} for i in range(200)]],
    ),
    "count: maxLength 1,000,000": ({"type": "string", "maxLength": 1_000_000}, ["abc" * 50]),
    "count: minItems 100,000": (
        {"type": "array", "items": {"type": "integer"}, "minItems": 100_000},
        [],
    ),
    "count: maxItems 10^9": (
        {"type": "array", "items": {"type": "string", "maxLength": 100}, "maxItems": 10**9},
        [["a", "b", "c"]],
    ),
    "count: pattern {1,5000}": ({"type": "string", "pattern": "^([a-z]{1,5000} ){1,5000}$"}, []),
    "pattern: (a|b)*a(a|b){24}": ({"type": "string", "pattern": "^(a|b)*a(a|b){24}$"}, []),
    "pattern: (.*a){20}": ({"type": "string", "pattern": "(.*a){20}"}, []),
    "branches: anyOf of 1,000": (branches(1_000, "anyOf"), [{"kind": "kind_999", "value_999": 1}]),
    "branches: oneOf of 200": (branches(200, "oneOf"), [{"kind": "kind_199", "value_199": 1}]),
    "branches: allOf of 24 pairs": (product(24), [{"p0": "x", "p1": 1}]),
    "branches: enum of 20,000": (
        {"enum": [f"value number {i}" for i in range(20_000)]},
        ["value number 19999"],
    ),
    "references: 30 doublings": (doubling_references(30), [{"l": {"l": {}}}]),
    "references: to itself": ({"$ref": "#"}, []),
    "bounds: 0.1 to 1e300": ({"type": "number", "minimum": 0.1, "maximum": 1e300}, [12.5]),
    "nothing fits": ({"type": "integer", "minimum": 5, "maximum": 4}, []),
}


def as_text(schema: Any) -> str:
    """JSON of any depth: the encoder of the standard library stops at the recursion limit."""
    try:
        return json.dumps(schema)
    except RecursionError:
        before, after, inner = [], [], schema
        while inner.get("type") == "object":
            before.append('{"type": "object", "properties": {"a": ')
            after.append('}, "required": ["a"]}')
            inner = inner["properties"]["a"]
        return "".join(before) + json.dumps(inner) + "".join(after)


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """One case per schema; each is a group of its own."""
    return [
        {
            "id": name,
            "group": name,
            "source": source_of(as_text(schema), args.mode),
            "tests": [{"data": value, "valid": True} for value in values],
        }
        for name, (schema, values) in SCHEMAS.items()
    ]
