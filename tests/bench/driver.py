"""Runs the engines over cases, alternating between them, and keeps one raw line per case and
engine.

The engines take turns over small chunks of cases, so that the noise of the machine hits all
alike. A worker that passes its time limit, or dies, is ended and started again, and the case
counts as such. Raw lines are appended as they come; a run that was interrupted continues where it
stopped.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bench.setup_peers import PEERS_VENV, ROOT

START_LIMIT_S = 180.0


@dataclass(frozen=True)
class Plan:
    """What to run."""

    name: str
    tokenizer: str
    arrays: dict[str, str]
    timeout_s: float
    chunk: int
    out: Path


def case_for(engine: str, case: dict[str, Any]) -> dict[str, Any] | None:
    """The case as an engine's worker gets it; nothing if the engine does not take part."""
    if "sources" not in case:
        return case
    source = case["sources"].get(engine)
    if source is None:
        return None
    return {**{key: value for key, value in case.items() if key != "sources"}, "source": source}


def python_of(engine: str) -> str:
    """The interpreter of an engine's environment."""
    if engine == "ours":
        return sys.executable
    python = PEERS_VENV / "bin" / "python"
    if not python.exists():
        message = (
            f"no environment of the peers at {PEERS_VENV}: run python -m tests.bench.setup_peers"
        )
        raise FileNotFoundError(message)
    return str(python)


class WorkerStoppedError(Exception):
    """The worker passed its time limit (`timed out`) or ended by itself (`crashed`)."""


class Worker:
    """A running worker process and its line protocol."""

    def __init__(self, engine: str, plan: Plan) -> None:
        command = [
            python_of(engine),
            "-m",
            "tests.bench.worker",
            "--engine",
            engine,
        ]
        command += ["--tokenizer", plan.tokenizer, "--array", plan.arrays.get(engine, "numpy")]
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONHASHSEED": "0",
        }
        environment["TRANSFORMERS_VERBOSITY"] = "error"
        if engine != "ours":  # it would put this library in front of the one of the same name
            environment.pop("PYTHONPATH", None)
        self._log = (plan.out / f"worker-{engine}.log").open("ab")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            cwd=ROOT,
            env=environment,
        )
        self._buffer = b""
        self.setup: dict[str, Any] = self.read(START_LIMIT_S)["ready"]

    def send(self, case: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(case).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise WorkerStoppedError("crashed") from error

    def read(self, limit_s: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([descriptor], [], [], limit_s)
            if not ready:
                raise WorkerStoppedError("timed out")
            data = os.read(descriptor, 1 << 20)
            if not data:
                raise WorkerStoppedError("crashed")
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def exit_code(self) -> int | None:
        """How the process ended by itself; negative: by that signal."""
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._log):
            if stream is not None:
                stream.close()


@dataclass
class EngineRun:
    """One engine's progress over all cases."""

    engine: str
    plan: Plan
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    setups: list[dict[str, Any]] = field(default_factory=list)
    worker: Worker | None = None

    @property
    def path(self) -> Path:
        return self.plan.out / f"raw-{self.plan.name}-{self.plan.tokenizer}-{self.engine}.jsonl"

    def load(self) -> None:
        """Rows of an earlier, interrupted run."""
        if not self.path.exists():
            return
        for line in self.path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if "setup" in row:
                self.setups.append(row["setup"])
            else:
                self.rows[row["id"]] = row

    def record(self, row: dict[str, Any]) -> None:
        with self.path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(row) + "\n")

    def run_one(self, case: dict[str, Any]) -> None:
        """Judge one case, whatever happens to the worker."""
        if self.worker is None:
            self.worker = Worker(self.engine, self.plan)
            self.setups.append(self.worker.setup)
            self.record({"setup": self.worker.setup})
        row: dict[str, Any] = {"id": case["id"], "group": case["group"]}
        try:
            self.worker.send(case)
            compiled = self.worker.read(self.plan.timeout_s)["compiled"]
            if "error" in compiled:
                row |= {"status": "refused", **compiled}
            else:
                row |= compiled
                done = self.worker.read(self.plan.timeout_s)["done"]
                row |= {"status": "failed" if "error" in done else "ok", **done}
        except WorkerStoppedError as stop:
            row["status"] = str(stop)
            if row["status"] == "timed out":
                row.setdefault("ttfm_ns", int(self.plan.timeout_s * 1e9))
            else:
                row["exit_code"] = self.worker.exit_code()
            self.worker.close()
            self.worker = None
        self.rows[case["id"]] = row
        self.record(row)


def chunks(cases: list[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    """Consecutive slices."""
    for begin in range(0, len(cases), size):
        yield cases[begin : begin + size]


def run(
    plan: Plan, engines: list[str], cases: list[dict[str, Any]], *, resume: bool
) -> dict[str, EngineRun]:
    """Every engine over every case, taking turns; which one begins rotates."""
    plan.out.mkdir(parents=True, exist_ok=True)
    runs = {engine: EngineRun(engine, plan) for engine in engines}
    for engine_run in runs.values():
        if resume:
            engine_run.load()
        else:
            engine_run.path.unlink(missing_ok=True)
    done = 0
    for turn, chunk in enumerate(chunks(cases, plan.chunk)):
        first = turn % len(engines)
        for engine in engines[first:] + engines[:first]:
            for case in chunk:
                own = case_for(engine, case)
                if own is not None and case["id"] not in runs[engine].rows:
                    runs[engine].run_one(own)
        done += len(chunk)
        print(f"{done} of {len(cases)} cases", file=sys.stderr, flush=True)
    for engine_run in runs.values():
        if engine_run.worker is not None:
            engine_run.worker.close()
            engine_run.worker = None
    return runs
