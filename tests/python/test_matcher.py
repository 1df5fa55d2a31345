"""GrammarMatcher: accepting, masks in arrays of all kinds, rollback, forks and draft trees.

Guards the binding and its checks: types of token ids, shapes, strides and writability of bitmasks,
and that two threads on one matcher never crash. Whether masks are exact is tests/property;
sequences of calls are tests/property/test_laws.py; batches are test_batch_matcher.py.
"""

import array
import copy
import ctypes
import threading

import pytest

import xgrammar as xgr
from tests.python.conftest import SMALL_VOCAB

np = pytest.importorskip("numpy", reason="numpy is not installed")

STOP = SMALL_VOCAB.index("</s>")
IDS = {token: i for i, token in enumerate(SMALL_VOCAB)}
WORDS = 2


def mask_of(matcher):
    mask = np.zeros((1, WORDS), np.int32)
    matcher.fill_next_token_bitmask(mask)
    bits = np.unpackbits(mask.view(np.uint8), bitorder="little")
    return set(np.flatnonzero(bits).tolist())


def test_accept_and_stop(make_matcher):
    matcher = make_matcher('root ::= "abc"')
    assert mask_of(matcher) == {IDS["a"], IDS["ab"], IDS["abc"]}
    assert matcher.accept_token(IDS["ab"])
    assert not matcher.accept_token(STOP)
    assert not matcher.is_completed()
    assert matcher.accept_token(IDS["c"])
    assert matcher.is_completed()
    assert not matcher.is_terminated()
    assert mask_of(matcher) == {STOP}
    assert matcher.accept_token(STOP)
    assert matcher.is_terminated()
    assert matcher.is_completed()
    assert not matcher.accept_token(IDS["a"])
    assert not matcher.accept_string("")
    with pytest.raises(RuntimeError):
        mask_of(matcher)
    with pytest.raises(RuntimeError):
        matcher.find_jump_forward_string()
    matcher.rollback()
    assert not matcher.is_terminated()
    assert mask_of(matcher) == {STOP}


def test_token_id_types(make_matcher, capfd):
    matcher = make_matcher("root ::= [a-z]*")
    assert matcher.accept_token(np.int64(IDS["a"]))
    assert matcher.accept_token(token_id=np.uint8(IDS["a"]))
    for token in (-1, 64, 2**31, 2**70, -(2**70), 1, True):
        assert matcher.accept_token(token) is False
    for value in (1.0, "a", None, np.array(3), np.float32(3), [3]):
        with pytest.raises(TypeError, match="integer"):
            matcher.accept_token(value)
    assert matcher.num_steps == 2
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_accept_string(make_matcher):
    matcher = make_matcher('root ::= "é" [a-c]*')
    assert matcher.accept_string(b"\xc3")
    assert matcher.accept_string(bytearray(b"\xa9"))
    assert matcher.accept_string(memoryview(b"a"))
    assert not matcher.accept_string("bx")
    assert matcher.accept_string("")
    assert matcher.num_steps == 4
    matcher.rollback(1)
    assert matcher.accept_string("bc")
    for value in (None, 3, ["a"]):
        with pytest.raises(TypeError):
            matcher.accept_string(value)
    with pytest.raises(UnicodeEncodeError):
        matcher.accept_string("\ud800")


def test_debug_print_goes_to_stderr(make_matcher, capfd):
    matcher = make_matcher("root ::= [a-c]*")
    matcher.accept_token(IDS["a"], debug_print=True)
    matcher.accept_string("b", debug_print=True)
    matcher.fill_next_token_bitmask(np.zeros((1, WORDS), np.int32), debug_print=True)
    assert capfd.readouterr().err.count("\n") >= 3
    assert isinstance(matcher._debug_print_internal_state(), str)


def test_mask_agrees_with_accept(make_matcher):
    matcher = make_matcher('root ::= "{" ([a-c]+ ":" [0-9]+ ",")* "}" | "é"')
    for token in (None, "{", "ab", "c", ":", "1", ","):
        if token is not None:
            assert matcher.accept_token(IDS[token])
        allowed = mask_of(matcher)
        for i in range(64):
            assert matcher.fork().accept_token(i) == (i in allowed)


