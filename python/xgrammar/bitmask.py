"""Token bitmasks: one bit for each token, 32 to a word, 1 for allowed.

Bit ``t % 32`` (least significant first) of word ``t // 32`` belongs to token ``t``. Masks are int32
arrays of numpy or torch; neither is imported before a call needs it.
"""

from __future__ import annotations

import importlib.util
import operator
import sys
import warnings
from typing import Any

from .exception import UsageError

__all__ = [
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",  # noqa: F822 - resolved by __getattr__, since it needs torch.
    "get_bitmask_shape",
    "reset_token_bitmask",
]

_WORD_BITS = 32
_MATRIX = 2
_BACKENDS = ("auto", "cpu", "cuda", "triton", "torch_compile", "torch_native")
_FLOAT_TYPES = ("float32", "float16", "bfloat16", "float64")


def __getattr__(name: str) -> Any:
    if name == "bitmask_dtype":
        import torch

        return torch.int32
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_bitmask_shape(batch_size: int, vocab_size: int) -> tuple[int, int]:
    """Return the shape of a bitmask: `(batch_size, ceil(vocab_size / 32))`."""
    return batch_size, (vocab_size + _WORD_BITS - 1) // _WORD_BITS


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
    """
    rows, words = get_bitmask_shape(operator.index(batch_size), operator.index(vocab_size))
    if batch_size < 0 or vocab_size < 0:
        raise UsageError(
            f"Sizes must not be negative: batch_size is {batch_size}, vocab_size {vocab_size}"
        )
    if like is None:
        like = "torch" if _torch_is_there() else "numpy"
    if like == "torch":
        import torch

        return torch.full((rows, words), -1, dtype=torch.int32)
    if like == "numpy":
        import numpy as np

        return np.full((rows, words), -1, dtype=np.int32)
    raise ValueError(f'like must be "torch", "numpy" or None, not {like!r}')


def _torch_is_there() -> bool:
    return "torch" in sys.modules or importlib.util.find_spec("torch") is not None


def reset_token_bitmask(bitmask: Any) -> None:
    """Allow everything in a bitmask, in place.

    Parameters
    ----------
    bitmask : torch.Tensor or numpy.ndarray
        The mask.
    """
    if hasattr(bitmask, "fill_"):
        bitmask.fill_(-1)
    elif hasattr(bitmask, "fill"):
        bitmask.fill(-1)
    else:
        raise TypeError(f"bitmask must be a torch or numpy array, not {type(bitmask).__name__}")


def apply_token_bitmask_inplace(
    logits: Any,
    bitmask: Any,
    *,
    vocab_size: int | None = None,
    indices: Any = None,
    backend: str = "auto",
) -> None:
    """Set the logits of tokens that a bitmask does not allow to minus infinity, in place.

    Parameters
    ----------
    logits : torch.Tensor or numpy.ndarray
        float32, float16, bfloat16 or float64, shape `(batch, v)` or `(v,)`.
    bitmask : torch.Tensor or numpy.ndarray
        int32, shape `(batch, w)` or `(w,)`.
    vocab_size : int or None
        Number of columns to mask; None means the smaller of v and 32 * w. Columns beyond keep their
        values.
    indices : sequence of int, array of int or None
        Rows to mask, the same in both arrays; None means all.
    backend : str
        "auto", "cpu", "cuda", "triton", "torch_compile" or "torch_native". "auto" takes "cpu" in
        CPU memory and "torch_compile" elsewhere ("torch_native" on an NPU).

    Raises
    ------
    ValueError
        Wrong dtype or number of dimensions, different devices, a negative `vocab_size`, an unknown
        backend.
    UsageError
        Batch sizes differ without `indices`, a row is out of range, `vocab_size` is too large.
    ImportError
        The backend is not available.

    Warns
    -----
    UserWarning
        The bitmask is narrower than the logits and `vocab_size` is not given.
    """
    if backend not in _BACKENDS:
        raise ValueError(f"backend must be one of {', '.join(_BACKENDS)}, not {backend!r}")
    device = _common_device(logits, bitmask)
    _check_types(logits, bitmask)
    width = _checked_width(logits, bitmask, vocab_size)
    rows = _checked_rows(logits, bitmask, indices)
    if backend == "auto":
        backend = {"cpu": "cpu", "npu": "torch_native"}.get(device, "torch_compile")
    if backend in ("triton", "cuda"):
        raise ImportError(
            f"The backend {backend!r} is not part of this version; use 'torch_compile' or 'auto'"
        )
    if backend == "cpu":
        if device != "cpu":
            raise ValueError(f"The backend 'cpu' needs arrays in CPU memory, not on {device}")
        from .kernels.apply_token_bitmask_inplace_cpu import apply_rows_cpu

        apply_rows_cpu(logits, bitmask, width, rows)
        return
    if not hasattr(logits, "masked_fill_") or not hasattr(bitmask, "masked_fill_"):
        raise ValueError(f"The backend {backend!r} needs torch tensors")
    from .kernels.apply_token_bitmask_inplace_torch import apply_rows_torch

    apply_rows_torch(logits, bitmask, width, rows, compiled=backend == "torch_compile")


def _device_of(array: Any) -> str:
    device = getattr(array, "device", "cpu")  # numpy before 2.0 has no such attribute.
    return str(getattr(device, "type", device))


def _common_device(logits: Any, bitmask: Any) -> str:
    for name, array in (("logits", logits), ("bitmask", bitmask)):
        if not hasattr(array, "shape") or not hasattr(array, "dtype"):
            raise TypeError(f"{name} must be a torch or numpy array, not {type(array).__name__}")
    first, second = str(getattr(logits, "device", "cpu")), str(getattr(bitmask, "device", "cpu"))
    if first != second:
        raise ValueError(f"logits are on {first}, but bitmask is on {second}")
    return _device_of(logits)


def _type_name(array: Any) -> str:
    return str(array.dtype).removeprefix("torch.")


def _check_types(logits: Any, bitmask: Any) -> None:
    if _type_name(bitmask) != "int32":
        raise ValueError(f"bitmask must have dtype int32, not {_type_name(bitmask)}")
    if _type_name(logits) not in _FLOAT_TYPES:
        raise ValueError(
            f"logits must have dtype {', '.join(_FLOAT_TYPES[:-1])} or {_FLOAT_TYPES[-1]}, "
            f"not {_type_name(logits)}"
        )
    for name, array in (("logits", logits), ("bitmask", bitmask)):
        if len(array.shape) not in (1, _MATRIX):
            raise ValueError(f"{name} must have 1 or 2 dimensions, not {len(array.shape)}")


def _checked_width(logits: Any, bitmask: Any, vocab_size: int | None) -> int:
    columns, bits = logits.shape[-1], bitmask.shape[-1] * _WORD_BITS
    if vocab_size is None:
        if bits < columns:
            warnings.warn(
                f"The bitmask has {bits} bits for {columns} logits; the rest is not masked",
                UserWarning,
                stacklevel=3,
            )
        return int(min(columns, bits))
    width = operator.index(vocab_size)
    if width < 0:
        raise ValueError(f"vocab_size must not be negative, but is {width}")
    if width > min(columns, bits):
        raise UsageError(
            f"vocab_size is {width}, but there are {columns} logits and {bits} bits in the bitmask"
        )
    return width


def _num_rows(array: Any) -> int:
    return 1 if len(array.shape) == 1 else int(array.shape[0])


def _checked_rows(logits: Any, bitmask: Any, indices: Any) -> Any:
    """Return None for all rows, a list, or a tensor of another device as it is."""
    num_logits, num_masks = _num_rows(logits), _num_rows(bitmask)
    if indices is None:
        if num_logits != num_masks:
            raise UsageError(
                f"logits have {num_logits} rows, bitmask {num_masks}; name the rows by indices"
            )
        return None
    if hasattr(indices, "dtype") and hasattr(indices, "shape"):
        if "int" not in _type_name(indices):
            raise ValueError(f"indices must be integers, not {_type_name(indices)}")
        if len(indices.shape) != 1:
            raise ValueError(f"indices must have 1 dimension, not {len(indices.shape)}")
        if _device_of(indices) != "cpu" and _device_of(logits) != "cpu":
            return indices  # Reading it would wait for the device.
        indices = indices.tolist()
    rows = [operator.index(row) for row in indices]
    for row in rows:
        if not 0 <= row < min(num_logits, num_masks):
            raise UsageError(
                f"indices holds row {row}, but logits have {num_logits} rows and bitmask "
                f"{num_masks}"
            )
    return rows
