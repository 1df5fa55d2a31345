"""Token bitmasks: one bit for each token, 32 to a word, 1 for allowed.

Bit ``t % 32`` (least significant first) of word ``t // 32`` belongs to token ``t``. Masks are int32
arrays of numpy or torch; neither is imported before a call needs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from functools import lru_cache
from typing import Any

from ._integers import integer
from .exception import UsageError
from .kernels._arguments import (
    WORD_BITS,
    MaskCall,
    checked_call,
    device_type,
    require_bitmask_type,
)

__all__ = [
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",  # noqa: F822 - resolved by __getattr__, since it needs torch.
    "get_bitmask_shape",
    "reset_token_bitmask",
]

# The module of each backend; its function `apply_checked` takes a MaskCall.
_MODULES = {
    "cpu": "apply_token_bitmask_inplace_cpu",
    "cuda": "apply_token_bitmask_inplace_cuda",
    "triton": "apply_token_bitmask_inplace_triton",
    "torch_compile": "apply_token_bitmask_inplace_torch_compile",
    "torch_native": "apply_token_bitmask_inplace_torch",
}
BACKENDS = ("auto", *_MODULES)


def __getattr__(name: str) -> Any:
    if name == "bitmask_dtype":
        import torch

        return torch.int32
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_bitmask_shape(batch_size: int, vocab_size: int) -> tuple[int, int]:
    """Return the shape of a bitmask: `(batch_size, ceil(vocab_size / 32))`.

    Parameters
    ----------
    batch_size : int
        Number of rows.
    vocab_size : int
        Number of tokens.

    Raises
    ------
    UsageError
        If a size is negative.
    """
    rows, tokens = integer("batch_size", batch_size), integer("vocab_size", vocab_size)
    if rows < 0 or tokens < 0:
        raise UsageError(f"Sizes must not be negative: batch_size is {rows}, vocab_size {tokens}")
    return rows, (tokens + WORD_BITS - 1) // WORD_BITS


def allocate_token_bitmask(batch_size: int, vocab_size: int, *, like: str | None = None) -> Any:
    """Make a bitmask in CPU memory that allows everything.

    Parameters
    ----------
    batch_size : int
        Number of rows.
    vocab_size : int
        Number of tokens.
    like : "torch", "numpy" or None
        The kind of array; None means torch if it is installed, else numpy.

    Returns
    -------
    torch.Tensor or numpy.ndarray
        int32, shape `(batch_size, ceil(vocab_size / 32))`, every word -1.

    Raises
    ------
    UsageError
        If a size is negative.
    ValueError
        If `like` is another word.
    ImportError
        If that package is not installed. Masks are filled into any writable buffer of int32, such
        as `array.array("i")`.
    """
    rows, words = get_bitmask_shape(batch_size, vocab_size)
    if like is None:
        like = "torch" if _is_installed("torch") else "numpy"
    if like in ("torch", "numpy") and not _is_installed(like):
        raise ImportError(
            f"allocate_token_bitmask needs {like}: pip install {like}, or pass any writable buffer "
            'of int32, such as array.array("i"), to fill_next_token_bitmask'
        )
    if like == "torch":
        import torch

        return torch.full((rows, words), -1, dtype=torch.int32)
    if like == "numpy":
        import numpy as np

        return np.full((rows, words), -1, dtype=np.int32)
    raise ValueError(f'like must be "torch", "numpy" or None, not {like!r}')


def reset_token_bitmask(bitmask: Any) -> None:
    """Allow everything in a bitmask, in place.

    Parameters
    ----------
    bitmask : torch.Tensor or numpy.ndarray
        int32, any shape, any device.

    Raises
    ------
    TypeError
        Not an array of these.
    ValueError
        Another dtype, or a read-only array.
    """
    fill = getattr(bitmask, "fill_", None) or getattr(bitmask, "fill", None)
    if fill is None or not hasattr(bitmask, "dtype"):
        raise TypeError(f"bitmask must be a torch or numpy array, not {type(bitmask).__name__}")
    require_bitmask_type(bitmask)
    fill(-1)


def apply_token_bitmask_inplace(
    logits: Any,
    bitmask: Any,
    *,
    vocab_size: int | None = None,
    indices: Any = None,
    backend: str = "auto",
) -> None:
    """Set the logits of tokens that a bitmask does not allow to minus infinity, in place.

    All backends do the same to the same arguments; logits that are allowed keep their values, NaN
    and infinities included. Any strides are honoured, negative ones of numpy too. A bitmask may be
    an expanded view, one row for a whole batch. Gradients do not follow the change.

    Parameters
    ----------
    logits : torch.Tensor or numpy.ndarray
        float32, float16, bfloat16 or float64, shape `(batch, v)` or `(v,)`, which is a batch of 1.
    bitmask : torch.Tensor or numpy.ndarray
        int32, shape `(batch, w)` or `(w,)`, on the same device.
    vocab_size : int or None
        Number of columns to mask; None means the smaller of v and 32 * w. Columns beyond keep their
        values.
    indices : iterable of int, array of int or None
        Rows to mask, the same in both arrays, which may then differ in batch size; None means all
        rows of both. A tensor on the device of the logits is not read by the host, so nothing waits
        for the device; row numbers outside the arrays are then skipped instead of refused.
    backend : str
        "auto", "cpu", "cuda", "triton", "torch_compile" or "torch_native". "auto" goes by the
        device: "cpu" in CPU memory; "triton" on "cuda", or "torch_native" where triton is not
        installed; "torch_native" on "npu"; "torch_compile" elsewhere.

    Raises
    ------
    TypeError
        An argument is no array, or an array of MLX.
    ValueError
        Wrong dtype or number of dimensions, different devices, logits that overlap themselves, a
        negative `vocab_size`, an unknown backend or one that does not serve the device.
    UsageError
        Batch sizes differ without `indices`, a row is out of range, `vocab_size` is too large.
    ImportError
        What the backend needs is not installed.

    Warns
    -----
    UserWarning
        The bitmask is narrower than the logits and `vocab_size` is not given.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r:.80}")
    call = checked_call(logits, bitmask, vocab_size, indices, stacklevel=3)
    name = _backend_of(device_type(logits)) if backend == "auto" else backend
    apply_call(call, name)


def apply_call(call: MaskCall, backend: str) -> None:
    """Hand checked arguments to a backend that is named."""
    module = _backend_module(backend)
    if call.width and (call.rows is None or len(call.rows)):
        module.apply_checked(call)
    else:
        module.require(call)


@lru_cache(maxsize=len(_MODULES))
def _backend_module(backend: str) -> Any:
    try:
        return importlib.import_module(f"{__package__}.kernels.{_MODULES[backend]}")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"The backend {backend!r} needs the package {error.name}; install "
            f"xgrammar[{'triton' if backend == 'triton' else 'torch'}]"
        ) from error


def _backend_of(device: str) -> str:
    if device == "cpu":
        return "cpu"
    if device == "npu" or (device == "cuda" and not _is_installed("triton")):
        return "torch_native"
    return "triton" if device == "cuda" else "torch_compile"


def _is_installed(package: str) -> bool:
    return package in sys.modules or importlib.util.find_spec(package) is not None
