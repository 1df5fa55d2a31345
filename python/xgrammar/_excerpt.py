"""The place of an error in its source: the line and a mark below it, under the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .exception import GrammarSyntaxError, UnsupportedFeatureError, XGrammarError

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["ShownIn"]

# Of a long line, this many characters before the place, and in all.
_BEFORE, _SHOWN = 60, 100


class ShownIn:
    """A `with` block whose errors show where they are in a source.

    Errors of the grammar, those with a line and column or a position, get the line of the source
    and a mark as the last lines of their text; others are left as they are.

    Parameters
    ----------
    source : bytes
        The text in UTF-8.
    """

    __slots__ = ("_source",)

    def __init__(self, source: bytes) -> None:
        self._source = source

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, (GrammarSyntaxError, UnsupportedFeatureError)):
            excerpt = _excerpt(error, self._source.decode(errors="replace"))
            if excerpt is not None:
                error.args = (f"{error}\n{excerpt}",)


def _excerpt(error: XGrammarError, text: str) -> str | None:
    if error.pointer is not None:
        return None  # It is in a schema inside, and the pointer says where.
    line, column = (1, error.position) if error.line is None else (error.line, error.column)
    lines = text.split("\n") if error.position is None else [text]
    if column is None or line > len(lines):
        return None
    first = max(0, column - 1 - _BEFORE)
    shown = lines[line - 1][first : first + _SHOWN]
    plain = "".join(c if c.isprintable() else " " for c in shown).rstrip()
    return f"{plain}\n{' ' * (column - 1 - first)}^"
