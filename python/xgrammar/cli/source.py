"""Grammars named on the command line: a file or the text itself, of one of three kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from xgrammar.grammar import Grammar

if TYPE_CHECKING:
    import argparse

KINDS = ("json-schema", "ebnf", "regex")
_SUFFIXES = {".json": "json-schema", ".ebnf": "ebnf", ".gbnf": "ebnf", ".regex": "regex"}


class CommandError(Exception):
    """A request that cannot be carried out; its text is the whole message."""


def add_grammar_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a grammar."""
    parser.add_argument("grammar", metavar="GRAMMAR", help="file with the grammar, or its text")
    parser.add_argument(
        "--kind",
        choices=KINDS,
        help="what the grammar is written in (default: by the file name, else by its look)",
    )


def read_file(path: Path) -> str:
    """Return the text of a file.

    Raises
    ------
    CommandError
        It cannot be read or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"cannot read {path}: {error}") from error


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # A long text or one with a NUL is no file name.
        return False


def _guess_kind(text: str) -> str:
    if "::=" in text:
        return "ebnf"
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "regex"
    return "json-schema" if isinstance(value, (dict, bool)) else "regex"


def read_grammar_source(name: str, kind: str | None) -> tuple[str, str]:
    """Return text and kind of a grammar given as file name or text."""
    if _is_file(name):
        path = Path(name)
        text = read_file(path)
        kind = kind or _SUFFIXES.get(path.suffix.lower())
        return (
            (text.rstrip("\n"), "regex") if kind == "regex" else (text, kind or _guess_kind(text))
        )
    if "\n" not in name and Path(name).suffix.lower() in _SUFFIXES:
        raise CommandError(f"there is no file {name}")
    return name, kind or _guess_kind(name)


def make_grammar(text: str, kind: str) -> Grammar:
    """Return the grammar of a text of one of the kinds."""
    if kind == "json-schema":
        return Grammar.from_json_schema(text)
    if kind == "ebnf":
        return Grammar.from_ebnf(text)
    return Grammar.from_regex(text)
