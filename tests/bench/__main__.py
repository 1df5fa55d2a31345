"""Command line of the benchmark: run, print the table, write JSON and a plot."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bench import driver, statistics, tokenizers
from tests.bench.setup_peers import ROOT
from tests.bench.workloads import WORKLOADS, sample

SHARED_SAMPLE = ROOT.parent / "shared" / "maskbench" / "dev.jsonl.gz"
ENGINES = ("ours", "peer", "llguidance")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """All options have defaults; a first look is `--every 20`."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument(
        "--workload", choices=tuple(WORKLOADS), default="schemas", help="what is run (%(default)s)"
    )
    parser.add_argument(
        "--input",
        type=Path,
        default=SHARED_SAMPLE,
        help="schemas, warm: JSON lines of schemas and instances, .gz or not",
    )
    parser.add_argument(
        "--mode", choices=("open", "default"), default="open", help="open: strict_mode=False"
    )
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), default="deepseek")
    parser.add_argument(
        "--engines", default=",".join(ENGINES), help="comma-separated subset of %(default)s"
    )
    parser.add_argument("--limit", type=int, help="only the first N cases")
    parser.add_argument("--every", type=int, default=1, help="only every K-th case")
    parser.add_argument("--only", default="", help="only cases whose id contains this")
    parser.add_argument("--tools", default="1,64", help="tools: numbers of tools (%(default)s)")
    parser.add_argument("--choices", default="auto,required", help="tools: %(default)s")
    parser.add_argument("--requests", type=int, default=1, help="tools: requests of each kind")
    parser.add_argument(
        "--rows", default="1,8,64,256,512", help="batch: numbers of rows (%(default)s)"
    )
    parser.add_argument(
        "--timeout",
        type=float,
        default=20.0,
        help="seconds for a case's first mask, and for its instances",
    )
    parser.add_argument("--chunk", type=int, default=25, help="cases per turn of an engine")
    parser.add_argument(
        "--array",
        choices=("auto", "numpy", "torch"),
        default="auto",
        help="bitmask of ours; auto: torch if there",
    )
    parser.add_argument(
        "--out", type=Path, default=ROOT / "build" / "bench", help="folder of the results"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="keep the rows of an interrupted run of the same settings",
    )
    parser.add_argument("--no-plot", action="store_true")
    parser.add_argument("--name", help="of the result file; default: workload and mode")
    args = parser.parse_args(argv)
    if args.name is None:
        args.name = f"{args.workload}-{args.mode}"
    return args


def machine() -> dict[str, Any]:
    """What the figures were made on."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next(
            (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), ""
        )
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def command_of(argv: list[str]) -> str:
    """The command line as someone else would type it: without files of this machine and without
    what leaves the figures alone.
    """
    words = iter(argv)
    kept = []
    for word in words:
        if word in ("--out", "--input", "--name"):
            next(words, None)
        elif word not in ("--no-plot", "--resume"):
            kept.append(word)
    return shlex.join(["python", "-m", "tests.bench", *kept])


def write_results(
    args: argparse.Namespace,
    argv: list[str],
    runs: dict[str, driver.EngineRun],
    cases: list[dict[str, Any]],
) -> Path:
    """The JSON file: summaries, ratios, failures by name, and the samples that the plot draws."""
    ids = {case["id"] for case in cases}
    rows = {
        engine: [row for name, row in r.rows.items() if name in ids] for engine, r in runs.items()
    }
    summaries = {engine: statistics.summarise(rows[engine], r.setups) for engine, r in runs.items()}
    ratios = statistics.fair_ratios(rows)
    groups = statistics.by_group(rows)
    print(statistics.render(summaries, ratios, groups))
    samples = {
        "ttfm_ns": {
            engine: [row["ttfm_ns"] for row in rows[engine] if "ttfm_ns" in row] for engine in runs
        },
        "tbm_ns": {
            engine: [ns for row in rows[engine] for ns in row.get("tbm_ns", [])] for engine in runs
        },
    }
    result = {
        "workload": args.workload,
        "command": command_of(argv),
        "input": args.input.name,
        "mode": args.mode,
        "tokenizer": args.tokenizer,
        "timeout_s": args.timeout,
        "schemas": len(cases),
        "machine": machine(),
        "summaries": summaries,
        "ratios": ratios,
        "groups": groups,
        "problems": {engine: problems(rows[engine]) for engine in runs},
        "samples": samples,
    }
    path: Path = args.out / f"{args.name}-{args.tokenizer}.json"
    path.write_text(json.dumps(result), encoding="utf-8")
    return path


def problems(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Schemas that did not go well, with the reason."""
    found = []
    for row in rows:
        wrong = [
            i for i, verdict in enumerate(row.get("verdicts", [])) if verdict.startswith("false")
        ]
        if row["status"] != "ok" or wrong or row.get("disagreements"):
            kinds = sorted({row["verdicts"][i] for i in wrong})
            found.append(
                {
                    "id": row["id"],
                    "status": row["status"],
                    "error": row.get("error", row.get("exit_code")),
                    "wrong": wrong,
                    "kinds": kinds,
                }
            )
    return found


def draw(result: Path) -> None:
    """The plot, with whichever interpreter has matplotlib."""
    png = result.with_suffix(".png")
    python = sys.executable if importlib.util.find_spec("matplotlib") else driver.python_of("peer")
    subprocess.run([python, "-m", "tests.bench.plot", str(result), str(png)], check=True, cwd=ROOT)
    print(f"plot: {png}")


def main(argv: list[str] | None = None) -> int:
    """Run, report, draw."""
    argv = sys.argv[1:] if argv is None else argv
    args = parse_arguments(argv)
    engines = args.engines.split(",")
    unknown = set(engines) - set(ENGINES)
    if unknown:
        print(f"unknown engines: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    array = (
        ("torch" if importlib.util.find_spec("torch") else "numpy")
        if args.array == "auto"
        else args.array
    )
    plan = driver.Plan(
        args.name,
        args.tokenizer,
        {"ours": array, "peer": "torch"},
        args.timeout,
        args.chunk,
        args.out,
    )
    tokenizers.tokenizer_file(args.tokenizer)  # made here, where its package is
    cases = sample(WORKLOADS[args.workload](args), args)
    runs = driver.run(plan, engines, cases, resume=args.resume)
    runs = {engine: engine_run for engine, engine_run in runs.items() if engine_run.rows}
    result = write_results(args, argv, runs, cases)
    print(f"results: {result}")
    if not args.no_plot:
        draw(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
