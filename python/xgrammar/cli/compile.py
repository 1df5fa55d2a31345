"""`xgrammar compile`: how long a grammar takes to compile and how large it is."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from xgrammar.bitmask import allocate_token_bitmask
from xgrammar.compiler import GrammarCompiler
from xgrammar.matcher import GrammarMatcher

from . import vocabulary
from .source import add_grammar_arguments, make_grammar, read_grammar_source

if TYPE_CHECKING:
    import argparse


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compile",
        help="times and sizes of a grammar",
        description="Compile a grammar for a tokenizer; print times, sizes and numbers of states.",
    )
    add_grammar_arguments(parser)
    vocabulary.add_tokenizer_argument(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--ebnf", action="store_true", help="print the grammar as EBNF, too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    source, kind = read_grammar_source(options.grammar, options.kind)
    name, info = vocabulary.load(options.tokenizer)
    compiler = GrammarCompiler(info, cache_enabled=False)
    start = time.perf_counter()
    grammar = make_grammar(source, kind)
    made = time.perf_counter()
    compiled = compiler.compile_grammar(grammar)
    done = time.perf_counter()
    matcher = GrammarMatcher(compiled)
    bitmask = allocate_token_bitmask(1, info.vocab_size, like="numpy")
    first = time.perf_counter()
    matcher.fill_next_token_bitmask(bitmask)
    figures: dict[str, Any] = {
        "kind": kind,
        "tokenizer": name,
        "vocab_size": info.vocab_size,
        "grammar_ms": round((made - start) * 1e3, 3),
        "compile_ms": round((done - made) * 1e3, 3),
        "first_mask_ms": round((time.perf_counter() - first) * 1e3, 3),
        "memory_bytes": compiled.memory_size_bytes,
        **compiled._statistics(),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        for key, value in figures.items():
            print(f"{key:22}{value}")
    for record in compiled.json_schema_report:
        print(
            f"not enforced: {record['keyword']} at {record['pointer'] or '/'}: {record['reason']}"
        )
    if options.ebnf:
        print(compiled.grammar, end="")
    return 0
