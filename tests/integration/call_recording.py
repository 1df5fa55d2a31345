"""Recording what a client calls, and playing it back without the client.

A recording is a list of JSON objects, one for each call: its name, the object it was made on, the
arguments, and what came back. Objects are numbers in the order of their making. A bitmask is
written as its shape, and after a fill as the words of the row; logits are their shape, and after
masking the tokens that are left.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import xgrammar as xgr
from tests.integration.engine_tokenizers import SmallTokenizer

RECORDED_CLASSES = ("TokenizerInfo", "GrammarCompiler", "GrammarMatcher", "Grammar")
RECORDED_FUNCTIONS = (
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "get_bitmask_shape",
    "reset_token_bitmask",
)
RESULT_CLASSES = (*RECORDED_CLASSES, "CompiledGrammar")
# The text of a grammar may be spelled in another way later; it must only be read as before.
FREE_RESULTS = ("Grammar.__str__",)
BUILT_IN_ERRORS = (RuntimeError, ValueError, TypeError)


ENCODERS: tuple[tuple[type, str, Callable[[Any], Any]], ...] = (
    (enum.Enum, "vocab_type", lambda value: value.value),
    (bytes, "bytes", lambda value: value.decode("latin-1")),
    (dict, "dict", lambda value: value),
    (SmallTokenizer, "tokenizer", lambda _: "small"),
    (xgr.StructuralTag, "tag", lambda value: value.model_dump(mode="json")),
    (xgr.StructuralTagItem, "item", lambda value: value.model_dump(mode="json", by_alias=True)),
)
DECODERS: dict[str, Callable[[Any], Any]] = {
    "vocab_type": xgr.VocabType,
    "bytes": lambda text: text.encode("latin-1"),
    "dict": lambda value: value,
    "tokenizer": lambda _: SmallTokenizer(),
    "tag": xgr.StructuralTag.model_validate,
    "item": xgr.StructuralTagItem.model_validate,
    "mask": lambda shape: np.full(shape, -1, dtype=np.int32),
    "logits": lambda shape: np.zeros(shape, dtype=np.float32),
}


def is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "shape")


def words_of(row: Any) -> str:
    return bytes(np.asarray(row, dtype=np.int32).data).hex()


def error_name(error: Exception) -> str:
    """The built-in class by which a client catches an error."""
    return next(kind.__name__ for kind in BUILT_IN_ERRORS if isinstance(error, kind))


class Recorder:
    """Stands in for the package and writes down the calls."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []
        self.module = types.SimpleNamespace(
            **{name: RecordedClass(self, name) for name in RECORDED_CLASSES},
            **{name: self._function(name) for name in RECORDED_FUNCTIONS},
            CompiledGrammar=xgr.CompiledGrammar,
            VocabType=xgr.VocabType,
            StructuralTag=xgr.StructuralTag,
            StructuralTagItem=xgr.StructuralTagItem,
            bitmask_dtype=xgr.bitmask_dtype,
        )

    def install(self, module: types.ModuleType) -> None:
        """Give a module the recorded names in place of the ones that it has imported."""
        for name, value in vars(self.module).items():
            if name in module.__dict__:
                setattr(module, name, value)
        if "xgr" in module.__dict__:
            module.__dict__["xgr"] = self.module

    def _function(self, name: str) -> Any:
        return lambda *args, **kwargs: self.call(name, None, getattr(xgr, name), args, kwargs)

    def encode(self, value: Any) -> Any:
        if isinstance(value, RecordedObject):
            return {"object": self._numbers[id(value.target)]}
        if isinstance(value, (list, tuple)):
            return [self.encode(item) for item in value]
        for kind, tag, encode in ENCODERS:
            if isinstance(value, kind):
                return {tag: encode(value)}
        if is_array(value):
            return {"mask" if "int32" in str(value.dtype) else "logits": list(value.shape)}
        return value

    def wrap(self, value: Any) -> Any:
        if type(value).__name__ not in RESULT_CLASSES:
            return value
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self._numbers)
            self._kept.append(value)
        return RecordedObject(self, value)

    def call(self, name: str, target: Any, function: Any, args: Any, kwargs: Any) -> Any:
        event: dict[str, Any] = {"call": name, "args": self.encode(args)}
        if target is not None:
            event["on"] = self._numbers[id(target)]
        if kwargs:
            event["kwargs"] = {key: self.encode(value) for key, value in kwargs.items()}
        self.events.append(event)
        plain = [value.target if isinstance(value, RecordedObject) else value for value in args]
        named = {
            key: value.target if isinstance(value, RecordedObject) else value
            for key, value in kwargs.items()
        }
        if name == "apply_token_bitmask_inplace":
            event["mask"] = [words_of(row) for row in plain[1]]
        try:
            result = self.wrap(function(*plain, **named))
        except Exception as error:
            event["raises"] = error_name(error)
            raise
        if name == "GrammarMatcher.fill_next_token_bitmask":
            event["row"] = words_of(plain[0][plain[1]])
        if name == "apply_token_bitmask_inplace":
            event["left"] = left_of(plain[0])
        event["returns"] = self.encode(result)
        return result


