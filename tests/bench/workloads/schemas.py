"""Schemas with instances from a file in the format of MaskBench: new to the compiler, or seen."""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path
from typing import Any


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a file, .gz or not."""
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def source_of(schema: Any, mode: str) -> dict[str, Any]:
    """A schema as the engines take it; mode `open` is `strict_mode=False`."""
    return {"kind": "json_schema", "schema": schema, "strict": mode != "open"}


def cold(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Each schema once, never seen before by its compiler."""
    return [
        {
            "id": line["id"],
            "group": "",
            "source": source_of(line["schema"], args.mode),
            "tests": line["tests"],
        }
        for line in read(args.input)
    ]


def warm(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Each schema a second time, after all its instances: what a server does on and on."""
    return [{**case, "warm": True} for case in cold(args)]
