"""Reading tokenizer objects without importing the packages they come from.

An object of transformers, tiktoken or sentencepiece can only exist if its package is loaded, so the
classes are looked up in `sys.modules`.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any, NamedTuple

from . import _core
from ._integers import integer
from .exception import UsageError

_log = logging.getLogger(__name__)

_RAW, _BYTE_FALLBACK, _BYTE_LEVEL = 0, 1, 2
_SPACE_MARKER = "\u2581"
# Classes whose `get_vocab` is known to return what their backend's `id_to_token` tells one by one.
_PLAIN_GET_VOCAB = ("PreTrainedTokenizerFast.get_vocab", "TokenizersBackend.get_vocab")
# Asking for each id is worth it while not too many of them have no token.
_MAX_EMPTY_SHARE = 2


class ReadTokenizer(NamedTuple):
    """What a tokenizer object says about itself; the fields are those of `TokenizerInfo`."""

    encoded_vocab: list[str | bytes]
    vocab_type: int
    add_prefix_space: bool
    stop_token_ids: list[int] | None
    special_token_ids: list[int]


def read_tokenizer(tokenizer: Any, vocab_size: int | None) -> ReadTokenizer:
    """Read vocabulary and kind of a tokenizer object.

    Raises
    ------
    ValueError
        It has no vocabulary, or is of an unknown kind.
    UsageError
        `vocab_size` is negative.
    """
    get_vocab = getattr(tokenizer, "get_vocab", None)
    if get_vocab is None:
        raise ValueError(
            f"Unsupported tokenizer type: {type(tokenizer).__name__} has no method get_vocab"
        )
    size = integer("vocab_size", vocab_size) if vocab_size is not None else 0
    if size < 0:
        raise UsageError(f"vocab_size must not be negative, but is {size}")
    backend = _fast_backend(tokenizer)
    encoded = spellings = _tokens_by_id(tokenizer, backend, size)
    if encoded is None or spellings is None:
        vocab: dict[str | bytes, int] = get_vocab()
        encoded, spellings = _tokens_by_text(vocab, size), list(vocab)
    if backend is not None:
        vocab_type, add_prefix_space = _kind_of_fast(backend, spellings)
        stops = _eos_token_ids(tokenizer)
    elif _is_tiktoken(tokenizer):
        vocab_type, add_prefix_space = _kind_of_tiktoken(tokenizer), False
        stops = _eos_token_ids(tokenizer)
    elif (model := _sentencepiece_model(tokenizer)) is not None:
        vocab_type = _BYTE_FALLBACK if "<0x0A>" in spellings else _RAW
        add_prefix_space = True
        stops = _eos_token_ids(tokenizer)
        if model.eos_id() != -1:
            stops = [*(stops or []), model.eos_id()]
    else:
        raise ValueError(f"Unsupported tokenizer type: {type(tokenizer).__name__}")
    specials = [i for i in _special_added_tokens(tokenizer, backend) if 0 <= i < len(encoded)]
    return ReadTokenizer(encoded, vocab_type, add_prefix_space, stops, specials)


def _tokens_by_text(vocab: dict[str | bytes, int], size: int) -> list[str | bytes]:
    if size == 0:
        size = max(len(vocab), max(vocab.values(), default=-1) + 1)
    encoded: list[str | bytes] = [""] * size
    for token, token_id in vocab.items():
        if 0 <= token_id < size:
            encoded[token_id] = token
    return encoded


def _tokens_by_id(tokenizer: Any, backend: Any, size: int) -> list[str | bytes] | None:
    """Read the vocabulary of a `tokenizers.Tokenizer` id by id, or return None.

    This takes less time than `get_vocab`, which copies a hash table into a dictionary in the
    order of its hashes. It needs the exact types: a class may have a `get_vocab` of its own, which
    then decides.
    """
    if not _is_instance_of(backend, "tokenizers", "Tokenizer"):
        return None
    if tokenizer is backend:
        is_plain = type(tokenizer).__module__.partition(".")[0] == "tokenizers"
    else:
        method = getattr(type(tokenizer), "get_vocab", None)
        is_plain = (
            getattr(method, "__qualname__", "") in _PLAIN_GET_VOCAB
            and getattr(method, "__module__", "").partition(".")[0] == "transformers"
            and "get_vocab" not in getattr(tokenizer, "__dict__", {})
        )
    if not is_plain:
        return None
    count = backend.get_vocab_size(with_added_tokens=True)
    size = size or count
    # The kind is found by the whole vocabulary, and the ids of a sparse one go beyond the count.
    if not count <= size <= count * _MAX_EMPTY_SHARE or backend.id_to_token(count) is not None:
        return None
    tokens = list(map(backend.id_to_token, range(count)))
    if None in tokens:
        return None
    return tokens + [""] * (size - count)


def _eos_token_ids(tokenizer: Any) -> list[int] | None:
    eos = getattr(tokenizer, "eos_token_id", None)
    if eos is None:
        return None
    return [int(eos)] if not isinstance(eos, (list, tuple)) else [int(i) for i in eos]


def _special_added_tokens(tokenizer: Any, backend: Any) -> list[int]:
    """Ids of added tokens that carry the flag `special`."""
    for owner in (backend, tokenizer):
        get = getattr(owner, "get_added_tokens_decoder", None)
        added = get() if get is not None else getattr(owner, "added_tokens_decoder", None)
        if isinstance(added, dict):
            return sorted(int(i) for i, token in added.items() if getattr(token, "special", False))
    return []


def _fast_backend(tokenizer: Any) -> Any:
    """Return the `tokenizers.Tokenizer` of a fast tokenizer, or None."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    for candidate in (backend, tokenizer):
        if candidate is not None and hasattr(candidate, "to_str"):
            return candidate
    return None