def left_of(logits: Any) -> list[int]:
    """How many tokens each row of logits leaves."""
    return [int((np.asarray(row, dtype=np.float32) > -np.inf).sum()) for row in logits]


class RecordedClass:
    """A class whose constructor and static methods are written down."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder, self._name, self._real = recorder, name, getattr(xgr, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recorder.call(self._name, None, self._real, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._real, name)
        full = f"{self._name}.{name}"
        return lambda *args, **kwargs: self._recorder.call(full, None, function, args, kwargs)


class RecordedObject:
    """An object whose methods and properties are written down."""

    def __init__(self, recorder: Recorder, target: Any) -> None:
        self._recorder, self.target = recorder, target

    def __str__(self) -> str:
        name = f"{type(self.target).__name__}.__str__"
        return str(self._recorder.call(name, self.target, lambda: str(self.target), (), {}))

    def __getattr__(self, name: str) -> Any:
        full = f"{type(self.target).__name__}.{name}"
        if isinstance(getattr(type(self.target), name, None), property):
            return self._recorder.call(
                full, self.target, lambda: getattr(self.target, name), (), {}
            )
        method = getattr(self.target, name)
        return lambda *args, **kwargs: self._recorder.call(full, self.target, method, args, kwargs)


class Player:
    """Makes the calls of a recording again and compares what comes back."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}

    def decode(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.decode(item) for item in value]
        if not isinstance(value, dict):
            return value
        ((tag, coded),) = value.items()
        return self._objects[coded] if tag == "object" else DECODERS[tag](coded)

    def play(self, event: dict[str, Any]) -> None:
        """Make one call; raises AssertionError where it differs."""
        args = [self.decode(value) for value in event["args"]]
        kwargs = {key: self.decode(value) for key, value in event.get("kwargs", {}).items()}
        if "mask" in event:
            rows = [np.frombuffer(bytes.fromhex(row), dtype=np.int32) for row in event["mask"]]
            args[1] = np.array(rows)
        raised, result = None, None
        try:
            result = self._result(event, args, kwargs)
        except BUILT_IN_ERRORS as error:
            raised = error_name(error)
        assert raised == event.get("raises"), event
        if raised is not None:
            return
        if "row" in event:
            assert words_of(args[0][args[1]]) == event["row"], event
        if "left" in event:
            assert left_of(args[0]) == event["left"], event
        self._compare(event, result)

    def _result(self, event: dict[str, Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        names = event["call"].split(".")
        if "on" not in event:
            function: Any = xgr
            for name in names:
                function = getattr(function, name)
            return function(*args, **kwargs)
        target = self._objects[event["on"]]
        if isinstance(getattr(type(target), names[1], None), property):
            return getattr(target, names[1])
        return getattr(target, names[1])(*args, **kwargs)

    def _compare(self, event: dict[str, Any], result: Any) -> None:
        wanted = event["returns"]
        if isinstance(wanted, dict) and "object" in wanted:
            assert type(result).__name__ in RESULT_CLASSES, event
            known = self._objects.setdefault(wanted["object"], result)
            assert known == result, event
        elif isinstance(wanted, dict) and "mask" in wanted:
            assert list(result.shape) == wanted["mask"], event
        elif event["call"] not in FREE_RESULTS:
            found = list(result) if isinstance(result, tuple) else result
            assert found == self.decode(wanted), event
