"""Serialized objects in other processes, and damaged bytes: typed errors and nothing else.

Guards that masks are the same in a process that only loads, that pickles travel, and that a small
file cannot ask for much memory. The order of checks is tests/python/test_serialization.py.
"""

from __future__ import annotations

import multiprocessing
import pickle
import random

import pytest

import xgrammar as xgr
from tests.integration import serving


def masks_of(data, form, tokens):
    """In another process: read everything back and walk."""
    info = getattr(xgr.TokenizerInfo, f"deserialize{form}")(data["tokenizer"])
    compiled = getattr(xgr.CompiledGrammar, f"deserialize{form}")(data["compiled"], info)
    grammar = getattr(xgr.Grammar, f"deserialize{form}")(data["grammar"])
    again = xgr.GrammarCompiler(info).compile_grammar(grammar)
    assert serving.walk(again, tokens) == serving.walk(compiled, tokens)
    return serving.walk(compiled, tokens)


@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.parametrize("form", ["", "_json"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_processes_get_the_same_masks(method, form):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    info = serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    tokens = serving.tokenize(info, serving.texts()[2])
    data = {
        name: getattr(value, f"serialize{form}")()
        for name, value in (
            ("tokenizer", info),
            ("compiled", compiled),
            ("grammar", compiled.grammar),
        )
    }
    with multiprocessing.get_context(method).Pool(1) as pool:
        assert pool.apply(masks_of, (data, form, tokens)) == serving.walk(compiled, tokens)


def pickled_walk(compiled, tokens):
    return serving.walk(compiled, tokens)


def test_a_compiled_grammar_is_sent_by_pickle():
    info = serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    tokens = serving.tokenize(info, serving.texts()[0])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(pickled_walk, (compiled, tokens)) == serving.walk(compiled, tokens)


def damaged(data, rng):
    """One of the ways in which stored bytes go wrong or are made to."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        place = rng.randrange(len(out)) if out else 0
        kind = rng.randrange(6)
        if kind == 0:
            del out[place : place + rng.randrange(1, 40)]
        elif kind == 1 and out:
            out[place] ^= 1 << rng.randrange(8)
        elif kind == 2:
            out[place:place] = out[place : place + rng.randrange(1, 40)]
        elif kind == 3 and out:
            out[place] = rng.randrange(256)
        elif kind == 4:
            out[place:place] = rng.choice(
                (b"\\u0000", b"99999999999999999999", b"[", b'"', b"-1", b"\xff\xfe", b"(" * 50)
            )
        else:
            del out[place:]
    return bytes(out)


def readers():
    info = serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    regex = xgr.GrammarCompiler(info).compile_regex("(?=a)[a-z]{2,9}(?!x)")
    kinds = [
        (compiled, lambda d: xgr.CompiledGrammar.deserialize(d, info), "deserialize_json"),
        (regex, lambda d: xgr.CompiledGrammar.deserialize(d, info), "deserialize_json"),
        (compiled.grammar, xgr.Grammar.deserialize, "deserialize_json"),
        (info, xgr.TokenizerInfo.deserialize, "deserialize_json"),
    ]
    out = []
    for value, read, _ in kinds:
        out.append((value.serialize(), read))
    text_readers = [
        lambda t: xgr.CompiledGrammar.deserialize_json(t, info),
        lambda t: xgr.CompiledGrammar.deserialize_json(t, info),
        xgr.Grammar.deserialize_json,
        xgr.TokenizerInfo.deserialize_json,
    ]
    for (value, _, _), read in zip(kinds, text_readers, strict=True):
        out.append((value.serialize_json().encode(), lambda d, r=read: r(d.decode("latin-1"))))
    return out


@pytest.mark.parametrize("number", range(8))
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_damaged_bytes_give_typed_errors(number):
    data, read = readers()[number]
    rng = random.Random(number)
    refused = 0
    for _ in range(300):
        try:
            read(damaged(data, rng))
        except (
            xgr.InvalidJSONError,
            xgr.DeserializeFormatError,
            xgr.DeserializeVersionError,
            xgr.GrammarLimitError,
            xgr.UnsatisfiableGrammarError,
        ):
            refused += 1
    assert refused > 100


def test_a_small_file_cannot_ask_for_much_memory():
    """A stream that unpacks to more than it says, and one that says too much."""
    import struct
    import zlib

    bomb = zlib.compress(b"a" * (64 << 20), 9)
    for size in (10, 1 << 40):
        with pytest.raises(xgr.DeserializeFormatError):
            xgr.Grammar.deserialize(struct.pack("<4sBQ", b"\x93XGR", 1, size) + bomb)


def test_the_binary_form_is_small():
    schema = {
        "type": "object",
        "properties": {f"property_{i}": {"type": "string"} for i in range(30)},
        "required": [f"property_{i}" for i in range(15)],
    }
    compiled = xgr.GrammarCompiler(serving.tokenizer_info()).compile_json_schema(schema)
    assert len(compiled.serialize()) < 3000
    assert len(compiled.serialize()) < len(compiled.serialize_json()) < 30_000
    assert len(pickle.dumps(compiled.grammar)) < 30_000
