"""The engines under test behind one small interface, so that the worker times all of them with the
same code.

Each adapter uses its engine the way a serving engine does: one compiler per tokenizer, one bitmask
allocated before, one thread. `ours` and `peer` share an adapter because they share an API; they
differ in the environment that runs them. A source is a dict with `kind` and what that kind needs:
`json_schema` (`schema`, `strict`), `model` (`arguments` of `get_model_structural_tag`),
`structural_tag` (`tag`), `triggered_tags` (`tags`: trigger, begin, schema, end of each), `ebnf`,
`lark` and `regex` (`text`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
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


class Batch(Protocol):
    """Several generations that take turns together."""

    def fill(self) -> None:
        """Write the masks of all rows (timed)."""

    def accept(self, token_ids: list[int]) -> bool:
        """Take a token in every row (timed); whether every row took its token."""

    def restart(self, row: int) -> None:
        """Put a row back to the beginning."""


class Engine(Protocol):
    """A compiler bound to a tokenizer."""

    version: str

    @staticmethod
    def import_all() -> None:
        """Import what a first call would: it is there in a server that has run for a second."""

    def compile(self, source: dict[str, Any]) -> Any:
        """Compile; raises what the engine raises for a source it refuses (timed)."""

    def start(self, compiled: Any) -> Session:
        """Begin a generation (timed for the first mask)."""

    def start_batch(self, compiled: list[Any], threads: int) -> Batch:
        """Begin one generation per compiled grammar (timed for the first masks)."""

    def size_bytes(self, compiled: Any) -> int | None:
        """Memory of a compiled grammar, where the engine says."""


def text_of(schema: Any) -> str:
    """A schema as the text that clients send."""
    return schema if isinstance(schema, str) else json.dumps(schema, ensure_ascii=False)


def plain_triggered_tag(source: dict[str, Any]) -> dict[str, Any]:
    """The structural tag of a source of kind triggered_tags."""
    tags = [
        {
            "type": "tag",
            "begin": tag["begin"],
            "content": {"type": "json_schema", "json_schema": tag["schema"]},
            "end": tag["end"],
        }
        for tag in source["tags"]
    ]
    triggers = sorted({tag["trigger"] for tag in source["tags"]})
    form = {"type": "triggered_tags", "triggers": triggers, "tags": tags}
    return {"type": "structural_tag", "format": form}


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


class XGrammarBatch:
    """Matchers of this library or of the peer, filled by their batch matcher."""

    def __init__(self, engine: XGrammarEngine, compiled: list[Any], threads: int) -> None:
        self._matchers = [engine.xgr.GrammarMatcher(one) for one in compiled]
        self._batch = engine.xgr.BatchGrammarMatcher(max_threads=threads)
        self._bitmask = engine.allocate(len(compiled))

    def fill(self) -> None:
        self._batch.batch_fill_next_token_bitmask(self._matchers, self._bitmask)

    def accept(self, token_ids: list[int]) -> bool:
        return all(self._batch.batch_accept_token(self._matchers, token_ids))

    def restart(self, row: int) -> None:
        self._matchers[row].reset()


class XGrammarEngine:
    """This library, or the peer in its own environment."""

    @staticmethod
    def import_all() -> None:
        import xgrammar as xgr

        xgr.get_model_structural_tag("llama", tools=[], reasoning="disabled")

    def __init__(self, tokenizer: RealTokenizer, array: str) -> None:
        import importlib.metadata

        import xgrammar as xgr

        self.xgr = xgr
        self.version = importlib.metadata.version("xgrammar")
        self.info = xgr.TokenizerInfo.from_huggingface(
            tokenizer.hf, vocab_size=tokenizer.vocab_size, stop_token_ids=[tokenizer.eos_token_id]
        )
        self.compiler = xgr.GrammarCompiler(self.info, max_threads=1, cache_limit_bytes=1 << 30)
        self._array, self._vocab_size = array, tokenizer.vocab_size
        self.bitmask = self.allocate(1)
        self.words = self.bitmask.numpy() if array == "torch" else self.bitmask

    def allocate(self, rows: int) -> Any:
        """A bitmask, as clients hold it."""
        if self._array == "torch":
            return self.xgr.allocate_token_bitmask(rows, self._vocab_size)
        import numpy as np

        return np.full(self.xgr.get_bitmask_shape(rows, self._vocab_size), -1, dtype=np.int32)

    def compile(self, source: dict[str, Any]) -> Any:
        kind, compiler = source["kind"], self.compiler
        if kind == "json_schema":
            options: dict[str, Any] = {} if source["strict"] else {"strict_mode": False}
            return compiler.compile_json_schema(text_of(source["schema"]), **options)
        if kind == "model":
            tag = self.xgr.get_model_structural_tag(**source["arguments"])
            return compiler.compile_structural_tag(tag)
        if kind == "triggered_tags":
            return compiler.compile_structural_tag(json.dumps(plain_triggered_tag(source)))
        if kind == "structural_tag":
            return compiler.compile_structural_tag(json.dumps(source["tag"]))
        calls: dict[str, str] = {
            "ebnf": "compile_grammar",
            "lark": "compile_lark",
            "regex": "compile_regex",
        }
        return getattr(compiler, calls[kind])(source["text"])

    def start(self, compiled: Any) -> XGrammarSession:
        return XGrammarSession(self, compiled)

    def start_batch(self, compiled: list[Any], threads: int) -> XGrammarBatch:
        return XGrammarBatch(self, compiled, threads)

    def size_bytes(self, compiled: Any) -> int | None:
        return int(compiled.memory_size_bytes)


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


class LLGuidanceBatch:
    """Matchers of llguidance, filled by its thread pool."""

    def __init__(self, engine: LLGuidanceEngine, compiled: list[Any], threads: int) -> None:
        self._matchers = [one.deep_copy() for one in compiled]
        self._pairs = [(matcher, row) for row, matcher in enumerate(self._matchers)]
        self._executor = engine.module.LLExecutor(threads)
        self._fill = engine.module.numpy.fill_next_token_bitmask_par
        self._bitmask = engine.module.numpy.allocate_token_bitmask(len(compiled), engine.vocab_size)

    def fill(self) -> None:
        self._fill(self._executor, self._pairs, self._bitmask)

    def accept(self, token_ids: list[int]) -> bool:
        rows = zip(self._matchers, token_ids, strict=True)
        accepted = [matcher.consume_token(token) for matcher, token in rows]
        return all(accepted)

    def restart(self, row: int) -> None:
        self._matchers[row].reset()


class LLGuidanceEngine:
    """llguidance; it has no strict mode, so both modes are one."""

    @staticmethod
    def import_all() -> None:
        __import__("llguidance")

    def __init__(self, tokenizer: RealTokenizer, array: str) -> None:
        import importlib.metadata

        import llguidance
        import llguidance.hf
        import llguidance.numpy

        del array
        self.version = importlib.metadata.version("llguidance")
        self.module, self.vocab_size = llguidance, tokenizer.vocab_size
        self._matcher_class = llguidance.LLMatcher
        self.tokenizer = llguidance.hf.from_tokenizer(
            tokenizer.hf, n_vocab=tokenizer.vocab_size, eos_token=tokenizer.eos_token_id
        )
        self.fill = llguidance.numpy.fill_next_token_bitmask
        self.bitmask = llguidance.numpy.allocate_token_bitmask(1, tokenizer.vocab_size)

    def grammar_of(self, source: dict[str, Any]) -> str:
        """Its own form of a source."""
        kind, matcher_class = source["kind"], self._matcher_class
        if kind == "triggered_tags":
            tag_class = self.module.StructTag
            tags = [
                tag_class(trigger=t["trigger"], begin=t["begin"], grammar=t["schema"], end=t["end"])
                for t in source["tags"]
            ]
            return str(tag_class.to_grammar(tags))
        calls: dict[str, Callable[[], str]] = {
            "json_schema": lambda: matcher_class.grammar_from_json_schema(
                text_of(source["schema"])
            ),
            "lark": lambda: matcher_class.grammar_from_lark(source["text"]),
            "regex": lambda: matcher_class.grammar_from_regex(source["text"]),
        }
        return calls[kind]()

    def compile(self, source: dict[str, Any]) -> Any:
        matcher = self._matcher_class(self.tokenizer, self.grammar_of(source))
        error = matcher.get_error()
        if error:
            raise RuntimeError(error)
        return matcher

    def start(self, compiled: Any) -> LLGuidanceSession:
        compiled.reset()  # its compiled object is a matcher already; generations follow one another
        return LLGuidanceSession(self, compiled)

    def start_batch(self, compiled: list[Any], threads: int) -> LLGuidanceBatch:
        return LLGuidanceBatch(self, compiled, threads)

    def size_bytes(self, compiled: Any) -> int | None:
        del compiled
        return None


ENGINES: dict[str, type[XGrammarEngine | LLGuidanceEngine]] = {
    "ours": XGrammarEngine,
    "peer": XGrammarEngine,
    "llguidance": LLGuidanceEngine,
}
