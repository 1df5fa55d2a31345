"""Applying a bitmask to logits of MLX.

Arrays of MLX are values in a lazy graph: masking returns new logits, and nothing is computed before
the result is asked for. Importing this module imports mlx.
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx  # noqa: TID253 - this module exists for mlx.

from xgrammar._integers import integer
from xgrammar.exception import UsageError

from ._arguments import WORD_BITS

__all__ = ["apply_token_bitmask_mlx"]


def apply_token_bitmask_mlx(bitmask: Any, logits: Any, vocab_size: int) -> Any:
    """Return the first logits with minus infinity where the bitmask does not allow the token.

    Parameters
    ----------
    bitmask : mlx.core.array or numpy.ndarray
        int32, shape `(w,)` or `(batch, w)`; one row serves a whole batch.
    logits : mlx.core.array
        A floating type, shape `(v,)` or `(batch, v)`.
    vocab_size : int
        Number of columns to keep, at most v and 32 * w.

    Returns
    -------
    mlx.core.array
        The type of `logits`, shape `(vocab_size,)` or `(batch, vocab_size)`.

    Raises
    ------
    TypeError
        `logits` are no array of MLX.
    ValueError
        Wrong dtype or number of dimensions, a negative `vocab_size`.
    UsageError
        Batch sizes differ, `vocab_size` is too large.
    """
    if not isinstance(logits, mx.array):
        raise TypeError(f"logits must be an mlx.core.array, not {type(logits).__name__}")
    words = bitmask if isinstance(bitmask, mx.array) else mx.array(bitmask)
    width = integer("vocab_size", vocab_size)
    _check(words, logits, width)
    lanes = mx.arange(WORD_BITS, dtype=mx.int32)
    bits = mx.bitwise_and(mx.right_shift(words[..., None], lanes), 1)
    allowed = mx.flatten(bits, -2)[..., :width] != 0
    if logits.ndim == 1 and allowed.ndim > 1:
        allowed = allowed[0]
    kept = logits[..., :width]
    return mx.where(allowed, kept, mx.array(float("-inf"), dtype=logits.dtype))


def _check(words: mx.array, logits: mx.array, width: int) -> None:
    if words.dtype != mx.int32:
        raise ValueError(f"bitmask must have dtype int32, not {words.dtype}")
    if not mx.issubdtype(logits.dtype, mx.floating):
        raise ValueError(f"logits must have a floating dtype, not {logits.dtype}")
    for name, array in (("bitmask", words), ("logits", logits)):
        if array.ndim not in (1, 2):
            raise ValueError(f"{name} must have 1 or 2 dimensions, not {array.ndim}")
    if width < 0:
        raise ValueError(f"vocab_size must not be negative, but is {width}")
    if width > min(logits.shape[-1], words.shape[-1] * WORD_BITS):
        raise UsageError(
            f"vocab_size is {width}, but there are {logits.shape[-1]} logits and "
            f"{words.shape[-1] * WORD_BITS} bits in the bitmask"
        )
    num_rows = 1 if logits.ndim == 1 else logits.shape[0]
    num_masks = 1 if words.ndim == 1 else words.shape[0]
    if num_masks not in (1, num_rows):
        raise UsageError(f"logits have {num_rows} rows, but bitmask {num_masks}")
