"""The reader of the style `pythonic`, on top of `values.Reader`: keyword arguments and literals.

Reads texts of random values from the description of the style, so that a mistake of the grammar is
not repeated here. Only spellings that renderers.py writes need to be read.
"""

from __future__ import annotations

import ast
import re

from tests.python.models.values import NAME, Reader, json_text

ESCAPE = (
    r"\\(?:[\\'\"abfnrtv]|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    r"|U(?!0000[dD][89a-fA-F])00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4})"
)
STRINGS = [
    re.compile(rf"{quote}(?:[^{quote}\\\x00-\x1f\x85\u2028\u2029]|{ESCAPE})*{quote}")
    for quote in "'\""
]
WORDS = {"true": "True", "false": "False", "null": "None"}


class PythonReader(Reader):
    """Layout is blanks."""

    def space(self, start):
        return (end for end in super().space(start) if not self.text[start:end].strip(" "))


def strings(r, start):
    """Ends and values of a string literal."""
    for pattern in STRINGS:
        match = pattern.match(r.text, start)
        if match and not any(text in match[0][1:-1] for text in r.excludes):
            yield match.end(), ast.literal_eval(match[0])


def value_ends(r, schema, start):
    for kind, part in r.alternatives(schema):
        if kind == "string" or isinstance(part, str):
            for end, value in strings(r, start):
                if value == part if kind == "literal" else r.is_allowed(value, part):
                    yield end
        elif kind == "object":
            yield from r.members(part, start, entry(r), ",", "{", "}")
        elif kind == "array":
            yield from r.items(part, start, lambda s, b: set(value_ends(r, s, b)), ",", "[", "]")
        elif kind in ("boolean", "null"):
            for word in ("true", "false") if kind == "boolean" else ("null",):
                yield from r.after(WORDS[word], start)
        elif kind == "literal":
            word = json_text(part)
            yield from r.after(WORDS.get(word, word), start)
        else:
            yield from r.scalar(kind, part, start)


def entry(r):
    """Entries of a dict."""

    def read(name, schema, begin):
        for key_end, key in strings(r, begin):
            if name is not None and key != name:
                continue
            for colon in r.after("\0:\0", key_end):
                for end in value_ends(r, schema, colon):
                    yield end if name is not None else (key, end)

    return read


def argument(r):
    """Keyword arguments."""

    def read(name, schema, begin):
        match = NAME.match(r.text, begin)
        if match and name in (None, match[0]):
            for value_start in r.after("=", match.end()):
                for end in value_ends(r, schema, value_start):
                    yield end if name is not None else (match[0], end)

    return read


def root(r, schema, start):
    reader = PythonReader(r.style, r.text, r.root, r.any_order, r.max_whitespace, r.excludes)
    for kind, part in reader.alternatives(schema):
        if kind == "object":
            ends = reader.members(part, start, argument(reader), ",", "", "")
            # No blank stands at the ends of the list.
            if reader.text[start : start + 1] == " ":
                ends &= {start}
            yield from (end for end in ends if end == start or reader.text[end - 1] != " ")
