"""Applying a bitmask to logits on an NVIDIA GPU by a CUDA kernel, compiled on first use.

The kernel is `token_bitmask.cu`. Compiling takes half a second for each device and happens at
the first call; a launch costs some ten microseconds of the host's time.
"""

from __future__ import annotations

from typing import Any

from ._arguments import MaskCall, checked_call, type_name
from ._cuda_compiler import require_compiler
from ._cuda_driver import LaunchArguments, open_driver

__all__ = ["apply_token_bitmask_inplace_cuda"]

# The bits of minus infinity, repeated to 64 bits, and the size of an element.
_FILLS = {
    "float16": (0xFC00_FC00_FC00_FC00, 2),
    "bfloat16": (0xFF80_FF80_FF80_FF80, 2),
    "float32": (0xFF80_0000_FF80_0000, 4),
    "float64": (0xFFF0_0000_0000_0000, 8),
}


def require(call: MaskCall) -> None:
    """Raise unless there are a compiler, a driver and tensors on a CUDA device."""
    require_compiler()
    open_driver()
    if not call.is_torch:
        raise ValueError("The backend 'cuda' needs torch tensors")
    if call.device != "cuda":
        raise ValueError(f"The backend 'cuda' needs tensors on a CUDA device, not on {call.device}")
    import torch

    if torch.version.hip is not None:
        raise ImportError("The backend 'cuda' needs a CUDA build of torch, this is one for ROCm")


def launch_arguments(call: MaskCall) -> tuple[LaunchArguments, int, Any]:
    """Return the kernel's argument, the size of an element and what must outlive the launch."""
    import torch

    fill, element_bytes = _FILLS[type_name(call.logits)]
    logits, bitmask = torch.atleast_2d(call.logits.detach()), torch.atleast_2d(call.bitmask)
    rows = call.rows
    if rows is not None:
        rows = torch.as_tensor(rows, device=logits.device)
        rows = rows if rows.dtype in (torch.int32, torch.int64) else rows.to(torch.int64)
    arguments = LaunchArguments(
        logits=logits.data_ptr(),
        logits_row_stride=logits.stride(0),
        logits_column_stride=logits.stride(1),
        bitmask=bitmask.data_ptr(),
        bitmask_row_stride=bitmask.stride(0),
        bitmask_column_stride=bitmask.stride(1),
        rows=None if rows is None else rows.data_ptr(),
        rows_stride=1 if rows is None else rows.stride(0),
        row_number_bytes=8 if rows is None else rows.element_size(),
        num_selected=call.num_rows if rows is None else len(rows),
        num_rows=call.num_rows,
        width=call.width,
        fill=fill,
    )
    return arguments, element_bytes, rows


def apply_checked(call: MaskCall) -> None:
    """Mask in place, on the current stream of the device."""
    require(call)
    import torch

    arguments, element_bytes, rows = launch_arguments(call)
    device = call.logits.device
    stream = torch.cuda.current_stream(device).cuda_stream
    open_driver().launch(device.index, stream, element_bytes, arguments)
    del rows  # The allocator gives its memory only to later work on the same stream.


def apply_token_bitmask_inplace_cuda(
    logits: Any, bitmask: Any, indices: Any = None, vocab_size: int | None = None
) -> None:
    """Do what `xgrammar.apply_token_bitmask_inplace` does, with the backend "cuda"."""
    call = checked_call(logits, bitmask, vocab_size, indices, stacklevel=3)
    require(call)
    if call.width and (call.rows is None or len(call.rows)):
        apply_checked(call)
