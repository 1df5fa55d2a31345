"""Applying a bitmask to logits by a function that torch compiles for the device.

The operations are those of `apply_token_bitmask_inplace_torch`; compiled, they become one pass over
the logits without temporary arrays. The first call compiles, which takes seconds.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ._arguments import MaskCall, checked_call
from .apply_token_bitmask_inplace_torch import mask_call, mask_matrix
from .apply_token_bitmask_inplace_torch import require as require_torch

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["apply_token_bitmask_inplace_torch_compile"]


@lru_cache(maxsize=1)
def _compiled() -> Callable[..., None]:
    import torch

    compiled: Callable[..., None] = torch.compile(mask_matrix, dynamic=True)
    return compiled


def require(call: MaskCall) -> None:
    """Raise unless the arrays are tensors of torch."""
    require_torch(call, "torch_compile")


def apply_checked(call: MaskCall) -> None:
    """Mask in place, by one compiled function for all shapes."""
    require(call)
    mask_call(call, _compiled(), "torch_compile")


def apply_token_bitmask_inplace_torch_compile(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "torch_compile"."""
    apply_checked(checked_call(logits, bitmask, vocab_size, indices, stacklevel=3))
