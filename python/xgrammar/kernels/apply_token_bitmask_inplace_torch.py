"""Applying a bitmask to logits by operations of torch, on any device."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from xgrammar import bitmask as _bitmask

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["apply_token_bitmask_inplace_torch"]


def _masked(logits: Any, bitmask: Any) -> Any:
    """Return logits with minus infinity where the bit is 0; both have two dimensions."""
    import torch

    bits = torch.arange(32, dtype=torch.int32, device=bitmask.device)
    blocked = torch.bitwise_right_shift(bitmask.unsqueeze(-1), bits).bitwise_and(1).eq(0)
    return logits.masked_fill(blocked.flatten(-2)[..., : logits.shape[-1]], float("-inf"))


@lru_cache(maxsize=1)
def _compiled_masked() -> Callable[[Any, Any], Any]:
    import torch

    compiled: Callable[[Any, Any], Any] = torch.compile(_masked, dynamic=True)
    return compiled


def apply_rows_torch(logits: Any, bitmask: Any, width: int, rows: Any, *, compiled: bool) -> None:
    """Mask the given rows (None for all); arguments have been checked."""
    import torch

    logits = torch.atleast_2d(logits.detach())[:, :width]
    bitmask = torch.atleast_2d(bitmask)[:, : (width + 31) // 32]
    masked = _compiled_masked() if compiled else _masked
    if rows is None:
        logits.copy_(masked(logits, bitmask))
        return
    index = torch.as_tensor(rows, dtype=torch.int64, device=logits.device)
    logits.index_copy_(0, index, masked(logits[index], bitmask[index]))


def apply_token_bitmask_inplace_torch(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "torch_native"."""
    _bitmask.apply_token_bitmask_inplace(
        logits, bitmask, vocab_size=vocab_size, indices=indices, backend="torch_native"
    )
