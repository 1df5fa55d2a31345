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

    from xgrammar.compiler import CompiledGrammar
    from xgrammar.tokenizer_info import TokenizerInfo


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
    compiled, times = _compile(source, kind, info)
    figures: dict[str, Any] = {
        "kind": kind,
        "tokenizer": name,
        "vocab_size": info.vocab_size,
        **times,
        "first_mask_ms": _time_first_mask(compiled),
        "memory_bytes": compiled.memory_size_bytes,
        **compiled._statistics(),
    }
    if options.json:
        figures["not_enforced"] = compiled.json_schema_report
        if options.ebnf:
            figures["ebnf"] = str(compiled.grammar)
        print(json.dumps(figures))
        return 0
    for key, value in figures.items():
        print(f"{key:22}{value}")
    for record in compiled.json_schema_report:
        where = record["pointer"] or "the schema root"
        print(f"not enforced: {record['keyword']} at {where}: {record['reason']}")
    if options.ebnf:
        print(compiled.grammar, end="")
    return 0


def _compile(
    source: str, kind: str, info: TokenizerInfo
) -> tuple[CompiledGrammar, dict[str, float]]:
    """Compile a source; the times are those of its two steps, or of the one that tags take."""
    compiler = GrammarCompiler(info, cache_enabled=False)
    start = time.perf_counter()
    if kind == "structural-tag":
        compiled = compiler.compile_structural_tag(source)
        return compiled, {"compile_ms": _milliseconds_since(start)}
    grammar = make_grammar(source, kind, info)
    grammar_ms = _milliseconds_since(start)
    start = time.perf_counter()
    compiled = compiler.compile_grammar(grammar)
    return compiled, {"grammar_ms": grammar_ms, "compile_ms": _milliseconds_since(start)}


def _time_first_mask(compiled: CompiledGrammar) -> float:
    matcher = GrammarMatcher(compiled)
    bitmask = allocate_token_bitmask(1, compiled.tokenizer_info.vocab_size, like="numpy")
    start = time.perf_counter()
    matcher.fill_next_token_bitmask(bitmask)
    return _milliseconds_since(start)


def _milliseconds_since(start: float) -> float:
    return round((time.perf_counter() - start) * 1e3, 3)
