"""os.fork after threads have run: the child compiles, fills and batches as the parent does."""

from __future__ import annotations

import os
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

import xgrammar as xgr
from tests.integration import serving

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")


def in_child(task):
    """Whether the task ends well in a forked child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
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
