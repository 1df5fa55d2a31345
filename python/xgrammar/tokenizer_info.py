"""Tokenizers as the engine sees them: token bytes, stop tokens and special tokens."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from . import _core
from ._arguments import flag
from ._integers import integer, integers
from ._serialization import load_object, pack, unpack
from .exception import DeserializeFormatError, UsageError, XGrammarError

if TYPE_CHECKING:
    from typing import TypeGuard

__all__ = ["TokenizerInfo", "VocabType"]

_METADATA_TYPES: dict[str, tuple[type, ...]] = {
    "vocab_type": (int,),
    "vocab_size": (int,),
    "add_prefix_space": (bool,),
    "stop_token_ids": (list,),
}


class VocabType(Enum):
    """How the spellings of a vocabulary stand for bytes."""

    RAW = 0
    """The spelling itself."""
    BYTE_FALLBACK = 1
    """``<0x0A>`` is one byte, U+2581 a space (SentencePiece with byte fallback)."""
    BYTE_LEVEL = 2
    """Each character is one byte by the table of GPT-2."""


class TokenizerInfo:
    """The vocabulary of a model; immutable, may be shared by any number of threads.

    Ids without text, padding ids and the ids of `special_token_ids` are special: no text of a
    grammar ever matches them. Stop tokens end the output.

    Parameters
    ----------
    encoded_vocab : list of str or bytes
        The spelling of each token; the index is its id.
    vocab_type : VocabType or int
        How spellings stand for bytes.
    vocab_size : int or None
        Number of ids, at least as many as tokens; the rest is padding. None means the number of
        tokens.
    stop_token_ids : iterable of int, int or None
        Ids that end the output. None finds them by their text; an empty list means none.
    add_prefix_space : bool
        Whether the tokenizer puts a space before the text.
    special_token_ids : iterable of int or None
        More ids that text never matches.

    Raises
    ------
    TypeError
        `encoded_vocab` is not a list or tuple of str and bytes.
    UsageError
        `vocab_size` is less than the number of tokens.
    ValueError
        An unknown `vocab_type`, or a special id outside the vocabulary.

    Warns
    -----
    UserWarning
        Stop tokens outside the vocabulary are dropped.

    Examples
    --------
    >>> TokenizerInfo(["a", b"b", "</s>"]).stop_token_ids
    [2]
    """

    __slots__ = ("__weakref__", "_decoded_vocab", "_handle")
    _handle: _core.TokenizerInfo
    _decoded_vocab: list[bytes] | None

    def __init__(
        self,
        encoded_vocab: Sequence[str | bytes],
        vocab_type: VocabType | int = VocabType.RAW,
        *,
        vocab_size: int | None = None,
        stop_token_ids: Iterable[int] | int | None = None,
        add_prefix_space: bool = False,
        special_token_ids: Iterable[int] | None = None,
    ) -> None:
        if not isinstance(encoded_vocab, (list, tuple)):
            raise TypeError(
                f"encoded_vocab must be a list of str or bytes, not {type(encoded_vocab).__name__}"
            )
        size = None if vocab_size is None else integer("vocab_size", vocab_size)
        if size is not None and size >= 1 << 62:
            raise UsageError(f"vocab_size {size} is too large")
        stops = id_list("stop_token_ids", stop_token_ids)
        specials = id_list("special_token_ids", special_token_ids) or []
        num_ids = len(encoded_vocab) if size is None else size
        if stops is not None:
            stops = _known_stop_tokens(stops, num_ids)
        for token_id in specials:
            if not 0 <= token_id < num_ids:
                raise ValueError(
                    f"special_token_ids holds {token_id}, outside the vocabulary of {num_ids} ids"
                )
        self._decoded_vocab = None
        self._handle = _core.TokenizerInfo.make(
            list(encoded_vocab),
            VocabType(vocab_type).value,
            size,
            stops,
            flag("add_prefix_space", add_prefix_space),
            specials,
            decoded=False,
        )

    @classmethod
    def _wrap(cls, handle: _core.TokenizerInfo) -> TokenizerInfo:
        self = object.__new__(cls)
        self._handle = handle
        self._decoded_vocab = None
        return self

    @staticmethod
    def from_huggingface(
        tokenizer: Any,
        *,
        vocab_size: int | None = None,
        stop_token_ids: Iterable[int] | int | None = None,
    ) -> TokenizerInfo:
        """Read the vocabulary of a tokenizer object.

        Fast tokenizers of transformers, `tokenizers.Tokenizer`, and tokenizers based on tiktoken or
        SentencePiece are understood; transformers itself is not imported. Added tokens that the
        tokenizer flags as special become special tokens.

        Parameters
        ----------
        tokenizer : object
            The tokenizer.
        vocab_size : int or None
            Number of logits of the model; tokens beyond are dropped. None or 0 means the size of
            the tokenizer.
        stop_token_ids : iterable of int, int or None
            Ids that end the output; None takes the tokenizer's own.

        Returns
        -------
        TokenizerInfo
            Of `vocab_size` ids.

        Raises
        ------
        ValueError
            The tokenizer is of an unknown kind, or `stop_token_ids` is empty.
        """
        from ._huggingface import read_tokenizer

        stops = id_list("stop_token_ids", stop_token_ids)
        if stops is not None and not stops:
            raise ValueError("stop_token_ids cannot be empty")
        read = read_tokenizer(tokenizer, vocab_size)
        if stops is None:
            stops = read.stop_token_ids
        if stops is None:
            warnings.warn(
                "The tokenizer names no end-of-sequence token; stop tokens are found by their text",
                stacklevel=2,
            )
        return TokenizerInfo(
            read.encoded_vocab,
            VocabType(read.vocab_type),
            vocab_size=len(read.encoded_vocab),
            stop_token_ids=stops,
            add_prefix_space=read.add_prefix_space,
            special_token_ids=read.special_token_ids,
        )

    @property
    def vocab_type(self) -> VocabType:
        """How spellings stand for bytes."""
        return VocabType(self._handle.vocab_type)

    @property
    def vocab_size(self) -> int:
        """Number of ids, padding included: the width of a mask in bits."""
        return self._handle.vocab_size

    @property
    def add_prefix_space(self) -> bool:
        """Whether the tokenizer puts a space before the text."""
        return self._handle.add_prefix_space

    @property
    def prepend_space_in_tokenization(self) -> bool:
        """Deprecated name of `add_prefix_space`."""
        warnings.warn(
            "prepend_space_in_tokenization is now add_prefix_space", UserWarning, stacklevel=2
        )
        return self.add_prefix_space

    @property
    def decoded_vocab(self) -> list[bytes]:
        """Token bytes by id, without padding. Made once; do not change it."""
        if self._decoded_vocab is None:
            self._decoded_vocab = self._handle.decoded_vocab()
        return self._decoded_vocab

    @property
    def stop_token_ids(self) -> list[int]:
        """Ids that end the output, sorted."""
        return self._handle.stop_token_ids

    @property
    def special_token_ids(self) -> list[int]:
        """Ids that text never matches, sorted, without stop tokens."""
        return self._handle.special_token_ids

    def dump_metadata(self) -> str:
        """Return kind, size, prefix flag and stop tokens as compact JSON."""
        return self._handle.dump_metadata()

    @staticmethod
    def from_vocab_and_metadata(
        encoded_vocab: Sequence[str | bytes], metadata: str
    ) -> TokenizerInfo:
        """Make an object from a vocabulary and the text that `dump_metadata` wrote.

        Parameters
        ----------
        encoded_vocab : list of str or bytes
            The spelling of each token.
        metadata : str
            JSON with the keys vocab_type, vocab_size, add_prefix_space and stop_token_ids.

        Returns
        -------
        TokenizerInfo
            The tokenizer.

        Raises
        ------
        UsageError
            The metadata is not JSON, or a key is missing or invalid.
        """
        if not isinstance(metadata, str):
            raise TypeError(f"metadata must be str, not {type(metadata).__name__}")
        try:
            values = json.loads(metadata)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"The tokenizer metadata is not JSON: {error}") from error
        if not isinstance(values, dict):
            raise UsageError("The tokenizer metadata must be a JSON object")
        _check_metadata(values, UsageError)
        return TokenizerInfo(
            encoded_vocab,
            VocabType(values["vocab_type"]),
            vocab_size=values["vocab_size"],
            stop_token_ids=values["stop_token_ids"],
            add_prefix_space=values["add_prefix_space"],
        )

    def serialize_json(self) -> str:
        """Return everything, the vocabulary included, as JSON text with a version."""
        return self._handle.serialize_json()

    @staticmethod
    def deserialize_json(json_string: str) -> TokenizerInfo:
        """Read an object from `json_string`, the text that `serialize_json` wrote.

        Raises
        ------
        InvalidJSONError, DeserializeVersionError, DeserializeFormatError
            The text is not JSON, of another version, or has wrong content.
        """
        values = load_object(json_string)
        _check_metadata(values, DeserializeFormatError)
        specials = values.get("special_token_ids")
        vocab = values.get("decoded_vocab")
        if not _is_id_list(specials) or not isinstance(vocab, list):
            raise DeserializeFormatError(
                "The serialized tokenizer has no list 'special_token_ids' or 'decoded_vocab'"
            )
        for token_id in values["stop_token_ids"]:
            if not 0 <= token_id < values["vocab_size"]:
                raise DeserializeFormatError(
                    f"The serialized tokenizer has the stop token {token_id}, outside its "
                    f"vocabulary of {values['vocab_size']} ids"
                )
        try:
            handle = _core.TokenizerInfo.make(
                [token.encode("latin-1") for token in vocab],
                values["vocab_type"],
                values["vocab_size"],
                values["stop_token_ids"],
                values["add_prefix_space"],
                specials,
                decoded=True,
            )
        except (AttributeError, UnicodeEncodeError, TypeError, ValueError, XGrammarError) as error:
            message = f"The serialized tokenizer has wrong content: {error}"
            raise DeserializeFormatError(message) from error
        return TokenizerInfo._wrap(handle)

    def serialize(self) -> bytes:
        """Return everything, the vocabulary included, in the compact binary form."""
        return pack(self.serialize_json())

    @staticmethod
    def deserialize(data: bytes) -> TokenizerInfo:
        """Read an object from `data`, which `serialize` wrote; errors as `deserialize_json`."""
        return TokenizerInfo.deserialize_json(unpack(data))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenizerInfo):
            return NotImplemented
        return self._handle.identity == other._handle.identity

    def __hash__(self) -> int:
        return hash(("TokenizerInfo", self._handle.identity))

    def __copy__(self) -> TokenizerInfo:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> TokenizerInfo:
        return self

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return TokenizerInfo.deserialize_json, (self.serialize_json(),)

    def __repr__(self) -> str:
        return (
            f"<xgrammar.TokenizerInfo with {self.vocab_size} tokens, {self.vocab_type.name}, "
            f"stop tokens {self.stop_token_ids}>"
        )


def id_list(name: str, ids: Iterable[int] | int | None) -> list[int] | None:
    """Return one id or an iterable of ids as a list of Python integers.

    Raises
    ------
    TypeError
        An element is not an integer.
    """
    if ids is None:
        return None
    if isinstance(ids, (str, bytes, dict)):
        raise TypeError(f"{name} must be an int or an iterable of ints, not {type(ids).__name__}")
    if not isinstance(ids, Iterable) or getattr(ids, "shape", None) == ():
        return [integer(name, ids)]
    return integers(name, ids)


def _known_stop_tokens(ids: list[int], num_ids: int) -> list[int]:
    dropped = sorted({token_id for token_id in ids if not 0 <= token_id < num_ids})
    if dropped:
        warnings.warn(
            f"Stop tokens outside the vocabulary of {num_ids} ids are ignored: {dropped}",
            UserWarning,
            stacklevel=3,
        )
    return [token_id for token_id in ids if 0 <= token_id < num_ids]


def _is_id_list(value: object) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(
        isinstance(item, int) and not isinstance(item, bool) and abs(item) < 1 << 62
        for item in value
    )


def _check_metadata(values: dict[str, Any], error: type[XGrammarError]) -> None:
    for key, types in _METADATA_TYPES.items():
        value = values.get(key)
        right = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        if key == "stop_token_ids":
            right = right and _is_id_list(value)
        elif key == "vocab_type":
            right = right and value in (0, 1, 2)
        elif key == "vocab_size":
            right = right and isinstance(value, int) and 0 <= value < 1 << 62
        if not right:
            raise error(f"The tokenizer metadata has a missing or invalid {key!r}")
