"""The engines under test behind one small interface, so that the worker times all of them with the
same code.

Each adapter uses its engine the way a serving engine does: one compiler per tokenizer, one bitmask
allocated before, one thread. `ours` and `peer` share an adapter because they share an API; they
differ in the environment that runs them.
"""

from __future__ import annotations

import json
from typing import Any, Protocol

from tests.bench.tokenizers import RealTokenizer


class Session(Protocol):
    """One generation."""

    def fill(self) -> None:
        """Write the mask of the next token (timed)."""

    def accept(self, token_id: int) -> bool:
        """Take a token (timed)."""

    def allows(self, token_id: int) -> bool:
        """Read the bit of a token in the mask last written."""


class Engine(Protocol):
    """A compiler bound to a tokenizer."""

    version: str

    def compile(self, schema: Any, mode: str) -> Any:
        """Compile; raises what the engine raises for a schema it refuses (timed)."""

    def start(self, compiled: Any) -> Session:
        """Begin a generation (timed for the first mask)."""


class XGrammarSession:
    """A matcher of this library or of the peer, with its row of the bitmask."""

    def __init__(self, engine: XGrammarEngine, compiled: Any) -> None:
        self._matcher = engine.xgr.GrammarMatcher(compiled)
        self._bitmask, self._words = engine.bitmask, engine.words
        self.fill_row, self.accept = (
            self._matcher.fill_next_token_bitmask,
            self._matcher.accept_token,
        )

    def fill(self) -> None:
        self.fill_row(self._bitmask, 0)

    def allows(self, token_id: int) -> bool:
        return bool((int(self._words[0, token_id >> 5]) >> (token_id & 31)) & 1)


class XGrammarEngine:
    """This library, or the peer in its own environment."""

    def __init__(self, tokenizer: RealTokenizer, array: str) -> None:
        import importlib.metadata

        import xgrammar as xgr

        self.xgr = xgr
        self.version = importlib.metadata.version("xgrammar")
        self.info = xgr.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=[tokenizer.eos_token_id]
        )
        self.compiler = xgr.GrammarCompiler(self.info, max_threads=1, cache_limit_bytes=1 << 30)
        if array == "torch":
            self.bitmask = xgr.allocate_token_bitmask(1, tokenizer.vocab_size)
            self.words = self.bitmask.numpy()
        else:
            import numpy as np

            self.bitmask = self.words = np.full(
                xgr.get_bitmask_shape(1, tokenizer.vocab_size), -1, dtype=np.int32
            )

    def compile(self, schema: Any, mode: str) -> Any:
        text = schema if isinstance(schema, str) else json.dumps(schema, ensure_ascii=False)
        options: dict[str, Any] = {"strict_mode": False} if mode == "open" else {}
        return self.compiler.compile_json_schema(text, **options)

    def start(self, compiled: Any) -> XGrammarSession:
        return XGrammarSession(self, compiled)


class LLGuidanceSession:
    """A matcher of llguidance."""

    def __init__(self, engine: LLGuidanceEngine, compiled: Any) -> None:
        self._matcher = compiled
        self._fill, self._bitmask = engine.fill, engine.bitmask
        self.accept = self._matcher.consume_token

    def fill(self) -> None:
        self._fill(self._matcher, self._bitmask, 0)

    def allows(self, token_id: int) -> bool:
        return bool((int(self._bitmask[0, token_id >> 5]) >> (token_id & 31)) & 1)


class LLGuidanceEngine:
    """llguidance; it has no strict mode, so both modes are one."""

    def __init__(self, tokenizer: RealTokenizer, array: str) -> None:
        import importlib.metadata

        import llguidance
        import llguidance.hf
        import llguidance.numpy

        del array
        self.version = importlib.metadata.version("llguidance")
        self._matcher_class = llguidance.LLMatcher
        self.tokenizer = llguidance.hf.from_tokenizer(
            tokenizer.hf, n_vocab=tokenizer.vocab_size, eos_token=tokenizer.eos_token_id
        )
        self.fill = llguidance.numpy.fill_next_token_bitmask
        self.bitmask = llguidance.numpy.allocate_token_bitmask(1, tokenizer.vocab_size)

    def compile(self, schema: Any, mode: str) -> Any:
        del mode
        text = schema if isinstance(schema, str) else json.dumps(schema, ensure_ascii=False)
        grammar = self._matcher_class.grammar_from_json_schema(text)
        matcher = self._matcher_class(self.tokenizer, grammar)
        error = matcher.get_error()
        if error:
            raise RuntimeError(error)
        return matcher

    def start(self, compiled: Any) -> LLGuidanceSession:
        compiled.reset()  # its compiled object is a matcher already; generations follow one another
        return LLGuidanceSession(self, compiled)


ENGINES: dict[str, type[XGrammarEngine | LLGuidanceEngine]] = {
    "ours": XGrammarEngine,
    "peer": XGrammarEngine,
    "llguidance": LLGuidanceEngine,
}
