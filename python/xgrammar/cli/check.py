"""`xgrammar check`: whether a text matches a grammar and, if not, where it goes wrong.

The text is walked as `cli.walk` says; what is printed is the place where the walk ended, as byte,
line and column, and what could have come there instead.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xgrammar.compiler import GrammarCompiler
from xgrammar.matcher import GrammarMatcher
from xgrammar.tokenizer_info import TokenizerInfo

from . import vocabulary
from .source import CommandError, add_grammar_arguments, make_grammar, read_grammar_source
from .walk import TokenTexts, expected_tokens, walk

if TYPE_CHECKING:
    import argparse

_CONTEXT = 40  # Characters of the text shown before and after the place.
_SHOWN_BYTES = 24  # Expected bytes listed one by one before they are counted.
_SHOWN_TOKENS = 8  # As above, of tokens.
_ASCII_END = 0x7F


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "check",
        help="whether a text matches a grammar",
        description="Exit status 0 if the whole text matches, 1 if not, 2 for an error.",
    )
    add_grammar_arguments(parser)
    parser.add_argument(
        "text", metavar="TEXT", help="the text, - for standard input, @FILE for a file"
    )
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="vocabulary of the tokens that the grammar names: as for `compile` (default: none)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    source, kind = read_grammar_source(options.grammar, options.kind)
    data = _read_text(options.text)
    info = TokenizerInfo([]) if options.tokenizer is None else vocabulary.load(options.tokenizer)[1]
    compiler = GrammarCompiler(info, cache_enabled=False)
    if kind == "structural-tag":
        compiled = compiler.compile_structural_tag(source)
    else:
        compiled = compiler.compile_grammar(make_grammar(source, kind, info))
    matcher = GrammarMatcher(compiled)
    matched = walk(matcher, data, TokenTexts(info))
    if matched == len(data) and matcher.is_completed():
        print("accepted")
        return 0
    if matched == len(data):
        print(f"incomplete: the text ends too early, after {len(data)} bytes")
    else:
        print(f"rejected at {describe_place(data, matched)}")
        print_excerpt(data, matched)
    print(f"expected: {_describe_expected(matcher, info)}")
    return 1


def _describe_expected(matcher: GrammarMatcher, info: TokenizerInfo) -> str:
    end = "the end of the text"
    if matcher.is_terminated():
        return end
    tokens = describe_tokens(expected_tokens(matcher, info), info.decoded_vocab)
    others = ", ".join(filter(None, (describe_bytes(matcher._next_bytes()), tokens)))
    if matcher.is_completed():
        return f"{end}, or {others}" if others else end
    if others:
        return others
    # Text alone can always go on or end, so what is asked for here is a token.
    if info.vocab_size == 0:
        return "a whole token; name its vocabulary with --tokenizer"
    return "a token that is not in the vocabulary, or a stop token before the end"


def _read_text(text: str) -> bytes:
    if text == "-":
        return sys.stdin.buffer.read()
    if text.startswith("@"):
        try:
            return Path(text[1:]).read_bytes()
        except OSError as error:
            raise CommandError(f"cannot read {text[1:]}: {error}") from error
    return text.encode(errors="surrogateescape")


def describe_place(data: bytes, offset: int) -> str:
    """Return byte, line and column of a place in a text."""
    before = data[:offset]
    line = before.count(b"\n") + 1
    column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
    return f"byte {offset} (line {line}, column {column})"


def print_excerpt(data: bytes, offset: int) -> None:
    """Show the line around a place with a caret below."""
    start = data.rfind(b"\n", 0, offset) + 1
    end = data.find(b"\n", offset)
    left = _printable(data[start:offset])[-_CONTEXT:]
    right = _printable(data[offset : len(data) if end < 0 else end])[:_CONTEXT]
    print(f"  {left}{right}")
    print(f"  {' ' * len(left)}^")


def _printable(data: bytes) -> str:
    text = data.decode(errors="replace")
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def describe_bytes(members: bytes) -> str:
    """Return sorted byte values as readable characters and ranges."""
    ranges: list[tuple[int, int]] = []
    for byte in members:
        if ranges and ranges[-1][1] == byte - 1:
            ranges[-1] = (ranges[-1][0], byte)
        else:
            ranges.append((byte, byte))
    parts = []
    for first, last in ranges:
        if first > _ASCII_END:
            parts.append("a character beyond ASCII")
            break
        last_ascii = min(last, _ASCII_END)
        parts.append(_byte(first) if first == last_ascii else f"{_byte(first)}-{_byte(last_ascii)}")
        if last > _ASCII_END:
            parts.append("a character beyond ASCII")
            break
    if len(parts) > _SHOWN_BYTES:
        parts = [*parts[:_SHOWN_BYTES], f"... ({len(members)} bytes)"]
    return ", ".join(parts)


def _byte(byte: int) -> str:
    return repr(chr(byte))


def describe_tokens(token_ids: list[int], vocab: list[bytes]) -> str:
    """Return tokens by id and text, the first few of them."""
    shown = [
        f"token {token_id} {vocab[token_id].decode(errors='replace')!r}"
        for token_id in token_ids[:_SHOWN_TOKENS]
    ]
    if len(token_ids) > _SHOWN_TOKENS:
        shown.append(f"... ({len(token_ids)} tokens)")
    return ", ".join(shown)
