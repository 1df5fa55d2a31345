"""Arguments of the Lark front end as the native part takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core
from .tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from .grammar import Grammar

__all__ = ["named_grammar_list", "tokenizer_handle"]


def named_grammar_list(
    named_grammars: dict[str, Grammar | str] | None,
) -> list[tuple[bytes, bytes | _core.Grammar]]:
    """Return names with Lark text in UTF-8 or native grammars.

    Raises
    ------
    TypeError
        If it is no dict of names to grammars or Lark texts.
    """
    if named_grammars is None:
        return []
    if not isinstance(named_grammars, dict):
        raise TypeError(f"named_grammars must be a dict, not {type(named_grammars).__name__}")
    result: list[tuple[bytes, bytes | _core.Grammar]] = []
    for name, value in named_grammars.items():
        if not isinstance(name, str):
            raise TypeError(f"A key of named_grammars must be str, not {type(name).__name__}")
        handle = value.encode() if isinstance(value, str) else getattr(value, "_handle", None)
        if not isinstance(handle, bytes | _core.Grammar):
            raise TypeError(
                f"named_grammars[{name!r}] must be a Grammar or Lark text, "
                f"not {type(value).__name__}"
            )
        result.append((name.encode(), handle))
    return result


def tokenizer_handle(tokenizer_info: TokenizerInfo | None) -> _core.TokenizerInfo | None:
    """Return the native tokenizer.

    Raises
    ------
    TypeError
        If it is no `TokenizerInfo`.
    """
    if tokenizer_info is None:
        return None
    if not isinstance(tokenizer_info, TokenizerInfo):
        raise TypeError(
            f"tokenizer_info must be a TokenizerInfo, not {type(tokenizer_info).__name__}"
        )
    return tokenizer_info._handle
