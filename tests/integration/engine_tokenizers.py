"""The tokenizers that the engines' own files are driven with.

One real fast tokenizer where transformers is there, and a small stand-in with the same methods.
Nothing is downloaded.
"""

from __future__ import annotations

import json
import warnings
from functools import lru_cache
from types import SimpleNamespace
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


def _alphabet() -> list[str]:
    """The characters that stand for the bytes, by byte."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x144))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


class SmallTokenizer:
    """A byte-level tokenizer of 280 tokens by its interface: needs no package, encodes greedily."""

    PIECES = (
        '{"', '":', '": "', '", "', "name", "age", "tags", " the", "ab", "12", "20", "}}", '"]',
        "<function", "city", "yes", "SELECT ", "é", "weather",
    )  # fmt: skip
    SPECIAL = ("<s>", "</s>", "<pad>")
    PLAIN_ADDED = ("<think>", "</think>")
    bos_token_id, eos_token_id = 256 + len(PIECES), 257 + len(PIECES)

    def __init__(self) -> None:
        alphabet = _alphabet()
        pieces = ["".join(alphabet[byte] for byte in piece.encode()) for piece in self.PIECES]
        self._spellings = [*alphabet, *pieces, *self.SPECIAL, *self.PLAIN_ADDED]
        self._bytes = [bytes([byte]) for byte in range(256)] + [p.encode() for p in self.PIECES]
        self._bytes += [text.encode() for text in (*self.SPECIAL, *self.PLAIN_ADDED)]
        first = 256 + len(pieces)
        self.added_tokens_decoder = {
            first + i: SimpleNamespace(content=text, special=text in self.SPECIAL)
            for i, text in enumerate((*self.SPECIAL, *self.PLAIN_ADDED))
        }

    @property
    def backend_tokenizer(self) -> Any:
        return SimpleNamespace(to_str=lambda: json.dumps({"decoder": {"type": "ByteLevel"}}))

    def __len__(self) -> int:
        return len(self._spellings)

    def get_vocab(self) -> dict[str, int]:
        return {spelling: i for i, spelling in enumerate(self._spellings)}

    def convert_tokens_to_ids(self, text: str) -> int:
        return self._spellings.index(text)

    def encode(self, text: str, *, add_special_tokens: bool = False) -> list[int]:
        del add_special_tokens
        data, ids = text.encode(), []
        while data:
            fitting = [
                i
                for i, token in enumerate(self._bytes[: self.bos_token_id])
                if data.startswith(token)
            ]
            ids.append(max(fitting, key=lambda i: len(self._bytes[i])))
            data = data[len(self._bytes[ids[-1]]) :]
        return ids
