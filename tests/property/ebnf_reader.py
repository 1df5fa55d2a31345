"""Reads EBNF text into nested tuples, by its own small recursive parser.

It shares nothing with the library's front end, so that the two can disagree. It covers the language
of printed grammars: rules, literals, character classes, groups, quantifiers, comments and lookahead
hints (which are skipped). Nodes: ("bytes", b), ("class", ((lo, hi), ...)), ("ref", name), ("seq",
parts), ("alt", parts), ("rep", node, m, n), ("any", separator, parts, m, n) for AnyOrder; n is None
for no upper bound, ("seq", ()) is the empty string and ("alt", ()) matches nothing.
"""

from __future__ import annotations

import re
from typing import Any

Node = tuple[Any, ...]

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
      | (?P<assign>::=)
      | (?P<name>[A-Za-z_.\-][A-Za-z0-9_.\-]*)
      | (?P<number>-?[0-9]+)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<class>\[\^?(?:[^\]\\]|\\.)*\])
      | (?P<punct>\(=|[()|{},*+?])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
NAMED = {"n": 10, "r": 13, "t": 9, "b": 8, "f": 12, "a": 7, "v": 11, "0": 0, "e": 27}
SURROGATES = range(0xD800, 0xE000)
MAX_CODE_POINT = 0x10FFFF


def code_points(text: str) -> list[tuple[int, bool]]:
    """The code points of a literal's inside, each with whether it was written as an escape."""
    result: list[tuple[int, bool]] = []
    position = 0
    while position < len(text):
        match = ESCAPE.match(text, position)
        if match is None:
            result.append((ord(text[position]), False))
            position += 1
            continue
        digits = match[1] or match[2] or match[3]
        value = int(digits, 16) if digits else NAMED.get(match[4], ord(match[4]))
        result.append((value, True))
        position = match.end()
    return result


def class_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """The sorted, disjoint ranges of `[...]`, without surrogates."""
    inside = text[1:-1]
    negated = inside.startswith("^")
    points = code_points(inside[1:] if negated else inside)
    members: list[tuple[int, int]] = []
    index = 0
    while index < len(points):
        low = high = points[index][0]
        if index + 2 < len(points) and points[index + 1] == (ord("-"), False):
            high = points[index + 2][0]
            index += 2
        members.append((low, high))
        index += 1
    if negated:
        members = complement(merged(members))
    return tuple(without_surrogates(merged(members)))


def merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sorted and disjoint."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(high, result[-1][1]))
        else:
            result.append((low, high))
    return result


def complement(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Every other code point."""
    result, begin = [], 0
    for low, high in ranges:
        if begin < low:
            result.append((begin, low - 1))
        begin = high + 1
    if begin <= MAX_CODE_POINT:
        result.append((begin, MAX_CODE_POINT))
    return result


def without_surrogates(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut out what has no UTF-8 form."""
    result = []
    for low, high in ranges:
        for begin, end in (
            (low, min(high, SURROGATES[0] - 1)),
            (max(low, SURROGATES[-1] + 1), high),
        ):
            if begin <= end:
                result.append((begin, end))
    return result


class Reader:
    """Recursive descent over the tokens; test grammars are small, so recursion is fine here."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str]] = []
        position = 0
        while position < len(text):
            match = TOKEN.match(text, position)
            if match is None:
                message = f"cannot read {text[position : position + 20]!r}"
                raise ValueError(message)
            if match.lastgroup != "space":
                self.tokens.append((str(match.lastgroup), match[0]))
            position = match.end()
        self.tokens += [("end", ""), ("end", "")]
        self.at = 0

    def peek(self, text: str) -> bool:
        return self.tokens[self.at] == ("punct", text)

    def take(self, text: str) -> bool:
        found = self.peek(text)
        self.at += found
        return found

    def expect(self, text: str) -> None:
        if not self.take(text):
            message = f"expected {text!r}, got {self.tokens[self.at]!r}"
            raise ValueError(message)

    def rules(self) -> dict[str, Node]:
        result: dict[str, Node] = {}
        while self.tokens[self.at][0] != "end":
            name = self.tokens[self.at][1]
            self.at += 2  # the name and ::=
            result[name] = self.choices()
            if self.take("(="):
                self.choices()
                self.expect(")")
        return result

    def choices(self) -> Node:
        parts = [self.sequence()]
        while self.take("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else ("alt", tuple(parts))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while True:
            kind, _ = self.tokens[self.at]
            starts_rule = kind == "name" and self.tokens[self.at + 1][0] == "assign"
            if starts_rule or not (kind in ("name", "string", "class") or self.peek("(")):
                return parts[0] if len(parts) == 1 else ("seq", tuple(parts))
            parts.append(self.quantified())

    def quantified(self) -> Node:
        node = self.element()
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return ("rep", node, low, high)
        if self.peek("{"):
            return ("rep", node, *self.bounds())
        return node

    def bounds(self) -> tuple[Any, Any]:
        self.expect("{")
        low = high = self.number()
        if self.take(","):
            high = None if self.peek("}") else self.number()
            high = None if high == -1 else high
        self.expect("}")
        return low, high

    def any_order(self) -> Node:
        low, high = self.bounds() if self.peek("{") else (0, None)
        self.expect("(")
        parts = [self.choices()]
        while self.take(","):
            parts.append(self.choices())
        self.expect(")")
        return ("any", parts[0], tuple(parts[1:]), low, high)

    def number(self) -> Any:
        self.at += 1
        return int(self.tokens[self.at - 1][1])

    def element(self) -> Node:
        if self.take("("):
            node = ("seq", ()) if self.peek(")") else self.choices()
            self.expect(")")
            return node
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "string":
            return ("bytes", "".join(chr(point) for point, _ in code_points(text[1:-1])).encode())
        if (kind, text) == ("name", "AnyOrder"):
            return self.any_order()
        return ("class", class_ranges(text)) if kind == "class" else ("ref", text)


def read_ebnf(text: str) -> dict[str, Node]:
    """Rules by name, in order."""
    return Reader(text).rules()
