"""Compiled grammars: what compiling returns, shared by matchers, stored and sent."""

from __future__ import annotations

from typing import Any

from . import _core
from . import limits as _limits
from ._arguments import encode_source
from ._serialization import pack, readable, report_as_dicts, unpack
from .exception import InvalidJSONError
from .grammar import Grammar
from .tokenizer_info import TokenizerInfo

__all__ = ["CompiledGrammar"]


class CompiledGrammar:
    """A grammar bound to a tokenizer; immutable, may be shared by any number of threads.

    Made by `GrammarCompiler`. Two objects are equal if they stand for the same underlying compiled
    grammar, as two results of the compiler's cache do.
    """

    __slots__ = ("__weakref__", "_handle")
    _handle: _core.CompiledGrammar

    def __init__(self) -> None:
        raise TypeError("CompiledGrammar is made by GrammarCompiler")

    @classmethod
    def _wrap(cls, handle: _core.CompiledGrammar) -> CompiledGrammar:
        self = object.__new__(cls)
        self._handle = handle
        return self

    @property
    def grammar(self) -> Grammar:
        """The grammar."""
        return Grammar._wrap(self._handle.grammar)

    @property
    def tokenizer_info(self) -> TokenizerInfo:
        """The tokenizer it was compiled for."""
        return TokenizerInfo._wrap(self._handle.tokenizer_info)

    @property
    def memory_size_bytes(self) -> int:
        """Bytes held now, approximately; grows while new states are met."""
        return self._handle.memory_size_bytes

    @property
    def json_schema_report(self) -> list[dict[str, str]]:
        """What of a JSON Schema is not enforced: pointer, keyword, reason and effect of each."""
        return report_as_dicts(self._handle.grammar.report)

    def _statistics(self) -> dict[str, int]:
        return self._handle.statistics()

    def serialize_json(self) -> str:
        """Return the compiled grammar as JSON text, without the vocabulary.

        Raises
        ------
        GrammarLimitError
            The text could not be read back under the default limits.
        """
        return readable(self._handle.serialize_json())

    @staticmethod
    def deserialize_json(json_str: str, tokenizer_info: TokenizerInfo) -> CompiledGrammar:
        """Read a compiled grammar from the text that `serialize_json` wrote.

        Parameters
        ----------
        json_str : str
            The text.
        tokenizer_info : TokenizerInfo
            The tokenizer that it was compiled for.

        Returns
        -------
        CompiledGrammar
            The compiled grammar.

        Raises
        ------
        InvalidJSONError, DeserializeVersionError
            The text is not JSON, or of another version.
        DeserializeFormatError
            Its content is wrong, or it belongs to another vocabulary.
        GrammarLimitError
            A default limit was exceeded; texts may have 16 times `max_source_bytes`.
        """
        if not isinstance(tokenizer_info, TokenizerInfo):
            raise TypeError(
                f"tokenizer_info must be a TokenizerInfo, not {type(tokenizer_info).__name__}"
            )
        try:
            text = encode_source(json_str, "json_str")
        except UnicodeEncodeError as error:
            raise InvalidJSONError(f"The serialized form is not JSON: {error}") from error
        handle = _core.CompiledGrammar.deserialize_json(
            text,
            tokenizer_info._handle,
            _limits.resolve(_limits.for_serialized()),
        )
        return CompiledGrammar._wrap(handle)

    def serialize(self) -> bytes:
        """Return the compiled grammar in the compact binary form, without the vocabulary."""
        return pack(self.serialize_json())

    @staticmethod
    def deserialize(data: bytes, tokenizer_info: TokenizerInfo) -> CompiledGrammar:
        """Read a compiled grammar from `data`, the bytes that `serialize` wrote.

        Arguments and errors are those of `deserialize_json`, for bytes instead of text.
        """
        return CompiledGrammar.deserialize_json(unpack(data), tokenizer_info)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompiledGrammar):
            return NotImplemented
        return self._handle.identity == other._handle.identity

    def __hash__(self) -> int:
        return hash(("CompiledGrammar", self._handle.identity))

    def __copy__(self) -> CompiledGrammar:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledGrammar:
        return self

    def __reduce__(self) -> tuple[Any, tuple[str, TokenizerInfo]]:
        return CompiledGrammar.deserialize_json, (self.serialize_json(), self.tokenizer_info)

    def __repr__(self) -> str:
        rules = self._handle.grammar.num_rules
        vocab_size = self._handle.tokenizer_info.vocab_size
        return f"<xgrammar.CompiledGrammar with {rules} rules for {vocab_size} tokens>"
