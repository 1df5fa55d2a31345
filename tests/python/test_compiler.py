"""GrammarCompiler: its arguments, every kind of source, the cache and its figures.

Guards which requests share one object, that equal concurrent ones compile once, and that the cache
keeps to its limit while grammars in it grow. What sources mean is tested with each language; time
and cancellation are tests/integration/test_interruption.py.
"""

import copy
import gc
import pickle
import threading

import pytest

import xgrammar as xgr

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_compiled_grammar_is_not_made_by_hand():
    with pytest.raises(TypeError):
        xgr.CompiledGrammar()


def test_tokenizer_info_is_required():
    with pytest.raises(ValueError, match="from_huggingface"):
        xgr.GrammarCompiler("tokenizer")


def test_arguments(info):
    compiler = xgr.GrammarCompiler(
        tokenizer_info=info, max_threads=0, enable_dynamic_compilation=True, cache_limit_bytes=10**9
    )
    assert compiler.cache_limit_bytes == 10**9
    assert compiler.tokenizer_info == info
    with pytest.raises(RuntimeError):
        xgr.GrammarCompiler(info, cache_limit_bytes=-2)


def test_all_kinds_of_sources(compiler):
    compiled = [
        compiler.compile_json_schema(SCHEMA),
        compiler.compile_json_schema(schema='{"type":"null"}', any_whitespace=False),
        compiler.compile_builtin_json_grammar(),
        compiler.compile_regex("a+"),
        compiler.compile_grammar('root ::= "a"'),
        compiler.compile_grammar('start ::= "a"', root_rule_name="start"),
        compiler.compile_grammar(xgr.Grammar.from_ebnf('root ::= "a"')),
    ]
    for item in compiled:
        assert isinstance(item, xgr.CompiledGrammar)
        assert item.memory_size_bytes > 0
        assert item.tokenizer_info == compiler.tokenizer_info
        assert str(item.grammar).startswith("root ::= ")
        assert item.grammar == item.grammar
        assert "64 tokens" in repr(item)


def test_wrong_sources(compiler):
    with pytest.raises(ValueError, match="EBNF"):
        compiler.compile_grammar(3)
    with pytest.raises(TypeError):
        compiler.compile_regex(3)
    for make in (compiler.compile_grammar, compiler.compile_regex):
        with pytest.raises(RuntimeError):
            make("(((")
    with pytest.raises(RuntimeError):
        compiler.compile_json_schema("{")


def test_cache_returns_the_same_object(compiler):
    first = compiler.compile_json_schema(SCHEMA)
    assert compiler.compile_json_schema(SCHEMA) == first
    assert hash(compiler.compile_json_schema(SCHEMA)) == hash(first)
    assert compiler.compile_json_schema(SCHEMA, strict_mode=False) != first
    assert compiler.compile_regex("a") == compiler.compile_regex("a")
    assert compiler.compile_regex("a") != compiler.compile_grammar('root ::= "a"')
    assert compiler.get_cache_size_bytes() > 0
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0
    assert compiler.compile_json_schema(SCHEMA) != first


def test_cache_can_be_off(info):
    compiler = xgr.GrammarCompiler(info, cache_enabled=False)
    assert compiler.compile_regex("a") != compiler.compile_regex("a")
    assert compiler.get_cache_size_bytes() == 0


@pytest.mark.parametrize("limit", [0, 3000, 50_000])
def test_cache_keeps_its_limit(info, limit):
    compiler = xgr.GrammarCompiler(info, cache_limit_bytes=limit)
    for i in range(20):
        compiler.compile_regex(f"a{{{i + 1}}}")
        assert compiler.get_cache_size_bytes() <= limit


def test_compiled_grammar_outlives_its_makers():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a", "b", "</s>"]))
    compiled = compiler.compile_regex("ab")
    del compiler
    gc.collect()
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_token(0)
    assert matcher.accept_token(1)
    assert matcher.accept_token(2)


def test_equal_concurrent_requests_compile_once(compiler):
    results = [None] * 8
    barrier = threading.Barrier(len(results))

    def work(i):
        barrier.wait()
        results[i] = compiler.compile_json_schema(SCHEMA)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(results))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == results[0] for result in results)


def test_copies_and_pickle(compiler):
    compiled = compiler.compile_json_schema(SCHEMA)
    assert copy.copy(compiled) is compiled
    assert copy.deepcopy([compiled])[0] is compiled
    for copied in (
        pickle.loads(pickle.dumps(compiled)),
        xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), compiler.tokenizer_info),
    ):
        assert str(copied.grammar) == str(compiled.grammar)
        matcher = xgr.GrammarMatcher(copied)
        assert matcher.accept_string('{"a": 12}')
        assert matcher.is_completed()


def test_another_vocabulary_is_refused(compiler, info):
    text = compiler.compile_regex("a").serialize_json()
    other = list(reversed(info.decoded_vocab))
    with pytest.raises(xgr.DeserializeFormatError):
        xgr.CompiledGrammar.deserialize_json(
            text, xgr.TokenizerInfo(other, stop_token_ids=info.stop_token_ids)
        )
    with pytest.raises(TypeError):
        xgr.CompiledGrammar.deserialize_json(text, "info")


def test_report_reaches_the_compiled_grammar(compiler):
    compiled = compiler.compile_json_schema({"type": "string", "format": "no-such-format"})
    assert compiled.json_schema_report[0]["keyword"] == "format"
    assert compiler.compile_regex("a").json_schema_report == []


def test_statistics(compiler):
    statistics = compiler.compile_json_schema(SCHEMA)._statistics()
    assert statistics["num_rules"] > 0


def test_cache_statistics(info):
    compiler = xgr.GrammarCompiler(info)
    for pattern in ("a", "b", "a", "a"):
        compiler.compile_regex(pattern)
    statistics = compiler.get_cache_statistics()
    assert statistics["hits"] == 2
    assert statistics["misses"] == statistics["entries"] == 2
    assert statistics["joined"] == statistics["evictions"] == 0
    assert statistics["bytes"] == compiler.get_cache_size_bytes() > 0
    xgr.GrammarMatcher(compiler.compile_regex("a")).accept_string("a")
    assert compiler.get_cache_statistics()["shared_bytes"] > 0
    compiler.clear_cache()
    statistics = compiler.get_cache_statistics()
    assert statistics["entries"] == statistics["bytes"] == 0
    assert statistics["hits"] == 3


def test_the_least_recently_requested_goes_first(info):
    probe = xgr.GrammarCompiler(info)
    for pattern in "abc":
        probe.compile_regex(pattern)
    compiler = xgr.GrammarCompiler(info, cache_limit_bytes=probe.get_cache_size_bytes() + 10)
    first = {pattern: compiler.compile_regex(pattern) for pattern in "abc"}
    assert compiler.compile_regex("a") == first["a"]
    compiler.compile_regex("d")  # In the place of b.
    assert compiler.get_cache_statistics()["evictions"] == 1
    assert compiler.compile_regex("c") == first["c"]
    assert compiler.compile_regex("a") == first["a"]
    assert compiler.compile_regex("b") != first["b"]


def test_what_is_in_use_counts_as_it_grows(info):
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_grammar('root ::= "(" root ")" | [a-z]*')
    before, own = compiler.get_cache_size_bytes(), compiled.memory_size_bytes
    assert xgr.GrammarMatcher(compiled).accept_string("(" * 500)
    grown = compiled.memory_size_bytes - own
    assert grown > 10_000
    assert compiler.get_cache_size_bytes() == before + grown
