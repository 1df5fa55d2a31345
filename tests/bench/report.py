"""Runs all workloads and writes docs/benchmarks.md from their results.

`python -m tests.bench.report` does both: new schemas are the whole sample for every engine, the
other workloads small. Half of the time, twelve minutes on two quiet cores, is the slowest engine's.
`--only NAME` runs some of the workloads, `--page` none, and the page is written from the results
that are there. Every figure of the page comes out of a result file, which holds the command that
made it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench import __main__ as bench
from tests.bench import footprint, statistics
from tests.bench.setup_peers import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
PLOT = ROOT / "docs" / "images" / "benchmark-schemas.png"
POINTS = ("p50", "p90", "p99", "p99.9", "max", "mean")
TITLES = {"ours": "this library", "peer": "XGrammar", "llguidance": "llguidance"}


@dataclass(frozen=True)
class Run:
    """One workload of the report. `shape` says which tables show it."""

    name: str
    title: str
    text: str
    arguments: str
    shape: str = "all"


RUNS = (
    Run(
        "schemas",
        "Schemas never seen before",
        "The whole sample; every schema is new to its compiler, `strict_mode=False`, free white "
        "space.",
        "--workload schemas --timeout 20",
    ),
    Run(
        "default",
        "Default arguments",
        "`strict_mode=True`, as the calls default to. llguidance has one mode only.",
        "--workload schemas --mode default --timeout 20",
    ),
    Run(
        "warm",
        "Schemas seen before",
        "Compiled and walked once before: the grammar comes from the cache and masks are kept.",
        "--workload warm --every 20 --timeout 5",
    ),
    Run(
        "tools-1",
        "Tool calls, one tool",
        "One request per model family; `get_model_structural_tag` is part of the time to first "
        "mask. Families that XGrammar has no format for are left out of the ratios.",
        "--workload tools --tools 1 --timeout 5",
        "groups",
    ),
    Run(
        "tools-64",
        "Tool calls, 64 tools",
        "The same with 64 tools per request.",
        "--workload tools --tools 64 --choices auto --timeout 5",
        "groups",
    ),
    Run(
        "text",
        "Long text with triggers",
        "Prose of 2,000 tokens and more with tags behind triggers.",
        "--workload text",
        "groups",
    ),
    Run(
        "grammars",
        "Grammars and regular expressions",
        "EBNF, for llguidance the same language in Lark; first walks.",
        "--workload grammars --timeout 10",
        "groups",
    ),
    Run(
        "batch",
        "Batches",
        "One step fills the masks of all rows and accepts a token in each. New schemas: every row "
        "has one that was never seen before, and all rows are filled for the first time.",
        "--workload batch --timeout 10",
        "batch",
    ),
    Run(
        "hostile",
        "Hostile schemas",
        "Time until a first mask, or until an error that says why not.",
        "--workload hostile --timeout 5",
        "answers",
    ),
    *(
        Run(
            f"tokenizer-{tokenizer}",
            f"Another tokenizer: {title}",
            "A small sample of the schemas.",
            f"--workload schemas --every 50 --timeout 5 --tokenizer {tokenizer}",
        )
        for tokenizer, title in (
            ("qwen", "152k tokens"),
            ("qwen3_6", "248k tokens"),
            ("mistral", "32k tokens, SentencePiece with byte fallback"),
        )
    ),
)


def number(value: float | None) -> str:
    """Microseconds as people read them."""
    if value is None:
        return "-"
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table in Markdown; the first column is text."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines] + [""]


def figures(result: dict[str, Any], key: str) -> list[str]:
    """Percentiles of every engine and the ratios."""
    rows = []
    for engine, summary in result["summaries"].items():
        values = summary[key]
        if values:
            rows.append([TITLES[engine], *(number(values.get(point)) for point in POINTS)])
    found = result["ratios"].get(key)
    if found:
        cells = [f"{found[point]:.3f}" if point in found else "-" for point in POINTS]
        rows.append(["this / better of the others", *cells])
    title = dict(statistics.KEYS)[key].replace(", us", ", µs")
    return table([title, *POINTS], rows)


def counts(result: dict[str, Any]) -> list[str]:
    """What is counted rather than timed."""
    heads = {
        "schemas": "cases",
        "compile_errors": "refused",
        "crashed_or_timed_out": "crashed or over the limit",
        "instances": "instances",
        "wrong": "of these wrong",
        "tokens": "steps",
        "compiled_kb": "compiled grammar, KB (middle)",
        "peak_rss_mb": "process, MB (peak)",
        "setup_ms": "tokenizer set-up, ms",
    }
    rows = []
    for engine, summary in result["summaries"].items():
        values = {**summary, "wrong": summary["false_accepts"] + summary["false_rejects"]}
        cells = ["-" if values[key] is None else f"{values[key]:,}" for key in heads]
        rows.append([TITLES[engine], *cells])
    return table(["", *heads.values()], rows)


def outcome(answer: dict[str, Any] | None) -> str:
    """One cell of the hostile table."""
    if answer is None:
        return "-"
    if answer["status"] == "crashed":
        return "process died"
    if answer["status"] == "timed out":
        return f"over {answer['ms'] / 1000:.0f} s" if answer["ms"] else "over the limit"
    wrong = [verdict for verdict in answer["verdicts"] if verdict.startswith("false")]
    text = f"{answer['ms']:,.1f} ms"
    if answer["status"] == "refused":
        return f"error after {text}"
    return f"{text}, instance refused" if wrong else text


def answers(result: dict[str, Any]) -> list[str]:
    """What became of each case."""
    engines = list(result["summaries"])
    rows = [
        [name.replace("|", "\\|"), *(outcome(group["answers"].get(engine)) for engine in engines)]
        for name, group in result["groups"].items()
    ]
    return table(["", *(TITLES[engine] for engine in engines)], rows)


def groups(result: dict[str, Any]) -> list[str]:
    """A row for each group and engine."""
    rows = []
    for name, group in result["groups"].items():
        for engine, summary in group["summaries"].items():
            first, between = summary["ttfm_us"], summary["tbm_us"]
            cells = [first.get("p50"), first.get("max")]
            cells += [between.get(point) for point in ("p50", "p99", "max", "mean")]
            rows.append([f"{name}: {TITLES[engine]}", *map(number, cells)])
        if any(group["ratios"].values()):
            first, between = group["ratios"]["ttfm_us"], group["ratios"]["tbm_us"]
            cells = [first.get("p50"), first.get("max")]
            cells += [between.get(point) for point in ("p50", "p99", "max", "mean")]
            shown = ["-" if cell is None else f"{cell:.3f}" for cell in cells]
            rows.append(["*this / better of the others*", *shown])
    head = ["µs", "first mask p50", "max", "between p50", "p99", "max", "mean"]
    return table(head, rows)


def batches(result: dict[str, Any]) -> list[str]:
    """Steps with one thread and with two, the filling in them, and first masks of new schemas."""
    rows = []
    for name, group in result["groups"].items():
        if not name.endswith("1 thread"):
            continue
        other = result["groups"].get(name.replace("1 thread", "2 threads"), {"summaries": {}})
        keys = ("first_fill_us",) if name.startswith("new") else ("tbm_us", "fill_us")
        for engine, summary in group["summaries"].items():
            cells = [f"{name.removesuffix(', 1 thread')}: {TITLES[engine]}"]
            for key in keys:
                one = summary[key].get("p50")
                two = other["summaries"].get(engine, {}).get(key, {}).get("p50")
                ratio = f"{two / one:.2f}" if one and two else "-"
                cells += [number(one), number(two), ratio]
            # First masks are nothing but filling.
            rows.append(cells if len(keys) > 1 else [cells[0], "-", "-", "-", *cells[1:]])
    step = ["step p50, µs, 1 thread", "2 threads", "2 / 1"]
    return table(["", *step, "of it masks, 1 thread", "2 threads", "2 / 1"], rows)


def section(run: Run, result: dict[str, Any]) -> list[str]:
    """One run as text."""
    lines = [f"## {run.title}", "", run.text, "", "```bash", result["command"], "```", ""]
    if run.shape == "all":
        lines += figures(result, "ttfm_us") + figures(result, "tbm_us")
    elif run.shape == "groups":
        lines += groups(result)
    elif run.shape == "batch":
        lines += batches(result)
    else:
        lines += answers(result)
    if run.shape != "answers":
        lines += counts(result)
    if run.name == "schemas" and PLOT.exists():
        lines += [f"![Distributions]({PLOT.relative_to(PAGE.parent)})", ""]
    return lines


def page(out: Path) -> str:
    """The whole page from the result files that are there."""
    found = [(run, path) for run in RUNS if (path := result_path(out, run)).exists()]
    results = [(run, json.loads(path.read_text(encoding="utf-8"))) for run, path in found]
    if not results:
        message = f"no results in {out}: run python -m tests.bench.report"
        raise SystemExit(message)
    machine = results[0][1]["machine"]
    versions = {
        engine: summary["version"]
        for _, result in results
        for engine, summary in result["summaries"].items()
    }
    named = ", ".join(f"{TITLES[engine]} {version}" for engine, version in versions.items())
    made = (
        "Made by `python -m tests.bench.report` (once before: `python -m "
        "tests.bench.setup_peers`); how it measures: [tests/bench](../tests/bench/README.md)."
    )
    setting = (
        f"Machine: {machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python "
        f"{machine['python']}. Engines: {named}; they take turns over chunks of cases, one thread "
        "each unless said otherwise. Times are microseconds; a case over the time limit of its "
        "command counts with that limit. A ratio below 1 means that this library is faster than "
        "the better of the others at that percentile."
    )
    lines = ["# Benchmarks", "", made, "", setting, ""]
    for run, result in results:
        lines += section(run, result)
    path = out / "footprint.json"
    if path.exists():
        lines += paid_once(json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines).rstrip("\n") + "\n"


def paid_once(found: dict[str, Any]) -> list[str]:
    """What `tests.bench.footprint` found."""
    lines = ["## Import, tokenizers and serialised forms", ""]
    lines += ["Best of five fresh processes each; times are CPU time.", ""]
    lines += ["```bash", "python -m tests.bench.footprint", "```", ""]
    heads = ["", *(TITLES[engine] for engine in found), "this / XGrammar"]
    return lines + table(heads, footprint.rows(found))


def result_path(out: Path, run: Run) -> Path:
    """Where the benchmark writes the result of a run."""
    words = run.arguments.split()
    tokenizer = words[words.index("--tokenizer") + 1] if "--tokenizer" in words else "deepseek"
    return out / f"report-{run.name}-{tokenizer}.json"


def main(argv: list[str] | None = None) -> int:
    """Run what is asked for, then write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report", description=__doc__)
    parser.add_argument(
        "--only", help=f"comma-separated runs: {', '.join(run.name for run in RUNS)}"
    )
    parser.add_argument("--page", action="store_true", help="run nothing")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench")
    args = parser.parse_args(argv)
    names = {run.name for run in RUNS} if args.only is None else set(args.only.split(","))
    unknown = names - {run.name for run in RUNS}
    if unknown:
        parser.error(f"unknown runs: {', '.join(sorted(unknown))}")
    for run in () if args.page else RUNS:
        if run.name not in names:
            continue
        begin = time.monotonic()
        print(f"== {run.name}", flush=True)
        words = [*run.arguments.split(), "--name", f"report-{run.name}"]
        plot = [] if run.name == "schemas" else ["--no-plot"]
        code = bench.main([*words, *plot, "--out", str(args.out)])
        if code != 0:
            return code
        print(f"== {run.name}: {time.monotonic() - begin:.0f} s", flush=True)
        if run.name == "schemas":
            PLOT.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(result_path(args.out, run).with_suffix(".png"), PLOT)
    if not args.page and args.only is None and footprint.main(["--out", str(args.out)]) != 0:
        return 1
    PAGE.write_text(page(args.out), encoding="utf-8")
    print(f"page: {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
