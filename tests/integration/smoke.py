"""A script without a test framework: what must work wherever the package is installed.

Run by CI from a clean environment against the wheel, under sanitizers, and on every supported
Python.
"""

from __future__ import annotations

import json
import pickle
import random
import sys
import threading
from typing import Any

import numpy as np

import xgrammar as xgr

STEPS = 120


def generate(compiled: xgr.CompiledGrammar, seed: int) -> bytes:
    """Random tokens out of the masks, then whatever closes the text."""
    info = compiled.tokenizer_info
    rng, matcher = random.Random(seed), xgr.GrammarMatcher(compiled)
    row: Any = np.zeros(xgr.get_bitmask_shape(1, info.vocab_size), dtype=np.int32)
    output = b""
    while not matcher.is_terminated():
        matcher.fill_next_token_bitmask(row)
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")[: info.vocab_size]
        allowed = np.flatnonzero(bits).tolist()
        assert allowed, output
        if matcher.is_completed() and len(output) > STEPS:
            token = info.stop_token_ids[0]
        elif len(output) > STEPS:  # prefer closing characters, so that it ends
            token = next((t for t in map(ord, '"}],0') if t in allowed), allowed[0])
        else:
            token = rng.choice(allowed)
        assert matcher.accept_token(token)
        output += b"" if token in info.stop_token_ids else info.decoded_vocab[token]
    fork = matcher.fork()
    fork.rollback(1)
    assert matcher.is_terminated()
    assert not fork.is_terminated()
    return output


def is_refused(compiler: xgr.GrammarCompiler, source: str) -> bool:
    """Whether compiling raises an error that says something."""
    try:
        compiler.compile_grammar(source)
    except RuntimeError as error:
        return bool(str(error))
    return False


def main() -> None:
    """Compile, generate, refuse, serialise, and the same on threads."""
    vocabulary = [bytes([byte]) for byte in range(128)] + ["é".encode(), b'": ', b"</s>"]
    info = xgr.TokenizerInfo(vocabulary, xgr.VocabType.RAW, stop_token_ids=[len(vocabulary) - 1])
    compiler = xgr.GrammarCompiler(info)
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "array", "items": {"type": "boolean"}, "maxItems": 4},
        },
        "required": ["a"],
    }
    compiled = compiler.compile_json_schema(schema, max_whitespace_cnt=1)
    for seed in range(10):
        value = json.loads(generate(compiled, seed))
        assert isinstance(value["a"], int)
        assert all(isinstance(item, bool) for item in value.get("b", []))
    threads = [threading.Thread(target=generate, args=(compiled, seed)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    loaded = xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), info)
    assert generate(loaded, 3) == generate(compiled, 3)
    grammar = xgr.Grammar.union(
        xgr.Grammar.from_regex("[a-c]{2,5}"), xgr.Grammar.from_ebnf('root ::= "x" root | "y"')
    )
    assert str(pickle.loads(pickle.dumps(grammar))) == str(grammar)
    for source in ("root ::= (", "root ::= nothing", 'root ::= "a" root'):
        assert is_refused(compiler, source), source
    print(f"smoke test passed: xgrammar {xgr.__version__}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
