"""Laws for random grammars and random calls: text round trip, algebra, history, forks, threads.

Grammars come from Hypothesis as EBNF text over two letters; the naive model of a matcher is a list
of oracle charts.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import xgrammar as xgr
from tests.property import earley_oracle
from tests.property.harness import Vocabulary, compile_or_none, mask_of

VOCABULARY = Vocabulary([b"a", b"b", b"ab", b"ba", b"bb", b"aab", b"", b"</s>"], [7], padding=1)
STRINGS = [
    "".join(letters) for length in range(6) for letters in itertools.product("ab", repeat=length)
]
LEAVES = st.sampled_from(['"a"', '"b"', '"ab"', '""', "[ab]", "[^b-\\U0010ffff]", "root", "x", "y"])
FEW = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)


def grow(inner):
    quantifiers = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}"])
    return st.one_of(
        st.tuples(inner, quantifiers).map(lambda p: f"({p[0]}){p[1]}"),
        st.lists(inner, min_size=2, max_size=3).map(lambda p: "(" + " ".join(p) + ")"),
        st.lists(inner, min_size=2, max_size=3).map(lambda p: "(" + " | ".join(p) + ")"),
    )


BODIES = st.recursive(LEAVES, grow, max_leaves=6)
GRAMMARS = st.tuples(BODIES, BODIES, BODIES).map(
    lambda b: f"root ::= {b[0]}\nx ::= {b[1]}\ny ::= {b[2]}\n"
)


def sentences(chart):
    """Which of the short strings are in the language."""
    if chart is None:
        return set()
    found = {text: chart.advance(text.encode()) for text in STRINGS}
    return {text for text, after in found.items() if after is not None and after.completed}


def accepted(grammar):
    """The same, asked of the library."""
    try:
        compiled = xgr.GrammarCompiler(VOCABULARY.info, max_threads=1).compile_grammar(grammar)
    except xgr.exception.UnsatisfiableGrammarError:
        return set()
    result = set()
    for text in STRINGS:
        matcher = xgr.GrammarMatcher(compiled)
        if matcher.accept_string(text) and matcher.is_completed():
            result.add(text)
    return result


@FEW
@given(GRAMMARS)
def test_language_and_round_trip(text):
    grammar = xgr.Grammar.from_ebnf(text)
    expected = sentences(earley_oracle.start(text))
    assert accepted(grammar) == expected
    printed = str(grammar)
    assert sentences(earley_oracle.start(printed)) == expected, printed
    again = xgr.Grammar.from_ebnf(printed)
    assert str(again) == printed
    assert accepted(again) == expected
    assert accepted(xgr.Grammar.deserialize_json(grammar.serialize_json())) == expected


@FEW
@given(GRAMMARS, GRAMMARS)
def test_union_and_concat(left_text, right_text):
    left, right = xgr.Grammar.from_ebnf(left_text), xgr.Grammar.from_ebnf(right_text)
    in_left, in_right = (
        sentences(earley_oracle.start(left_text)),
        sentences(earley_oracle.start(right_text)),
    )
    union, concat = xgr.Grammar.union(left, right), xgr.Grammar.concat(left, right)
    assert accepted(union) == accepted(left | right) == in_left | in_right
    both = {a + b for a in in_left for b in in_right}
    assert accepted(concat) == accepted(left + right) == both & set(STRINGS)
    assert sentences(earley_oracle.start(str(union))) == in_left | in_right


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("token"), st.integers(-1, VOCABULARY.size)),
        st.tuples(st.just("string"), st.sampled_from(["", "a", "b", "ab", "ba", "aab", "</s>"])),
        st.tuples(st.just("rollback"), st.integers(0, 3)),
        st.tuples(st.just("fork"), st.booleans()),
        st.tuples(st.just("reset"), st.none()),
        st.tuples(st.just("look"), st.none()),
    ),
    max_size=25,
)


class Model:
    """What a matcher should do: a list of (chart, stopped), the last being the present."""

    def __init__(self, chart):
        self.states = [(chart, False)]

    def token(self, token):
        chart, stopped = self.states[-1]
        if stopped or not 0 <= token < VOCABULARY.size or not VOCABULARY.expected(chart)[token]:
            return False
        if token in VOCABULARY.stop_ids:
            self.states.append((chart, True))
        else:
            self.states.append((chart.advance(VOCABULARY.tokens[token]), False))
        return True

    def string(self, text):
        chart, stopped = self.states[-1]
        after = None if stopped else chart.advance(text.encode())
        if after is None:
            return False
        self.states.append((after, False))
        return True


def look(matcher, model):
    chart, stopped = model.states[-1]
    assert matcher.is_terminated() == stopped
    assert matcher.is_completed() == chart.completed
    if stopped:
        with pytest.raises(RuntimeError):
            mask_of(matcher, VOCABULARY.size)
    else:
        assert mask_of(matcher, VOCABULARY.size) == VOCABULARY.expected(chart)
        assert matcher.find_jump_forward_string().encode() == chart.forced()


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(GRAMMARS, OPERATIONS)
def test_history_against_a_naive_model(text, operations):
    chart = earley_oracle.start(text)
    assume(chart is not None)
    compiled = compile_or_none(text, VOCABULARY)
    matcher, model = xgr.GrammarMatcher(compiled), Model(chart)
    set_aside = []
    for name, value in operations:
        if name == "token":
            assert matcher.accept_token(value) == model.token(value)
        elif name == "string":
            assert matcher.accept_string(value) == model.string(value)
        elif name == "rollback":
            if value < len(model.states):
                matcher.rollback(value)
                del model.states[len(model.states) - value :]
            else:
                with pytest.raises(RuntimeError):
                    matcher.rollback(value)
        elif name == "fork":
            fork, fork_model = matcher.fork(), Model(None)
            fork_model.states = list(model.states)
            set_aside.append((matcher, model) if value else (fork, fork_model))
            matcher, model = (fork, fork_model) if value else (matcher, model)
        elif name == "reset":
            matcher.reset()
            del model.states[1:]
        else:
            look(matcher, model)
    for pair in [(matcher, model), *set_aside]:
        look(*pair)


@FEW
@given(GRAMMARS, st.lists(st.sampled_from([0, 1, 2, 3, 4, 5]), max_size=8))
def test_caches_and_threads_do_not_change_masks(text, tokens):
    assume(earley_oracle.start(text) is not None)
    cold = compile_or_none(text, VOCABULARY)
    shared = compile_or_none(text, VOCABULARY)

    def walk(compiled):
        matcher, masks = xgr.GrammarMatcher(compiled), []
        for token in tokens:
            masks.append(mask_of(matcher, VOCABULARY.size))
            matcher.accept_token(token)
        return masks

    expected = walk(cold)
    with ThreadPoolExecutor(4) as pool:
        assert all(masks == expected for masks in pool.map(walk, [shared] * 8))
    assert walk(cold) == expected
