"""Bounds that keep one source from taking more than its share."""

from __future__ import annotations

from . import _core, config
from ._integers import integer

__all__ = ["Limits", "get_default_limits", "set_default_limits"]

_FIELDS = (
    "max_source_bytes",
    "max_nesting",
    "max_rules",
    "max_repeat",
    "max_grammar_size",
    "max_dfa_states",
    "max_schema_expansion",
    "max_compile_ms",
    "max_compile_work",
    "max_state_bytes",
    "max_items",
    "max_mask_bytes",
)
# "No limit" must still leave room for sums in 64 bits.
_NO_LIMIT = 1 << 62
# Parsers may use one frame of the native stack for each level, so this one is never lifted.
_LARGEST_NESTING = 10_000


def _core_default(name: str) -> int | None:
    value = int(getattr(_core.Limits(), name))
    return None if value >= _NO_LIMIT else value


_DEFAULTS = {name: _core_default(name) for name in _FIELDS}


class Limits:
    """Bounds on the work and size of grammars; immutable.

    Every field is a positive integer; None means no limit. A field that is left out keeps its
    default. Exceeding one while compiling raises `GrammarLimitError`, which names it (for time and
    work its subclass `CompileBudgetError`); exceeding one
    while matching puts that matcher into its failed state (`GrammarMatcher.limit_error`). Caches
    over their bound forget and never fail.

    Parameters
    ----------
    max_source_bytes : int or None
        Bytes of one source text (schema, EBNF, regular expression). Default 16 MiB. Serialized
        grammars may have 16 times as many.
    max_nesting : int or None
        Levels of nesting in a source text. Default 2,000, at most 10,000.
    max_rules : int or None
        Rules of one grammar.
    max_repeat : int or None
        Largest bound of a repetition.
    max_grammar_size : int or None
        Expression nodes of one grammar.
    max_dfa_states : int or None
        States of one determinised automaton (patterns and their intersections).
    max_schema_expansion : int or None
        Sub-schemas made while one JSON Schema is expanded.
    max_compile_ms : int or None
        Milliseconds of one compilation by the wall clock. Default None. The one field that depends
        on the machine; a compile method's `timeout` does the same for one call.
    max_compile_work : int or None
        Counted work of one compilation, about 100 ns of one core for each unit; the same on every
        machine. Default 30,000,000, some two seconds.
    max_state_bytes : int or None
        Bytes of parser states kept per compiled grammar.
    max_items : int or None
        Items in one parser set.
    max_mask_bytes : int or None
        Bytes of finished masks kept per compiled grammar.

    Raises
    ------
    ValueError
        If a field is not positive.
    TypeError
        If a field is no integer.
    """

    __slots__ = (*_FIELDS,)

    max_source_bytes: int | None
    max_nesting: int | None
    max_rules: int | None
    max_repeat: int | None
    max_grammar_size: int | None
    max_dfa_states: int | None
    max_schema_expansion: int | None
    max_compile_ms: int | None
    max_compile_work: int | None
    max_state_bytes: int | None
    max_items: int | None
    max_mask_bytes: int | None

    def __init__(
        self,
        *,
        max_source_bytes: int | None = _DEFAULTS["max_source_bytes"],
        max_nesting: int | None = _DEFAULTS["max_nesting"],
        max_rules: int | None = _DEFAULTS["max_rules"],
        max_repeat: int | None = _DEFAULTS["max_repeat"],
        max_grammar_size: int | None = _DEFAULTS["max_grammar_size"],
        max_dfa_states: int | None = _DEFAULTS["max_dfa_states"],
        max_schema_expansion: int | None = _DEFAULTS["max_schema_expansion"],
        max_compile_ms: int | None = _DEFAULTS["max_compile_ms"],
        max_compile_work: int | None = _DEFAULTS["max_compile_work"],
        max_state_bytes: int | None = _DEFAULTS["max_state_bytes"],
        max_items: int | None = _DEFAULTS["max_items"],
        max_mask_bytes: int | None = _DEFAULTS["max_mask_bytes"],
    ) -> None:
        values = (
            max_source_bytes,
            max_nesting,
            max_rules,
            max_repeat,
            max_grammar_size,
            max_dfa_states,
            max_schema_expansion,
            max_compile_ms,
            max_compile_work,
            max_state_bytes,
            max_items,
            max_mask_bytes,
        )
        for name, value in zip(_FIELDS, values, strict=True):
            checked = None if value is None else integer(name, value)
            if checked is not None and checked < 1:
                raise ValueError(f"{name} must be positive or None, not {checked}")
            object.__setattr__(self, name, checked)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Limits is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Limits is immutable: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Limits):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _FIELDS)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in _FIELDS))

    def __repr__(self) -> str:
        changed = (name for name in _FIELDS if getattr(self, name) != _DEFAULTS[name])
        return f"Limits({', '.join(f'{name}={getattr(self, name)}' for name in changed)})"

    def __reduce__(self) -> tuple[object, tuple[dict[str, int | None]]]:
        return _restore, ({name: getattr(self, name) for name in _FIELDS},)

    def _to_core(self) -> _core.Limits:
        core = _core.Limits()
        for name in _FIELDS:
            value = getattr(self, name)
            setattr(core, name, _NO_LIMIT if value is None else min(value, _NO_LIMIT))
        core.max_nesting = min(core.max_nesting, _LARGEST_NESTING, config.get_max_recursion_depth())
        return core


def _restore(fields: dict[str, int | None]) -> Limits:
    return Limits(**fields)


_default = Limits()
# A serialized grammar is written by this library, and may be longer than the source it comes from:
# rules are written out, and quotes and backslashes are escaped for EBNF and again for JSON.
_SERIALIZED_PER_SOURCE_BYTE = 16


def set_default_limits(limits: Limits) -> None:
    """Set the limits of all later calls that are given none.

    Parameters
    ----------
    limits : Limits
        Compilers that exist already keep theirs.

    Raises
    ------
    TypeError
        If it is not a `Limits`.
    """
    global _default  # noqa: PLW0603 - the default is process-wide by contract.
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be a Limits, not {type(limits).__name__}")
    _default = limits


def get_default_limits() -> Limits:
    """Return the limits of calls that are given none."""
    return _default


def max_serialized_bytes() -> int | None:
    """Return how long a serialized grammar may be, in bytes of UTF-8; None for no limit."""
    source = _default.max_source_bytes
    return None if source is None else source * _SERIALIZED_PER_SOURCE_BYTE


def for_serialized() -> Limits:
    """Return the default limits, those of source texts raised for serialized ones."""
    fields = {name: getattr(_default, name) for name in _FIELDS}
    return _restore({**fields, "max_source_bytes": max_serialized_bytes()})


def resolve(limits: Limits | None) -> _core.Limits:
    """Return the native form of the given limits or, for None, of the default ones."""
    if limits is None:
        limits = _default
    elif not isinstance(limits, Limits):
        raise TypeError(f"limits must be a Limits or None, not {type(limits).__name__}")
    return limits._to_core()
