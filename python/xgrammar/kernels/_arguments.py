"""Checking the arguments of a bitmask application, the same for every backend.

A backend gets a `MaskCall`: nothing in it needs another look, except that row numbers which live on
a device have not been read, because reading them would wait for the device. Backends skip such rows
where they are outside the arrays.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from xgrammar._integers import integer, integers
from xgrammar.exception import UsageError

__all__ = ["FLOAT_TYPES", "WORD_BITS", "MaskCall", "checked_call", "require_bitmask_type"]

WORD_BITS = 32
FLOAT_TYPES = ("float32", "float16", "bfloat16", "float64")
_MATRIX = 2


class MaskCall(NamedTuple):
    """What to mask.

    Attributes
    ----------
    logits : torch.Tensor or numpy.ndarray
        One of `FLOAT_TYPES`, shape `(batch, v)` or `(v,)`, no two elements in one place.
    bitmask : torch.Tensor or numpy.ndarray
        int32, shape `(batch, w)` or `(w,)`, on the same device.
    width : int
        Number of columns to mask, at most v and 32 * w.
    rows : list of int, torch.Tensor or None
        None for all rows of both, which are equally many; a list of rows that both have; or an
        integer vector on the device of the logits, not checked.
    num_rows : int
        Number of rows that both arrays have.
    """

    logits: Any
    bitmask: Any
    width: int
    rows: Any
    num_rows: int

    @property
    def device(self) -> str:
        """Kind of device of the logits: "cpu", "cuda" and so on."""
        return device_type(self.logits)

    @property
    def is_torch(self) -> bool:
        """Whether both arrays are tensors of torch."""
        return is_tensor(self.logits) and is_tensor(self.bitmask)


def is_tensor(array: Any) -> bool:
    """Tell a tensor of torch without importing it."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def device_type(array: Any) -> str:
    """Return the kind of device of an array; numpy before 2.0 does not name one."""
    device = getattr(array, "device", "cpu")
    return str(getattr(device, "type", device))


def type_name(array: Any) -> str:
    """Return the name of the dtype without the library's prefix."""
    return _name_of_type(array.dtype)


@lru_cache(maxsize=64)
def _name_of_type(dtype: Any) -> str:
    return str(dtype).removeprefix("torch.")


def require_bitmask_type(bitmask: Any) -> None:
    """Raise unless the words of the array are int32."""
    if type_name(bitmask) != "int32":
        raise ValueError(f"bitmask must have dtype int32, not {type_name(bitmask)}")


def checked_call(
    logits: Any, bitmask: Any, vocab_size: int | None, indices: Any, *, stacklevel: int
) -> MaskCall:
    """Check everything that `apply_token_bitmask_inplace` documents; see there.

    `stacklevel` is the one of warnings, as seen from the caller of this function.
    """
    for name, array in (("logits", logits), ("bitmask", bitmask)):
        _check_kind(name, array)
    _check_devices(logits, bitmask)
    require_bitmask_type(bitmask)
    if type_name(logits) not in FLOAT_TYPES:
        raise ValueError(
            f"logits must have dtype {', '.join(FLOAT_TYPES[:-1])} or {FLOAT_TYPES[-1]}, "
            f"not {type_name(logits)}"
        )
    _check_overlap(logits)
    width = _checked_width(logits, bitmask, vocab_size, stacklevel + 1)
    num_rows = (_count_rows(logits), _count_rows(bitmask))
    rows = _checked_rows(num_rows, indices, device_type(logits))
    return MaskCall(logits, bitmask, width, rows, min(num_rows))


def _check_kind(name: str, array: Any) -> None:
    """Refuse what is no array of a kind that can be changed in place."""
    if is_tensor(array):
        layout = str(array.layout)
        if layout != "torch.strided":
            raise ValueError(f"{name} must be a dense tensor, not one of layout {layout}")
    elif type(array).__module__.startswith("mlx."):
        raise TypeError(
            f"{name} is an array of MLX, which cannot be changed in place; use "
            "xgrammar.kernels.apply_token_bitmask_mlx"
        )
    elif not hasattr(array, "shape") or not hasattr(array, "dtype"):
        raise TypeError(f"{name} must be a torch or numpy array, not {type(array).__name__}")
    if len(array.shape) not in (1, _MATRIX):
        raise ValueError(f"{name} must have 1 or 2 dimensions, not {len(array.shape)}")


def _check_devices(logits: Any, bitmask: Any) -> None:
    first, second = getattr(logits, "device", "cpu"), getattr(bitmask, "device", "cpu")
    if first != second and str(first) != str(second):
        raise ValueError(f"logits are on {first}, but bitmask is on {second}")


def _check_overlap(logits: Any) -> None:
    """Refuse expanded arrays: a write to one row of them is a write to all."""
    strides = logits.stride() if is_tensor(logits) else getattr(logits, "strides", None) or ()
    if 0 not in strides or 0 in tuple(logits.shape):
        return
    for axis, (size, stride) in enumerate(zip(logits.shape, strides, strict=False)):
        if stride == 0 and size > 1:
            raise ValueError(
                f"logits repeat the same memory along dimension {axis} (stride 0); copy them first"
            )


def _checked_width(logits: Any, bitmask: Any, vocab_size: int | None, stacklevel: int) -> int:
    columns, bits = int(logits.shape[-1]), int(bitmask.shape[-1]) * WORD_BITS
    if vocab_size is None:
        if bits < columns:
            warnings.warn(
                f"The bitmask has {bits} bits for {columns} logits; the rest is not masked. "
                "Pass vocab_size to say so",
                UserWarning,
                stacklevel=stacklevel,
            )
        return min(columns, bits)
    width = integer("vocab_size", vocab_size)
    if width < 0:
        raise ValueError(f"vocab_size must not be negative, but is {width}")
    if width > min(columns, bits):
        raise UsageError(
            f"vocab_size is {width}, but there are {columns} logits and {bits} bits in the bitmask"
        )
    return width


def _count_rows(array: Any) -> int:
    return 1 if len(array.shape) == 1 else int(array.shape[0])


def _checked_rows(num_rows: tuple[int, int], indices: Any, device: str) -> Any:
    if indices is None:
        if num_rows[0] != num_rows[1]:
            raise UsageError(
                f"logits have {num_rows[0]} rows, bitmask {num_rows[1]}; name the rows by indices"
            )
        return None
    if hasattr(indices, "dtype") and hasattr(indices, "shape"):
        kind = type_name(indices)
        if "int" not in kind and 0 not in tuple(indices.shape):
            raise ValueError(f"indices must be integers, not {kind}")
        if len(indices.shape) != 1:
            raise ValueError(f"indices must have 1 dimension, not {len(indices.shape)}")
        if is_tensor(indices) and "cpu" not in (device_type(indices), device):
            return indices
        indices = indices.tolist()
    elif not isinstance(indices, Iterable):
        raise TypeError(
            f"indices must be integers in a list or array, not {type(indices).__name__}"
        )
    rows = integers("indices", indices)
    for row in rows:
        if not 0 <= row < min(num_rows):
            raise UsageError(
                f"indices holds row {row}, but logits have {num_rows[0]} rows and bitmask "
                f"{num_rows[1]}"
            )
    return rows
