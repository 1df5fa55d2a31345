"""Long compilations end when their time is up, when Ctrl-C comes, and when their task is cancelled;
requests that wait for the same grammar are not dragged along.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import xgrammar as xgr
from tests.integration import serving

# Sizes are no obstacle here: time alone must stop these.
UNBOUNDED = xgr.Limits(
    max_grammar_size=None,
    max_dfa_states=None,
    max_schema_expansion=None,
    max_rules=None,
    max_source_bytes=None,
)
# Which of the last fourteen characters was an `a`: an automaton of 2^14 states.
SLOW_REGEX = "(?=.*a.{14}b).*"


def words(count):
    return [f"w{index * 7919 % 100_003:05d}x{index}" for index in range(count)]


def conjunction_of_choices(count):
    return {
        "allOf": [
            {"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(count)
        ]
    }


def tag(content):
    return {"type": "structural_tag", "format": content}


HOSTILE = {
    "regex words": lambda c, **k: c.compile_regex("|".join(words(200_000)), **k),
    "look-ahead": lambda c, **k: c.compile_regex(SLOW_REGEX, **k),
    "two look-aheads": lambda c, **k: c.compile_regex("(?=.*ab?.{12}c)(?=.*c.{9}d)[a-d]*", **k),
    "patterns together": lambda c, **k: c.compile_json_schema(
        {"allOf": [{"pattern": f"{x}.{{11}}b"} for x in "abcdef"]}, **k
    ),
    "not a pattern": lambda c, **k: c.compile_json_schema(
        {"type": "string", "not": {"pattern": "a.{16}b"}}, **k
    ),
    "allOf of anyOf": lambda c, **k: c.compile_json_schema(conjunction_of_choices(40), **k),
    "enum": lambda c, **k: c.compile_json_schema({"enum": words(300_000)}, **k),
    "EBNF rules": lambda c, **k: c.compile_grammar(
        "root ::= r0\n"
        + "".join(f'r{i} ::= "a{i}" r{i + 1} | "b"\n' for i in range(150_000))
        + 'r150000 ::= "c"\n',
        **k,
    ),
    "excluded strings": lambda c, **k: c.compile_structural_tag(
        tag({"type": "any_text", "excludes": words(300_000)}), **k
    ),
    "large JSON": lambda c, **k: c.compile_json_schema(
        '{"enum": [' + "0," * 4_000_000 + "0]}", **k
    ),
}
BUDGET_S = 0.1


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_kept(name):
    compiler = xgr.GrammarCompiler(serving.tokenizer_info(), limits=UNBOUNDED)
    begin, begin_cpu = time.monotonic(), time.thread_time()
    with pytest.raises(xgr.CompileBudgetError) as caught:
        HOSTILE[name](compiler, timeout=BUDGET_S)
    # Processor time of this thread: other load of the machine must not fail the test. Preparing
    # the arguments (JSON text of a dict) is part of it.
    assert time.thread_time() - begin_cpu < 3 * BUDGET_S + 0.4
    error = caught.value
    assert isinstance(error, RuntimeError)
    assert error.limit == "max_compile_ms"
    assert error.maximum == BUDGET_S * 1000
    assert error.maximum <= error.value <= (time.monotonic() - begin) * 1000 + 1
    assert error.stage
    assert error.stage in str(error)
    assert compiler.get_cache_size_bytes() == 0
    # The compiler is as good as before.
    serving.walk(
        compiler.compile_json_schema(serving.SCHEMA, timeout=20),
        serving.tokenize(compiler.tokenizer_info, serving.texts()[0]),
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda limits: xgr.Grammar.from_regex(SLOW_REGEX, limits=limits),
        lambda limits: xgr.Grammar.from_json_schema({"pattern": SLOW_REGEX}, limits=limits),
        lambda limits: xgr.Grammar.from_ebnf(f'root ::= Regex("{SLOW_REGEX}")', limits=limits),
        lambda limits: xgr.Grammar.from_lark(f"start: /{SLOW_REGEX}/", limits=limits),
        lambda limits: xgr.GrammarCompiler(serving.tokenizer_info(), limits=limits).compile_regex(
            SLOW_REGEX
        ),
    ],
    ids=["regex", "JSON schema", "EBNF", "Lark", "compiler"],
)
@pytest.mark.parametrize("limit", ["max_compile_ms", "max_compile_work"])
def test_limits_of_constructors(make, limit):
    with pytest.raises(xgr.CompileBudgetError) as caught:
        make(xgr.Limits(**{limit: 30 if limit.endswith("ms") else 50_000}))
    assert caught.value.limit == limit
    assert caught.value.stage


def test_counted_work_is_the_same_everywhere():
    """The least budget with which a source compiles does not depend on load or on earlier calls."""

    def compiles(work):
        try:
            xgr.Grammar.from_json_schema(serving.SCHEMA, limits=xgr.Limits(max_compile_work=work))
        except xgr.CompileBudgetError:
            return False
        return True

    def least():
        low, high = 1, 1 << 24
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if compiles(middle) else (middle + 1, high)
        return low

    assert least() == least() < 100_000


def test_a_timeout_is_a_positive_number():
    compiler = xgr.GrammarCompiler(serving.tokenizer_info())
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            compiler.compile_regex("a", timeout=wrong)
    for wrong in ("1", True, [1]):
        with pytest.raises(TypeError, match="timeout"):
            compiler.compile_regex("a", timeout=wrong)
    for right in (1, 0.5, 1e300, float("inf"), None):
        assert compiler.compile_regex("a", timeout=right)


def test_who_waits_is_not_dragged_along():
    """One request gives up; an equal one with more time gets the grammar."""
    compiler = xgr.GrammarCompiler(serving.tokenizer_info())
    source = "|".join(words(20_000))
    results = []

    def request(timeout):
        try:
            results.append((timeout, compiler.compile_regex(source, timeout=timeout)))
        except xgr.CompileBudgetError:
            results.append((timeout, None))

    threads = [threading.Thread(target=request, args=(timeout,)) for timeout in (0.002, 40, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    patient = [compiled for timeout, compiled in results if timeout == 40]
    assert len(patient) == 2
    assert patient[0] == patient[1]
    assert patient[0] is not None


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_a_compilation():
    program = (
        "import signal, sys, time, xgrammar as xgr\n"
        # A shell starts background jobs with the signal ignored, and children inherit that.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "limits = xgr.Limits(max_dfa_states=None)\n"
        "print('ready', flush=True)\n"
        "try:\n"
        f"    xgr.Grammar.from_regex({SLOW_REGEX!r}, limits=limits)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', time.thread_time(), flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        answer, _ = process.communicate(timeout=40)
    assert answer.startswith("interrupted")


def test_asyncio_all_kinds():
    compiler = xgr.GrammarCompiler(serving.tokenizer_info(), max_threads=2)

    async def compile_all():
        return await asyncio.gather(
            compiler.compile_json_schema_async(serving.SCHEMA, any_whitespace=False),
            compiler.compile_builtin_json_grammar_async(),
            compiler.compile_regex_async("[a-z]+"),
            compiler.compile_lark_async('start: "a"+'),
            compiler.compile_grammar_async('start ::= "b"', root_rule_name="start"),
            compiler.compile_structural_tag_async(tag({"type": "any_text"})),
            compiler.compile_regex_async("[a-z]+"),
        )

    compiled = asyncio.run(compile_all())
    assert compiled[2] == compiled[6] == compiler.compile_regex("[a-z]+")
    assert compiled[0] == compiler.compile_json_schema(serving.SCHEMA, any_whitespace=False)
    serving.walk(
        compiler.compile_json_schema(serving.SCHEMA),
        serving.tokenize(compiler.tokenizer_info, serving.texts()[1]),
    )

    async def wrong():
        with pytest.raises(xgr.JSONSchemaError):
            await compiler.compile_json_schema_async({"type": "nonsense"})
        with pytest.raises(TypeError, match="regex"):
            await compiler.compile_regex_async(3)
        with pytest.raises(xgr.CompileBudgetError):
            await compiler.compile_regex_async("|".join(words(200_000)), timeout=0.05)

    asyncio.run(wrong())


def test_the_event_loop_is_not_blocked():
    compiler = xgr.GrammarCompiler(serving.tokenizer_info(), limits=UNBOUNDED)

    async def main():
        task = asyncio.create_task(compiler.compile_regex_async(SLOW_REGEX, timeout=0.5))
        ticks = 0
        while not task.done():
            await asyncio.sleep(0.005)
            ticks += 1
        with pytest.raises(xgr.CompileBudgetError):
            await task
        return ticks

    assert asyncio.run(main()) >= 10


def test_a_cancelled_task_ends_its_compilation():
    """Otherwise the one thread would be busy for minutes."""
    compiler = xgr.GrammarCompiler(serving.tokenizer_info(), limits=UNBOUNDED, max_threads=1)

    async def main():
        task = asyncio.create_task(compiler.compile_regex_async(SLOW_REGEX))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await asyncio.wait_for(compiler.compile_regex_async("[a-z]"), 30)

    assert asyncio.run(main()) == compiler.compile_regex("[a-z]")
    assert json.loads(compiler.compile_regex("[a-z]").serialize_json())["grammar"]
