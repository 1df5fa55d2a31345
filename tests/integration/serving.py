"""Grammars, vocabularies and walks that the integration tests share.

A walk draws allowed tokens at random by a seed, so that a failure can be run again; it judges
nothing by itself.
"""

from __future__ import annotations

import json
import random

import numpy as np

import xgrammar as xgr

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}},
        "depth": {"type": "integer", "minimum": 0, "maximum": 300},
        "child": {"$ref": "#"},
    },
    "required": ["name"],
}
INSTANCES = [
    {"name": "x"},
    {"name": "käse", "tags": ["a", "bb", ""], "depth": 12},
    {"name": "a\nb", "depth": 300, "child": {"name": "y", "tags": [], "child": {"name": "z"}}},
]
PIECES = [
    '{"',
    '":',
    '", "',
    "name",
    '"name": "',
    "tags",
    "ab",
    "abc",
    "12",
    "300",
    "}}",
    "]}",
    '"]',
    " \n",
    "é",
    "日本",
]


def tokenizer_info(extra: int = 0) -> xgr.TokenizerInfo:
    """Bytes, some longer pieces, two marker tokens and a stop token; `extra` ids of padding."""
    vocabulary = (
        [bytes([byte]) for byte in range(256)]
        + [piece.encode() for piece in PIECES]
        + [b"", b"", b"</s>"]
    )
    return xgr.TokenizerInfo(
        vocabulary,
        xgr.VocabType.RAW,
        vocab_size=len(vocabulary) + extra,
        stop_token_ids=[len(vocabulary) - 1],
    )


def tokenize(info: xgr.TokenizerInfo, text: str, seed: int = 0) -> list[int]:
    """Some tokenization of a text, longest pieces more or less often."""
    rng, data, tokens = random.Random(seed), text.encode(), []
    vocabulary = info.decoded_vocab
    ids = [i for i, token in enumerate(vocabulary) if token and i not in info.stop_token_ids]
    while data:
        fitting = [i for i in ids if data.startswith(vocabulary[i])]
        token = (
            max(fitting, key=lambda i: len(vocabulary[i]))
            if rng.random() < 0.6
            else rng.choice(fitting)
        )
        tokens.append(token)
        data = data[len(vocabulary[token]) :]
    return tokens


def texts() -> list[str]:
    """The instances as JSON."""
    return [json.dumps(instance, ensure_ascii=False) for instance in INSTANCES]


def new_row(info: xgr.TokenizerInfo, rows: int = 1) -> np.ndarray:
    """A bitmask for numpy."""
    return np.full(xgr.get_bitmask_shape(rows, info.vocab_size), -1, dtype=np.int32)


def allows(row: np.ndarray, token: int) -> bool:
    """The bit of a token in one row."""
    return bool((int(row[token // 32]) >> (token % 32)) & 1)


def walk(compiled: xgr.CompiledGrammar, tokens: list[int]) -> list[bytes]:
    """Every mask along a token sequence, and the stop token at the end."""
    info = compiled.tokenizer_info
    matcher, row, masks = xgr.GrammarMatcher(compiled), new_row(info), []
    for token in [*tokens, info.stop_token_ids[0]]:
        matcher.fill_next_token_bitmask(row)
        masks.append(row.tobytes())
        assert allows(row[0], token)
        assert matcher.accept_token(token)
    assert matcher.is_terminated()
    return masks


def random_walk(compiled: xgr.CompiledGrammar, seed: int, steps: int = 60) -> list[int]:
    """Tokens chosen from the masks; the same seed gives the same tokens wherever masks are the
    same.
    """
    info = compiled.tokenizer_info
    rng, matcher, row, tokens = random.Random(seed), xgr.GrammarMatcher(compiled), new_row(info), []
    for _ in range(steps):
        matcher.fill_next_token_bitmask(row)
        allowed = [token for token in range(info.vocab_size) if allows(row[0], token)]
        assert allowed, "dead end"
        token = rng.choice(allowed)
        assert matcher.accept_token(token)
        tokens.append(token)
        if matcher.is_terminated():
            break
    return tokens
