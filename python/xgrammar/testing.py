"""Helpers for test suites; not for production."""

from __future__ import annotations

import sys
import time
from typing import Any

from .compiler import GrammarCompiler
from .exception import UnsatisfiableGrammarError
from .grammar import Grammar
from .matcher import GrammarMatcher
from .tokenizer_info import TokenizerInfo

__all__: list[str] = []


def _json_schema_to_ebnf(
    schema: Any,
    *,
    any_whitespace: bool = True,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    max_whitespace_cnt: int | None = None,
    strict_mode: bool = True,
    json_format: str = "json",
    any_order: bool = False,
) -> str:
    """Return the grammar of a JSON Schema as EBNF text."""
    if json_format != "json":
        raise ValueError(f'json_format must be "json", not {json_format!r}')
    grammar = Grammar.from_json_schema(
        schema,
        any_whitespace=any_whitespace,
        indent=indent,
        separators=separators,
        max_whitespace_cnt=max_whitespace_cnt,
        strict_mode=strict_mode,
        any_order=any_order,
    )
    return str(grammar)


def _regex_to_ebnf(regex: str, with_rule_name: bool = True) -> str:
    """Return the grammar of a regular expression as EBNF text, or only its first body."""
    text = str(Grammar.from_regex(regex))
    if with_rule_name:
        return text
    return text.split("\n", 1)[0].removeprefix("root ::= ")


def _ebnf_to_grammar_no_normalization(ebnf_string: str, root_rule_name: str = "root") -> Grammar:
    """Return the grammar of EBNF text; grammars are normalised when compiled, not before."""
    return Grammar.from_ebnf(ebnf_string, root_rule_name=root_rule_name)


def _get_matcher_from_grammar_and_tokenizer_info(
    grammar: Grammar | str, tokenizer_info: TokenizerInfo | None = None, **kwargs: Any
) -> GrammarMatcher:
    """Return a matcher of a grammar or EBNF text; the tokenizer is empty if none is given."""
    info = TokenizerInfo([]) if tokenizer_info is None else tokenizer_info
    compiler = GrammarCompiler(info, cache_enabled=False)
    return GrammarMatcher(compiler.compile_grammar(grammar), **kwargs)


def _get_matcher_from_grammar(grammar: Grammar | str, **kwargs: Any) -> GrammarMatcher:
    """Return a matcher for strings only, which needs no stop token."""
    kwargs.setdefault("terminate_without_stop_token", True)
    return _get_matcher_from_grammar_and_tokenizer_info(grammar, None, **kwargs)


def _is_grammar_accept_string(
    grammar: Grammar | str,
    input_str: str | bytes,
    *,
    debug_print: bool = False,
    print_time: bool = False,
    require_termination: bool = True,
) -> bool:
    """Return whether a grammar accepts a text: as a whole or, if not required, as a prefix.

    A grammar that matches no string, which cannot be compiled, accepts none.
    """
    try:
        matcher = _get_matcher_from_grammar(grammar)
    except UnsatisfiableGrammarError:
        return False
    start = time.perf_counter()
    accepted = matcher.accept_string(input_str, debug_print=debug_print)
    if print_time:
        sys.stderr.write(f"accept_string: {(time.perf_counter() - start) * 1e6:.1f} us\n")
    return accepted and (matcher.is_completed() or not require_termination)


def _row_as_bools(bitmask: Any, vocab_size: int, index: int) -> Any:
    """Return the bits of one row as a numpy vector."""
    import numpy as np

    device = getattr(bitmask, "device", "cpu")
    if str(getattr(device, "type", device)) != "cpu":
        raise ValueError("bitmask must be in CPU memory")
    words = np.asarray(bitmask)
    if words.dtype != np.int32:
        raise ValueError(f"bitmask must have dtype int32, not {words.dtype}")
    row = np.ascontiguousarray(words if words.ndim == 1 else words[index])
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")
    if vocab_size > bits.size:
        raise ValueError(f"vocab_size is {vocab_size}, but the bitmask has {bits.size} bits")
    return bits[:vocab_size].astype(bool)


def _get_masked_tokens_from_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> list[int]:
    """Return the ids that a row does not allow."""
    import numpy as np

    rejected: list[int] = np.flatnonzero(~_row_as_bools(bitmask, vocab_size, index)).tolist()
    return rejected


def _is_single_token_bitmask(bitmask: Any, vocab_size: int, index: int = 0) -> tuple[bool, int]:
    """Return whether a row allows exactly one token, and which; else -1."""
    import numpy as np

    allowed = np.flatnonzero(_row_as_bools(bitmask, vocab_size, index))
    return (True, int(allowed[0])) if allowed.size == 1 else (False, -1)


def bool_mask_to_bitmask(bool_mask: Any) -> Any:
    """Return the bitmask of a boolean tensor, padded with ones.

    Parameters
    ----------
    bool_mask : torch.Tensor
        Shape (batch, n) or (n,), on any device; True allows a token.

    Returns
    -------
    torch.Tensor
        int32, shape (batch, ceil(n / 32)), on the same device.
    """
    import torch

    mask = torch.atleast_2d(bool_mask).to(torch.bool)
    padding = -mask.shape[-1] % 32
    padded = torch.nn.functional.pad(mask, (0, padding), value=True)
    words = padded.reshape(mask.shape[0], -1, 32).to(torch.int64)
    bits = torch.bitwise_left_shift(
        torch.ones(32, dtype=torch.int64, device=mask.device),
        torch.arange(32, dtype=torch.int64, device=mask.device),
    )
    return (words * bits).sum(dim=-1).to(torch.int32)


def bitmask_to_bool_mask(bit_mask: Any, vocab_size: int | None = None) -> Any:
    """Return the boolean tensor of a bitmask.

    Parameters
    ----------
    bit_mask : torch.Tensor
        int32 in CPU memory, shape (batch, w) or (w,).
    vocab_size : int or None
        Columns of the result; None keeps all 32 * w.

    Returns
    -------
    torch.Tensor
        bool, shape (batch, vocab_size) or (vocab_size,).

    Raises
    ------
    ValueError
        Another device or dtype, or more columns than bits.
    """
    import torch

    if bit_mask.device.type != "cpu":
        raise ValueError(f"bit_mask must be in CPU memory, not on {bit_mask.device}")
    if bit_mask.dtype != torch.int32:
        raise ValueError(f"bit_mask must have dtype int32, not {bit_mask.dtype}")
    shifts = torch.arange(32, dtype=torch.int32)
    bits = (bit_mask.unsqueeze(-1) >> shifts).bitwise_and(1).to(torch.bool).flatten(-2)
    if vocab_size is None:
        return bits
    if vocab_size > bits.shape[-1]:
        raise ValueError(f"vocab_size is {vocab_size}, but there are {bits.shape[-1]} bits")
    return bits[..., :vocab_size]


def _traverse_draft_tree(
    retrieve_next_token: Any,
    retrieve_next_sibling: Any,
    draft_tokens: Any,
    matcher: GrammarMatcher,
    allocate_token_bitmask: Any,
    time_threshold: float = -1.0,
) -> bool:
    """Call `GrammarMatcher.traverse_draft_tree` with its arguments in an older order."""
    return matcher.traverse_draft_tree(
        retrieve_next_token,
        retrieve_next_sibling,
        draft_tokens,
        allocate_token_bitmask,
        time_threshold,
    )
