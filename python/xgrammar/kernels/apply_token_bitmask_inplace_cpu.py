"""Applying a bitmask to logits in CPU memory by the native kernel."""

from __future__ import annotations

from typing import Any

from xgrammar import _core
from xgrammar import bitmask as _bitmask

__all__ = ["apply_token_bitmask_inplace_cpu"]


def apply_rows_cpu(logits: Any, bitmask: Any, width: int, rows: list[int] | None) -> None:
    """Mask the given rows (None for all); arguments have been checked."""
    if getattr(logits, "requires_grad", False):
        logits = logits.detach()  # Shares the memory.
    if rows is None:
        rows = list(range(1 if len(logits.shape) == 1 else logits.shape[0]))
    _core.apply_token_bitmask(logits, bitmask, width, rows)


def apply_token_bitmask_inplace_cpu(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "cpu"."""
    _bitmask.apply_token_bitmask_inplace(
        logits, bitmask, vocab_size=vocab_size, indices=indices, backend="cpu"
    )
