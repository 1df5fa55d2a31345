"""Tool-call traffic: for every model family, requests with 1 and 64 random tools and responses that
call some of them, as the model writes them.

Every request is new to its compiler. The engines get the same tools through their own
`get_model_structural_tag`; the time to first mask includes it. Families that XGrammar does not know
are measured without it. Responses come from the renderers of the tests, which know the formats and
not the library.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

from tests.python.models import renderers

CHOICES = ("auto", "required")
# What the peer's own error message lists.
PEER_FAMILIES = (
    "llama", "kimi", "kimi_k3", "deepseek_r1", "deepseek_v3_1", "qwen_3_coder", "qwen_3_5", "mimo",
    "qwen_3", "harmony", "deepseek_v3_2", "minimax", "minimax_m3", "glm_4_7", "gemma_4",
    "deepseek_v4", "deepseek_v4_1", "cohere", "exaone",
)  # fmt: skip
WORDS = (
    "account", "address", "amount", "author", "budget", "channel", "city", "code", "color",
    "count", "country", "currency", "date", "device", "email", "filter", "folder", "format",
    "group", "image", "index", "invoice", "item", "key", "label", "language", "level", "limit",
    "location", "message", "mode", "month", "name", "note", "number", "order", "owner", "page",
    "path", "phone", "price", "query", "range", "region", "report", "room", "route", "score",
    "section", "size", "source", "stage", "state", "status", "tag", "target", "task", "team",
    "text", "time", "title", "topic", "unit", "user", "value", "version", "week", "weight", "zone",
    "split",
)  # fmt: skip
# Plain text has a frame of its own in these.
FRAMED_TEXT = ("kimi_k3", "harmony")
PROSE = "I will look that up for you and report what I find. "


def random_words(rng: random.Random, count: int) -> str:
    return " ".join(rng.sample(WORDS, count))


def random_enum(rng: random.Random) -> tuple[dict[str, Any], str]:
    values = rng.sample(WORDS, rng.randint(2, 8))
    return {"type": "string", "enum": values}, rng.choice(values)


def random_value_schema(rng: random.Random, depth: int) -> tuple[dict[str, Any], Any]:
    """A schema of one argument and a value of it."""
    array = {"type": "array", "items": {"type": "string"}, "maxItems": 16}
    described = {"description": random_words(rng, 6)}
    makers: list[Callable[[], tuple[dict[str, Any], Any]]] = [
        lambda: ({"type": "string", **described}, random_words(rng, rng.randint(1, 12))),
        lambda: ({"type": "string", **described}, random_words(rng, rng.randint(1, 12))),
        lambda: ({"type": "string", "maxLength": 256}, random_words(rng, 8)),
        lambda: ({"type": "integer", "minimum": 0, "maximum": 5000}, rng.randint(0, 5000)),
        lambda: ({"type": "number", **described}, rng.randint(0, 99999) / 100),
        lambda: ({"type": "boolean"}, rng.random() < 0.5),
        lambda: random_enum(rng),
        lambda: (array, [random_words(rng, 2) for _ in range(rng.randint(1, 4))]),
    ]
    if depth:
        makers.append(lambda: random_arguments(rng, depth - 1))
    return rng.choice(makers)()


def random_arguments(rng: random.Random, depth: int = 1) -> tuple[dict[str, Any], dict[str, Any]]:
    """A schema of arguments and arguments of it, some optional ones left out."""
    names = rng.sample(WORDS, rng.randint(1, 6))
    properties, values, required = {}, {}, []
    for name in names:
        properties[name], value = random_value_schema(rng, depth)
        if rng.random() < 0.6:
            required.append(name)
            values[name] = value
        elif rng.random() < 0.5:
            values[name] = value
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    return {**schema, "additionalProperties": False}, values


def request(rng: random.Random, family: str, count: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Tools, and calls of some of them."""
    allowed = renderers.NAMES.get(family)
    tools, calls = [], []
    for number in range(count):
        name = f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{number}"
        if allowed is not None and not name.isidentifier():
            name = allowed[number % len(allowed)]
        schema, values = random_arguments(rng)
        function = {
            "name": name,
            "description": " ".join(rng.sample(WORDS, 10)),
            "parameters": schema,
        }
        tools.append({"type": "function", "function": function})
        calls.append((name, values))
    return tools, rng.sample(calls, min(count, 3))


def make(family: str, count: int, choice: str, number: int) -> dict[str, Any]:
    """One case."""
    rng = random.Random(f"{family} {count} {choice} {number}")
    tools, calls = request(rng, family, count)
    render = renderers.CALLS[family]
    prefix = renderers.DISABLED.get(family, "")
    texts = [prefix + renderers.plain(render([call])) for call in calls]
    if choice == "auto" and family not in FRAMED_TEXT:
        texts.append(prefix + PROSE * 4)
    arguments = {"model": family, "tools": tools, "tool_choice": choice, "reasoning": "disabled"}
    source = {"kind": "model", "arguments": arguments}
    engines = ["ours", "peer"] if family in PEER_FAMILIES else ["ours"]
    return {
        "id": f"{family}-{count}-{choice}-{number}",
        "group": f"{count} tool{'s' if count > 1 else ''}, {choice}",
        "sources": dict.fromkeys(engines, source),
        "tests": [{"text": text, "valid": True} for text in texts],
    }


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Every family with every number of tools and every choice asked for."""
    return [
        make(family, int(count), choice, number)
        for number in range(args.requests)
        for count in args.tools.split(",")
        for choice in args.choices.split(",")
        for family in renderers.CALLS
    ]
