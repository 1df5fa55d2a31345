"""A logits processor for mlx-lm, and a small program that shows it.

Importing this module imports mlx; mlx-lm is needed by the program alone:

    python -m xgrammar.contrib.mlxlm --model PATH_OR_NAME --prompt "A person as JSON:" --seed 1

writes JSON to the standard output.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import TYPE_CHECKING, Any

import mlx.core as mx  # noqa: TID253 - this module exists for mlx.

from xgrammar.bitmask import allocate_token_bitmask
from xgrammar.compiler import CompiledGrammar, GrammarCompiler
from xgrammar.exception import UsageError
from xgrammar.kernels.apply_token_bitmask_mlx import apply_token_bitmask_mlx
from xgrammar.tokenizer_info import TokenizerInfo

from ._generated_row import GeneratedRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xgrammar.matcher import GrammarMatcher

__all__ = ["XGrammarLogitsProcessor"]

_DEFAULT_ROLLBACK = 16
_MATRIX = 2


class XGrammarLogitsProcessor:
    """Keeps one sequence that mlx-lm writes inside a grammar.

    The tokens of the first call are the prompt, of which nothing is matched. A later call appends
    one token, or takes some back first (speculative decoding). Anything else is another generation:
    its tokens are a new prompt, and the matcher starts again.

    Parameters
    ----------
    grammar : CompiledGrammar
        What the generated text must match.
    max_rollback_tokens : int
        Accepted for compatibility: rollback has no limit.

    Attributes
    ----------
    matcher : GrammarMatcher
        The state of the present generation.
    vocab_size : int
        Number of tokens of the grammar's vocabulary.
    bitmask : numpy.ndarray
        int32, shape `(1, ceil(vocab_size / 32))`: the mask of the last call.

    Raises
    ------
    TypeError
        `grammar` is something else.

    Warns
    -----
    DeprecationWarning
        Another `max_rollback_tokens` than the default is given.
    """

    def __init__(
        self, grammar: CompiledGrammar, max_rollback_tokens: int = _DEFAULT_ROLLBACK
    ) -> None:
        if not isinstance(grammar, CompiledGrammar):
            raise TypeError(f"grammar must be a CompiledGrammar, not {type(grammar).__name__}")
        if max_rollback_tokens != _DEFAULT_ROLLBACK:
            warnings.warn(
                "max_rollback_tokens is ignored: rollback has no limit",
                DeprecationWarning,
                stacklevel=2,
            )
        self.vocab_size: int = grammar.tokenizer_info.vocab_size
        self.bitmask: Any = allocate_token_bitmask(1, self.vocab_size, like="numpy")
        self._row = GeneratedRow(grammar)
        self._prompt: list[int] | None = None

    @property
    def matcher(self) -> GrammarMatcher:
        """The state of the present generation."""
        return self._row.matcher

    def reset(self) -> None:
        """Forget everything: the tokens of the next call are a prompt."""
        self._row.move_to([])
        self._prompt = None

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        """Return logits with what the grammar does not allow set to minus infinity.

        Parameters
        ----------
        tokens : mlx.core.array
            Integers, shape `(length,)`: the prompt, or its last part, and what was generated.
        logits : mlx.core.array
            A floating type, shape `(1, v)` or `(v,)`.

        Returns
        -------
        mlx.core.array
            The first `vocab_size` columns, masked; after a stop token the same columns with their
            values unchanged, since mlx-lm computes one token more than it gives out.

        Raises
        ------
        ValueError
            Wrong shape or dtype.
        UsageError
            The last token is not allowed; the logits are those of several sequences; no token can
            follow.
        """
        if logits.ndim == _MATRIX and logits.shape[0] != 1:
            raise UsageError(f"logits must have 1 row, not {logits.shape[0]}: one for a processor")
        self._follow(_token_list(tokens))
        matcher = self._row.matcher
        width = min(self.vocab_size, logits.shape[-1])
        if matcher.is_terminated():
            # Of the same width as before: speculative decoding joins the logits of its steps.
            return logits if width == logits.shape[-1] else logits[..., :width]
        matcher.fill_next_token_bitmask(self.bitmask)
        if not self.bitmask.any():
            raise UsageError(
                "No token can follow: the text is complete and the tokenizer has no stop token"
                if matcher.is_completed()
                else "No token can follow: none of the vocabulary continues the grammar"
            )
        masked: mx.array = apply_token_bitmask_mlx(mx.array(self.bitmask), logits, width)
        return masked

    def _follow(self, tokens: list[int]) -> None:
        prompt, row = self._prompt, self._row
        if prompt is not None and tokens[: len(prompt)] == prompt:
            generated = tokens[len(prompt) :]
            if row.num_common(generated) >= len(generated) - 1:
                row.move_to(generated)
                if row.is_refused:
                    raise row.refusal(0)
                return
        self.reset()
        self._prompt = tokens


def _token_list(tokens: mx.array) -> list[int]:
    if tokens.ndim != 1:
        raise ValueError(f"tokens must have 1 dimension, not {tokens.ndim}")
    if not mx.issubdtype(tokens.dtype, mx.integer):
        raise ValueError(f"tokens must be integers, not {tokens.dtype}")
    ids: list[int] = tokens.tolist()
    return ids


def main(arguments: Sequence[str] | None = None) -> int:
    """Generate a JSON value that continues a prompt; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m xgrammar.contrib.mlxlm", description="Generate JSON with mlx-lm."
    )
    parser.add_argument("--model", required=True, help="folder or name of a model of mlx-lm")
    parser.add_argument("--prompt", required=True, help="text, put into the chat template if any")
    parser.add_argument("--seed", type=int, default=None, help="of the sampler")
    parser.add_argument("--max-tokens", type=int, default=256, help="stop after so many tokens")
    options = parser.parse_args(arguments)
    import mlx_lm

    if options.seed is not None:
        mx.random.seed(options.seed)
    model, tokenizer = mlx_lm.load(options.model)
    inner = getattr(tokenizer, "_tokenizer", tokenizer)  # mlx-lm wraps the one of transformers.
    info = TokenizerInfo.from_huggingface(inner, stop_token_ids=list(tokenizer.eos_token_ids))
    prompt = options.prompt
    if tokenizer.chat_template is not None:
        prompt = tokenizer.apply_chat_template(
            [{"role": "user", "content": prompt}], add_generation_prompt=True
        )
    processor = XGrammarLogitsProcessor(GrammarCompiler(info).compile_builtin_json_grammar())
    text = mlx_lm.generate(
        model,
        tokenizer,
        prompt=prompt,
        max_tokens=options.max_tokens,
        logits_processors=[processor],
    )
    sys.stdout.write(f"{text}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
