"""Structured generation: grammars to exact token masks.

A grammar comes from a JSON Schema, a regular expression or EBNF; a `GrammarCompiler` binds it to a
tokenizer; a `GrammarMatcher` follows one generation and tells which tokens may come next.

Importing this package loads neither numpy, torch, pydantic nor transformers; names that need them
load them when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import compiler, config, exception, grammar, limits, matcher, tokenizer_info
from ._version import __version__, __version_tuple__
from .bitmask import (
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)
from .compiler import CompiledGrammar, GrammarCompiler
from .config import (
    get_max_recursion_depth,
    get_serialization_version,
    max_recursion_depth,
    set_max_recursion_depth,
)
from .exception import (
    DeserializeFormatError,
    DeserializeVersionError,
    GrammarLimitError,
    GrammarSyntaxError,
    InternalError,
    InvalidJSONError,
    InvalidStructuralTagError,
    JSONSchemaError,
    UnsatisfiableGrammarError,
    UnsupportedFeatureError,
    UsageError,
    XGrammarError,
)
from .grammar import Grammar
from .limits import Limits, get_default_limits, set_default_limits
from .matcher import BatchGrammarMatcher, GrammarMatcher
from .tokenizer_info import TokenizerInfo, VocabType

if TYPE_CHECKING:
    from . import kernels, testing
    from .bitmask import bitmask_dtype

_LAZY_SUBMODULES = ("kernels", "testing")
_LAZY_NAMES = {"bitmask_dtype": "bitmask"}

__all__ = [
    "BatchGrammarMatcher",
    "CompiledGrammar",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "Grammar",
    "GrammarCompiler",
    "GrammarLimitError",
    "GrammarMatcher",
    "GrammarSyntaxError",
    "InternalError",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "JSONSchemaError",
    "Limits",
    "TokenizerInfo",
    "UnsatisfiableGrammarError",
    "UnsupportedFeatureError",
    "UsageError",
    "VocabType",
    "XGrammarError",
    "__version__",
    "__version_tuple__",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "bitmask_dtype",
    "compiler",
    "config",
    "exception",
    "get_bitmask_shape",
    "get_default_limits",
    "get_max_recursion_depth",
    "get_serialization_version",
    "grammar",
    "kernels",
    "limits",
    "matcher",
    "max_recursion_depth",
    "reset_token_bitmask",
    "set_default_limits",
    "set_max_recursion_depth",
    "testing",
    "tokenizer_info",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY_NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY_NAMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