def _component(backend: Any, name: str) -> dict[str, Any]:
    """Return one part of the JSON form of a fast tokenizer.

    The parts of a `tokenizers.Tokenizer` pickle as their JSON, which avoids writing and parsing the
    whole vocabulary; other objects are asked for all of it.
    """
    if hasattr(backend, name):
        part = getattr(backend, name)
        if part is None:
            return {}
        get_state = getattr(part, "__getstate__", None)
        try:
            state = json.loads(get_state()) if get_state is not None else None
        except Exception:  # noqa: BLE001 - parts written in Python have no JSON form.
            state = None
        if isinstance(state, dict):
            return state
    try:
        whole = json.loads(backend.to_str())
    except Exception:  # noqa: BLE001 - as above.
        return {}
    part = whole.get(name) if isinstance(whole, dict) else None
    return part if isinstance(part, dict) else {}


def _members(part: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the part itself or, for a sequence, its members."""
    if part.get("type") != "Sequence":
        return [part]
    return [member for member in part.get(key, []) if isinstance(member, dict)]


def _kind_of_fast(backend: Any, spellings: list[str | bytes]) -> tuple[int, bool]:
    decoder = _component(backend, "decoder")
    if not decoder:
        _log.warning("The tokenizer has no decoder; its vocabulary is taken as it is")
    declared = _RAW
    for member in _members(decoder, "decoders"):
        if member.get("type") in ("ByteLevel", "ByteFallback"):
            declared = _BYTE_LEVEL if member["type"] == "ByteLevel" else _BYTE_FALLBACK
            break
    seen = _core.kind_of_vocabulary(spellings)
    if seen is not None and seen != declared:
        return seen, _puts_space_first(backend, seen)
    return declared, _declares_prefix_space(backend)


def _declares_prefix_space(backend: Any) -> bool:
    for member in _members(_component(backend, "normalizer"), "normalizers"):
        if member.get("type") == "Prepend" and member.get("prepend") == _SPACE_MARKER:
            return True
    pre_tokenizer = _component(backend, "pre_tokenizer")
    return pre_tokenizer.get("type") == "Metaspace" and pre_tokenizer.get("prepend_scheme") in (
        "always",
        "first",
    )


def _puts_space_first(backend: Any, vocab_type: int) -> bool:
    try:
        first = backend.encode("a", add_special_tokens=False).tokens[0]
    except Exception:  # noqa: BLE001 - a tokenizer that cannot encode says nothing.
        return False
    return bool(first.startswith(_SPACE_MARKER if vocab_type == _BYTE_FALLBACK else "\u0120"))


def _is_instance_of(value: Any, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _is_tiktoken(tokenizer: Any) -> bool:
    if _is_instance_of(getattr(tokenizer, "tokenizer", None), "tiktoken", "Encoding"):
        return True
    names = getattr(tokenizer, "vocab_files_names", None)
    vocab_file = names.get("vocab_file") if isinstance(names, dict) else None
    return isinstance(vocab_file, str) and "tiktoken" in vocab_file


def _kind_of_tiktoken(tokenizer: Any) -> int:
    try:
        pieces = tokenizer.convert_ids_to_tokens(tokenizer.encode(" "))
    except Exception:  # noqa: BLE001 - wrappers differ in what they offer.
        return _RAW
    return _BYTE_LEVEL if pieces and pieces[0] == "\u0120" else _RAW


def _sentencepiece_model(tokenizer: Any) -> Any:
    inner = getattr(tokenizer, "tokenizer", None)
    candidates = (
        getattr(tokenizer, "sp_model", None),
        getattr(inner, "sp_model", None),
        getattr(tokenizer, "tok", None),
    )
    for candidate in candidates:
        if _is_instance_of(candidate, "sentencepiece", "SentencePieceProcessor"):
            return candidate
    return None
