"""Applying token bitmasks to logits: one module for each way to do it.

Every module has one function of its own name that takes `(logits, bitmask, vocab_size, indices)`
and does what `xgrammar.apply_token_bitmask_inplace` does with that backend; the exception is
`apply_token_bitmask_mlx`, which returns new logits because arrays of MLX are values. Modules are
loaded when they are first used, so that this package needs neither torch, triton nor mlx.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        apply_token_bitmask_inplace_cpu,
        apply_token_bitmask_inplace_cuda,
        apply_token_bitmask_inplace_torch,
        apply_token_bitmask_inplace_torch_compile,
        apply_token_bitmask_inplace_triton,
        apply_token_bitmask_mlx,
    )

__all__ = [
    "apply_token_bitmask_inplace_cpu",
    "apply_token_bitmask_inplace_cuda",
    "apply_token_bitmask_inplace_torch",
    "apply_token_bitmask_inplace_torch_compile",
    "apply_token_bitmask_inplace_triton",
    "apply_token_bitmask_mlx",
]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
