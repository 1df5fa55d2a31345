"""The logits processor for transformers; reached as `xgrammar.contrib.hf.LogitsProcessor`.

Importing this module imports torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch  # noqa: TID253 - this module exists for torch and transformers.
import transformers  # noqa: TID253

from xgrammar.bitmask import allocate_token_bitmask, apply_token_bitmask_inplace
from xgrammar.compiler import CompiledGrammar
from xgrammar.exception import UsageError
from xgrammar.matcher import BatchGrammarMatcher, GrammarMatcher

from ._generated_row import GeneratedRow

__all__ = ["LogitsProcessor"]

_ON_REFUSED = ("raise", "stop")
_MATRIX = 2


class LogitsProcessor(transformers.LogitsProcessor):  # type: ignore[misc]
    """Keeps what `generate` writes inside a grammar; one processor for each call of `generate`.

    Every row of the batch has a matcher. The sequences of the first call are the prompts, of which
    nothing is matched; later calls may append a token, take tokens back (assisted decoding) and
    continue one row from another with the same grammar (beam search). Scores that the grammar does
    not allow become minus infinity, those of columns that are no tokens of its vocabulary too. Rows
    that have ended allow stop tokens alone.

    Parameters
    ----------
    compiled_grammar : CompiledGrammar or list of CompiledGrammar
        One grammar for all rows, or one for each row, where a row is a beam in beam search. All of
        one vocabulary.
    on_refused : "raise" or "stop"
        What happens to a row whose last token its grammar does not allow. That does not happen to
        plain sampling unless another processor undoes the mask, so it is an error by default. Beam
        search (which keeps beams of probability zero), assisted decoding (which asks about drafts)
        and batches in which rows end by other criteria than a stop token need "stop": such a row
        has ended there.

    Attributes
    ----------
    matchers : list of GrammarMatcher
        One for each row; empty before the first call.
    compiled_grammars : list of CompiledGrammar
        One, or one for each row.
    full_vocab_size : int
        Number of tokens of the grammars' vocabulary.
    token_bitmask : torch.Tensor or None
        int32 in CPU memory, shape `(batch_size, ceil(full_vocab_size / 32))`; None before the first
        call.
    prefilled : bool
        Whether the first call has been made.
    batch_size : int
        Number of rows; 0 before the first call.

    Raises
    ------
    TypeError
        `compiled_grammar` is something else.
    ValueError
        An empty list, grammars of different vocabulary sizes, an unknown word for `on_refused`.

    Examples
    --------
    >>> processor = xgrammar.contrib.hf.LogitsProcessor(compiled)  # doctest: +SKIP
    >>> model.generate(**inputs, logits_processor=[processor])  # doctest: +SKIP
    """

    supports_continuous_batching = False  # Rows would come and go between calls.

    def __init__(
        self,
        compiled_grammar: CompiledGrammar | Sequence[CompiledGrammar],
        *,
        on_refused: str = "raise",
    ) -> None:
        self.compiled_grammars = _grammar_list(compiled_grammar)
        if on_refused not in _ON_REFUSED:
            raise ValueError(f'on_refused must be "raise" or "stop", not {on_refused!r:.80}')
        self.full_vocab_size: int = self.compiled_grammars[0].tokenizer_info.vocab_size
        self.token_bitmask: torch.Tensor | None = None
        self.prefilled = False
        self.batch_size = 0
        self._on_refused = on_refused
        self._rows: list[GeneratedRow] = []
        self._prompts: torch.Tensor | None = None
        self._last_ids = torch.empty((0, 0), dtype=torch.int64)
        self._batch_matcher: BatchGrammarMatcher | None = None

    @property
    def matchers(self) -> list[GrammarMatcher]:
        """One matcher for each row; empty before the first call."""
        return [row.matcher for row in self._rows]

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        """Return the scores with what the grammars do not allow set to minus infinity.

        Parameters
        ----------
        input_ids : torch.Tensor
            Integers, shape `(batch, length)`: prompts and what was generated.
        scores : torch.Tensor
            float32, float16, bfloat16 or float64, shape `(batch, v)`, any device; not changed.

        Returns
        -------
        torch.Tensor
            As `scores`.

        Raises
        ------
        ValueError
            Wrong shape or dtype.
        UsageError
            The batch size changed or does not fit the list of grammars; the sequences do not
            continue those of the last call; a token is refused; a grammar allows no token at all.
        """
        _check_matrices(input_ids, scores)
        ids = input_ids.detach().to("cpu", torch.int64)
        bitmask = self.token_bitmask
        if self._prompts is None or bitmask is None:
            bitmask = self._start(ids)
        else:
            self._follow(ids, self._prompts)
        self._fill(bitmask)
        return self._masked(scores, bitmask)

    def _start(self, prompts: torch.Tensor) -> torch.Tensor:
        batch_size, grammars = len(prompts), self.compiled_grammars
        if len(grammars) == 1:
            grammars = grammars * batch_size
        if len(grammars) != batch_size:
            raise UsageError(
                f"There are {len(grammars)} grammars for {batch_size} rows; give one for all, or "
                "one for each (in beam search one for each beam)"
            )
        self._rows = [GeneratedRow(grammar) for grammar in grammars]
        self._prompts = self._last_ids = prompts.clone()
        self.batch_size = batch_size
        bitmask: torch.Tensor = allocate_token_bitmask(
            batch_size, self.full_vocab_size, like="torch"
        )
        self.token_bitmask = bitmask
        self.prefilled = True
        return bitmask

    def _follow(self, ids: torch.Tensor, prompts: torch.Tensor) -> None:
        """Bring every row to the tokens that it is given now."""
        if len(ids) != self.batch_size:
            raise UsageError(f"The batch had {self.batch_size} rows and has {len(ids)} now")
        if ids.shape[1] == self._last_ids.shape[1] + 1 and torch.equal(ids[:, :-1], self._last_ids):
            for row, token in zip(self._rows, ids[:, -1].tolist(), strict=True):
                row.append(token)
        else:
            self._move(ids, prompts)
        self._last_ids = ids.clone()
        for number, row in enumerate(self._rows):
            if row.is_refused and self._on_refused == "raise":
                raise row.refusal(number)

    def _move(self, ids: torch.Tensor, prompts: torch.Tensor) -> None:
        """Bring rows to sequences that do not all continue their own."""
        prompt_length = prompts.shape[1]
        if not torch.equal(ids[:, :prompt_length], prompts):
            raise UsageError(
                "The prompts are not those of the first call; make a new LogitsProcessor for each "
                "call of generate"
            )
        sequences = ids[:, prompt_length:].tolist()
        sources = [self._source_of(row, tokens) for row, tokens in enumerate(sequences)]
        self._rows = [
            self._rows[row] if row == source else self._rows[source].fork()
            for row, source in enumerate(sources)
        ]
        for row, tokens in zip(self._rows, sequences, strict=True):
            row.move_to(tokens)

    def _source_of(self, row: int, tokens: list[int]) -> int:
        """Return the row that these tokens continue by at most one; itself, if it can be."""
        if self._rows[row].tokens == tokens[:-1]:
            return row
        candidates = [row, *(i for i in range(self.batch_size) if i != row)]
        candidates = [i for i in candidates if self._rows[i].grammar == self._rows[row].grammar]
        best = max(candidates, key=lambda i: self._rows[i].num_common(tokens))
        if self._rows[best].num_common(tokens) < len(tokens) - 1:
            raise UsageError(
                f"Row {row} does not continue a row of the last call; make a new LogitsProcessor "
                "for each call of generate"
            )
        return best

    def _fill(self, bitmask: torch.Tensor) -> None:
        """Write the mask of every row."""
        live = [i for i, row in enumerate(self._rows) if not row.is_ended]
        if len(live) > 1:
            self._batch_matcher = self._batch_matcher or BatchGrammarMatcher()
            self._batch_matcher.batch_fill_next_token_bitmask(
                [self._rows[i].matcher for i in live], bitmask, live
            )
        elif live:
            self._rows[live[0]].matcher.fill_next_token_bitmask(bitmask, live[0])
        for i, row in enumerate(self._rows):
            if row.is_ended:
                _allow_only(bitmask[i], row.matcher.stop_token_ids)
        empty = (bitmask == 0).all(dim=1).nonzero().flatten().tolist()
        if empty:
            raise UsageError(
                f"Row {empty[0]}: no token can follow. "
                + (
                    "The text is complete and the tokenizer has no stop token"
                    if self._rows[empty[0]].matcher.is_completed()
                    else "No token of the vocabulary continues the grammar"
                )
            )

    def _masked(self, scores: torch.Tensor, bitmask: torch.Tensor) -> torch.Tensor:
        """Return masked scores; devices without a kernel of their own go through the CPU."""
        is_direct = scores.device.type in ("cpu", "cuda")
        masked = scores.detach().to(scores.device if is_direct else "cpu", copy=True)
        width = min(self.full_vocab_size, masked.shape[1])
        apply_token_bitmask_inplace(masked, bitmask.to(masked.device), vocab_size=width)
        masked[:, width:] = float("-inf")
        return masked.to(scores.device)


def _grammar_list(grammars: Any) -> list[CompiledGrammar]:
    if isinstance(grammars, CompiledGrammar):
        return [grammars]
    if not isinstance(grammars, Sequence) or isinstance(grammars, (str, bytes)):
        raise TypeError(
            "compiled_grammar must be a CompiledGrammar or a list of them, not "
            f"{type(grammars).__name__}"
        )
    for number, grammar in enumerate(grammars):
        if not isinstance(grammar, CompiledGrammar):
            raise TypeError(
                f"compiled_grammar[{number}] must be a CompiledGrammar, not "
                f"{type(grammar).__name__}"
            )
    sizes = sorted({grammar.tokenizer_info.vocab_size for grammar in grammars})
    if len(sizes) != 1:
        raise ValueError(
            f"The grammars have vocabularies of different sizes: {sizes}"
            if sizes
            else "The list of grammars is empty"
        )
    return list(grammars)


def _check_matrices(input_ids: torch.Tensor, scores: torch.Tensor) -> None:
    for name, tensor in (("input_ids", input_ids), ("scores", scores)):
        if tensor.ndim != _MATRIX:
            raise ValueError(f"{name} must have 2 dimensions, not {tensor.ndim}")
    if input_ids.is_floating_point():
        raise ValueError(f"input_ids must be integers, not {input_ids.dtype}")
    if len(input_ids) != len(scores):
        raise ValueError(f"There are {len(input_ids)} sequences, but {len(scores)} rows of scores")


def _allow_only(row: torch.Tensor, token_ids: list[int]) -> None:
    """Write a row of a bitmask that allows these tokens."""
    words: dict[int, int] = {}
    for token in token_ids:
        words[token // 32] = words.get(token // 32, 0) | 1 << token % 32
    row.zero_()
    for word, bits in words.items():
        row[word] = bits - (1 << 32) if bits >> 31 else bits
