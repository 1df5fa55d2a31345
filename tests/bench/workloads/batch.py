"""Batches: one step fills the masks of all rows and accepts a token in each, with 1 and 2 threads.

Rows stand at different places of instances of several schemas, or of one regular expression with
counters. The grammars are new in each case: the first steps make the masks that later ones reuse.
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
STEPS, SPREAD = 40, 16


def json_parts(seed: int, mode: str) -> list[dict[str, Any]]:
    """Schemas that no other case has, with an instance each."""
    rng = random.Random(seed)
    found: list[dict[str, Any]] = []
    while len(found) < SCHEMAS:
        schema, values = random_arguments(rng)
        text = json.dumps(values, ensure_ascii=False)
        if len(text) > 60:
            found.append({"source": source_of(schema, mode), "text": text})
    return found


def regex_parts(seed: int) -> list[dict[str, Any]]:
    """One pattern that no other case has."""
    pattern, texts = REGEXES["words"]
    source = {"kind": "regex", "text": pattern.replace("40", str(40 + seed))}
    return [{"source": source, "text": text} for text in texts]


def make(kind: str, parts: list[dict[str, Any]], rows: int, threads: int) -> dict[str, Any]:
    """One case; it is a group of its own."""
    name = f"{kind}, {rows} row{'s' * (rows > 1)}, {threads} thread{'s' * (threads > 1)}"
    place = {"rows": rows, "threads": threads, "steps": STEPS, "spread": SPREAD}
    return {"id": name, "group": name, "source": None, "parts": parts, **place}


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Every number of rows with every number of threads."""
    found = []
    for number, rows in enumerate(int(rows) for rows in args.rows.split(",")):
        for threads in THREADS:
            seed = 2 * number + threads
            found.append(make("json", json_parts(seed, args.mode), rows, threads))
            found.append(make("regex", regex_parts(seed), rows, threads))
    return found
