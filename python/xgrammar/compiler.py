"""Compiling grammars for one tokenizer."""

from __future__ import annotations

from typing import Any

from . import _core
from . import limits as _limits
from ._integers import integer
from ._json_schema import json_schema_options, schema_text
from ._lark import named_grammar_list
from ._structural_tag import structural_tag_text
from .exception import UsageError
from .grammar import Grammar, encode_source, report_as_dicts
from .tokenizer_info import TokenizerInfo

__all__ = ["CompiledGrammar", "GrammarCompiler"]


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
        """Return the compiled grammar as JSON text, without the vocabulary."""
        return self._handle.serialize_json()

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
        """
        if not isinstance(tokenizer_info, TokenizerInfo):
            raise TypeError(
                f"tokenizer_info must be a TokenizerInfo, not {type(tokenizer_info).__name__}"
            )
        text = encode_source(json_str, "json_str")
        handle = _core.CompiledGrammar.deserialize_json(
            text,
            tokenizer_info._handle,
            _limits.resolve(None),
        )
        return CompiledGrammar._wrap(handle)

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


class GrammarCompiler:
    """Compiles grammars for one tokenizer; all methods are thread-safe.

    Equal requests return the same compiled grammar, and concurrent equal requests compile once.

    Parameters
    ----------
    tokenizer_info : TokenizerInfo
        The tokenizer.
    max_threads : int
        Upper bound of threads for one compilation; values below 1 count as 1.
    cache_enabled : bool
        Keep compiled grammars.
    cache_limit_bytes : int
        Bytes that the cache may hold after a call, the least recently used are forgotten first; -1
        means no limit.
    enable_dynamic_compilation : bool
        Accepted for compatibility: masks are always made when they are first needed.
    limits : Limits or None
        Bounds on grammars; None stands for the process-wide default.

    Raises
    ------
    ValueError
        If `tokenizer_info` is not a `TokenizerInfo`.
    UsageError
        If `cache_limit_bytes` is below -1.
    """

    __slots__ = ("__weakref__", "_cache_limit_bytes", "_handle", "_max_threads", "_tokenizer_info")

    def __init__(
        self,
        tokenizer_info: TokenizerInfo,
        *,
        max_threads: int = 8,
        cache_enabled: bool = True,
        cache_limit_bytes: int = -1,
        enable_dynamic_compilation: bool = False,  # noqa: ARG002 - masks are always lazy.
        limits: _limits.Limits | None = None,
    ) -> None:
        if not isinstance(tokenizer_info, TokenizerInfo):
            raise ValueError(  # noqa: TRY004 - the class is part of the API.
                "tokenizer_info must be a TokenizerInfo; convert the tokenizer first with "
                f"TokenizerInfo.from_huggingface (got {type(tokenizer_info).__name__})"
            )
        self._max_threads = max(1, integer("max_threads", max_threads))
        self._cache_limit_bytes = integer("cache_limit_bytes", cache_limit_bytes)
        if self._cache_limit_bytes < -1:
            raise UsageError(
                f"cache_limit_bytes must be at least -1, which means no limit, "
                f"not {self._cache_limit_bytes}"
            )
        self._tokenizer_info = tokenizer_info
        self._handle = _core.GrammarCompiler(
            tokenizer_info._handle,
            bool(cache_enabled),
            min(self._cache_limit_bytes, 2**63 - 1),
            _limits.resolve(limits),
        )

    @property
    def tokenizer_info(self) -> TokenizerInfo:
        """The tokenizer."""
        return self._tokenizer_info

    @property
    def cache_limit_bytes(self) -> int:
        """The bound of the cache, -1 for none."""
        return self._cache_limit_bytes

    def compile_json_schema(
        self,
        schema: Any,
        *,
        any_whitespace: bool = True,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        strict_mode: bool = True,
        max_whitespace_cnt: int | None = None,
        any_order: bool = False,
        lenient: bool = False,
    ) -> CompiledGrammar:
        """Compile a JSON Schema; arguments and errors are those of `Grammar.from_json_schema`."""
        text = schema_text(schema)
        options = json_schema_options(
            any_whitespace=any_whitespace,
            indent=indent,
            separators=separators,
            strict_mode=strict_mode,
            max_whitespace_cnt=max_whitespace_cnt,
            any_order=any_order,
            lenient=lenient,
        )
        return CompiledGrammar._wrap(self._handle.compile_json_schema(text, options))

    def compile_builtin_json_grammar(self) -> CompiledGrammar:
        """Compile the grammar of JSON texts whose top value is an object or an array."""
        return CompiledGrammar._wrap(self._handle.compile_builtin_json())

    def compile_regex(self, regex: str) -> CompiledGrammar:
        """Compile a regular expression; errors are those of `Grammar.from_regex`."""
        return CompiledGrammar._wrap(self._handle.compile_regex(encode_source(regex, "regex")))

    def compile_structural_tag(self, *args: Any, **kwargs: Any) -> CompiledGrammar:
        """Compile a structural tag; called as `Grammar.from_structural_tag`, with the same errors.

        Tokens that are named by their text are those of the compiler's tokenizer.
        """
        text = structural_tag_text(args, kwargs)
        return CompiledGrammar._wrap(_core.compile_structural_tag(self._handle, text))

    def compile_lark(
        self, lark_string: str, *, named_grammars: dict[str, Grammar | str] | None = None
    ) -> CompiledGrammar:
        """Compile a Lark grammar; arguments and errors are those of `Grammar.from_lark`.

        Tokens that are named by their text are those of the compiler's tokenizer.
        """
        text = encode_source(lark_string, "lark_string")
        named = named_grammar_list(named_grammars)
        return CompiledGrammar._wrap(_core.compile_lark(self._handle, text, named))

    def compile_grammar(
        self, grammar: str | Grammar, *, root_rule_name: str = "root"
    ) -> CompiledGrammar:
        """Compile a grammar or EBNF text.

        Parameters
        ----------
        grammar : str or Grammar
            EBNF text or a grammar.
        root_rule_name : str
            The rule to start from, for EBNF text.

        Returns
        -------
        CompiledGrammar
            The compiled grammar.

        Raises
        ------
        ValueError
            It is neither.
        GrammarSyntaxError
            The text is malformed; has `line` and `column`.
        """
        if isinstance(grammar, Grammar):
            handle = self._handle.compile_grammar(grammar._handle)
            return CompiledGrammar._wrap(handle)
        if not isinstance(grammar, str):
            raise ValueError(  # noqa: TRY004 - the class is part of the API.
                f"grammar must be EBNF text or a Grammar, not {type(grammar).__name__}"
            )
        root = encode_source(root_rule_name, "root_rule_name")
        return CompiledGrammar._wrap(self._handle.compile_ebnf(grammar.encode(), root))

    def clear_cache(self) -> None:
        """Forget all compiled grammars; those in use live on."""
        self._handle.clear_cache()

    def get_cache_size_bytes(self) -> int:
        """Return the bytes that the cache holds."""
        return self._handle.cache_size_bytes()

    def __repr__(self) -> str:
        return f"<xgrammar.GrammarCompiler for {self._tokenizer_info.vocab_size} tokens>"
