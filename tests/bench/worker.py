"""One engine in one process: reads cases as JSON lines, answers with timings and verdicts.

Only the calls are timed (`perf_counter_ns` around each); reading, tokenizing and bit tests are not.
Protocol: a line `{"ready": ...}` first; then for each case a line `{"compiled": ...}` and a line
`{"done": ...}`, so that the driver knows which phase a time-out hit. Garbage collection runs
between cases, never inside a timed call. What a case holds: see `tests.bench.workloads`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import sys
import time
from typing import Any, TextIO

from tests.bench import tokenizers
from tests.bench.engines import ENGINES, Engine, Session
from tests.bench.schema_order import in_schema_order

MODULE_OF = {"ours": "xgrammar", "peer": "xgrammar", "llguidance": "llguidance"}


class Walk:
    """Feeds one instance to one session and keeps the time of each step."""

    def __init__(self, engine: Engine, compiled: Any, tokens: list[int]) -> None:
        self.engine, self.compiled, self.tokens = engine, compiled, tokens
        self.steps_ns: list[int] = []
        self.disagreements = 0

    def run(self, session: Session | None = None) -> bool:
        """Whether every mask contains the next token, to the stop token. A session given has its
        first mask filled.
        """
        clock = time.perf_counter_ns
        first_filled = session is not None
        if session is None:
            session = self.engine.start(self.compiled)
        fill, accept = session.fill, session.accept
        for token in self.tokens:
            fill_ns = 0
            if not first_filled:
                begin = clock()
                fill()
                fill_ns = clock() - begin
            allowed = session.allows(token)
            accept_ns = 0
            if allowed:
                begin = clock()
                accepted = accept(token)
                accept_ns = clock() - begin
                self.disagreements += not accepted
                allowed = bool(accepted)
            if not first_filled:  # the first mask of a schema counts in TTFM alone
                self.steps_ns.append(fill_ns + accept_ns)
            first_filled = False
            if not allowed:
                return False
        return True


class Judge:
    """All instances of one case: verdicts and times."""

    def __init__(self, engine: Engine, tokenizer: tokenizers.RealTokenizer, case: Any) -> None:
        self.engine, self.tokenizer, self.case = engine, tokenizer, case

    def tokens_of(self, text: str) -> list[int]:
        return [*self.tokenizer.encode(text), self.tokenizer.eos_token_id]

    def in_other_order(self, instance: dict[str, Any]) -> str | None:
        """An instance of a schema that was refused, in the order of the schema: property order is
        part of what both same-API engines promise.
        """
        source = self.case["source"]
        if source["kind"] != "json_schema" or isinstance(source["schema"], str):
            return None
        ordered = in_schema_order(instance["data"], source["schema"])
        return json.dumps(ordered, ensure_ascii=False)

    def run(self, compiled: Any, session: Session | None) -> dict[str, Any]:
        steps: list[int] = []
        verdicts: list[str] = []
        disagreements = 0
        first = session
        for instance in self.case["tests"]:
            walk = Walk(self.engine, compiled, self.tokens_of(text_of_instance(instance)))
            accepted = walk.run(first)
            first = None
            verdict = (
                "right"
                if accepted == instance["valid"]
                else "false accept"
                if accepted
                else "false reject"
            )
            other = self.in_other_order(instance) if verdict == "false reject" else None
            if other is not None:
                again = Walk(self.engine, compiled, self.tokens_of(other))
                if again.run():
                    verdict = "right in schema order"
                walk.steps_ns += again.steps_ns
                walk.disagreements += again.disagreements
            steps += walk.steps_ns
            disagreements += walk.disagreements
            verdicts.append(verdict)
        return {"tbm_ns": steps, "verdicts": verdicts, "disagreements": disagreements}


def text_of_instance(instance: dict[str, Any]) -> str:
    """The text of an instance: given, or that of its data."""
    if "text" in instance:
        return str(instance["text"])
    return json.dumps(instance["data"], ensure_ascii=False)


def compile_and_first_mask(
    engine: Engine, source: dict[str, Any]
) -> tuple[Any, Session, dict[str, Any]]:
    """Time to first mask, in its three parts."""
    begin = time.perf_counter_ns()
    compiled = engine.compile(source)
    middle = time.perf_counter_ns()
    session = engine.start(compiled)
    started = time.perf_counter_ns()
    session.fill()
    end = time.perf_counter_ns()
    parts = {
        "compile_ns": middle - begin,
        "matcher_ns": started - middle,
        "first_mask_ns": end - started,
    }
    return compiled, session, {"ttfm_ns": end - begin, **parts}


class WalkRun:
    """A case that is compiled once and walked along its instances. A `warm` one is compiled and
    walked before, and what is timed is the second time.
    """

    def __init__(
        self, engine: Engine, tokenizer: tokenizers.RealTokenizer, case: dict[str, Any]
    ) -> None:
        self.engine, self.source, self.judge = (
            engine,
            case["source"],
            Judge(engine, tokenizer, case),
        )
        if case.get("warm"):
            compiled, session, _ = compile_and_first_mask(engine, self.source)
            self.judge.run(compiled, session)
        self.compiled: Any = None
        self.session: Session | None = None

    def compile(self) -> dict[str, Any]:
        self.compiled, self.session, times = compile_and_first_mask(self.engine, self.source)
        return times

    def walk(self) -> dict[str, Any]:
        done = self.judge.run(self.compiled, self.session)
        return {**done, "compiled_bytes": self.engine.size_bytes(self.compiled)}


class BatchRun:
    """A case of `rows` generations at once, each at its own place: row i starts i tokens late. A
    step is filling all masks and accepting a token in each row; a row that is at its end begins
    anew between steps. All steps are taken once before they are timed.
    """

    def __init__(
        self, engine: Engine, tokenizer: tokenizers.RealTokenizer, case: dict[str, Any]
    ) -> None:
        self.engine, self.case = engine, case
        self.tokens = [tokenizer.encode(part["text"]) for part in case["parts"]]
        self.batch: Any = None

    def compile(self) -> dict[str, Any]:
        begin = time.perf_counter_ns()
        compiled = [self.engine.compile(part["source"]) for part in self.case["parts"]]
        rows = [compiled[row % len(compiled)] for row in range(self.case["rows"])]
        self.batch = self.engine.start_batch(rows, self.case["threads"])
        for place in range(self.case["ahead"]):
            self.batch.accept(
                [self.tokens[row % len(self.tokens)][place] for row in range(len(rows))]
            )
        started = time.perf_counter_ns()
        self.batch.fill()
        end = time.perf_counter_ns()
        return {"ttfm_ns": end - begin, "first_mask_ns": end - started}

    def walk(self) -> dict[str, Any]:
        self.walk_once()
        return self.walk_once()

    def walk_once(self) -> dict[str, Any]:
        clock, batch = time.perf_counter_ns, self.batch
        texts = [self.tokens[row % len(self.tokens)] for row in range(self.case["rows"])]
        # Negative: the row waits, on its first mask, by taking its first token again and again.
        places = [-(row % self.case["spread"]) for row in range(self.case["rows"])]
        steps: list[int] = []
        fills: list[int] = []
        disagreements = 0
        for _ in range(self.case["steps"]):
            for row, place in enumerate(places):
                if place <= 0 or place >= len(texts[row]):
                    batch.restart(row)
                    places[row] = min(place, 0)
            tokens = [text[max(place, 0)] for text, place in zip(texts, places, strict=True)]
            begin = clock()
            batch.fill()
            filled = clock()
            accepted = batch.accept(tokens)
            steps.append(clock() - begin)
            fills.append(filled - begin)
            disagreements += not accepted
            places = [place + 1 for place in places]
        return {
            "tbm_ns": steps,
            "fill_ns": fills,
            "verdicts": [],
            "disagreements": disagreements,
        }


def serve(engine: Engine, tokenizer: tokenizers.RealTokenizer, answers: TextIO) -> None:
    """The loop over cases."""

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    for line in sys.stdin:
        case = json.loads(line)
        gc.collect()
        begin = time.perf_counter_ns()
        try:
            run = (BatchRun if "rows" in case else WalkRun)(engine, tokenizer, case)
            begin = time.perf_counter_ns()
            times = run.compile()
        except Exception as error:  # noqa: BLE001  (whatever the engine raises is its answer)
            refused_ns = time.perf_counter_ns() - begin
            text = f"{type(error).__name__}: {error}"[:500]
            answer({"compiled": {"error": text, "refused_ns": refused_ns}})
            continue
        answer({"compiled": times})
        try:
            done = run.walk()
        except Exception as error:  # noqa: BLE001
            done = {"error": f"{type(error).__name__}: {error}"[:500]}
        done["peak_rss_kb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer({"done": done})


def main() -> None:
    """Set the engine up and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=sorted(ENGINES), required=True)
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), required=True)
    parser.add_argument("--array", choices=("numpy", "torch"), required=True)
    args = parser.parse_args()
    # The engines may log to stdout; answers go out on a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    __import__(MODULE_OF[args.engine])
    # Some engines load the array library with themselves, others in their first call: it is no part
    # of any engine's set-up.
    __import__(args.array)
    module_file = sys.modules[MODULE_OF[args.engine]].__file__ or ""
    if args.engine != "ours" and not module_file.startswith(sys.prefix):
        sys.exit(f"{args.engine} would be measured with {module_file}")
    tokenizer = tokenizers.load(args.tokenizer)
    ENGINES[args.engine].import_all()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begin = time.perf_counter_ns()
    engine = ENGINES[args.engine](tokenizer, args.array)
    setup_ns = time.perf_counter_ns() - begin
    gc.collect()
    gc.freeze()
    gc.disable()
    ready = {
        "setup_ns": setup_ns,
        "version": engine.version,
        "vocab_size": tokenizer.vocab_size,
        "rss_before_kb": before,
    }
    answers.write(json.dumps({"ready": ready}) + "\n")
    answers.flush()
    serve(engine, tokenizer, answers)


if __name__ == "__main__":
    main()
