"""Batches with 1 and 2 threads: steps of generations that run, and first masks of new schemas.

A step fills the masks of all rows and accepts a token in each. Rows stand at different places of
instances of several schemas, or of one regular expression with counters; the first steps make the
masks that later ones reuse, and are taken once before they are timed. A case of new schemas has one
a row that no other case has, and fills each row once, some tokens from the start of its instance.
"""

from __future__ import annotations

import argparse
import json
import random
from typing import Any

from tests.bench.workloads.grammars import REGEXES
from tests.bench.workloads.schemas import source_of
from tests.bench.workloads.tools import random_arguments

THREADS = (1, 2)
SCHEMAS = 8
NEW_SCHEMAS, AHEAD = 64, 12
STEPS, SPREAD = 40, 16


def json_parts(seed: int, mode: str, number: int = SCHEMAS) -> list[dict[str, Any]]:
    """Schemas that no case of another seed has, with an instance each."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    while len(found) < number:
        schema, values = random_arguments(rng)
        text = json.dumps(values, ensure_ascii=False)
        if len(text) > 60:
            found.append({"source": source_of(schema, mode), "text": text})
    return found


def regex_parts(seed: int) -> list[dict[str, Any]]:
    """One pattern that no case of another seed has."""
    pattern, texts = REGEXES["words"]
    source = {"kind": "regex", "text": pattern.replace("40", str(40 + seed))}
    return [{"source": source, "text": text} for text in texts]


def make(
    kind: str, parts: list[dict[str, Any]], rows: int, threads: int, steps: int = STEPS
) -> dict[str, Any]:
    """One case; it is a group of its own."""
    name = f"{kind}, {rows} row{'s' * (rows > 1)}, {threads} thread{'s' * (threads > 1)}"
    ahead = 0 if steps else AHEAD
    place = {"rows": rows, "threads": threads, "steps": steps, "spread": SPREAD, "ahead": ahead}
    return {"id": name, "group": name, "source": None, "parts": parts, **place}


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Every number of rows with every number of threads, and new schemas with each."""
    found = []
    for seed, rows in enumerate(int(rows) for rows in args.rows.split(",")):
        for threads in THREADS:
            found.append(make("json", json_parts(seed, args.mode), rows, threads))
            found.append(make("regex", regex_parts(seed), rows, threads))
    for threads in THREADS:
        parts = json_parts(1000 + threads, args.mode, NEW_SCHEMAS)
        found.append(make("new schemas", parts, NEW_SCHEMAS, threads, steps=0))
    return found