def test_mask_of_an_ambiguous_grammar():
    # Each token leaves to many sets whose items the automaton before them reads as well.
    words = [c * n for c in "ab1é日" for n in range(1, 11)]
    words += [(a + b + c) * 3 for a in "a1é" for b in "b.\n" for c in "b日"]
    tokenizer = xgr.TokenizerInfo([*words, "</s>"], stop_token_ids=[len(words)])
    grammar = "root ::= [a-z]? list\nlist ::= item*\nitem ::= root [a-b]* [^\\n]+"
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(tokenizer).compile_grammar(grammar))
    for text in ("", "b", "ab"):
        assert matcher.accept_string(text)
        mask = xgr.allocate_token_bitmask(1, tokenizer.vocab_size)
        matcher.fill_next_token_bitmask(mask)
        for token in range(tokenizer.vocab_size):
            is_allowed = bool(int(mask[0, token // 32]) >> (token % 32) & 1)
            assert is_allowed == matcher.fork().accept_token(token), (text, token)


def test_need_apply_flag():
    info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[])
    compiler = xgr.GrammarCompiler(info)
    mask = np.zeros((1, 1), np.int32)
    everything = xgr.GrammarMatcher(compiler.compile_grammar("root ::= [ab]*"))
    assert everything.fill_next_token_bitmask(mask) is False
    assert mask[0, 0] == -1
    some = xgr.GrammarMatcher(compiler.compile_grammar("root ::= [a]*"))
    assert some.fill_next_token_bitmask(mask) is True
    assert mask[0, 0] == 1


def test_bitmask_rows_and_strides(make_matcher):
    matcher = make_matcher("root ::= [a-z]*")
    expected = np.zeros((1, WORDS), np.int32)
    matcher.fill_next_token_bitmask(expected)
    wide = np.full((6, 5), 77, np.int32)
    matcher.fill_next_token_bitmask(wide[::2, 1:3], 1)
    assert (wide[2, 1:3] == expected[0]).all()
    wide[2, 1:3] = 77
    assert (wide == 77).all()
    reverse = np.full((3, WORDS), 77, np.int32)
    matcher.fill_next_token_bitmask(reverse[::-1], index=0)
    assert (reverse[2] == expected[0]).all()
    assert (reverse[:2] == 77).all()
    vector = array.array("i", [0, 0])
    matcher.fill_next_token_bitmask(vector)
    assert list(vector) == expected[0].tolist()
    matcher.fill_next_token_bitmask(memoryview(vector), np.int64(0))
    plain = (ctypes.c_int32 * WORDS)()  # its buffer names no strides
    matcher.fill_next_token_bitmask(plain)
    assert list(plain) == expected[0].tolist()


def test_bitmask_rows_that_share_memory_are_refused(make_matcher):
    shared = np.lib.stride_tricks.as_strided(np.zeros(WORDS + 2, np.int32), (3, WORDS), (4, 4))
    for rows in (shared, np.lib.stride_tricks.as_strided(shared, (3, WORDS), (0, 4))):
        with pytest.raises(xgr.UsageError, match="bitmask has rows that share memory"):
            make_matcher("root ::= [a-z]*").fill_next_token_bitmask(rows)


@pytest.mark.parametrize("dtype", ["V0", [], "S0"])
def test_bitmask_of_elements_without_a_size_is_refused(make_matcher, dtype):
    mask = np.ndarray((1, WORDS), dtype)
    with pytest.raises((xgr.UsageError, ValueError)):
        make_matcher("root ::= [a-z]*").fill_next_token_bitmask(mask)


@pytest.mark.parametrize(
    ("mask", "index", "error"),
    [
        (np.zeros((1, WORDS), np.uint32), 0, RuntimeError),
        (np.zeros((1, WORDS), np.int64), 0, RuntimeError),
        (np.zeros((1, WORDS), np.float32), 0, RuntimeError),
        (np.zeros((1, WORDS), ">i4"), 0, RuntimeError),
        (np.zeros((1, WORDS - 1), np.int32), 0, RuntimeError),
        (np.zeros((1, WORDS + 1), np.int32), 0, RuntimeError),
        (np.zeros((1, 1, WORDS), np.int32), 0, RuntimeError),
        (np.zeros((), np.int32), 0, RuntimeError),
        (np.zeros((2, WORDS), np.int32), 2, RuntimeError),
        (np.zeros((2, WORDS), np.int32), -1, RuntimeError),
        (np.zeros((0, WORDS), np.int32), 0, RuntimeError),
        (np.zeros(WORDS, np.int32), 1, RuntimeError),
        (np.zeros((3, 2 * WORDS), np.int32)[:, ::2], 0, RuntimeError),
        (b"12345678", 0, (RuntimeError, BufferError)),
        ([0, 0], 0, TypeError),
        (None, 0, TypeError),
        (np.zeros((1, WORDS), np.int32), "0", TypeError),
    ],
)
def test_bad_bitmasks(make_matcher, mask, index, error):
    matcher = make_matcher("root ::= [a-z]*")
    with pytest.raises(error):
        matcher.fill_next_token_bitmask(mask, index)
    assert matcher.num_steps == 0


def test_read_only_bitmask(make_matcher):
    mask = np.zeros((1, WORDS), np.int32)
    mask.flags.writeable = False
    with pytest.raises(BufferError):
        make_matcher("root ::= [a-z]*").fill_next_token_bitmask(mask)


@pytest.mark.torch
def test_torch_bitmasks(make_matcher):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    matcher = make_matcher("root ::= [a-z]*")
    expected = np.zeros(WORDS, np.int32)
    matcher.fill_next_token_bitmask(expected)
    mask = torch.full((6, WORDS + 1), 77, dtype=torch.int32)
    matcher.fill_next_token_bitmask(mask[::2, 1:], 2)
    assert mask[4, 1:].tolist() == expected.tolist()
    assert (mask != 77).sum() == len([word for word in expected if word != 77])
    vector = torch.zeros(WORDS, dtype=torch.int32)
    matcher.fill_next_token_bitmask(vector)
    assert vector.tolist() == expected.tolist()
    for bad in (
        torch.zeros((1, WORDS)),
        torch.zeros((1, WORDS), dtype=torch.int64),
        torch.zeros((3, 2 * WORDS), dtype=torch.int32)[:, ::2],
        torch.zeros((1, WORDS), dtype=torch.int32, device="meta"),
    ):
        with pytest.raises(RuntimeError):
            matcher.fill_next_token_bitmask(bad)
    with pytest.raises(TypeError):
        matcher.accept_token(torch.tensor(3))


def test_rollback_and_reset(make_matcher):
    matcher = make_matcher("root ::= [a-c]+")
    for token in "abc":
        assert matcher.accept_token(IDS[token])
    matcher.rollback(0)
    with pytest.raises(RuntimeError, match=r"4.*3"):
        matcher.rollback(4)
    assert matcher.num_steps == 3
    with pytest.raises(ValueError, match="negative"):
        matcher.rollback(-1)
    with pytest.raises(TypeError):
        matcher.rollback("1")
    matcher.rollback(num_tokens=2)
    assert matcher.num_steps == 1
    matcher.reset()
    assert matcher.num_steps == 0
    with pytest.raises(RuntimeError):
        matcher.rollback()


@pytest.mark.parametrize("clone", [lambda m: m.fork(), copy.copy, copy.deepcopy])
def test_forks_are_independent(make_matcher, clone):
    matcher = make_matcher('root ::= "a" ("b" | "c")', default_temperature=0.5)
    matcher.accept_token(IDS["a"])
    other = clone(matcher)
    assert type(other) is xgr.GrammarMatcher
    assert other.accept_token(IDS["b"])
    assert matcher.accept_token(IDS["c"])
    other.rollback(2)
    assert other.num_steps == 0
    assert matcher.num_steps == 2
    assert other.temperature == 0.5


def test_fork_of_a_subclass(compiler):
    class Mine(xgr.GrammarMatcher):
        pass

    matcher = Mine(compiler.compile_regex("a"))
    matcher.note = "kept"
    assert type(matcher.fork()) is Mine
    assert matcher.fork().note == "kept"


def test_jump_forward(make_matcher):
    matcher = make_matcher('root ::= "abc" ("d" | "é")')
    assert matcher.find_jump_forward_string() == "abc"
    assert matcher.find_jump_forward_tokens() == [IDS["abc"]]
    assert matcher.accept_string("abc")
    assert matcher.find_jump_forward_string() == ""
    assert matcher.find_jump_forward_tokens() == []
    assert make_matcher('root ::= "ab" [a-z]*').find_jump_forward_string() == "ab"


def test_terminate_without_stop_token(make_matcher):
    matcher = make_matcher('root ::= "a"*', terminate_without_stop_token=True)
    assert matcher.is_terminated()
    assert mask_of(matcher) == {IDS["a"]}
    assert matcher.accept_token(IDS["a"])
    assert not matcher.accept_token(STOP)
    full = make_matcher('root ::= "a"', terminate_without_stop_token=True)
    assert full.accept_token(IDS["a"])
    assert full.is_terminated()
    assert mask_of(full) == set()
    assert full.find_jump_forward_string() == ""


def test_override_stop_tokens(make_matcher):
    grammar = 'root ::= "a"'
    for override in (IDS["z"], [IDS["z"]], (IDS["z"],), {IDS["z"]}):
        matcher = make_matcher(grammar, override_stop_tokens=override)
        assert matcher.stop_token_ids == [IDS["z"]]
        matcher.accept_token(IDS["a"])
        assert mask_of(matcher) == {IDS["z"]}
        assert not matcher.accept_token(STOP)
        assert matcher.accept_token(IDS["z"])
    for bad in ([], [64], -1, [2**70]):
        with pytest.raises(RuntimeError):
            make_matcher(grammar, override_stop_tokens=bad)


def test_constructor_arguments(compiler):
    compiled = compiler.compile_regex("a")
    with pytest.raises(ValueError, match="CompiledGrammar"):
        xgr.GrammarMatcher("a")
    with pytest.warns(DeprecationWarning, match="no limit"):
        matcher = xgr.GrammarMatcher(compiled, max_rollback_tokens=5)
    assert matcher.max_rollback_tokens == -1
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(RuntimeError):
            xgr.GrammarMatcher(compiled, default_temperature=bad)
    assert matcher.temperature is None
    assert matcher.get_captures() == []
    assert matcher.get_captures(deduplicate=False) == []
    assert matcher.limit_error is None
    assert "running" in repr(matcher)


def test_two_threads_on_one_matcher_never_crash(make_matcher):
    matcher = make_matcher("root ::= [a-z]* | [0-9]*")
    refused = []

    def work():
        mask = np.zeros((1, WORDS), np.int32)
        for i in range(500):
            try:
                matcher.fill_next_token_bitmask(mask)
                matcher.accept_string("abc" * 50)
                if i % 10 == 0:
                    matcher.reset()
            except RuntimeError as error:
                refused.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use" in str(error) for error in refused)
    matcher.reset()
    assert matcher.accept_token(IDS["a"])


def test_draft_tree(make_matcher):
    # Root with children "a" and "x"; "a" has the child "b", which has the stop token below it.
    matcher = make_matcher('root ::= "a" "b"', default_temperature=0.25)
    tokens = np.array([0, IDS["a"], IDS["x"], IDS["b"], STOP], np.int64)
    next_token = np.array([1, 3, -1, 4, -1], np.int64)
    next_sibling = np.array([-1, 2, -1, -1, -1], np.int64)
    mask = np.full((5, WORDS), 7, np.int32)
    temperatures = np.zeros(5, np.float32)
    assert matcher.traverse_draft_tree(
        next_token, next_sibling, tokens, mask, temperatures=temperatures
    )
    rows = [
        set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist())
        for row in mask
    ]
    assert rows == [{IDS["a"], IDS["ab"]}, {IDS["b"]}, set(), {STOP}, set()]
    assert temperatures[:4].tolist() == [0.25, 0.25, -1.0, 0.25]
    assert matcher.num_steps == 0


def test_captures_follow_the_history(make_matcher):
    matcher = make_matcher('root ::= "a" x\nx[capture="n", temperature=0.5] ::= [ab]*')
    assert (matcher.temperature, matcher.get_captures()) == (None, [])
    assert matcher.accept_token(IDS["ab"])
    fork = matcher.fork()
    assert fork.accept_string("a")
    assert fork.get_captures() == [("n", b"ba")]
    assert fork.get_captures(deduplicate=False) == [("n", b"ba")]
    assert matcher.get_captures() == [("n", b"b")]
    assert matcher.temperature == 0.5
    matcher.rollback()
    assert (matcher.temperature, matcher.get_captures()) == (None, [])
    fork.reset()
    assert fork.get_captures() == []


def test_draft_tree_with_temperatures_of_the_grammar(make_matcher):
    matcher = make_matcher('root ::= "a" x\nx[temperature=0.5] ::= "b"', default_temperature=0.25)
    tokens = np.array([0, IDS["a"], IDS["x"], IDS["b"]], np.int64)
    next_token = np.array([1, 3, -1, -1], np.int64)
    next_sibling = np.array([-1, 2, -1, -1], np.int64)
    temperatures = np.zeros(4, np.float32)
    mask = np.zeros((4, WORDS), np.int32)
    assert matcher.traverse_draft_tree(
        next_token, next_sibling, tokens, mask, temperatures=temperatures
    )
    assert temperatures.tolist() == [0.25, 0.5, -1.0, 0.25]
    assert matcher.get_captures() == []


def test_draft_tree_errors(make_matcher):
    matcher = make_matcher('root ::= "a" "b"')
    ok = np.array([-1, -1], np.int64)
    mask = np.zeros((2, WORDS), np.int32)
    for arguments in (
        (ok.astype(np.int32), ok, ok, mask),
        (ok, ok[:1], ok, mask),
        (ok, ok, ok, mask[:1]),
        (ok, ok, ok, mask.astype(np.float32)),
        (np.array([2, -1]), ok, ok, mask),
        (np.array([-2, -1]), ok, ok, mask),
        (np.array([1, 1]), ok, ok, mask),
        (np.array([0, -1]), ok, ok, mask),
        (ok, ok, ok, mask, -1.0, np.zeros(3, np.float32)),
        (ok, ok, ok, mask, -1.0, np.zeros(2, np.float64)),
    ):
        with pytest.raises(RuntimeError):
            matcher.traverse_draft_tree(*arguments)
    with pytest.raises(TypeError):
        matcher.traverse_draft_tree([1], ok, ok, mask)
