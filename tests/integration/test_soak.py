"""A long mixed load: flat memory, and no thread ever sees another mask than it would alone.

The default run is a few seconds. For a real soak set XGRAMMAR_SOAK_SECONDS (1200 is twenty minutes)
and run `pytest -s tests/integration/test_soak.py`; it prints the memory once in a while.
"""

from __future__ import annotations

import hashlib
import os
import random
import threading
import time
from pathlib import Path

import pytest

import xgrammar as xgr
from tests.integration import serving

SECONDS = float(os.environ.get("XGRAMMAR_SOAK_SECONDS", "6"))
THREADS = 8
MATCHERS = 64
STEPS = 40
CACHE_BYTES = 1 << 20


def sources():
    """Grammars of all kinds, as functions that compile them."""
    schema, text = serving.SCHEMA, '"a" | "b" [0-9]{2,40}'
    out = [
        lambda c: c.compile_json_schema(schema),
        lambda c: c.compile_json_schema(schema, any_whitespace=False, any_order=True),
        lambda c: c.compile_builtin_json_grammar(),
        lambda c: c.compile_regex(r"([A-Z][a-z]{1,12} ){3,40}"),
        lambda c: c.compile_grammar(f'root ::= ({text}) ("," root)?'),
        lambda c: c.compile_grammar('root ::= "(" root* ")" | [a-z]+'),
        lambda c: c.compile_lark('start: (WORD | "[" start "]")+\nWORD: /[a-z]{1,9}/ " "'),
        lambda c: c.compile_structural_tag(
            {
                "type": "structural_tag",
                "format": {
                    "type": "triggered_tags",
                    "triggers": ["<f="],
                    "tags": [
                        {
                            "type": "tag",
                            "begin": f"<f={name}>",
                            "content": {"type": "json_schema", "json_schema": schema},
                            "end": "</f>",
                        }
                        for name in "abc"
                    ],
                },
            }
        ),
    ]
    # Schemas that come and go, so that the cache evicts all the time.
    for index in range(40):
        passing = {
            "type": "object",
            "properties": {f"k{index}": {"type": "string", "maxLength": index + 1}},
            "required": [f"k{index}"],
        }
        out.append(lambda c, s=passing: c.compile_json_schema(s))
    return out


def allowed_token(row, start, vocab_size):
    """The first allowed token from `start` on, around the end."""
    for offset in range(vocab_size):
        token = (start + offset) % vocab_size
        if serving.allows(row, token):
            return token
    raise AssertionError("dead end")


def generation(compiled, seed):
    """One random generation with rollbacks and forks: yields None for each step and at the end a
    digest of all masks and tokens.
    """
    size = compiled.tokenizer_info.vocab_size
    rng, matcher = random.Random(seed), xgr.GrammarMatcher(compiled)
    row = serving.new_row(compiled.tokenizer_info)
    digest = hashlib.blake2b(digest_size=16)
    for _ in range(STEPS):
        matcher.fill_next_token_bitmask(row)
        digest.update(row.tobytes())
        token = allowed_token(row[0], rng.randrange(size), size)
        assert matcher.accept_token(token)
        digest.update(token.to_bytes(4, "little"))
        if matcher.is_terminated():
            break
        move = rng.random()
        if move < 0.1:
            matcher.rollback(1)
        elif move < 0.2:
            matcher = matcher.fork()
        yield None
    yield digest.digest()


def resident_bytes():
    """What the process holds in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


class Load:
    """Threads that compile, generate and compare until the time is up."""

    def __init__(self, makers, expected, deadline):
        self.makers, self.expected, self.deadline = makers, expected, deadline
        self.compiler = xgr.GrammarCompiler(serving.tokenizer_info(), cache_limit_bytes=CACHE_BYTES)
        self.wrong, self.errors, self.done = [], [], [0] * THREADS
        self.threads = [threading.Thread(target=self.serve, args=(i,)) for i in range(THREADS)]

    def serve(self, thread):
        rng = random.Random(thread)
        try:
            while time.monotonic() < self.deadline:
                self.round(rng)
                self.done[thread] += MATCHERS // THREADS
                assert self.compiler.get_cache_size_bytes() <= CACHE_BYTES
        except BaseException as error:  # noqa: BLE001 - reported by the test.
            self.errors.append(error)

    def round(self, rng):
        """The matchers of one thread, step by step in turns."""
        tasks = [rng.choice(list(self.expected)) for _ in range(MATCHERS // THREADS)]
        running = [generation(self.makers[n](self.compiler), seed) for n, seed in tasks]
        digests = {}
        while len(digests) < len(running):
            for place, steps in enumerate(running):
                if place not in digests:
                    digest = next(steps)
                    if digest is not None:
                        digests[place] = digest
        for place, task in enumerate(tasks):
            if digests[place] != self.expected[task]:
                self.wrong.append(task)


def watch(load):
    """Memory now and then, until the load ends."""
    curve = []
    for thread in load.threads:
        thread.start()
    while (left := load.deadline - time.monotonic()) > 0:
        time.sleep(min(max(1.0, SECONDS / 40), left))
        curve.append(resident_bytes())
        print(f"{curve[-1] / 1e6:.1f} MB after {sum(load.done)} generations", flush=True)
    for thread in load.threads:
        thread.join()
    return curve


@pytest.mark.slow
@pytest.mark.timeout(SECONDS * 3 + 120)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_soak():
    info, makers, expected = serving.tokenizer_info(), sources(), {}
    # What one thread gets, each grammar compiled alone.
    for number, make in enumerate(makers):
        compiled = make(xgr.GrammarCompiler(info, cache_enabled=False))
        for seed in range(4):
            expected[number, seed] = next(d for d in generation(compiled, seed) if d is not None)
    load = Load(makers, expected, time.monotonic() + SECONDS)
    curve = watch(load)
    assert not load.errors, load.errors[0]
    assert not load.wrong, load.wrong[:5]
    assert min(load.done) > 0
    statistics = load.compiler.get_cache_statistics()
    print(statistics)
    assert statistics["bytes"] <= CACHE_BYTES
    assert statistics["evictions"] > 0
    if SECONDS >= 60:
        # After the warm-up (a quarter of the time) memory stays where it is.
        warm = curve[len(curve) // 4 :]
        half = len(warm) // 2
        assert max(warm[half:]) <= 1.05 * max(warm[:half]) + 4e6
