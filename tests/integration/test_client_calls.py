"""Call patterns of the serving engines, as their adapters write them.

In the order and with the arguments of the adapters: validation, batches with slots, rollback after
drafts, forced text. Recorded calls of the real files are test_recorded_calls.py, the files
themselves test_vllm.py and test_sglang.py.
"""

from __future__ import annotations

import json

import pytest

import xgrammar as xgr
from tests.integration import serving

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def test_first_engine():
    """Metadata round trip with marker texts blanked, keyword arguments, masks filled by row,
    bookkeeping by the caller.
    """
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"<tool>", b"</s>"]
    full = xgr.TokenizerInfo(
        encoded_vocab=vocabulary,
        vocab_type=xgr.VocabType.RAW,
        vocab_size=320,
        stop_token_ids=[257],
        add_prefix_space=True,
    )
    blanked = [
        "" if token in (b"<tool>", b"</s>") else chr(token[0]) if token[0] < 128 else "?"
        for token in vocabulary
    ]
    plain = xgr.TokenizerInfo.from_vocab_and_metadata(blanked, full.dump_metadata())
    assert plain.stop_token_ids == [257]
    assert plain.vocab_size == 320
    compiler = xgr.GrammarCompiler(
        plain, max_threads=8, cache_enabled=True, cache_limit_bytes=512 * 1024 * 1024
    )
    context = compiler.compile_json_schema(
        json.dumps(serving.SCHEMA), any_whitespace=False, separators=(",", ":")
    )
    with pytest.warns(DeprecationWarning, match="rollback"):
        matcher = xgr.GrammarMatcher(context, override_stop_tokens=None, max_rollback_tokens=4)
    mask = xgr.allocate_token_bitmask(4, plain.vocab_size)
    logits = torch.zeros((4, 320), dtype=torch.float32)
    for token in b'{"name":"x"}':
        mask.fill_(-1)
        matcher.fill_next_token_bitmask(mask, 2)
        assert (mask[[0, 1, 3]] == -1).all()
        logits.zero_()
        xgr.apply_token_bitmask_inplace(logits, mask, indices=[2])
        assert logits[2, token] == 0
        assert (logits[2] == float("-inf")).any()
        assert (logits[[0, 1, 3]] == 0).all()
        assert matcher.accept_token(token)
    matcher.rollback(2)
    assert matcher.accept_token(ord('"'))
    assert matcher.accept_token(ord("}"))
    assert matcher.accept_token(257)
    assert matcher.is_terminated()
    matcher.reset()
    assert not matcher.is_terminated()


def test_first_engine_validates_requests_before_compiling():
    for build, good, bad in (
        (xgr.Grammar.from_json_schema, {"type": "object"}, {"type": "nonsense"}),
        (xgr.Grammar.from_regex, "a+", "(a"),
        (xgr.Grammar.from_ebnf, 'root ::= "a"', "root ::= nothing"),
    ):
        assert build(good)
        with pytest.raises(RuntimeError):
            build(bad)


def test_second_engine():
    """Jump-forward, masks in a slice view of the batch's mask, string of the grammar."""
    info = serving.tokenizer_info(extra=40)
    compiler = xgr.GrammarCompiler(tokenizer_info=info)
    context = compiler.compile_json_schema(
        schema=json.dumps(serving.SCHEMA), any_whitespace=True, max_whitespace_cnt=2
    )
    assert "root ::=" in str(context.grammar)
    with pytest.warns(DeprecationWarning, match="rollback"):
        matcher = xgr.GrammarMatcher(
            context, max_rollback_tokens=200, override_stop_tokens=info.stop_token_ids
        )
    batch = torch.full((3 * 4, (info.vocab_size + 31) // 32), -1, dtype=xgr.bitmask_dtype)
    assert tuple(batch.shape) == xgr.get_bitmask_shape(12, info.vocab_size)
    view = batch[4:8]
    matcher.fill_next_token_bitmask(view, 0)
    assert (batch[:4] == -1).all()
    assert (batch[8:] == -1).all()
    assert not (view[0] == -1).all()
    text = ""
    assert matcher.accept_token(ord("{"))
    text += "{"
    for token in serving.tokenize(info, '"name": "x"}'):
        assert matcher.accept_token(token)
    assert matcher.find_jump_forward_string() == ""
    matcher.rollback(1)
    logits = torch.zeros(info.vocab_size, dtype=torch.float32)
    row = torch.zeros((1, view.shape[1]), dtype=torch.int32)
    matcher.fill_next_token_bitmask(row, 0)
    xgr.apply_token_bitmask_inplace(logits, row, backend="cpu")
    allowed = torch.isfinite(logits).nonzero().flatten().tolist()
    assert all(matcher.fork().accept_token(token) for token in allowed)
    with pytest.raises(RuntimeError):
        compiler.compile_regex("(")
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0


def test_forced_text_is_found_and_retokenized():
    info = serving.tokenizer_info()
    compiled = xgr.GrammarCompiler(info).compile_json_schema(serving.SCHEMA, any_whitespace=False)
    matcher = xgr.GrammarMatcher(compiled)
    forced = matcher.find_jump_forward_string()
    assert forced == '{"name": "'
    for token in matcher.find_jump_forward_tokens():
        assert matcher.accept_token(token)
    assert forced.startswith("{")


def test_numpy_and_torch_masks_are_equal():
    info = serving.tokenizer_info()
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_builtin_json_grammar())
    tensor, array = xgr.allocate_token_bitmask(1, info.vocab_size), serving.new_row(info)
    matcher.fill_next_token_bitmask(tensor)
    matcher.fill_next_token_bitmask(array)
    assert (tensor.numpy() == array).all()
