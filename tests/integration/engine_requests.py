"""Requests as clients send them to a serving engine, with a text that each must and must not take.

`kind` is what the engines call the request; vLLM tells Lark from EBNF by the text, SGLang has no
Lark and no choice.
"""

from __future__ import annotations

import json
from typing import NamedTuple


class Request(NamedTuple):
    """One request: its kind, its source text, a right text and a text that goes wrong."""

    name: str
    kind: str
    source: str
    right: str
    wrong: str


PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "tags": {"type": "array", "items": {"enum": ["red", "blue"]}},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
WEATHER = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TAG = {
    "type": "structural_tag",
    "format": {
        "type": "triggered_tags",
        "triggers": ["<function="],
        "tags": [
            {
                "type": "tag",
                "begin": "<function=weather>",
                "content": {"type": "json_schema", "json_schema": WEATHER},
                "end": "</function>",
            }
        ],
    },
}
LEGACY_TAG = {
    "type": "structural_tag",
    "structures": [{"begin": "<function=weather>", "schema": WEATHER, "end": "</function>"}],
    "triggers": ["<function="],
}
CALL = 'Let me look. <function=weather>{"city": "Köln"}</function> One moment.'
BAD_CALL = 'Let me look. <function=weather>{"town": "Köln"}</function>'
EBNF = r"""root ::= sum
sum ::= product (("+" | "-") product)*
product ::= [0-9]+ | "(" sum ")"
"""
LARK = r"""start: "SELECT " column (", " column)* " FROM " NAME
column: NAME | "*"
NAME: /[a-z_]+/
"""

REQUESTS = [
    Request(
        "json",
        "json",
        json.dumps(PERSON),
        '{"name": "Ann-Kathrin", "age": 41, "tags": ["red", "blue"]}',
        '{"name": "Ann-Kathrin", "age": -1}',
    ),
    Request("json_object", "json_object", "", '{"any": [1, {"b": null}]}', "1"),
    Request("regex", "regex", r"\d{4}-\d{2}-\d{2}T[a-z]+", "2026-12-01Tmorning", "2026-12-1"),
    Request("ebnf", "ebnf", EBNF, "12+(3-4)+5", "12+(3-4))"),
    Request("lark", "lark", LARK, "SELECT first_name, age FROM people", "SELECT 1 FROM people"),
    Request("choice", "choice", json.dumps(["yes", "no", 'say "hi"']), 'say "hi"', "maybe"),
    Request("structural_tag", "structural_tag", json.dumps(TAG), CALL, BAD_CALL),
    Request("legacy_tag", "structural_tag", json.dumps(LEGACY_TAG), CALL, BAD_CALL),
]
BAD_SOURCES = [
    ("json", '{"type": "strin"}'),
    ("regex", "(a"),
    ("ebnf", "root ::= missing"),
    ("lark", "start: missing"),
    ("structural_tag", '{"type": "structural_tag", "format": {"type": "nothing"}}'),
]
