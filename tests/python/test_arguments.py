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


def test_flags_and_numbers_are_not_guessed(info):
    compiler = xgr.GrammarCompiler(info)
    matcher = xgr.GrammarMatcher(compiler.compile_grammar('root ::= "a"+'))
    tree = [np.array([i], dtype=np.int64) for i in (-1, -1, 0)]
    mask = np.zeros(xgr.get_bitmask_shape(1, info.vocab_size), dtype=np.int32)
    flags = {
        "add_prefix_space": lambda v: xgr.TokenizerInfo(["a"], add_prefix_space=v),
        "any_whitespace": lambda v: xgr.Grammar.from_json_schema({}, any_whitespace=v),
        "strict_mode": lambda v: compiler.compile_json_schema({}, strict_mode=v),
        "any_order": lambda v: compiler.compile_json_schema({}, any_order=v),
        "cache_enabled": lambda v: xgr.GrammarCompiler(info, cache_enabled=v),
        "print_converted_ebnf": lambda v: xgr.Grammar.from_regex("a", print_converted_ebnf=v),
        "terminate_without_stop_token": lambda v: xgr.GrammarMatcher(
            compiler.compile_regex("a"), terminate_without_stop_token=v
        ),
        "deduplicate": lambda v: matcher.get_captures(deduplicate=v),
    }
    for name, call in flags.items():
        for value in (True, False, 0, np.bool_(False)):
            call(value)
        for wrong in ("no", "", None, 2, 0.0, []):
            with pytest.raises(TypeError, match=f"{name} must be a bool"):
                call(wrong)
    for wrong in ("1", None, True):
        with pytest.raises(TypeError, match="time_threshold must be a number"):
            matcher.traverse_draft_tree(*tree, mask, time_threshold=wrong)
    with pytest.raises(xgr.UsageError, match="time_threshold"):
        matcher.traverse_draft_tree(*tree, mask, time_threshold=float("nan"))
    with pytest.raises(TypeError, match="default_temperature must be a number, not bool"):
        xgr.GrammarMatcher(compiler.compile_regex("a"), default_temperature=True)


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
        batch = xgr.BatchGrammarMatcher(1)
        with pytest.raises(xgr.UsageError):
            batch.batch_fill_next_token_bitmask([matcher], mask, [huge])
        with pytest.raises(xgr.UsageError):
            batch.batch_rollback([matcher], huge)
        with pytest.raises(xgr.UsageError, match="max_whitespace_cnt must be at most"):
            xgr.Grammar.from_json_schema({}, max_whitespace_cnt=huge)
        with pytest.raises(xgr.UsageError):
            matcher.fill_next_token_bitmask(mask, -huge)
        assert not matcher.accept_token(huge)
