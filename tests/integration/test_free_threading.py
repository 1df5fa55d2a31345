"""Python without the global interpreter lock: the extension leaves it off, and sharing is safe.

Guards against crashes and untyped errors when threads share everything that the package has, with
what may be shared (compilers, compiled grammars, tokenizers, the registry of model families) and
what may not (matchers, lists and arrays in use by another call). The load runs with the lock, too;
equal masks are test_threads.py, long load is test_soak.py.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import sysconfig
import threading
import time

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration import serving

SECONDS = float(os.environ.get("XGRAMMAR_SHARING_SECONDS", "3"))
THREADS = 6


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python has the interpreter lock"
)
def test_the_lock_stays_off():
    """An extension that does not say that it needs no lock turns it on, with a warning."""
    code = "import sys, xgrammar._core; print(sys._is_gil_enabled())"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert run.stdout.strip() == "False"


class Shared:
    """One of everything, used by all threads at once."""

    def __init__(self):
        self.info = serving.tokenizer_info()
        self.compiler = xgr.GrammarCompiler(self.info, cache_limit_bytes=1 << 18)
        self.json = self.compiler.compile_builtin_json_grammar()
        self.matcher = xgr.GrammarMatcher(self.json)
        self.list = [xgr.GrammarMatcher(self.json) for _ in range(8)]
        self.rows = serving.new_row(self.info, 8)
        self.batch = xgr.BatchGrammarMatcher(max_threads=2)
        self.text = bytearray(b"[1, 2")


def compile_something(shared, rng):
    name, length = f"n{rng.randrange(6)}", rng.randrange(1, 40)
    schema = {"properties": {name: {"type": "string", "maxLength": length}}}
    compiled = shared.compiler.compile_json_schema(schema)
    assert xgr.GrammarMatcher(compiled).accept_string(f'{{"{name}": "'.encode())


def read_caches(shared, _rng):
    shared.compiler.get_cache_statistics()
    shared.compiler.clear_cache()
    assert shared.compiler.get_cache_size_bytes() >= 0


def serialize(shared, rng):
    compiled = shared.compiler.compile_regex(f"[a-c]{{1,{rng.randrange(1, 5)}}}")
    again = xgr.CompiledGrammar.deserialize(compiled.serialize(), shared.info)
    assert str(again.grammar) == str(compiled.grammar)


def read_tokenizer(shared, _rng):
    assert shared.info.decoded_vocab[:2] == shared.info.decoded_vocab[:2]


def step_one_matcher(shared, _rng):
    shared.matcher.accept_token(ord("["))
    shared.matcher.fill_next_token_bitmask(shared.rows, 3)
    shared.matcher.find_jump_forward_string()
    shared.matcher.rollback(1)


def fork_one_matcher(shared, _rng):
    assert shared.matcher.fork().num_steps >= 0
    shared.matcher.reset()


def fill_one_list(shared, _rng):
    shared.batch.batch_fill_next_token_bitmask(shared.list, shared.rows[: len(shared.list)])


def accept_in_one_list(shared, _rng):
    shared.batch.batch_accept_token(shared.list, [ord("[")] * 8)
    shared.batch.batch_rollback(shared.list, 1)


def change_one_list(shared, _rng):
    """Matchers that another call may be using lose their last name."""
    shared.list.append(xgr.GrammarMatcher(shared.json))
    shared.list.pop(0)


def change_one_text(shared, rng):
    shared.matcher.accept_string(shared.text)
    shared.text[rng.randrange(len(shared.text))] = rng.randrange(256)


def register_family(_shared, rng):
    xgr.register_model_structural_tag(f"family {rng.randrange(20)}")(print)
    with pytest.raises(ValueError, match="supported types"):
        xgr.get_model_structural_tag("no family")


def generate_alone(shared, rng):
    """A matcher of its own in the middle of all this sees what it would see alone."""
    matcher, mask = xgr.GrammarMatcher(shared.json), serving.new_row(shared.info)
    for _ in range(20):
        matcher.fill_next_token_bitmask(mask)
        logits = np.zeros((1, shared.info.vocab_size), dtype=np.float32)
        xgr.apply_token_bitmask_inplace(logits, mask)
        allowed = np.flatnonzero(np.isfinite(logits[0]))
        assert matcher.accept_token(int(allowed[rng.randrange(len(allowed))]))
        if matcher.is_terminated():
            break


JOBS = (
    compile_something,
    read_caches,
    serialize,
    read_tokenizer,
    step_one_matcher,
    fork_one_matcher,
    fill_one_list,
    accept_in_one_list,
    change_one_list,
    change_one_text,
    register_family,
    generate_alone,
)


def test_threads_share_everything():
    shared, failures, done = Shared(), [], [0] * len(JOBS)
    end = time.monotonic() + SECONDS

    def work(seed):
        rng = random.Random(seed)
        while time.monotonic() < end and not failures:
            number = rng.randrange(len(JOBS))
            try:
                JOBS[number](shared, rng)
            except RuntimeError:
                pass  # Typed: a matcher is in use, has terminated, or has too few steps.
            except Exception as error:  # noqa: BLE001 - reported by the thread that can.
                failures.append(error)
            done[number] += 1

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    assert all(done), done
    shared.matcher.reset()
    assert shared.matcher.accept_string("[1]")
