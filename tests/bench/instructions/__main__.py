"""Counts the instructions of fixed workloads under callgrind and compares them with the tracked
ones.

Counts repeat to a fraction of a percent where times do not, so a regression shows on any machine;
they know nothing of caches and branches, so they never replace a measurement. They depend on the
compiler: with another one than the tracked counts were made with, nothing is compared. `--update`
writes the counts of this run into counts.json, to be committed with the change that explains them.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.tokenizers import ROOT

TRACKED = Path(__file__).with_name("counts.json")
TOLERANCE = 0.05
COLLECTED = re.compile(r"Collected : (\d+)")


def compiler_of(build: Path) -> str:
    """Name and version of the compiler that a build folder uses."""
    files = sorted((build / "CMakeFiles").glob("*/CMakeCXXCompiler.cmake"))
    if not files:
        raise SystemExit(f"no build folder at {build}: make instructions builds it")
    text = files[-1].read_text(encoding="utf-8")
    values = dict(re.findall(r'^set\((\w+) "?([^")]*)"?\)$', text, flags=re.MULTILINE))
    return f"{values['CMAKE_CXX_COMPILER_ID']} {values['CMAKE_CXX_COMPILER_VERSION']}"


def count(program: Path, workload: str, folder: str) -> int:
    """Instructions of one workload's measured section."""
    command = ["valgrind", "--tool=callgrind", "--toggle-collect=MeasuredSection"]
    command += [f"--callgrind-out-file={folder}/out", str(program), workload]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    found = COLLECTED.search(done.stderr)
    if done.returncode != 0 or found is None or found[1] == "0":
        raise SystemExit(f"{workload} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return int(found[1])


def count_all(program: Path, only: str) -> dict[str, int]:
    """Every workload whose name contains `only`."""
    listed = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    names = [name for name in listed.stdout.split() if only in name]
    with tempfile.TemporaryDirectory() as folder:
        return {name: count(program, name, folder) for name in names}


def compare(counts: dict[str, int], tracked: dict[str, int]) -> list[str]:
    """Prints every count beside the tracked one; returns the names that grew too much or are not
    tracked.
    """
    wrong = []
    for name, value in counts.items():
        before = tracked.get(name)
        change = None if before is None else value / before - 1
        if change is None or change > TOLERANCE:
            wrong.append(name)
        shown = "not tracked" if change is None else f"{change:+.1%}"
        print(f"{name:<28}{value:>16,}{shown:>14}")
    return wrong


def main(argv: list[str] | None = None) -> int:
    """0: no workload costs over 5 % more than tracked."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.instructions", description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "instructions")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--update", action="store_true", help="write counts.json")
    args = parser.parse_args(argv)
    if shutil.which("valgrind") is None:
        print("no valgrind here: apt-get install valgrind", file=sys.stderr)
        return 2
    compiler = compiler_of(args.build)
    program = args.build / "tests" / "bench" / "instructions" / "instruction_workloads"
    tracked: dict[str, Any] = json.loads(TRACKED.read_text("utf-8")) if TRACKED.exists() else {}
    counts = count_all(program, args.only)
    wrong = compare(counts, tracked.get("counts", {}))
    if args.update:
        kept = tracked.get("counts", {}) if args.only else {}
        result = {"compiler": compiler, "counts": {**kept, **counts}}
        TRACKED.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
        return 0
    if tracked.get("compiler") != compiler:
        print(f"tracked with {tracked.get('compiler')}, built with {compiler}: not compared")
        return 0
    if wrong:
        print(f"over {TOLERANCE:.0%} more, or not tracked: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
