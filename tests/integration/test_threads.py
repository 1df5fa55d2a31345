"""Many threads on one grammar, one compiler, one batch: the same results as alone.

Guards equal masks, single flight, errors that reach every waiter, eviction while in use, and
lifetimes. Data races as such are sought by the thread sanitizer in tests/cpp; long mixed load is
test_soak.py.
"""

from __future__ import annotations

import functools
import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration import serving

THREADS = 8


def together(count, task):
    """Run task(0..count-1), all starting at once."""
    barrier = threading.Barrier(count)

    def started(index):
        barrier.wait()
        return task(index)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(started, range(count)))


@pytest.fixture
def info():
    return serving.tokenizer_info()


def test_matchers_on_one_cold_grammar(info):
    """All threads meet the same unseen states at the same time."""
    alone = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    expected = [serving.random_walk(alone, seed) for seed in range(THREADS)]
    for _ in range(5):
        shared = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
        walk = functools.partial(serving.random_walk, shared)
        assert together(THREADS, walk) == expected


def test_masks_are_equal_in_all_threads(info):
    shared = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
    tokens = serving.tokenize(info, serving.texts()[2])
    first, *rest = together(THREADS, lambda _: serving.walk(shared, tokens))
    assert all(masks == first for masks in rest)


def test_equal_requests_compile_once(info):
    compiler = xgr.GrammarCompiler(info, max_threads=4)
    first, *rest = together(
        THREADS, lambda _: compiler.compile_json_schema(json.dumps(serving.SCHEMA))
    )
    assert all(compiled == first for compiled in rest)


def test_different_requests_at_once(info):
    compiler = xgr.GrammarCompiler(info)
    schemas = [
        {"type": "object", "properties": {f"k{i}": {"type": "integer"}}, "required": [f"k{i}"]}
        for i in range(16)
    ]
    compiled = together(16, lambda i: compiler.compile_json_schema(schemas[i]))
    for index, one in enumerate(compiled):
        serving.walk(one, serving.tokenize(info, json.dumps({f"k{index}": 7})))


def test_an_error_reaches_every_waiter_and_the_compiler_stays_usable(info):
    compiler = xgr.GrammarCompiler(info)

    def attempt(_):
        with pytest.raises(RuntimeError) as caught:
            compiler.compile_json_schema({"type": "nonsense"})
        return type(caught.value)

    assert len(set(together(THREADS, attempt))) == 1
    serving.walk(
        compiler.compile_json_schema(serving.SCHEMA), serving.tokenize(info, serving.texts()[0])
    )


def test_eviction_while_in_use(info):
    """A cache too small for anything never fails, never exceeds its limit, and never frees under a
    matcher.
    """
    compiler = xgr.GrammarCompiler(info, cache_limit_bytes=20_000)

    def work(index):
        for round_ in range(6):
            name = f"n{(index + round_) % 10}"
            compiled = compiler.compile_json_schema(
                {"type": "object", "properties": {name: {"type": "string"}}}
            )
            assert 0 <= compiler.get_cache_size_bytes() <= 20_000
            serving.walk(compiled, serving.tokenize(info, json.dumps({name: "x"})))
            if round_ == index % 6:
                compiler.clear_cache()

    together(THREADS, work)
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0


def test_a_compiled_grammar_outlives_everything():
    def make():
        info = serving.tokenizer_info()
        return xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)

    compiled = make()
    serving.walk(compiled, serving.tokenize(compiled.tokenizer_info, serving.texts()[1]))


@pytest.mark.parametrize("threads", [1, 2, 8, "auto"])
def test_batch_equals_single(info, threads):
    compiler = xgr.GrammarCompiler(info)
    compiled = [
        compiler.compile_json_schema(serving.SCHEMA),
        compiler.compile_builtin_json_grammar(),
    ]
    matchers = [xgr.GrammarMatcher(compiled[i % 2]) for i in range(40)]
    for index, matcher in enumerate(matchers):
        assert matcher.accept_string(
            '{"name": "abc'[: 1 + index % 13] if index % 2 == 0 else "[" * (index % 7)
        )
    rows = serving.new_row(info, 64)
    indices = [63 - i for i in range(40)]
    xgr.BatchGrammarMatcher(max_threads=threads).batch_fill_next_token_bitmask(
        matchers, rows, indices
    )
    for matcher, index in zip(matchers, indices, strict=True):
        single = serving.new_row(info)
        matcher.fill_next_token_bitmask(single)
        assert np.array_equal(rows[index], single[0])
    assert (rows[:24] == -1).all(), "other rows are untouched"


def test_two_threads_on_one_matcher_never_crash(info):
    """Misuse: a typed error or a normal answer, and the matcher is usable after reset."""
    compiled = xgr.GrammarCompiler(info).compile_builtin_json_grammar()
    matcher = xgr.GrammarMatcher(compiled)

    def misuse(index):
        row = serving.new_row(info)
        for _ in range(300):
            try:
                if index % 2:
                    matcher.fill_next_token_bitmask(row)
                    matcher.accept_token(ord("["))
                else:
                    matcher.fork().accept_token(ord("{"))
                    matcher.reset()
            except RuntimeError:
                continue

    together(4, misuse)
    matcher.reset()
    assert matcher.accept_string("[1]")
