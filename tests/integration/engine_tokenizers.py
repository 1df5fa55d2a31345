"""The tokenizer that the engines' own files are driven with."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Any

import pytest

from tests.python.real_tokenizers import deepseek_json


@lru_cache
def fast_tokenizer() -> Any:
    """A tokenizer of 129,280 tokens in the class that the engines get from transformers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        transformers = pytest.importorskip("transformers", reason="needs the package transformers")
        return transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(deepseek_json()),
            bos_token="<｜begin▁of▁sentence｜>",  # noqa: RUF001
            eos_token="<｜end▁of▁sentence｜>",  # noqa: RUF001
        )
