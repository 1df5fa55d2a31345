"""`xgrammar demo`: random tokens, kept to a JSON Schema by masks.

No model runs: at every step one of the allowed tokens is drawn. Words are preferred while the text
is young and closing characters once it has grown, so that every run ends.
"""

from __future__ import annotations

import random
import statistics
import time
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xgrammar.bitmask import get_bitmask_shape
from xgrammar.compiler import GrammarCompiler
from xgrammar.matcher import GrammarMatcher

from . import vocabulary
from .source import CommandError, read_file

if TYPE_CHECKING:
    import argparse

    from xgrammar.compiler import CompiledGrammar
    from xgrammar.tokenizer_info import TokenizerInfo

_SCHEMA = """{
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 24},
    "age": {"type": "integer", "minimum": 0, "maximum": 120},
    "email": {"type": "string", "pattern": "^[a-z]{3,10}@[a-z]{3,10}\\\\.(com|org)$"},
    "role": {"enum": ["admin", "editor", "reader"]},
    "tags": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 3}
  },
  "required": ["name", "age", "email", "role"]
}"""
# Weights of the drawing. Only their order of magnitude matters: words over other text, and closing
# characters so far over everything once the text has grown that the open parts end one by one.
_WORD, _PLAIN, _RARE, _BLANK = 100.0, 5.0, 0.01, 1e-5
_CLOSE_BRACKET, _CLOSE_QUOTE, _SEPARATOR = 1e9, 1e6, 1e3
_GROWN = 0.5  # Share of --max-tokens after which closing is preferred.
_STOP_SHARE = 0.5  # Chance of stopping where the text may end and may go on.


class Generation(NamedTuple):
    """One random text and how long its masks took."""

    tokens: list[int]
    finished: bool
    mask_seconds: list[float]


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "demo",
        help="random text that satisfies a JSON Schema",
        description="Draw random tokens under the mask of a JSON Schema; no model is needed.",
    )
    parser.add_argument(
        "--schema", type=Path, metavar="FILE", help="a JSON Schema (default: a person)"
    )
    vocabulary.add_tokenizer_argument(parser)
    parser.add_argument("--seed", type=int, default=None, help="make the run repeatable")
    parser.add_argument(
        "--max-tokens", type=int, default=400, help="upper bound of tokens (default: 400)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if options.max_tokens < 1:
        raise CommandError("--max-tokens must be at least 1")
    schema = _SCHEMA if options.schema is None else read_file(options.schema)
    start = time.perf_counter()
    name, info = vocabulary.load(options.tokenizer)
    compiler = GrammarCompiler(info)
    print(f"tokenizer  {name}, {info.vocab_size} tokens, loaded in {_ms(start)}")
    start = time.perf_counter()
    compiled = compiler.compile_json_schema(schema)
    print(f"compile    {_ms(start)}")
    generation = generate(compiled, random.Random(options.seed), options.max_tokens)
    text = b"".join(info.decoded_vocab[token] for token in generation.tokens)
    print(f"text       {text.decode(errors='replace')}")
    print(f"tokens     {len(generation.tokens)}")
    _print_mask_times(generation.mask_seconds)
    if not generation.finished:
        raise CommandError(
            f"no complete text within {options.max_tokens} tokens; raise --max-tokens"
        )
    return 0


def generate(compiled: CompiledGrammar, source: random.Random, max_tokens: int) -> Generation:
    """Draw tokens until the text is complete or `max_tokens` is reached."""
    info = compiled.tokenizer_info
    matcher = GrammarMatcher(compiled)
    bitmask = array("i", [0]) * get_bitmask_shape(1, info.vocab_size)[1]
    young, grown = _weights(info)
    stops = set(info.stop_token_ids)
    tokens: list[int] = []
    seconds: list[float] = []
    while len(tokens) <= max_tokens:
        start = time.perf_counter()
        matcher.fill_next_token_bitmask(bitmask)
        seconds.append(time.perf_counter() - start)
        allowed = _allowed(bitmask, info.vocab_size)
        ends = [token for token in allowed if token in stops]
        texts = [token for token in allowed if token not in stops]
        is_grown = len(tokens) > _GROWN * max_tokens
        if ends and (is_grown or not texts or source.random() < _STOP_SHARE):
            matcher.accept_token(ends[0])
            return Generation(tokens, finished=True, mask_seconds=seconds)
        if not texts or len(tokens) == max_tokens:
            break
        weights = grown if is_grown else young
        token = source.choices(texts, [weights[token] for token in texts])[0]
        if not matcher.accept_token(token):
            raise RuntimeError(f"token {token} is in the mask but was not accepted")
        tokens.append(token)
    return Generation(tokens, finished=False, mask_seconds=seconds)


def _allowed(bitmask: array[int], vocab_size: int) -> list[int]:
    """Return the tokens whose bits are 1."""
    found = []
    for i, word in enumerate(bitmask):
        if word:
            found += [32 * i + bit for bit in range(32) if word >> bit & 1]
    return [token for token in found if token < vocab_size]


def _weights(info: TokenizerInfo) -> tuple[list[float], list[float]]:
    """Weights of all tokens, while the text is young and after it has grown."""
    young = [0.0] * info.vocab_size
    grown = [0.0] * info.vocab_size
    for token_id, token in enumerate(info.decoded_vocab):
        if not token.strip():
            weight = _BLANK  # Vocabularies hold hundreds of runs of white space.
        elif token.isascii() and token.strip().isalnum():
            weight = _WORD
        elif token.isascii() and token.decode().isprintable():
            weight = _PLAIN
        else:
            weight = _RARE
        young[token_id] = grown[token_id] = weight
        if token in (b"}", b"]", b'"}', b'"]', b"}}", b"]}"):
            grown[token_id] = _CLOSE_BRACKET
        elif token == b'"':
            grown[token_id] = _CLOSE_QUOTE
        elif token in (b",", b":", b'":', b'",'):
            grown[token_id] = _SEPARATOR
    return young, grown


def _ms(start: float) -> str:
    return f"{(time.perf_counter() - start) * 1e3:.1f} ms"


def _print_mask_times(seconds: list[float]) -> None:
    micros = [value * 1e6 for value in seconds]
    print(
        f"mask time  mean {statistics.fmean(micros):.1f} us, "
        f"median {statistics.median(micros):.1f} us, max {max(micros):.1f} us"
    )
