"""Compiling grammars for one tokenizer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import _core
from . import limits as _limits
from ._arguments import encode_source, flag
from ._compiled_grammar import CompiledGrammar
from ._excerpt import ShownIn
from ._integers import integer
from ._json_schema import json_schema_options, schema_text
from ._lark import named_grammar_list
from ._structural_tag import structural_tag_text
from .exception import UsageError
from .grammar import Grammar
from .tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._background import Background

    Job = Callable[[_core.CompileControl | None], _core.CompiledGrammar]

__all__ = ["CompiledGrammar", "GrammarCompiler"]


class GrammarCompiler:
    """Compiles grammars for one tokenizer; all methods are thread-safe.

    Equal requests return the same compiled grammar, and concurrent equal requests compile once.

    Every compile method takes a `timeout` in seconds, None for no limit beyond `limits`; past it
    `CompileBudgetError` is raised, and requests that waited for the same grammar go on. Ctrl-C
    ends a compilation, too. The `*_async` methods do the same on threads of the compiler without
    blocking the event loop; cancelling the task ends the compilation.

    Parameters
    ----------
    tokenizer_info : TokenizerInfo
        The tokenizer.
    max_threads : int
        Compilations that the asynchronous methods run at once; values below 1 count as 1. One
        compilation uses one thread.
    cache_enabled : bool
        Keep compiled grammars.
    cache_limit_bytes : int
        Bytes that the cache may hold after a call, the least recently requested are forgotten
        first; -1 means no limit.
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

    __slots__ = (
        "__weakref__",
        "_background",
        "_cache_limit_bytes",
        "_handle",
        "_max_threads",
        "_tokenizer_info",
    )

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
        self._background: Background | None = None
        self._handle = _core.GrammarCompiler(
            tokenizer_info._handle,
            flag("cache_enabled", cache_enabled),
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
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Compile a JSON Schema.

        Parameters
        ----------
        schema, any_whitespace, indent, separators, strict_mode, max_whitespace_cnt, any_order, \
lenient
            As in `Grammar.from_json_schema`, with the same errors.
        timeout : float or None
            Seconds after which to give up, positive; None sets no limit.

        Returns
        -------
        CompiledGrammar
            The compiled grammar; its `json_schema_report` lists what is not enforced.

        Raises
        ------
        CompileBudgetError
            The time is up.
        """
        options = json_schema_options(
            any_whitespace=any_whitespace,
            indent=indent,
            separators=separators,
            strict_mode=strict_mode,
            max_whitespace_cnt=max_whitespace_cnt,
            any_order=any_order,
            lenient=lenient,
        )
        return _run(self._json_schema_job(schema, options), timeout)

    async def compile_json_schema_async(
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
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Do what `compile_json_schema` does without blocking the event loop."""
        options = json_schema_options(
            any_whitespace=any_whitespace,
            indent=indent,
            separators=separators,
            strict_mode=strict_mode,
            max_whitespace_cnt=max_whitespace_cnt,
            any_order=any_order,
            lenient=lenient,
        )
        return await self._run_async(self._json_schema_job(schema, options), timeout)

    def _json_schema_job(self, schema: Any, options: _core.JsonSchemaOptions) -> Job:
        text = schema_text(schema)
        return lambda control: self._handle.compile_json_schema(text, options, control)

    def compile_builtin_json_grammar(self, *, timeout: float | None = None) -> CompiledGrammar:
        """Compile the grammar of JSON texts whose top value is an object or an array.

        `timeout` is in seconds; None sets no limit.
        """
        return _run(self._handle.compile_builtin_json, timeout)

    async def compile_builtin_json_grammar_async(
        self, *, timeout: float | None = None
    ) -> CompiledGrammar:
        """Do what `compile_builtin_json_grammar` does without blocking the event loop."""
        return await self._run_async(self._handle.compile_builtin_json, timeout)

    def compile_regex(self, regex: str, *, timeout: float | None = None) -> CompiledGrammar:
        """Compile a regular expression; errors are those of `Grammar.from_regex`.

        Parameters
        ----------
        regex : str
            ECMA-262 syntax; a text has to match as a whole.
        timeout : float or None
            Seconds after which to give up with `CompileBudgetError`; None sets no limit.
        """
        return _run(self._regex_job(regex), timeout)

    async def compile_regex_async(
        self, regex: str, *, timeout: float | None = None
    ) -> CompiledGrammar:
        """Do what `compile_regex` does without blocking the event loop."""
        return await self._run_async(self._regex_job(regex), timeout)

    def _regex_job(self, regex: str) -> Job:
        pattern = encode_source(regex, "regex")

        def job(control: _core.CompileControl | None) -> _core.CompiledGrammar:
            with ShownIn(pattern):
                return self._handle.compile_regex(pattern, control)

        return job

    def compile_structural_tag(
        self, *args: Any, timeout: float | None = None, **kwargs: Any
    ) -> CompiledGrammar:
        """Compile a structural tag; called as `Grammar.from_structural_tag`, with the same errors.

        Tokens that are named by their text are those of the compiler's tokenizer. `timeout` is in
        seconds; None sets no limit.
        """
        return _run(self._structural_tag_job(args, kwargs), timeout)

    async def compile_structural_tag_async(
        self, *args: Any, timeout: float | None = None, **kwargs: Any
    ) -> CompiledGrammar:
        """Do what `compile_structural_tag` does without blocking the event loop."""
        return await self._run_async(self._structural_tag_job(args, kwargs), timeout)

    def _structural_tag_job(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Job:
        text = structural_tag_text(args, kwargs)
        return lambda control: _core.compile_structural_tag(self._handle, text, control)

    def compile_lark(
        self,
        lark_string: str,
        *,
        named_grammars: dict[str, Grammar | str] | None = None,
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Compile a Lark grammar; arguments and errors are those of `Grammar.from_lark`.

        Tokens that are named by their text are those of the compiler's tokenizer. `timeout` is in
        seconds; None sets no limit.
        """
        return _run(self._lark_job(lark_string, named_grammars), timeout)

    async def compile_lark_async(
        self,
        lark_string: str,
        *,
        named_grammars: dict[str, Grammar | str] | None = None,
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Do what `compile_lark` does without blocking the event loop."""
        return await self._run_async(self._lark_job(lark_string, named_grammars), timeout)

    def _lark_job(self, lark_string: str, named_grammars: dict[str, Grammar | str] | None) -> Job:
        text = encode_source(lark_string, "lark_string")
        named = named_grammar_list(named_grammars)
        return lambda control: _core.compile_lark(self._handle, text, named, control)

    def compile_grammar(
        self,
        grammar: str | Grammar,
        *,
        root_rule_name: str = "root",
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Compile a grammar or EBNF text.

        Parameters
        ----------
        grammar : str or Grammar
            EBNF text or a grammar.
        root_rule_name : str
            The rule to start from, for EBNF text.
        timeout : float or None
            Seconds after which to give up.

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
        CompileBudgetError
            The time is up.
        """
        return _run(self._grammar_job(grammar, root_rule_name), timeout)

    async def compile_grammar_async(
        self,
        grammar: str | Grammar,
        *,
        root_rule_name: str = "root",
        timeout: float | None = None,
    ) -> CompiledGrammar:
        """Do what `compile_grammar` does without blocking the event loop."""
        return await self._run_async(self._grammar_job(grammar, root_rule_name), timeout)

    def _grammar_job(self, grammar: str | Grammar, root_rule_name: str) -> Job:
        if isinstance(grammar, Grammar):
            native = grammar._handle
            return lambda control: self._handle.compile_grammar(native, control)
        if not isinstance(grammar, str):
            raise ValueError(  # noqa: TRY004 - the class is part of the API.
                f"grammar must be EBNF text or a Grammar, not {type(grammar).__name__}"
            )
        text, root = grammar.encode(), encode_source(root_rule_name, "root_rule_name")

        def job(control: _core.CompileControl | None) -> _core.CompiledGrammar:
            with ShownIn(text):
                return self._handle.compile_ebnf(text, root, control)

        return job

    async def _run_async(self, job: Job, timeout: float | None) -> CompiledGrammar:
        # asyncio is not small, so only who uses it imports it.
        if self._background is None:
            from ._background import Background

            self._background = Background(self._max_threads)
        return CompiledGrammar._wrap(await self._background.run(job, _control(timeout)))

    def clear_cache(self) -> None:
        """Forget all compiled grammars; those in use live on."""
        self._handle.clear_cache()

    def get_cache_size_bytes(self) -> int:
        """Return the bytes that the cache holds."""
        return self._handle.cache_size_bytes()

    def get_cache_statistics(self) -> dict[str, int]:
        """Return what the cache did and holds.

        Returns
        -------
        dict of str to int
            Since the compiler was made: ``hits`` (requests answered from the cache), ``joined``
            (answered by the running compilation of an equal request), ``misses`` (compiled),
            ``evictions`` (entries dropped for the limit). Now: ``entries``, ``bytes``, and
            ``shared_bytes``, automata and token results that all grammars of the compiler share;
            these have a bound of their own and do not count towards the limit.
        """
        return self._handle.cache_statistics()

    def __repr__(self) -> str:
        return f"<xgrammar.GrammarCompiler for {self._tokenizer_info.vocab_size} tokens>"


def _control(timeout: float | None) -> _core.CompileControl | None:
    if timeout is None:
        return None
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(
            f"timeout must be seconds as a number or None, not {type(timeout).__name__}"
        )
    if not timeout > 0:
        raise ValueError(f"timeout must be positive or None, not {timeout}")
    largest = 1 << 62
    milliseconds = timeout * 1000
    return _core.CompileControl(largest if milliseconds >= largest else math.ceil(milliseconds))


def _run(job: Job, timeout: float | None) -> CompiledGrammar:
    return CompiledGrammar._wrap(job(_control(timeout)))
