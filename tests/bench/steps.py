"""Times each mask and each accepted token of the sample of schemas, without other engines.

    python -m tests.bench.steps [--passes 3] [--largest 20] [--only NAME]

Every pass makes a new compiler, compiles every schema and walks its instances, each until a token
is refused; of each step and each compilation the least time of all passes counts. Prints
percentiles, how much time masks of each magnitude take together, and the largest with their
places, in microseconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import xgrammar
from tests.bench import tokenizers

SAMPLE = tokenizers.ROOT.parent / "shared/maskbench/dev.jsonl.gz"
QUANTILES = (0.5, 0.9, 0.99, 0.999, 0.9999)
MAGNITUDES = (0, 2, 4, 8, 16, 50, 200, 1000)

Place = tuple[str, int, int]


def one_pass(
    rows: list[dict[str, Any]], info: xgrammar.TokenizerInfo
) -> tuple[dict[Place, int], dict[str, int]]:
    """Nanoseconds of each step (schema, instance, token) and of each compilation."""
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    mask: np.ndarray = np.full(xgrammar.get_bitmask_shape(1, info.vocab_size), -1, dtype=np.int32)
    clock = time.perf_counter_ns
    steps: dict[Place, int] = {}
    compilations: dict[str, int] = {}
    for row in rows:
        begin = clock()
        try:
            compiled = compiler.compile_json_schema(row["schema"], strict_mode=False)
        except xgrammar.XGrammarError:
            continue
        compilations[row["id"]] = clock() - begin
        for instance, tokens in enumerate(row["tokens"]):
            matcher = xgrammar.GrammarMatcher(compiled)
            for position, token in enumerate(tokens):
                begin = clock()
                matcher.fill_next_token_bitmask(mask, 0)
                filled = clock() - begin
                if not int(mask[0, token >> 5]) >> (token & 31) & 1:
                    break
                begin = clock()
                matcher.accept_token(token)
                steps[row["id"], instance, position] = filled + clock() - begin
    return steps, compilations


def show(title: str, nanoseconds: list[int]) -> None:
    """One line of percentiles."""
    values = sorted(nanoseconds)
    cells = [f"p{100 * q:g} {values[int(len(values) * q)] / 1e3:.1f}" for q in QUANTILES]
    mean = sum(values) / len(values) / 1e3
    print(
        f"{title}: {len(values):,}, mean {mean:.2f}, {', '.join(cells)}, max {values[-1] / 1e3:.1f}"
    )


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.steps", description=__doc__)
    parser.add_argument("--input", type=Path, default=SAMPLE, help="a file like MaskBench's")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--largest", type=int, default=20, help="steps to list")
    parser.add_argument("--only", default="", help="schemas whose id contains this")
    args = parser.parse_args(argv)
    tokenizer = tokenizers.load("deepseek")
    info = xgrammar.TokenizerInfo.from_huggingface(
        tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=[tokenizer.eos_token_id]
    )
    with gzip.open(args.input) as lines:
        rows = [row for row in map(json.loads, lines) if args.only in row["id"]]
    for row in rows:
        texts = [json.dumps(test["data"], ensure_ascii=False) for test in row["tests"]]
        row["tokens"] = [tokenizer.encode(text) for text in texts]
    steps, compilations = one_pass(rows, info)
    for _ in range(args.passes - 1):
        again, compiled_again = one_pass(rows, info)
        steps = {place: min(spent, again[place]) for place, spent in steps.items()}
        compilations = {
            name: min(spent, compiled_again[name]) for name, spent in compilations.items()
        }
    if not steps:
        parser.error("no schema of the input was walked")
    show("steps, us", list(steps.values()))
    for low, high in zip(MAGNITUDES, (*MAGNITUDES[1:], 10**9), strict=True):
        within = [spent for spent in steps.values() if low * 1000 <= spent < high * 1000]
        print(f"  from {low:>5} us: {len(within):>7,} steps, {sum(within) / 1e6:.1f} ms together")
    show("compilations, us", list(compilations.values()))
    for place in sorted(steps, key=lambda place: -steps[place])[: args.largest]:
        print(f"{steps[place] / 1e3:>10.1f}  {place[0]}, instance {place[1]}, token {place[2]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
