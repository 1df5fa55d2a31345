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
    CompileBudgetError,
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
    from . import (
        builtin_structural_tag,
        contrib,
        kernels,
        openai_tool_call_schema,
        structural_tag,
        testing,
    )
    from .bitmask import bitmask_dtype
    from .builtin_structural_tag import (
        get_builtin_structural_tag,
        get_model_structural_tag,
        normalize_tool_choice,
        register_model_structural_tag,
    )
    from .contrib import hf
    from .structural_tag import StructuralTag, StructuralTagItem

_LAZY_SUBMODULES = (
    "builtin_structural_tag",
    "contrib",
    "kernels",
    "openai_tool_call_schema",
    "structural_tag",
    "testing",
)
_LAZY_NAMES = {
    "bitmask_dtype": "bitmask",
    "StructuralTag": "structural_tag",
    "StructuralTagItem": "structural_tag",
    "hf": "contrib",
    "get_builtin_structural_tag": "builtin_structural_tag",
    "get_model_structural_tag": "builtin_structural_tag",
    "normalize_tool_choice": "builtin_structural_tag",
    "register_model_structural_tag": "builtin_structural_tag",
}

__all__ = [
    "BatchGrammarMatcher",
    "CompileBudgetError",
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
    "StructuralTag",
    "StructuralTagItem",
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
    "builtin_structural_tag",
    "compiler",
    "config",
    "contrib",
    "exception",
    "get_bitmask_shape",
    "get_builtin_structural_tag",
    "get_default_limits",
    "get_max_recursion_depth",
    "get_model_structural_tag",
    "get_serialization_version",
    "grammar",
    "hf",
    "kernels",
    "limits",
    "matcher",
    "max_recursion_depth",
    "normalize_tool_choice",
    "openai_tool_call_schema",
    "register_model_structural_tag",
    "reset_token_bitmask",
    "set_default_limits",
    "set_max_recursion_depth",
    "structural_tag",
    "testing",
    "tokenizer_info",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LAZY_NAMES:
        value = getattr(importlib.import_module(f"{__name__}.{_LAZY_NAMES[name]}"), name)
        # Found at once from now on: threads that go through an import wait for each other.
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
