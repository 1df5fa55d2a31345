"""Time between masks for programming-language-like grammars: `python -m tests.bench.grammars`.

Each engine walks the valid texts of tests/data/grammars token by token, in a process of its own and
one thread; engines take turns, round by round. What is timed is what `python -m tests.bench` times
for schemas: filling a mask and accepting the token of the text. `first` are the walks with a
grammar new to the compiler, `again` the same walks a second time. An engine reads the EBNF version
(`ours`, `peer`), the Lark version (`llguidance`), or both (`ours-lark`).

`--states N` lists the N slowest masks of ours with the text before them, for a profiler.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.bench import statistics, tokenizers
from tests.bench.driver import python_of
from tests.bench.engines import LLGuidanceEngine, XGrammarEngine
from tests.bench.setup_peers import ROOT
from tests.bench.worker import MODULE_OF, Walk

DATA = ROOT / "tests" / "data" / "grammars"
NAMES = tuple(sorted(path.name for path in DATA.iterdir() if path.is_dir()))
ENGINES = {"ours": "ebnf", "ours-lark": "lark", "peer": "ebnf", "llguidance": "lark"}
POINTS = ("p50", "p90", "p99", "max", "mean")


def compile_grammar(engine: XGrammarEngine | LLGuidanceEngine, text: str, language: str) -> Any:
    """A compiled grammar of any engine; raises what the engine raises."""
    if isinstance(engine, XGrammarEngine):
        if language == "lark":
            return engine.compiler.compile_lark(text)
        return engine.compiler.compile_grammar(text)
    matcher = engine._matcher_class(engine.tokenizer, engine._matcher_class.grammar_from_lark(text))
    if matcher.get_error():
        raise RuntimeError(matcher.get_error())
    return matcher


def read_texts(name: str) -> list[str]:
    """The valid texts of one grammar."""
    with (DATA / name / "texts.jsonl").open(encoding="utf-8") as lines:
        samples = [json.loads(line) for line in lines]
    return [sample["text"] for sample in samples if sample["valid"]]


def walk_all(
    engine: XGrammarEngine | LLGuidanceEngine,
    tokenizer: tokenizers.RealTokenizer,
    compiled: Any,
    texts: list[str],
) -> tuple[list[list[int]], int]:
    """Times of the steps of each text, up to where it is refused, and how many are refused."""
    steps = []
    refused = 0
    for text in texts:
        gc.collect()
        walk = Walk(engine, compiled, [*tokenizer.encode(text), tokenizer.eos_token_id])
        refused += not walk.run()
        steps.append(walk.steps_ns)
    return steps, refused


def measure(engine_name: str, tokenizer_name: str, names: list[str]) -> dict[str, Any]:
    """All grammars in this process."""
    module = "xgrammar" if engine_name.startswith("ours") else engine_name
    __import__(MODULE_OF.get(module, module))
    tokenizer = tokenizers.load(tokenizer_name)
    is_llguidance = engine_name == "llguidance"
    engine: XGrammarEngine | LLGuidanceEngine = (
        LLGuidanceEngine(tokenizer, "numpy")
        if is_llguidance
        else XGrammarEngine(tokenizer, "torch" if engine_name == "peer" else "numpy")
    )
    gc.collect()
    gc.freeze()
    gc.disable()
    result: dict[str, Any] = {"version": engine.version}
    for name in names:
        language = ENGINES[engine_name]
        source = (DATA / name / f"grammar.{language}").read_text(encoding="utf-8")
        texts = read_texts(name)
        begin = time.perf_counter_ns()
        try:
            compiled = compile_grammar(engine, source, language)
            engine.start(compiled).fill()
            first_mask_ns = time.perf_counter_ns() - begin
            first, refused = walk_all(engine, tokenizer, compiled, texts)
            again, _ = walk_all(engine, tokenizer, compiled, texts)
        except Exception as error:  # noqa: BLE001  (whatever the engine raises is its answer)
            result[name] = {"error": f"{type(error).__name__}: {error}"[:300]}
            continue
        result[name] = {"ttfm_ns": first_mask_ns, "first": first, "again": again}
        result[name]["refused"] = refused
    return result


def run_worker(engine: str, args: argparse.Namespace) -> dict[str, Any]:
    """One engine, one round, in its own environment."""
    python = python_of("ours" if engine.startswith("ours") else engine)
    command = [python, "-m", "tests.bench.grammars", "--worker", engine]
    command += ["--tokenizer", args.tokenizer, "--grammars", args.grammars]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    if not engine.startswith("ours"):  # it would put this library in front of the peer
        environment.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True, timeout=args.timeout
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def table(rounds: dict[str, list[dict[str, Any]]], names: list[str]) -> str:
    """A block of lines for each grammar: microseconds by engine, and ours over the better peer."""
    lines = []
    for name in names:
        for walk in ("first", "again"):
            title = f"{name}, {walk} walk, us"
            lines.append(f"{title:<32}" + "".join(f"{point:>10}" for point in POINTS))
            found: dict[str, dict[str, float]] = {}
            for engine, results in rounds.items():
                errors = [r[name]["error"] for r in results if "error" in r[name]]
                if errors:
                    lines.append(f"  {engine:<30}{errors[0]}")
                    continue
                steps = [ns for r in results for text in r[name][walk] for ns in text]
                found[engine] = statistics.percentiles(steps)
                cells = "".join(f"{found[engine][point]:>10,.1f}" for point in POINTS)
                refused = results[0][name]["refused"]
                note = f"  {refused} valid texts refused" if refused else ""
                lines.append(f"  {engine:<30}{cells}{note}")
            peers = [found[engine] for engine in ("peer", "llguidance") if engine in found]
            for ours in ("ours", "ours-lark"):
                if ours in found and peers:
                    ratios = (found[ours][p] / min(peer[p] for peer in peers) for p in POINTS)
                    label = f"{ours} / better peer"
                    lines.append(f"  {label:<30}" + "".join(f"{r:>10.3f}" for r in ratios))
        lines.append("")
    return "\n".join(lines)


def slowest(rounds: list[dict[str, Any]], args: argparse.Namespace, names: list[str]) -> str:
    """The states whose step took longest even in the fastest round."""
    tokenizer = tokenizers.load(args.tokenizer, wrap=False)
    states = []
    for name in names:
        for index, text in enumerate(read_texts(name)):
            ids = tokenizer.encode(text)
            for step in range(len(ids) + 1):
                best = min(r[name]["first"][index][step] for r in rounds if "first" in r[name])
                before = tokenizer.backend.decode(ids[:step])
                states.append((best / 1e3, name, before[-60:]))
    states.sort(reverse=True)
    return "\n".join(f"{us:>10,.1f} us  {name}: {t!r}" for us, name, t in states[: args.states])


def main() -> None:
    """Run the rounds and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.grammars", description=__doc__)
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), default="deepseek")
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--grammars", default=",".join(NAMES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--states", type=int, default=0, help="slow states of ours to list")
    parser.add_argument(
        "--timeout", type=float, default=600.0, help="seconds for an engine and round"
    )
    parser.add_argument("--out", type=Path, help="file for every number, as JSON")
    parser.add_argument("--worker", choices=sorted(ENGINES), help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = args.grammars.split(",")
    if args.worker:
        answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)  # the engines may log to stdout
        answers.write(json.dumps(measure(args.worker, args.tokenizer, names)) + "\n")
        answers.flush()
        return
    engines = args.engines.split(",")
    rounds: dict[str, list[dict[str, Any]]] = {engine: [] for engine in engines}
    for number in range(args.rounds):
        first = number % len(engines)
        for engine in engines[first:] + engines[:first]:
            rounds[engine].append(run_worker(engine, args))
    print({engine: results[0]["version"] for engine, results in rounds.items()})
    print(table(rounds, names))
    if args.states and "ours" in rounds:
        print(slowest(rounds["ours"], args, names))
    if args.out:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(rounds), encoding="utf-8")


if __name__ == "__main__":
    main()
