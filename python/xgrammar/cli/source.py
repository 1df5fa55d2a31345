"""Grammars named on the command line: a file or the text itself, in any of the input languages.

The language comes from `--kind`, else from the ending of the file name, else from the look of the
text; a text that looks like nothing else is a regular expression.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from xgrammar.grammar import Grammar

if TYPE_CHECKING:
    import argparse

    from xgrammar.tokenizer_info import TokenizerInfo

KINDS = ("json-schema", "structural-tag", "ebnf", "lark", "regex")
# Both JSON languages have the ending .json, so that one says nothing: the text tells them apart.
_SUFFIXES = {".ebnf": "ebnf", ".gbnf": "ebnf", ".lark": "lark", ".regex": "regex"}
_FILE_SUFFIXES = {*_SUFFIXES, ".json"}
_LARK_START = re.compile(r"^[?!]*start\s*:", re.MULTILINE)
_JSON_OBJECT = re.compile(r'\s*\{\s*["}]')


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
        path = Path(name)
        return path.is_file() or path.is_fifo()
    except (OSError, ValueError):  # A long text or one with a NUL is no file name.
        return False


def _guess_kind(text: str) -> str:
    """Tell the language by the look of a text, malformed texts as far as they can be told."""
    if _JSON_OBJECT.match(text) or text.strip() in ("true", "false"):
        return _json_kind(text)
    if "::=" in text:
        return "ebnf"
    return "lark" if _LARK_START.search(text) else "regex"


def _json_kind(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return "json-schema"  # Whose reader says what is wrong with it, and where.
    is_tag = isinstance(value, dict) and (
        value.get("type") == "structural_tag" or isinstance(value.get("format"), dict)
    )
    return "structural-tag" if is_tag else "json-schema"


def read_grammar_source(name: str, kind: str | None) -> tuple[str, str]:
    """Return text and kind of a grammar given as file name or text.

    Raises
    ------
    CommandError
        The name looks like that of a file that is not there, or the file cannot be read.
    """
    if _is_file(name):
        path = Path(name)
        text = read_file(path)
        kind = kind or _SUFFIXES.get(path.suffix.lower()) or _guess_kind(text)
        return (text.rstrip("\n") if kind == "regex" else text), kind
    if "\n" not in name and Path(name).suffix.lower() in _FILE_SUFFIXES:
        raise CommandError(f"there is no file {name}")
    return name, kind or _guess_kind(name)


def make_grammar(text: str, kind: str, tokenizer_info: TokenizerInfo) -> Grammar:
    """Return the grammar of a text of one of the kinds but structural tags.

    Those have no grammar of their own where they name tokens by text:
    `GrammarCompiler.compile_structural_tag` takes them in one step.

    Parameters
    ----------
    text, kind : str
        What `read_grammar_source` returned.
    tokenizer_info : TokenizerInfo
        Where a Lark grammar looks up tokens that it names by their text.

    Raises
    ------
    XGrammarError
        The text is malformed, or cannot be enforced; the message says where.
    """
    if kind == "json-schema":
        return Grammar.from_json_schema(text)
    if kind == "ebnf":
        return Grammar.from_ebnf(text)
    if kind == "lark":
        return Grammar.from_lark(text, tokenizer_info=tokenizer_info)
    return Grammar.from_regex(text)
