"""A logits processor for `transformers`.

The class derives from `transformers.LogitsProcessor`; transformers and torch are loaded when it is
first asked for, not when this module is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._hf_logits_processor import LogitsProcessor

__all__ = ["LogitsProcessor"]


def __getattr__(name: str) -> Any:
    if name == "LogitsProcessor":
        from ._hf_logits_processor import LogitsProcessor

        globals()[name] = LogitsProcessor
        return LogitsProcessor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
