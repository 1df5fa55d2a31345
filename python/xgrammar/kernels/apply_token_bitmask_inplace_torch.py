"""Applying a bitmask to logits by operations of torch, on any device.

Eight bytes of temporary memory for each logit would be wasteful, so bits are unpacked once into a
boolean array of the masked part. Nothing is read back from the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arguments import WORD_BITS, MaskCall, checked_call

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["apply_token_bitmask_inplace_torch"]


def mask_matrix(logits: Any, bitmask: Any, chosen: Any = None) -> None:
    """Mask a matrix by a matrix of words, in rows that are `chosen` (None for all), in place."""
    import torch

    bits = torch.arange(WORD_BITS, dtype=torch.int32, device=bitmask.device)
    allowed = torch.bitwise_right_shift(bitmask.unsqueeze(-1), bits).bitwise_and(1)
    blocked = allowed.flatten(-2)[:, : logits.shape[-1]].eq(0)
    if chosen is not None:
        blocked = blocked & chosen.unsqueeze(-1)
    logits.masked_fill_(blocked, float("-inf"))


def mask_call(call: MaskCall, mask: Callable[..., None], backend: str) -> None:
    """Mask the rows of a call by a function that masks matrices."""
    require(call, backend)
    import torch

    # Tensors made in inference mode may be changed there only; others may be changed anywhere.
    with torch.inference_mode(mode=call.logits.is_inference()), torch.no_grad():
        logits = torch.atleast_2d(call.logits.detach())[:, : call.width]
        bitmask = torch.atleast_2d(call.bitmask)[:, : -(-call.width // WORD_BITS)]
        if call.rows is None:
            mask(logits, bitmask)
        elif isinstance(call.rows, list):
            index = torch.tensor(call.rows, dtype=torch.int64, device=logits.device)
            picked = logits.index_select(0, index)
            mask(picked, bitmask.index_select(0, index))
            logits.index_copy_(0, index, picked)
        else:
            rows = call.rows.to(device=logits.device, dtype=torch.int64)
            chosen = _chosen_rows(rows, call.num_rows)
            mask(logits[: call.num_rows], bitmask[: call.num_rows], chosen)


def _chosen_rows(rows: Any, num_rows: int) -> Any:
    """Return which of the rows are named; numbers outside end up in a slot that is cut off."""
    chosen = rows.new_zeros(num_rows + 1).bool()
    inside = (rows >= 0) & (rows < num_rows)
    return chosen.index_fill_(0, rows.where(inside, num_rows), value=True)[:num_rows]


def require(call: MaskCall, backend: str = "torch_native") -> None:
    """Raise unless the arrays are tensors of torch."""
    if not call.is_torch:
        raise ValueError(f"The backend {backend!r} needs torch tensors")


def apply_checked(call: MaskCall) -> None:
    """Mask in place, one operation of torch after the other."""
    mask_call(call, mask_matrix, "torch_native")


def apply_token_bitmask_inplace_torch(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "torch_native"."""
    apply_checked(checked_call(logits, bitmask, vocab_size, indices, stacklevel=3))
