"""Applying a bitmask to logits on a GPU by a Triton kernel.

One program takes a run of columns of one row: it loads the words of the run, spreads their bits
over the columns and stores minus infinity where a bit is 0. Logits are never read, and columns that
are allowed are never written, so that a mask that allows nearly everything costs nearly nothing.

Importing this module imports triton and torch. With `TRITON_INTERPRET=1` in the environment before
that, tensors in CPU memory work too, slowly, which is how the kernel is tested without a GPU.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch  # noqa: TID253 - this module exists for torch and triton.
import triton  # noqa: TID253
import triton.language as tl  # noqa: TID253

from ._arguments import WORD_BITS, MaskCall, checked_call

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["apply_token_bitmask_inplace_triton"]

_BLOCK_COLUMNS = 4096  # 128 words: eight columns for each thread of the default eight warps.
_NUM_WARPS = 8


@triton.jit(do_not_specialize=["num_rows", "width"])  # type: ignore[untyped-decorator]
def _mask_kernel(
    logits: tl.tensor,
    logits_row_stride: tl.tensor,
    logits_column_stride: tl.tensor,
    bitmask: tl.tensor,
    bitmask_row_stride: tl.tensor,
    bitmask_column_stride: tl.tensor,
    rows: tl.tensor,
    num_rows: tl.tensor,
    width: tl.tensor,
    has_rows: tl.constexpr,
    num_words: tl.constexpr,
) -> None:
    row = tl.program_id(0).to(tl.int64)
    if has_rows:
        row = tl.load(rows + row).to(tl.int64)
    limit = tl.where((row >= 0) & (row < num_rows), width, 0)  # No columns in a row outside.
    word = tl.program_id(1).to(tl.int64) * num_words + tl.arange(0, num_words)
    words = tl.load(
        bitmask + row * bitmask_row_stride + word * bitmask_column_stride,
        mask=word * 32 < limit,
        other=-1,
    )
    bit = tl.arange(0, 32)
    column = word[:, None] * 32 + bit[None, :]
    blocked = ((words[:, None] >> bit[None, :]) & 1) == 0
    tl.store(
        logits + row * logits_row_stride + column * logits_column_stride,
        -float("inf"),
        mask=blocked & (column < limit),
    )


_IS_INTERPRETED = not isinstance(_mask_kernel, triton.runtime.JITFunction)
_DEVICES = ("cpu", "cuda", "xpu") if _IS_INTERPRETED else ("cuda", "xpu")


def require(call: MaskCall) -> None:
    """Raise unless the arrays are tensors of torch on a device that Triton serves."""
    if not call.is_torch:
        raise ValueError("The backend 'triton' needs torch tensors")
    if call.device not in _DEVICES:
        raise ValueError(f"The backend 'triton' needs tensors on a GPU, not on {call.device}")


def _on_device(device: torch.device) -> AbstractContextManager[Any]:
    if device.type == "cpu":
        return contextlib.nullcontext()
    current: AbstractContextManager[Any] = getattr(torch, device.type).device(device)
    return current


def apply_checked(call: MaskCall) -> None:
    """Mask in place, on the current stream of the device."""
    require(call)
    logits = torch.atleast_2d(call.logits.detach())
    bitmask = torch.atleast_2d(call.bitmask)
    rows = call.rows
    if rows is not None:
        rows = torch.as_tensor(rows, device=logits.device).contiguous()
    grid = (
        call.num_rows if rows is None else len(rows),
        triton.cdiv(call.width, _BLOCK_COLUMNS),
    )
    with _on_device(logits.device):
        _mask_kernel[grid](
            logits,
            *logits.stride(),
            bitmask,
            *bitmask.stride(),
            rows,
            call.num_rows,
            call.width,
            has_rows=rows is not None,
            num_words=_BLOCK_COLUMNS // WORD_BITS,
            num_warps=_NUM_WARPS,
        )


def apply_token_bitmask_inplace_triton(
    logits: Any, bitmask: Any, vocab_size: int | None = None, indices: Any = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "triton"."""
    apply_checked(checked_call(logits, bitmask, vocab_size, indices, stacklevel=3))
