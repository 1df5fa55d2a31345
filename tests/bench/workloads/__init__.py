"""What the benchmark runs: each workload is a function from the command line's arguments to cases.

A case is a JSON object:

- `id`, and `group`, under which its figures are summed up ("" for all in one);
- `source`, what every engine compiles (see `tests.bench.engines`), or `sources`, by engine: an
  engine without one does not take part in the case;
- `tests`: instances, each with `text` (or `data`, whose JSON is the text) and `valid`;
- `warm` if the case is compiled and walked once before it is timed;
- for a batch instead of these: `parts` (a source and a text each; row i is of part i modulo their
  number), `rows`, `threads`, `steps`, `spread` (row i starts i modulo spread steps late) and
  `ahead` (so many tokens are accepted before the first masks).

Cases are made by the driver. They depend on the arguments alone, never on the machine or the time.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from tests.bench.workloads import batch, grammars, hostile, schemas, text, tools

WORKLOADS: dict[str, Callable[[argparse.Namespace], list[dict[str, Any]]]] = {
    "schemas": schemas.cold,
    "warm": schemas.warm,
    "tools": tools.cases,
    "text": text.cases,
    "grammars": grammars.cases,
    "batch": batch.cases,
    "hostile": hostile.cases,
}


def sample(cases: list[dict[str, Any]], args: argparse.Namespace) -> list[dict[str, Any]]:
    """The cases that the command line asks for: by part of the id, every K-th, the first N."""
    found = [case for case in cases if args.only in case["id"]][:: args.every]
    return found if args.limit is None else found[: args.limit]
