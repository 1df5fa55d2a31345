"""Applying a bitmask to logits by a function that torch compiles for the device."""

from __future__ import annotations

from typing import Any

from xgrammar import bitmask as _bitmask

__all__ = ["apply_token_bitmask_inplace_torch_compile"]


def apply_token_bitmask_inplace_torch_compile(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "torch_compile"."""
    _bitmask.apply_token_bitmask_inplace(
        logits, bitmask, vocab_size=vocab_size, indices=indices, backend="torch_compile"
    )
