"""The time to apply a bitmask to logits in CPU memory: the table of docs/masking.md.

`python -m tests.bench.masking` runs itself once with each engine: this library in the running
interpreter, and XGrammar in that of `.venv-peers` where `setup_peers` made one. One thread, the
best of several rounds, Python's part of the call included. GPUs are not measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PEER_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
COLUMNS = 131_072
ROUNDS = 60
# Name, words of the mask: all ones, none or few, and random ones.
MASKS = ("all tokens allowed", "none allowed", "10 tokens allowed", "random bits")
DTYPES = ("float32", "bfloat16")


def make_mask(name: str, rows: int) -> Any:
    import torch

    words = COLUMNS // 32
    if name == "all tokens allowed":
        return torch.full((rows, words), -1, dtype=torch.int32)
    if name == "random bits":
        return torch.randint(-(2**31), 2**31 - 1, (rows, words), dtype=torch.int32)
    mask = torch.zeros((rows, words), dtype=torch.int32)
    if name != "none allowed":
        mask[:, :: words // 10] = 1
    return mask


def measure(rows: int) -> dict[str, float]:
    """Microseconds of one call, by mask and dtype, with the `xgrammar` of this interpreter."""
    import torch

    import xgrammar as xgr

    torch.set_num_threads(1)
    torch.manual_seed(1)
    results = {}
    for name in MASKS:
        mask = make_mask(name, rows)
        for dtype in DTYPES:
            logits = torch.randn((rows, COLUMNS)).to(getattr(torch, dtype))
            best = float("inf")
            for _ in range(ROUNDS):
                start = time.perf_counter()
                xgr.apply_token_bitmask_inplace(logits, mask, backend="cpu")
                best = min(best, time.perf_counter() - start)
            results[f"{name}, {dtype}"] = best * 1e6
    return results


def run(python: str, rows: int, *options: str) -> dict[str, float]:
    command = [python, *options, str(Path(__file__)), "--one", "--rows", str(rows)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


def main() -> None:
    """Print one table, or with --one the values of this interpreter as JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.masking", description=__doc__)
    parser.add_argument("--rows", type=int, default=1, help="rows of logits (default: 1)")
    parser.add_argument("--one", action="store_true", help="this interpreter only, as JSON")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.rows)))
        return
    columns = {"this library": run(sys.executable, options.rows)}
    if PEER_PYTHON.is_file():
        # -I: whatever PYTHONPATH names, the peer is the one of its own environment.
        columns["XGrammar"] = run(str(PEER_PYTHON), options.rows, "-I")
    print(f"| mask, {options.rows} rows, microseconds | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name in columns["this library"]:
        print(f"| {name} | " + " | ".join(f"{c[name]:,.0f}" for c in columns.values()) + " |")


if __name__ == "__main__":
    main()
