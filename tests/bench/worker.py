"""One engine in one process: reads schemas as JSON lines, answers with timings and verdicts.

Only the calls are timed (`perf_counter_ns` around each); reading, tokenizing and bit tests are not.
Protocol: a line `{"ready": ...}` first; then for each schema line a line `{"compiled": ...}` and a
line `{"done": ...}`, so that the driver knows which phase a time-out hit. Garbage collection runs
between schemas, never inside a timed call.
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
    """All instances of one schema: verdicts and times."""

    def __init__(self, engine: Engine, tokenizer: tokenizers.RealTokenizer, schema: Any) -> None:
        self.engine, self.tokenizer, self.schema = engine, tokenizer, schema

    def tokens_of(self, data: Any) -> list[int]:
        text = json.dumps(data, ensure_ascii=False)
        return [*self.tokenizer.encode(text), self.tokenizer.eos_token_id]

    def run(
        self, compiled: Any, session: Session, instances: list[dict[str, Any]]
    ) -> dict[str, Any]:
        steps: list[int] = []
        verdicts: list[str] = []
        disagreements = 0
        first: Session | None = session
        for instance in instances:
            walk = Walk(self.engine, compiled, self.tokens_of(instance["data"]))
            accepted = walk.run(first)
            first = None
            verdict = (
                "right"
                if accepted == instance["valid"]
                else "false accept"
                if accepted
                else "false reject"
            )
            if verdict == "false reject":
                # Property order is part of what both same-API engines promise.
                again = Walk(
                    self.engine,
                    compiled,
                    self.tokens_of(in_schema_order(instance["data"], self.schema)),
                )
                if again.run():
                    verdict = "right in schema order"
                walk.steps_ns += again.steps_ns
                walk.disagreements += again.disagreements
            steps += walk.steps_ns
            disagreements += walk.disagreements
            verdicts.append(verdict)
        return {"tbm_ns": steps, "verdicts": verdicts, "disagreements": disagreements}


def compile_and_first_mask(
    engine: Engine, schema: Any, mode: str
) -> tuple[Any, Session, dict[str, Any]]:
    """Time to first mask, in its three parts."""
    begin = time.perf_counter_ns()
    compiled = engine.compile(schema, mode)
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


def serve(engine: Engine, tokenizer: tokenizers.RealTokenizer, mode: str, answers: TextIO) -> None:
    """The loop over schemas."""

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    for line in sys.stdin:
        case = json.loads(line)
        gc.collect()
        try:
            compiled, session, times = compile_and_first_mask(engine, case["schema"], mode)
        except Exception as error:  # noqa: BLE001  (whatever the engine raises is its answer)
            answer({"compiled": {"error": f"{type(error).__name__}: {error}"[:500]}})
            continue
        answer({"compiled": times})
        try:
            done = Judge(engine, tokenizer, case["schema"]).run(compiled, session, case["tests"])
        except Exception as error:  # noqa: BLE001
            done = {"error": f"{type(error).__name__}: {error}"[:500]}
        done["peak_rss_kb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer({"done": done})


def main() -> None:
    """Set the engine up and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=sorted(ENGINES), required=True)
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), required=True)
    parser.add_argument("--mode", choices=("open", "default"), required=True)
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
    serve(engine, tokenizer, args.mode, answers)


if __name__ == "__main__":
    main()
