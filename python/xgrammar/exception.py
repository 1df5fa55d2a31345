"""Exceptions raised by xgrammar.

All of them derive from `XGrammarError`, a `RuntimeError`. Wrong argument types are `TypeError`,
wrong argument values `ValueError`.
"""

from __future__ import annotations

__all__ = [
    "CompileBudgetError",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "GrammarLimitError",
    "GrammarSyntaxError",
    "InternalError",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "JSONSchemaError",
    "UnsatisfiableGrammarError",
    "UnsupportedFeatureError",
    "UsageError",
    "XGrammarError",
]


class XGrammarError(RuntimeError):
    """Base of all errors of this library.

    Attributes
    ----------
    line, column : int or None
        Place in the source text, both counted from 1, columns in characters.
    position : int or None
        Place in a one-line source such as a regular expression, counted from 1.
    pointer : str or None
        JSON pointer of the offending part of a schema; "" is the whole schema.
    feature : str or None
        The keyword or construct at fault.
    limit : str or None
        Name of the field of `xgrammar.Limits` that was exceeded, or ``max_recursion_depth``; None
        for a fixed bound.
    value, maximum : int or None
        What the limit was compared with, and the limit.
    stage : str or None
        What was being done when the time or work of a compilation was used up.
    hint : str or None
        What to change.
    """

    line: int | None = None
    column: int | None = None
    position: int | None = None
    pointer: str | None = None
    feature: str | None = None
    limit: str | None = None
    value: int | None = None
    maximum: int | None = None
    stage: str | None = None
    hint: str | None = None

    @property
    def where(self) -> str | None:
        """The place of the error as text, or None if it has none."""
        if self.pointer is not None:
            return self.pointer
        if self.line is not None:
            return f"line {self.line}, column {self.column}"
        if self.position is not None:
            return f"position {self.position}"
        return None


class GrammarSyntaxError(XGrammarError):
    """The source of a grammar (EBNF, regular expression) is malformed."""


class JSONSchemaError(XGrammarError):
    """A JSON Schema is not well-formed: a wrong type of a keyword, a dangling reference."""


class UnsatisfiableGrammarError(XGrammarError):
    """The grammar or schema accepts no text at all."""


class UnsupportedFeatureError(XGrammarError):
    """Valid input that this library cannot enforce exactly."""


class GrammarLimitError(XGrammarError):
    """A bound was exceeded by a source that was compiled or read; mostly a field of `Limits`."""


class CompileBudgetError(GrammarLimitError):
    """The time or the work of one compilation is used up, or its caller gave it up.

    `limit` is ``max_compile_ms`` or ``max_compile_work``, `value` what was used (milliseconds or
    units of work), `maximum` what was allowed, and `stage` what was being done.
    """


class InvalidJSONError(XGrammarError):
    """Text that must be JSON is not."""


class InvalidStructuralTagError(XGrammarError):
    """JSON, but not a valid structural tag."""


class DeserializeFormatError(XGrammarError):
    """Serialized text of the right version with wrong content."""


class DeserializeVersionError(XGrammarError):
    """Serialized text of another version, or without one."""


class UsageError(XGrammarError):
    """A wrong shape, dtype, index or order of calls."""


class InternalError(XGrammarError):
    """A broken invariant of this library: please report it."""
