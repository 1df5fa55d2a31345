"""os.fork after threads have run: the child compiles, fills and batches as the parent does.

Forks while other threads compile or use the same compiler; a compilation that only the parent was
doing is nobody's in the child. Locks in C++ are tests/cpp/support/fork_safety_test.cc. Skipped
where there is no fork.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import xgrammar as xgr
from tests.integration import serving

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def in_child(task, seconds=30):
    """Whether the task ends well, and in time, in a forked child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds)
        try:
            task()
        except BaseException as error:  # noqa: BLE001  (the child must not run the parent's handlers)
            sys.stderr.write(f"child: {type(error).__name__}: {error}\n")
            os._exit(1)
        os._exit(0)
    return os.waitpid(pid, 0)[1] == 0


def test_child_continues_where_the_parent_was():
    info = serving.tokenizer_info()
    compiler = xgr.GrammarCompiler(info, max_threads=4)
    compiled = compiler.compile_json_schema(serving.SCHEMA)
    tokens = serving.tokenize(info, serving.texts()[1])
    batch = xgr.BatchGrammarMatcher(max_threads=2)

    def work(_=None):
        serving.walk(compiled, tokens)
        other = compiler.compile_json_schema({"type": "object", "properties": {"q": {}}})
        serving.walk(other, serving.tokenize(info, '{"q": null}'))
        matchers = [xgr.GrammarMatcher(compiled) for _ in range(8)]
        batch.batch_fill_next_token_bitmask(matchers, serving.new_row(info, 8))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    assert in_child(work)
    work()


def test_children_forked_while_others_compile():
    info = serving.tokenizer_info()
    compiler = xgr.GrammarCompiler(info)

    def compile_many(start):
        for index in range(start, start + 40):
            compiler.compile_json_schema(
                {"type": "object", "properties": {f"p{index}": {"type": "string"}}}
            )

    def child():
        fresh = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA)
        serving.walk(fresh, serving.tokenize(info, serving.texts()[0]))

    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(compile_many, start) for start in (0, 1000)]
        assert all(in_child(child) for _ in range(10))
        for job in jobs:
            job.result()


def test_children_forked_while_others_use_the_same_compiler():
    """Locks that other threads hold, and flights that they are on, must not follow into a child.

    Without care a child waits for a thread that does not exist there, sooner or later.
    """
    info = serving.tokenizer_info()
    compiler = xgr.GrammarCompiler(info, cache_limit_bytes=200_000)
    shared = compiler.compile_json_schema(serving.SCHEMA)
    batch = xgr.BatchGrammarMatcher(max_threads=2)
    tokens = serving.tokenize(info, serving.texts()[1])
    expected = serving.walk(shared, tokens)
    stop = threading.Event()

    def schema(index):
        return {
            "type": "object",
            "properties": {
                f"p{index}": {"type": "string", "pattern": f"^[a-z]{{2,{index % 9 + 2}}}$"}
            },
        }

    def compile_and_match(start):
        index = start
        while not stop.is_set():
            index += 1
            compiled = compiler.compile_json_schema(schema(index % 50))
            serving.random_walk(compiled, index, steps=8)
            serving.random_walk(shared, index, steps=8)

    def fill_batches():
        matchers = [xgr.GrammarMatcher(shared) for _ in range(16)]
        rows = serving.new_row(info, 16)
        while not stop.is_set():
            batch.batch_fill_next_token_bitmask(matchers, rows)

    def child():
        for index in range(0, 50, 7):
            serving.random_walk(compiler.compile_json_schema(schema(index)), index, steps=8)
        assert serving.walk(shared, tokens) == expected
        matchers = [xgr.GrammarMatcher(shared) for _ in range(16)]
        batch.batch_fill_next_token_bitmask(matchers, serving.new_row(info, 16))
        compiler.clear_cache()
        assert compiler.get_cache_size_bytes() == 0

    threads = [threading.Thread(target=compile_and_match, args=(start,)) for start in (0, 17, 33)]
    threads.append(threading.Thread(target=fill_batches))
    for thread in threads:
        thread.start()
    try:
        results = [in_child(child) for _ in range(20)]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert all(results)


def test_a_flight_of_the_parent_is_nobodys_in_the_child():
    """The child compiles the very source that a thread of the parent was compiling at the fork."""
    compiler = xgr.GrammarCompiler(serving.tokenizer_info())
    words = "|".join(f"w{index * 7919 % 100_003:05d}x{index}" for index in range(60_000))
    started = threading.Event()

    def compile_slowly():
        started.set()
        compiler.compile_regex(words)

    thread = threading.Thread(target=compile_slowly)
    thread.start()
    started.wait()
    try:
        assert in_child(lambda: compiler.compile_regex(words))
    finally:
        thread.join()
