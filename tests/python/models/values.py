"""Recognises argument values in every style: an independent reading of the style rules.

`ends(schema, style, text, start)` gives every position at which a value that begins at `start` may
end. It knows the keywords that the tests use and is written for clarity: sets of positions, no
automata. Numbers, strings and literals are matched with `re` and `json`.
"""

# ruff: noqa: RUF001 (markers are made of full-width bars)

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

KINDS = ("string", "integer", "number", "boolean", "null", "array", "object")
JSON_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
INTEGER = re.compile(r"0|-?[1-9][0-9]*")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
GEMMA_QUOTE = '<|"|>'
MINIMAX_NS = "]<]minimax[>["
XML_MARKUP = {
    "qwen_xml": ("<parameter={key}>", "</parameter>"),
    "minimax_xml": ('<parameter name="{key}">', "</parameter>"),
    "glm_xml": ("<arg_key>{key}</arg_key>\0<arg_value>", "</arg_value>"),
    "step3_xml": ('<steptml:parameter name="{key}">', "</steptml:parameter>"),
    "deepseek_xml": (
        '<｜DSML｜parameter name="{key}" string="{string}">',
        "</｜DSML｜parameter>",
    ),
    "deepseek_v4_1_xml": (
        '<｜DSML｜ parameter name="{key}" string="{string}">',
        "</｜DSML｜ parameter>",
    ),
    "kimi_k3_xml": (
        '<|open|>argument key="{key}" type="{type}"<|sep|>',
        "<|close|>argument<|sep|>",
    ),
}


@dataclass
class Reader:
    """Options of one json_schema format, and the text being read."""

    style: str
    text: str
    root: object
    any_order: bool = False
    max_whitespace: int | None = None
    excludes: list[str] = field(default_factory=list)

    # What every style shares.

    def space(self, start):
        """Positions after a run of layout whitespace."""
        end = start
        yield end
        while end < len(self.text) and self.text[end] in " \t\r\n":
            end += 1
            if self.max_whitespace is not None and end - start > self.max_whitespace:
                return
            yield end

    def after(self, literal, start):
        """Positions after a literal, in which NUL stands for layout whitespace."""
        ends = {start}
        for number, part in enumerate(literal.split("\0")):
            if number:
                ends = {e for s in ends for e in self.space(s)}
            ends = {e + len(part) for e in ends if self.text.startswith(part, e)}
        return ends

    def between(self, separator, start):
        """Positions after a separator and the layout whitespace around it."""
        return self.after(f"\0{separator}\0" if separator else "\0", start)

    def alternatives(self, schema):
        """The simple schemas that a schema is a union of, each with the kind of its values."""
        if schema is True or schema == {}:
            yield from ((kind, {}) for kind in KINDS if kind != "integer")
        elif "$ref" in schema:
            target = self.root
            for step in schema["$ref"].split("/")[1:]:
                target = target[step]
            yield from self.alternatives(target)
        elif "anyOf" in schema or "oneOf" in schema:
            for part in schema.get("anyOf") or schema["oneOf"]:
                yield from self.alternatives(part)
        elif "enum" in schema or "const" in schema:
            yield from (("literal", value) for value in schema.get("enum", [schema.get("const")]))
        else:
            kinds = schema.get("type", list(KINDS))
            yield from ((kind, schema) for kind in ([kinds] if isinstance(kinds, str) else kinds))

    def is_allowed(self, body, schema):
        """Whether a string body satisfies the string keywords and the exclusions."""
        if any(text in body for text in self.excludes):
            return False
        return (
            schema.get("minLength", 0) <= len(body) <= schema.get("maxLength", len(body))
            and re.fullmatch(schema.get("pattern", r"(?s:.*)"), body) is not None
        )

    def scalar(self, kind, schema, start):
        """Ends of numbers, booleans and null, which all styles write as JSON does."""
        if kind in ("integer", "number"):
            longest = (INTEGER if kind == "integer" else NUMBER).match(self.text, start)
            for end in range(start + 1, longest.end() + 1 if longest else start):
                number = self.text[start:end]
                pattern = INTEGER if kind == "integer" else NUMBER
                if pattern.fullmatch(number) and (
                    schema.get("minimum", float(number))
                    <= float(number)
                    <= schema.get("maximum", float(number))
                ):
                    yield end
        for word in {"boolean": ("true", "false"), "null": ("null",)}.get(kind, ()):
            yield from self.after(word, start)

    def members(self, schema, start, member, separator, opening, closing):
        """Ends of a list of members: declared names in order, then further names."""
        declared = list(schema.get("properties", {}))
        required = set(schema.get("required", ()))
        extra = schema.get("additionalProperties", "properties" not in schema)
        found = set()
        todo = [(end, frozenset(), -1) for end in self.after(opening, start)]
        seen = set(todo)
        while todo:
            position, used, last = todo.pop()
            if required <= used:
                found |= {e for s in self.space(position) for e in self.after(closing, s)}
            begins = self.between(separator if used else "", position)
            follow = []
            for number, name in enumerate(declared):
                if name in used or (not self.any_order and number <= last):
                    continue
                if self.any_order or not required & set(declared[last + 1 : number]) - used:
                    value = schema["properties"][name]
                    ends = {e for b in begins for e in member(name, value, b)}
                    follow += [(e, used | {name}, number) for e in ends]
            if extra is not False:
                position_in_order = last if self.any_order else len(declared)
                for begin in begins:
                    for name, end in member(None, extra, begin):
                        if name not in declared and (self.any_order or required <= used):
                            follow.append((end, used | {name}, position_in_order))
            todo += [state for state in follow if state not in seen]
            seen.update(follow)
        return found

    def items(self, schema, start, item, separator, opening, closing):
        """Ends of a list of items."""
        found, todo = set(), [(e, 0) for e in self.after(opening, start)]
        seen = set(todo)
        while todo:
            position, count = todo.pop()
            if schema.get("minItems", 0) <= count <= schema.get("maxItems", count):
                found |= {e for s in self.space(position) for e in self.after(closing, s)}
            begins = self.between(separator if count else "", position)
            ends = {e for b in begins for e in item(schema.get("items", True), b)}
            new = {(e, count + 1) for e in ends} - seen
            todo += new
            seen |= new
        return found


def ends(schema, style, text, start, **options):
    """Positions at which a value of the schema that begins at `start` may end."""
    from tests.python.models import style_readers

    reader = Reader(style, text, schema, **options)
    return style_readers.ROOTS[style](reader, schema, start)


def json_text(value):
    """A literal as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
