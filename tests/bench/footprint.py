"""What is paid once, beside XGrammar: the import, reading a tokenizer, serialised grammars.

`python -m tests.bench.footprint` runs each measure in fresh processes of both environments, takes
the best of several, prints a table and writes `footprint.json`, from which `tests.bench.report`
makes a section of its page. Times are CPU time of the process. llguidance has neither an own class
for tokenizers nor a serialised form, so it is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.bench import tokenizers
from tests.bench.driver import python_of
from tests.bench.setup_peers import ROOT

ENGINES = ("ours", "peer")
ROUNDS = 5
SMALL = 100
PROPERTIES = 30

# Nothing of this project is imported before the measured import.
IMPORT = """
import resource, sys, time
begin = time.process_time()
import xgrammar
seconds = time.process_time() - begin
# What getrusage says begins with the process that started this one.
peak = [line for line in open("/proc/self/status") if line.startswith("VmHWM")] if (
    sys.platform == "linux") else []
kilobytes = peak[0].split()[1] if peak else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(seconds, kilobytes, len(sys.modules))
"""

TOKENIZER = """
import sys, time, warnings
import xgrammar
from tests.bench import tokenizers
warnings.simplefilter("ignore")
tokenizer = tokenizers.load(sys.argv[1])
begin = time.process_time()
xgrammar.TokenizerInfo.from_huggingface(
    tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=[tokenizer.eos_token_id]
)
print(time.process_time() - begin, tokenizer.vocab_size)
"""

SERIALIZED = """
import sys, time, warnings
import xgrammar
from tests.bench import tokenizers
warnings.simplefilter("ignore")
tokenizer = tokenizers.load(sys.argv[1])
info = xgrammar.TokenizerInfo.from_huggingface(
    tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=[tokenizer.eos_token_id]
)
compiled = xgrammar.GrammarCompiler(info).compile_json_schema(sys.argv[2])
begin = time.process_time()
text = compiled.serialize_json()
seconds = time.process_time() - begin
binary = compiled.serialize() if hasattr(compiled, "serialize") else b""
print(seconds, len(text.encode()), len(binary))
"""

# Column of the output, what it is, its unit by what it is divided, and the most that is aimed at.
ROWS = (
    ("import", 0, "import, s", 1.0, 0.15),
    ("import", 1, "process after it, MB", 1024.0, 40.0),
    ("import", 2, "modules loaded", 1.0, None),
    ("tokenizer", 0, "reading a tokenizer of {1:,.0f} tokens, s", 1.0, None),
    ("serialized", 1, "serialised compiled grammar of 30 properties, bytes of JSON", 1.0, None),
    ("serialized", 2, "the same in the binary form, bytes", 1.0, None),
    ("serialized", 0, "writing it as JSON, s", 1.0, None),
)


def schema() -> dict[str, Any]:
    """Properties of the usual kinds, all required."""
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "string"},
        {"type": "integer"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "string", "enum": ["red", "green", "blue"]},
    )
    properties = {f"property_{i}": kinds[i % len(kinds)] for i in range(PROPERTIES)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def measured(engine: str, code: str, *words: str) -> list[float]:
    """The numbers that the code prints, each the smallest of several processes."""
    environment = {
        **os.environ,
        "TOKENIZERS_PARALLELISM": "false",
        "TRANSFORMERS_VERBOSITY": "error",
    }
    if engine != "ours":  # it would put this library in front of the one of the same name
        environment.pop("PYTHONPATH", None)
    command = [python_of(engine), "-c", code, *words]
    rounds = []
    for _ in range(ROUNDS):
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        rounds.append([float(word) for word in run.stdout.split()[-3:]])
    return [min(column) for column in zip(*rounds, strict=True)]


def run(engines: list[str], tokenizer: str) -> dict[str, Any]:
    """All measures of the engines."""
    tokenizers.tokenizer_file(tokenizer)  # made here, where its package is
    text = json.dumps(schema())
    found: dict[str, Any] = {}
    for engine in engines:
        found[engine] = {
            "import": measured(engine, IMPORT),
            "tokenizer": measured(engine, TOKENIZER, tokenizer),
            "serialized": measured(engine, SERIALIZED, tokenizer, text),
        }
    return found


def number(value: float) -> str:
    """A cell: digits after the point where there are any that say something."""
    if not value:
        return "-"
    return f"{value:,.0f}" if value >= SMALL or value.is_integer() else f"{value:,.3f}"


def rows(found: dict[str, Any]) -> list[list[str]]:
    """A row for each measure: the engines, and ours by the peer's."""
    lines = []
    for name, column, title, unit, most in ROWS:
        values = {engine: own[name][column] / unit for engine, own in found.items()}
        cells = [
            title.format(*next(iter(found.values()))[name])
            + (f" (at most {most:g})" if most else "")
        ]
        cells += [number(value) for value in values.values()]
        ours, peer = values.get("ours"), values.get("peer")
        if name == "serialized" and column == 2 and found.get("peer"):
            peer = found["peer"][name][1]  # it has the one form
        cells.append(f"{ours / peer:.4f}" if ours and peer else "-")
        lines.append(cells)
    return lines


def main(argv: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.footprint", description=__doc__)
    parser.add_argument("--engines", default=",".join(ENGINES), help="subset of %(default)s")
    parser.add_argument("--tokenizer", choices=sorted(tokenizers.PACKAGES), default="deepseek")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench")
    args = parser.parse_args(argv)
    found = run(args.engines.split(","), args.tokenizer)
    for cells in rows(found):
        print(f"{cells[0]:<70}" + "".join(f"{cell:>14}" for cell in cells[1:]))
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / "footprint.json"
    path.write_text(json.dumps(found), encoding="utf-8")
    print(f"results: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
