"""Wrong arguments anywhere: a `TypeError` that names the argument, never the one of the binding.

Every public call is given values of other types; the text must have the Python name of the argument
and no signature of the native function. Values of the right type that are out of range are tested
with each call.
"""

import numpy as np
import pytest

import xgrammar as xgr
from xgrammar import _arguments


@pytest.mark.parametrize("wrong", [None, 1, "1", b"1"])
def test_what_is_no_list(wrong):
    with pytest.raises(TypeError, match=r"^n must be a list, not "):
        _arguments.elements("n", wrong)


def test_elements_of_any_iterable():
    assert _arguments.elements("n", (1, "a")) == [1, "a"]
    assert _arguments.elements("n", range(2)) == [0, 1]


def calls(info):
    """Public calls with the argument that is wrong: a name and a function of the value."""
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_grammar('root ::= "a"')
    matcher = xgr.GrammarMatcher(compiled)
    mask = np.zeros(xgr.get_bitmask_shape(1, info.vocab_size), dtype=np.int32)
    batch = xgr.BatchGrammarMatcher(1)
    return [
        ("token_id", matcher.accept_token),
        ("input_str", matcher.accept_string),
        ("index", lambda v: matcher.fill_next_token_bitmask(mask, v)),
        ("num_tokens", matcher.rollback),
        ("matchers", lambda v: batch.batch_fill_next_token_bitmask(v, mask)),
        ("indices", lambda v: batch.batch_fill_next_token_bitmask([matcher], mask, [v])),
        ("matchers", lambda v: batch.batch_accept_token(v, [])),
        ("matchers", lambda v: batch.batch_accept_token([v], [1])),
        ("token_id", lambda v: batch.batch_accept_token([matcher], [v])),
        ("num_tokens", lambda v: batch.batch_rollback([matcher], [v])),
        ("max_threads", lambda v: xgr.BatchGrammarMatcher([v])),
        ("max_threads", lambda v: xgr.GrammarCompiler(info, max_threads=[v])),
        ("cache_limit_bytes", lambda v: xgr.GrammarCompiler(info, cache_limit_bytes=[v])),
        ("limits", lambda v: xgr.GrammarCompiler(info, limits=[v])),
        ("timeout", lambda v: compiler.compile_regex("a", timeout=[v])),
        ("max_rules", lambda v: xgr.Limits(max_rules=[v])),
        ("default_temperature", lambda v: xgr.GrammarMatcher(compiled, default_temperature=[v])),
        ("max_recursion_depth", xgr.set_max_recursion_depth),
        ("regex", compiler.compile_regex),
        ("regex_string", xgr.Grammar.from_regex),
        ("ebnf_string", xgr.Grammar.from_ebnf),
        ("tokenizer_info", lambda v: xgr.CompiledGrammar.deserialize_json("{}", v)),
        ("data", xgr.Grammar.deserialize),
    ]


@pytest.mark.parametrize("wrong", [1.5, None, object()])
def test_the_argument_is_named(info, wrong):
    for name, call in calls(info):
        with pytest.raises(TypeError) as caught:
            call(wrong)
        text = str(caught.value)
        assert name in text, text
        assert "incompatible function arguments" not in text
        assert len(text) < 200


def test_flags_are_what_bool_says(info):
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"+'))
    mask = np.zeros(xgr.get_bitmask_shape(1, info.vocab_size), dtype=np.int32)
    for flag in (0, None, "", np.bool_(False)):
        matcher.reset()
        assert matcher.accept_string("a", debug_print=flag)
        matcher.fill_next_token_bitmask(mask, debug_print=flag)
        matcher.accept_token(0, debug_print=flag)


def test_huge_integers_are_out_of_range(info):
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar('root ::= "a"+'))
    mask = np.zeros(xgr.get_bitmask_shape(1, info.vocab_size), dtype=np.int32)
    for huge in (1 << 70, 1 << 62):
        with pytest.raises(xgr.UsageError):
            matcher.rollback(huge)
        with pytest.raises(xgr.UsageError):
            matcher.fill_next_token_bitmask(mask, huge)
        with pytest.raises(ValueError, match="negative"):
            matcher.rollback(-huge)
        with pytest.raises(xgr.UsageError):
            matcher.fill_next_token_bitmask(mask, -huge)
        assert not matcher.accept_token(huge)
