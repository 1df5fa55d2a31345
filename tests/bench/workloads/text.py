"""Long free text with triggers: 2,000 tokens of prose with a tool call now and then.

Most tokens cannot touch a trigger; what is measured is that they cost next to nothing. `plain` has
one trigger, `many` has 32 tags behind 8 triggers, of which the prose holds beginnings.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

from tests.bench.workloads.tools import WORDS, random_arguments

SENTENCES = 220
GLUE = ("and", "or", "of the", "with a", "is", "was never", "for each", "from", "to", "before")
NEAR_MISSES = ("a < b", "<b>bold</b>", "<function", "if x <= y:", "<tool", "{}", "[1, 2]", "<|")


def prose(rng: random.Random, near_misses: bool) -> str:
    """Sentences of common words, with numbers, quotes, and what resembles a trigger."""
    sentences = []
    for _ in range(SENTENCES):
        words = [rng.choice(WORDS) for _ in range(rng.randint(4, 9))]
        for place in range(1, len(words), 2):
            words.insert(place, rng.choice(GLUE))
        if near_misses and rng.random() < 0.3:
            words.append(rng.choice(NEAR_MISSES) + " ")
        if rng.random() < 0.2:
            words.append(f'"{rng.choice(WORDS)}" ({rng.randint(1, 9999)})')
        sentences.append(" ".join(words).capitalize() + ".")
        if rng.random() < 0.1:
            sentences.append("\n\n")
    return " ".join(sentences)


def make(name: str, tags: int, triggers: int, calls: int) -> dict[str, Any]:
    """A case of some tags behind some triggers."""
    rng = random.Random(name)
    forms, texts = [], []
    for number in range(tags):
        schema, values = random_arguments(rng)
        trigger = f"<function{number % triggers}=" if triggers > 1 else "<function="
        begin, end = f"{trigger}{rng.choice(WORDS)}_{number}>", "</function>"
        forms.append({"trigger": trigger, "begin": begin, "schema": schema, "end": end})
        texts.append(begin + json.dumps(values, ensure_ascii=False) + end)
    tests = []
    for _ in range(2):
        parts = [prose(rng, triggers > 1)]
        for call in rng.sample(texts, min(calls, len(texts))):
            parts += [call, prose(rng, triggers > 1)[: 200 * calls]]
        tests.append({"text": "".join(parts), "valid": True})
    source = {"kind": "triggered_tags", "tags": forms}
    return {"id": name, "group": name, "source": source, "tests": tests}


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Few and many triggers."""
    del args
    return [
        make("1 tag, 1 trigger", 1, 1, 1),
        make("32 tags, 1 trigger", 32, 1, 4),
        make("32 tags, 8 triggers", 32, 8, 4),
    ]
