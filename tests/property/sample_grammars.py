"""The sample grammars of tests/data/grammars: each in EBNF and in Lark, with texts.

Larger than cases on purpose: whole small languages with recursion. The texts say what must be
accepted and what not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import xgrammar as xgr

FOLDER = Path(__file__).resolve().parents[1] / "data" / "grammars"
NAMES = tuple(sorted(path.name for path in FOLDER.iterdir() if path.is_dir()))
LANGUAGES = ("ebnf", "lark")


@dataclass(frozen=True)
class Text:
    """A text, and whether all of it is in the language."""

    text: str
    valid: bool


def source(name: str, language: str) -> str:
    """The grammar as it is written."""
    return (FOLDER / name / f"grammar.{language}").read_text(encoding="utf-8")


def grammar(name: str, language: str) -> xgr.Grammar:
    """The grammar as it is read."""
    read = xgr.Grammar.from_ebnf if language == "ebnf" else xgr.Grammar.from_lark
    return read(source(name, language))


def texts(name: str) -> list[Text]:
    """Whole sentences and texts that are none."""
    with (FOLDER / name / "texts.jsonl").open(encoding="utf-8") as lines:
        return [Text(**json.loads(line)) for line in lines]
