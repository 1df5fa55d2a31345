"""Random schemas over a small world, and instances near their boundaries.

The world is small on purpose (few names, short strings, small numbers), so that keywords meet each
other and random instances are valid and invalid about equally often.
"""

from __future__ import annotations

import random
from typing import Any

NAMES = ["a", "b", "ab", "c"]
STRINGS = ["", "a", "b", "ab", "ba", "aab", 'q"', "é"]
NUMBERS = [-2, -1, 0, 1, 2, 3, 5, 0.5, 1.5, -0.5]
PATTERNS = ["^a", "b$", "^a*$", "a|é", "^.{2}$", "b"]
TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"]
MAX_ITEMS = 4


def scalar(rng: random.Random) -> Any:
    return rng.choice([None, True, False, rng.choice(NUMBERS), rng.choice(STRINGS)])


def value(rng: random.Random, depth: int = 2) -> Any:
    """A JSON value of bounded depth."""
    kind = rng.randrange(4) if depth else 0
    if kind < 2:
        return scalar(rng)
    if kind == 2:
        return [value(rng, depth - 1) for _ in range(rng.randrange(MAX_ITEMS))]
    names = rng.sample(NAMES, rng.randrange(len(NAMES)))
    return {name: value(rng, depth - 1) for name in names}


class SchemaMaker:
    """Makes schemas of bounded depth; each keyword may stand anywhere, typed or not."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.num_definitions = 0
        self.first_definition = 0  # Earlier ones would make a cycle without content.

    def document(self, depth: int = 3) -> dict[str, Any]:
        """A schema with definitions, which may refer to one another through children."""
        self.num_definitions = self.rng.choice([0, 0, 1, 2])
        schema = self.schema(depth, min_keywords=1)
        while not isinstance(schema, dict):
            schema = self.schema(depth, min_keywords=1)
        definitions = {}
        for i in range(self.num_definitions):
            self.first_definition = i + 1
            definitions[f"d{i}"] = self.schema(2)
        return {**schema, "$defs": definitions} if definitions else schema

    def schema(self, depth: int, min_keywords: int = 0) -> Any:
        rng = self.rng
        if not min_keywords and rng.random() < 0.12:
            return rng.choice([True, True, False, {}])
        schema: dict[str, Any] = {}
        if rng.random() < 0.6:
            count = rng.choice([1, 1, 1, 2, 3])
            schema["type"] = rng.choice(TYPES) if count == 1 else rng.sample(TYPES, count)
        families = [self.numbers, self.strings, self.arrays, self.objects, self.values]
        if depth:
            families += [self.composition, self.composition]
        for _ in range(rng.choice([1, 1, 2, 3])):
            rng.choice(families)(schema, depth)
        return schema

    def reference(self) -> dict[str, Any]:
        """A reference that closes no cycle, or nothing."""
        if self.first_definition >= self.num_definitions:
            return {}
        number = self.rng.randrange(self.first_definition, self.num_definitions)
        return {"$ref": f"#/$defs/d{number}"}

    def inner(self, depth: int) -> Any:
        """A schema for a part of the instance, where every reference is possible."""
        first, self.first_definition = self.first_definition, 0
        schema = self.child(depth)
        self.first_definition = first
        return schema

    def child(self, depth: int) -> Any:
        if self.num_definitions and self.rng.random() < 0.2:
            schema = self.reference()
            if self.rng.random() < 0.3:
                self.numbers(schema, 0)
            return schema
        return self.schema(max(depth - 1, 0)) if depth else {"type": self.rng.choice(TYPES)}

    def children(self, depth: int, most: int = 3) -> list[Any]:
        return [self.child(depth) for _ in range(self.rng.randint(1, most))]

    def numbers(self, schema: dict[str, Any], _: int) -> None:
        keyword = self.rng.choice(
            ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
        )
        divisors = [1, 2, 3, 0.5, 1.5]
        schema[keyword] = self.rng.choice(divisors if keyword == "multipleOf" else NUMBERS)

    def strings(self, schema: dict[str, Any], _: int) -> None:
        keyword = self.rng.choice(["minLength", "maxLength", "pattern"])
        schema[keyword] = self.rng.choice(PATTERNS) if keyword == "pattern" else self.count()

    def values(self, schema: dict[str, Any], depth: int) -> None:
        if self.rng.random() < 0.5:
            schema["const"] = value(self.rng, min(depth, 2))
        else:
            schema["enum"] = [value(self.rng, 1) for _ in range(self.rng.randint(1, 4))]

    def arrays(self, schema: dict[str, Any], depth: int) -> None:
        for keyword in self.rng.sample(
            ["items", "prefixItems", "minItems", "maxItems", "contains", "uniqueItems"], 2
        ):
            if keyword == "uniqueItems":
                few = {"enum": [1, "a", None]}
                items = few if self.rng.random() < 0.4 else self.inner(depth)
                schema.update(uniqueItems=True, items=items)
            elif keyword == "contains":
                schema[keyword] = self.inner(depth)
                if self.rng.random() < 0.5:
                    schema["minContains"] = self.count()
                if self.rng.random() < 0.4:
                    schema["maxContains"] = self.count()
            elif keyword == "items":
                schema.setdefault(keyword, self.inner(depth))
            elif keyword == "prefixItems":
                schema[keyword] = [self.inner(depth) for _ in range(self.rng.randint(1, 2))]
            else:
                schema[keyword] = self.count()
        if self.rng.random() < 0.2:
            schema["unevaluatedItems"] = self.inner(depth)

    def objects(self, schema: dict[str, Any], depth: int) -> None:
        rng = self.rng
        for keyword in rng.sample(
            [
                "properties",
                "properties",
                "patternProperties",
                "additionalProperties",
                "propertyNames",
                "required",
                "minProperties",
                "maxProperties",
                "dependentRequired",
                "dependentSchemas",
            ],
            2,
        ):
            names = rng.sample(NAMES, rng.randint(1, 2))
            if keyword == "properties":
                schema[keyword] = {name: self.inner(depth) for name in names}
            elif keyword == "dependentSchemas":
                schema[keyword] = {name: self.child(depth) for name in names}
            elif keyword == "patternProperties":
                schema[keyword] = {rng.choice(PATTERNS): self.inner(depth)}
            elif keyword == "additionalProperties":
                schema[keyword] = self.inner(depth)
            elif keyword == "propertyNames":
                schema[keyword] = {}
                self.strings(schema[keyword], 0)
            elif keyword == "required":
                schema[keyword] = names
            elif keyword == "dependentRequired":
                schema[keyword] = {names[0]: rng.sample(NAMES, 1)}
            else:
                schema[keyword] = self.count()
        if rng.random() < 0.2:
            schema["unevaluatedProperties"] = self.inner(depth)

    def composition(self, schema: dict[str, Any], depth: int) -> None:
        keyword = self.rng.choice(["allOf", "anyOf", "oneOf", "not", "if", "$ref"])
        if keyword in {"allOf", "anyOf", "oneOf"}:
            schema[keyword] = self.children(depth)
        elif keyword == "not":
            schema[keyword] = self.child(depth)
        elif keyword == "if":
            for part in ("if", *self.rng.sample(["then", "else"], self.rng.randint(1, 2))):
                schema[part] = self.child(depth)
        else:
            schema.update(self.reference())

    def count(self) -> int:
        return self.rng.choice([0, 1, 1, 2, 2, 3])


def constants_of(schema: Any) -> list[Any]:
    """Values that a schema names."""
    if isinstance(schema, list):
        return [found for item in schema for found in constants_of(item)]
    if not isinstance(schema, dict):
        return []
    own = [schema["const"]] if "const" in schema else []
    own += schema.get("enum", [])
    return own + [found for item in schema.values() for found in constants_of(item)]


def guided(rng: random.Random, schema: Any, depth: int = 3) -> Any:
    """A value that follows the schema here and there, so that deep keywords are reached."""
    if not isinstance(schema, dict) or depth == 0 or rng.random() < 0.15:
        return value(rng, 1)
    parts = [schema[key] for key in ("not", "if", "then", "else") if key in schema]
    parts += [part for key in ("allOf", "anyOf", "oneOf") for part in schema.get(key, [])]
    if parts and rng.random() < 0.4:
        return guided(rng, rng.choice(parts), depth)
    if "const" in schema or ("enum" in schema and rng.random() < 0.8):
        return rng.choice([schema["const"]] if "const" in schema else schema["enum"])
    kinds = schema.get("type", rng.choice(TYPES))
    kind = rng.choice(kinds) if isinstance(kinds, list) else kinds
    if kind in {"array", "object"}:
        return (guided_array if kind == "array" else guided_object)(rng, schema, depth)
    of_kind: dict[str, list[Any]] = {"string": STRINGS, "integer": NUMBERS, "number": NUMBERS}
    options = of_kind.get(kind)
    return rng.choice(options) if options else scalar(rng)


def guided_array(rng: random.Random, schema: dict[str, Any], depth: int) -> list[Any]:
    prefix = schema.get("prefixItems", [])
    rest = [schema[key] for key in ("items", "contains", "unevaluatedItems") if key in schema]
    return [
        guided(rng, prefix[i] if i < len(prefix) else rng.choice(rest or [True]), depth - 1)
        for i in range(rng.randrange(MAX_ITEMS + 1))
    ]


def guided_object(rng: random.Random, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    declared = schema.get("properties", {})
    others = [
        schema[key] for key in ("additionalProperties", "unevaluatedProperties") if key in schema
    ]
    others += schema.get("patternProperties", {}).values()
    names = {name for name in schema.get("required", []) if rng.random() < 0.9}
    names |= set(rng.sample(NAMES, rng.randrange(MAX_ITEMS)))
    return {
        name: guided(rng, declared.get(name, rng.choice(others or [True])), depth - 1)
        for name in sorted(names)
    }


def instances(rng: random.Random, schema: Any, count: int) -> list[Any]:
    """Values around the boundary of the schema."""
    named = constants_of(schema)
    out = [rng.choice(named) for _ in range(min(len(named), count // 5))]
    out += [scalar(rng) for _ in range(count // 5)]
    while len(out) < count:
        out.append(guided(rng, schema) if rng.random() < 0.8 else value(rng))
    return out
