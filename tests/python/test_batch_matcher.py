"""BatchGrammarMatcher: calls over many matchers, in rows of one bitmask.

Guards numbers of threads, rows and their order, that nothing happens where a call is wrong, and
that errors name the matcher. That batches and single matchers write equal masks while other threads
work is tests/integration/test_threads.py, and tests/cpp/matcher/batch_test.cc under the thread
sanitizer's eyes.
"""

import pytest

import xgrammar as xgr
from tests.python.conftest import SMALL_VOCAB

np = pytest.importorskip("numpy", reason="numpy is not installed")

STOP = SMALL_VOCAB.index("</s>")
IDS = {token: i for i, token in enumerate(SMALL_VOCAB)}
WORDS = 2


def test_threads():
    assert xgr.BatchGrammarMatcher().max_threads >= 1
    assert xgr.BatchGrammarMatcher(1).max_threads == 1
    assert xgr.BatchGrammarMatcher(10**6).max_threads < 10**6
    for bad in (0, -1):
        with pytest.raises(RuntimeError):
            xgr.BatchGrammarMatcher(bad)
    with pytest.raises(ValueError, match="auto"):
        xgr.BatchGrammarMatcher("all")


def test_fill(make_matcher):
    matchers = [make_matcher(f'root ::= "{c}"') for c in "abcdefghijklmnopqrstuvwxyz"]
    batch = xgr.BatchGrammarMatcher(2)
    mask = np.full((30, WORDS), 7, np.int32)
    batch.batch_fill_next_token_bitmask(matchers, mask)
    single = np.zeros((30, WORDS), np.int32)
    for i, matcher in enumerate(matchers):
        matcher.fill_next_token_bitmask(single, i)
    assert (mask[:26] == single[:26]).all()
    assert (mask[26:] == 7).all()
    rows = [29 - i for i in range(26)]
    batch.batch_fill_next_token_bitmask(matchers, mask, rows)
    assert (mask[rows] == single[:26]).all()
    batch.batch_fill_next_token_bitmask([], mask)


def test_fill_errors(make_matcher):
    batch = xgr.BatchGrammarMatcher(2)
    a, b = make_matcher('root ::= "a"'), make_matcher('root ::= "b"')
    mask = np.zeros((2, WORDS), np.int32)
    for arguments in (
        ([a, b], mask, [0]),
        ([a, b], mask, [0, 2]),
        ([a, b], mask, [0, -1]),
        ([a, b], mask, [0, 0]),
        ([a, b], mask[:1]),
        ([a, a], mask),
        ([a, b], mask[0]),
        ([a, b], mask.astype(np.int64)),
    ):
        with pytest.raises(RuntimeError):
            batch.batch_fill_next_token_bitmask(*arguments)
    with pytest.raises(TypeError, match=r"matchers\[1\]"):
        batch.batch_fill_next_token_bitmask([a, None], mask)
    b.accept_string("b")
    b.accept_token(STOP)
    with pytest.raises(RuntimeError, match="1"):
        batch.batch_fill_next_token_bitmask([a, b], mask)


def test_accept_and_rollback(make_matcher):
    batch = xgr.BatchGrammarMatcher
    matchers = [make_matcher("root ::= [ab]*"), make_matcher("root ::= [b]*")]
    assert batch.batch_accept_token(matchers, [IDS["a"], IDS["a"]]) == [True, False]
    assert batch.batch_accept_string(matchers, ["ab", b"bb"]) == [True, True]
    with pytest.raises(RuntimeError):
        batch.batch_accept_token(matchers, [1])
    with pytest.raises(TypeError):
        batch.batch_accept_token(matchers, [IDS["a"], "x"])
    with pytest.raises(RuntimeError, match=r"matchers\[1\]"):
        batch.batch_rollback(matchers, [1, 2])
    assert [m.num_steps for m in matchers] == [2, 1]
    batch.batch_rollback(matchers, [2, 1])
    assert [m.num_steps for m in matchers] == [0, 0]
    with pytest.raises(ValueError, match="negative"):
        batch.batch_rollback(matchers, -1)


@pytest.mark.parametrize("caller", [xgr.BatchGrammarMatcher, xgr.BatchGrammarMatcher(2)])
def test_accept_through_class_and_instance(make_matcher, caller):
    """Enough rows for several threads, where the caller has them."""
    matchers = [make_matcher("root ::= [ab]*" if i % 3 else "root ::= [b]*") for i in range(200)]
    expected = [i % 3 != 0 for i in range(200)]
    assert caller.batch_accept_token(matchers, [IDS["a"]] * 200) == expected
    assert caller.batch_accept_string(matchers, ["aba"] * 200, debug_print=False) == expected
    assert [m.num_steps for m in matchers] == [2 * one for one in expected]
    with pytest.raises(RuntimeError, match=r"matchers\[1\] is in use"):
        caller.batch_accept_token([matchers[0]] * 2, [1, 1])
    with pytest.raises(TypeError, match=r"matchers\[199\]"):
        caller.batch_accept_token([*matchers[:-1], 5], [IDS["a"]] * 200)
    assert [m.num_steps for m in matchers] == [2 * one for one in expected]


def test_accept_in_a_subclass(make_matcher):
    class Counting(xgr.BatchGrammarMatcher):
        def batch_accept_token(self, matchers, tokens, debug_print=False):
            return [super().batch_accept_token(matchers, tokens, debug_print)]

    assert Counting(1).batch_accept_token([make_matcher('root ::= "a"')], [IDS["a"]]) == [[True]]


def test_indices_of_any_integers(make_matcher):
    matchers = [make_matcher('root ::= "a"'), make_matcher('root ::= "b"')]
    batch = xgr.BatchGrammarMatcher(1)
    for rows in ([2, 0], (2, 0), np.array([2, 0]), [np.int64(2), False], iter([2, 0])):
        mask = np.full((3, WORDS), 7, np.int32)
        batch.batch_fill_next_token_bitmask(matchers, mask, rows)
        assert (mask[1] == 7).all()
        assert mask[2, 0] == 1 << IDS["a"]
    for wrong in ([2, 0.5], [2, "0"], [2, np.array([0, 1])]):
        with pytest.raises(TypeError, match=r"indices\[1\] must be an integer, not"):
            batch.batch_fill_next_token_bitmask(matchers, mask, wrong)


def test_temperatures(make_matcher):
    matchers = [
        make_matcher('root ::= "a"', default_temperature=0.5),
        make_matcher('root ::= "a"'),
    ]
    values = np.zeros(3, np.float32)
    xgr.BatchGrammarMatcher.batch_fill_temperature(matchers, values, [2, 0])
    assert values.tolist() == [-1.0, 0.0, 0.5]
    for bad in (np.zeros(1, np.float32), np.zeros(3, np.float64)):
        with pytest.raises(RuntimeError):
            xgr.BatchGrammarMatcher.batch_fill_temperature(matchers, bad)
