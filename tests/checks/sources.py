"""Finds the source files and reads what the checks need from them: folders, levels, includes.

The table of levels is the one of docs/architecture.md. Works on the text of files; nothing is built
or imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = ROOT / "cpp"
PYTHON = ROOT / "python" / "xgrammar"
TESTS = ROOT / "tests"

# Level of each C++ folder: a file may include its own folder, and folders of lower levels.
LEVELS = {
    "support": 0,
    "unicode": 1,
    "json": 1,
    "automata": 1,
    "tokenizer": 1,
    "grammar": 2,
    "analysis": 3,
    "frontend": 4,
    "lowering": 5,
    "parser": 6,
    "mask": 7,
    "compiler": 8,
    "matcher": 9,
    "bindings": 10,
}
# Edges inside one level, or inside a folder with sub-folders.
EXTRA_EDGES = {
    ("automata", "unicode"),
    ("frontend/json_schema", "frontend/regex"),
    ("frontend/ebnf", "frontend/regex"),
    ("frontend/lark", "frontend/json_schema"),
    ("frontend/lark", "frontend/regex"),
    # A structural tag embeds the other languages.
    ("frontend/structural_tag", "frontend/ebnf"),
    ("frontend/structural_tag", "frontend/json_schema"),
    ("frontend/structural_tag", "frontend/lark"),
    ("frontend/structural_tag", "frontend/regex"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def cpp_files(folder: Path = CPP) -> Iterator[Path]:
    """Headers and sources."""
    yield from sorted(path for path in folder.rglob("*") if path.suffix in (".h", ".cc"))


def python_files(folder: Path = PYTHON) -> Iterator[Path]:
    """Python modules."""
    yield from sorted(folder.rglob("*.py"))


def is_generated(path: Path) -> bool:
    """Tables made by a script: exempt from size and clone checks."""
    return path.name.endswith("_tables.cc")


def folder_of(path: Path) -> str:
    """The stage of a C++ file, with the language for front ends."""
    parts = path.relative_to(CPP).parts[:-1]
    return "/".join(parts[: 2 if parts[0] == "frontend" else 1])


def includes(path: Path) -> list[str]:
    """Project includes of a file."""
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def relative(path: Path) -> str:
    """For messages."""
    return path.relative_to(ROOT).as_posix()
