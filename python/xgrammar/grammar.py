"""Grammars: made from EBNF, JSON Schema and other sources, combined, printed and stored."""

from __future__ import annotations

import importlib
import json
import sys
from typing import TYPE_CHECKING, Any

from . import _core
from . import limits as _limits
from ._arguments import encode_source, flag
from ._excerpt import ShownIn
from ._json_schema import json_schema_options, schema_text
from ._lark import named_grammar_list, tokenizer_handle
from ._serialization import load_grammar, pack, readable, report_as_dicts, unpack
from ._structural_tag import structural_tag_text
from .exception import DeserializeFormatError, GrammarLimitError, XGrammarError

if TYPE_CHECKING:
    from .tokenizer_info import TokenizerInfo

__all__ = ["Grammar", "StructuralTagItem"]  # noqa: F822 - resolved by __getattr__: needs pydantic.


def __getattr__(name: str) -> Any:
    if name != "StructuralTagItem":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(".structural_tag", __package__).StructuralTagItem


class Grammar:
    """An immutable grammar; may be shared by any number of threads.

    Made by its static methods only. Two objects are equal if they stand for the same underlying
    grammar, which `CompiledGrammar.grammar` returns each time anew.

    Examples
    --------
    >>> grammar = Grammar.from_ebnf('root ::= "yes" | "no"')
    >>> grammar == grammar
    True
    """

    __slots__ = ("__weakref__", "_handle")
    _handle: _core.Grammar

    def __init__(self) -> None:
        raise TypeError("Grammar is made by its static methods, such as Grammar.from_ebnf")

    @classmethod
    def _wrap(cls, handle: _core.Grammar) -> Grammar:
        self = object.__new__(cls)
        self._handle = handle
        return self

    @staticmethod
    def from_ebnf(
        ebnf_string: str,
        *,
        root_rule_name: str = "root",
        limits: _limits.Limits | None = None,
    ) -> Grammar:
        """Make a grammar from EBNF text.

        Parameters
        ----------
        ebnf_string : str
            Rules of the form ``name ::= expression``.
        root_rule_name : str
            The rule to start from.
        limits : Limits or None
            Bounds on its size; None stands for the process-wide default.

        Returns
        -------
        Grammar
            The grammar.

        Raises
        ------
        GrammarSyntaxError
            The text is malformed; has `line` and `column`.
        GrammarLimitError
            A limit was exceeded.
        """
        text = encode_source(ebnf_string, "ebnf_string")
        root = encode_source(root_rule_name, "root_rule_name")
        with ShownIn(text):
            return Grammar._wrap(_core.Grammar.from_ebnf(text, root, _limits.resolve(limits)))

    @staticmethod
    def from_regex(
        regex_string: str,
        *,
        print_converted_ebnf: bool = False,
        limits: _limits.Limits | None = None,
    ) -> Grammar:
        """Make a grammar of the texts that a regular expression matches as a whole.

        Parameters
        ----------
        regex_string : str
            ECMA-262 syntax; ``.`` matches any character.
        print_converted_ebnf : bool
            Write the grammar as EBNF to stderr.
        limits : Limits or None
            Bounds on its size; None stands for the process-wide default.

        Returns
        -------
        Grammar
            The grammar.

        Raises
        ------
        GrammarSyntaxError
            The expression is malformed; has `position`.
        UnsupportedFeatureError
            It uses what no grammar can express, such as a back-reference.
        """
        pattern = encode_source(regex_string, "regex_string")
        with ShownIn(pattern):
            grammar = Grammar._wrap(_core.Grammar.from_regex(pattern, _limits.resolve(limits)))
        if flag("print_converted_ebnf", print_converted_ebnf):
            sys.stderr.write(str(grammar))
        return grammar

    @staticmethod
    def from_json_schema(
        schema: Any,
        *,
        any_whitespace: bool = True,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        strict_mode: bool = True,
        max_whitespace_cnt: int | None = None,
        print_converted_ebnf: bool = False,
        any_order: bool = False,
        lenient: bool = False,
        limits: _limits.Limits | None = None,
    ) -> Grammar:
        """Make a grammar of the JSON texts that a JSON Schema accepts.

        Parameters
        ----------
        schema : str, dict, bool or pydantic model class
            The schema; a string is JSON text and keeps its key order.
        any_whitespace : bool
            Allow free white space between tokens; `indent` then has no effect.
        indent : int or None
            As in `json.dumps`, used if `any_whitespace` is False.
        separators : tuple[str, str] or None
            Item and key separator, as in `json.dumps`.
        strict_mode : bool
            Objects and arrays that do not say otherwise allow nothing beyond what they declare.
        max_whitespace_cnt : int or None
            Upper bound of each run of white space.
        print_converted_ebnf : bool
            Write the grammar as EBNF to stderr.
        any_order : bool
            Allow properties in any order.
        lenient : bool
            Drop keywords that cannot be enforced and list them in `json_schema_report`.
        limits : Limits or None
            Bounds on its size; None stands for the process-wide default.

        Returns
        -------
        Grammar
            The grammar.

        Raises
        ------
        JSONSchemaError
            The schema is not well-formed; has `pointer`.
        UnsupportedFeatureError
            A keyword cannot be enforced exactly and `lenient` is False.
        UnsatisfiableGrammarError
            No value satisfies the schema.
        InvalidJSONError
            The text is not JSON.
        ValueError
            The schema or an option has a value outside its range.
        """
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
        handle = _core.Grammar.from_json_schema(text, options, _limits.resolve(limits))
        grammar = Grammar._wrap(handle)
        if flag("print_converted_ebnf", print_converted_ebnf):
            sys.stderr.write(str(grammar))
        return grammar

    @staticmethod
    def from_structural_tag(
        *args: Any, limits: _limits.Limits | None = None, **kwargs: Any
    ) -> Grammar:
        """Make a grammar from a structural tag.

        Called with one argument `structural_tag`; or, deprecated, with the two lists `tags` and
        `triggers`. Either way by position or by keyword.

        Parameters
        ----------
        structural_tag : StructuralTag, str or dict
            The structural tag; a string is JSON text.
        tags : list of StructuralTagItem
            Tags around JSON values.
        triggers : list of str
            Texts that start a tag.
        limits : Limits or None
            Bounds on its size; None stands for the process-wide default.

        Returns
        -------
        Grammar
            The grammar. Tokens can be named by id only: `GrammarCompiler.compile_structural_tag`
            knows their texts.

        Raises
        ------
        InvalidJSONError
            The text is not JSON.
        InvalidStructuralTagError
            It is no valid structural tag; `pointer` names the faulty format.
        RuntimeError
            What `from_json_schema`, `from_regex` and `from_ebnf` raise for a part.
        TypeError, ValueError
            An argument is of another type.
        """
        text = structural_tag_text(args, kwargs)
        resolved = _limits.resolve(limits)
        return Grammar._wrap(_core.structural_tag_to_grammar(text, resolved))

    @staticmethod
    def from_lark(
        lark_string: str,
        *,
        tokenizer_info: TokenizerInfo | None = None,
        named_grammars: dict[str, Grammar | str] | None = None,
        limits: _limits.Limits | None = None,
    ) -> Grammar:
        """Make a grammar from Lark text; its start rule is ``start``.

        Parameters
        ----------
        lark_string : str
            The text.
        tokenizer_info : TokenizerInfo or None
            Where tokens that are named by their text, such as ``<|tool|>``, are looked up.
        named_grammars : dict or None
            What ``@name`` stands for: grammars, or Lark texts.
        limits : Limits or None
            Bounds on its size; None stands for the process-wide default.

        Returns
        -------
        Grammar
            The grammar; `json_schema_report` lists attributes without effect.

        Raises
        ------
        GrammarSyntaxError
            The text is malformed; has `line` and `column`, and shows the place.
        UnsupportedFeatureError
            It uses what this library does not support, such as templates.
        """
        text = encode_source(lark_string, "lark_string")
        named = named_grammar_list(named_grammars)
        info = tokenizer_handle(tokenizer_info)
        return Grammar._wrap(_core.lark_to_grammar(text, named, info, _limits.resolve(limits)))

    @staticmethod
    def builtin_json_grammar() -> Grammar:
        """Return the grammar of JSON texts whose top value is an object or an array."""
        return Grammar._wrap(_core.Grammar.builtin_json())

    @staticmethod
    def concat(*grammars: Grammar) -> Grammar:
        """Return the grammar of `grammars` in order; of none, that of the empty text.

        Raises
        ------
        TypeError
            An argument is not a `Grammar`.
        """
        return Grammar._wrap(_core.Grammar.concat(_handles(grammars), _limits.resolve(None)))

    @staticmethod
    def union(*grammars: Grammar) -> Grammar:
        """Return the grammar of texts that any of `grammars` accepts.

        Raises
        ------
        TypeError
            An argument is not a `Grammar`.
        ValueError
            There are no arguments.
        """
        if not grammars:
            raise ValueError("union needs at least one grammar")
        return Grammar._wrap(_core.Grammar.union(_handles(grammars), _limits.resolve(None)))

    @property
    def json_schema_report(self) -> list[dict[str, str]]:
        """What of a JSON Schema is not enforced: pointer, keyword, reason and effect of each."""
        return report_as_dicts(self._handle.report)

    def serialize_json(self) -> str:
        """Return the grammar as JSON text with a version.

        Raises
        ------
        GrammarLimitError
            The text could not be read back under the default limits.
        """
        value = {
            "grammar": str(self),
            "json_schema_report": self._handle.report,
            "__VERSION__": _core.SERIALIZATION_VERSION,
        }
        return readable(json.dumps(value))

    @staticmethod
    def deserialize_json(json_string: str) -> Grammar:
        """Read a grammar from `json_string`, the text that `serialize_json` wrote.

        Raises
        ------
        InvalidJSONError, DeserializeVersionError, DeserializeFormatError
            The text is not JSON, of another version, or has wrong content.
        GrammarLimitError
            A default limit was exceeded; texts may have 16 times `max_source_bytes`.
        """
        text, report = load_grammar(json_string)
        try:
            grammar = Grammar.from_ebnf(text, limits=_limits.for_serialized())
        except GrammarLimitError:
            raise
        except (XGrammarError, UnicodeEncodeError) as error:
            message = f"The serialized grammar cannot be read: {error}"
            raise DeserializeFormatError(message) from error
        return Grammar._wrap(grammar._handle.with_report(report)) if report else grammar

    def serialize(self) -> bytes:
        """Return the grammar in the compact binary form."""
        return pack(self.serialize_json())

    @staticmethod
    def deserialize(data: bytes) -> Grammar:
        """Read a grammar from `data`, which `serialize` wrote; errors as `deserialize_json`."""
        return Grammar.deserialize_json(unpack(data))

    def __add__(self, other: Grammar) -> Grammar:
        return Grammar.concat(self, other) if isinstance(other, Grammar) else NotImplemented

    def __or__(self, other: Grammar) -> Grammar:
        return Grammar.union(self, other) if isinstance(other, Grammar) else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grammar):
            return NotImplemented
        return self._handle.identity == other._handle.identity

    def __hash__(self) -> int:
        return hash(("Grammar", self._handle.identity))

    def __copy__(self) -> Grammar:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Grammar:
        return self

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Grammar.deserialize_json, (self.serialize_json(),)

    def __str__(self) -> str:
        """Return the grammar as EBNF, which `from_ebnf` reads back."""
        return self._handle.to_ebnf()

    def __repr__(self) -> str:
        return f"<xgrammar.Grammar with {self._handle.num_rules} rules>"


def _handles(grammars: tuple[Grammar, ...]) -> list[_core.Grammar]:
    for i, grammar in enumerate(grammars):
        if not isinstance(grammar, Grammar):
            raise TypeError(f"Argument {i} must be a Grammar, not {type(grammar).__name__}")
    return [grammar._handle for grammar in grammars]
