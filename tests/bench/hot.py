"""One schema in a loop, for a profiler: `perf record python -m tests.bench.hot ...` or `valgrind
--tool=callgrind`.

`--what ttfm` compiles a fresh compiler's first grammar each round; `--what tbm` walks the instances
again and again. Instruction counts of a fixed workload are repeatable where times are not.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from tests.bench import tokenizers
from tests.bench.__main__ import SHARED_SAMPLE
from tests.bench.engines import XGrammarEngine
from tests.bench.worker import Walk, compile_and_first_mask
from tests.bench.workloads import schemas


def find_case(args: argparse.Namespace) -> dict[str, Any]:
    """The schema named on the command line: a file of its own, or an id of the sample."""
    if args.schema:
        return {"schema": json.loads(Path(args.schema).read_text(encoding="utf-8")), "tests": []}
    return next(line for line in schemas.read(args.input) if args.id in line["id"])


def main() -> None:
    """Loop and print the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", type=Path, default=SHARED_SAMPLE)
    parser.add_argument("--id", default="", help="a schema of the input by (part of) its id")
    parser.add_argument("--schema", help="a file with one schema instead")
    parser.add_argument("--text", help="an instance to walk instead of the schema's own")
    parser.add_argument("--what", choices=("ttfm", "tbm"), default="tbm")
    parser.add_argument("--mode", choices=("open", "default"), default="open")
    parser.add_argument("--repeat", type=int, default=100)
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), default="deepseek")
    args = parser.parse_args()
    case = find_case(args)
    tokenizer = tokenizers.load(args.tokenizer, wrap=False)
    engine = XGrammarEngine(tokenizer, "numpy")
    texts = (
        [args.text]
        if args.text
        else [json.dumps(t["data"], ensure_ascii=False) for t in case["tests"] if t["valid"]]
    )
    source = schemas.source_of(case["schema"], args.mode)
    compiled, _, times = compile_and_first_mask(engine, source)
    print("first:", {name: f"{value / 1e3:.1f} us" for name, value in times.items()})
    begin, steps = time.perf_counter_ns(), 0
    for _ in range(args.repeat):
        if args.what == "ttfm":
            engine.compiler.clear_cache()
            compile_and_first_mask(engine, source)
            steps += 1
            continue
        for text in texts:
            walk = Walk(engine, compiled, [*tokenizer.encode(text), tokenizer.eos_token_id])
            walk.run()
            steps += len(walk.steps_ns)
    mean_us = (time.perf_counter_ns() - begin) / 1e3 / max(steps, 1)
    print(f"{args.repeat} rounds, {steps} steps, {mean_us:.2f} us a step with overhead")


if __name__ == "__main__":
    main()
