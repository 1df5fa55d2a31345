"""Applying a bitmask to logits in CPU memory by the native kernel."""

from __future__ import annotations

from typing import Any

from xgrammar import _core

from ._arguments import MaskCall, checked_call, is_tensor, type_name

__all__ = ["apply_token_bitmask_inplace_cpu"]


def require(call: MaskCall) -> None:
    """Raise unless the arrays are in CPU memory."""
    if call.device != "cpu":
        raise ValueError(f"The backend 'cpu' needs arrays in CPU memory, not on {call.device}")


def apply_checked(call: MaskCall) -> None:
    """Mask in place, without the interpreter lock; memory is read and written once."""
    require(call)
    logits = call.logits
    if is_tensor(logits):
        logits = logits.detach()  # Shares the memory, and has no gradient to object.
    elif type_name(logits) == "bfloat16":
        logits = logits.view("uint16")  # numpy cannot export a type that it does not know.
    _core.apply_token_bitmask(logits, call.bitmask, call.width, call.rows)


def apply_token_bitmask_inplace_cpu(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "cpu"."""
    apply_checked(checked_call(logits, bitmask, vocab_size, indices, stacklevel=3))
