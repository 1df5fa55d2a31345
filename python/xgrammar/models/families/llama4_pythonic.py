"""Llama 4: a response is a list of calls in Python, or text; parsers read no list inside text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xgrammar.models.calls import call_block, one_of
from xgrammar.models.format import ModelFormat
from xgrammar.structural_tag import AnyTextFormat

from .pythonic import python_calls

if TYPE_CHECKING:
    from xgrammar.models.request import Request


def _text_or_calls(model: ModelFormat, request: Request) -> Any:
    """Return calls alone, or text in which no call of a tool begins."""
    if not request.tools:
        return AnyTextFormat()
    block = call_block(model.calls, request)
    begins = [f"{model.calls.begin}{tool.function.name}(" for tool in request.tools]
    text = [] if request.must_call else [AnyTextFormat(excludes=begins)]
    return one_of([block, *text])


_MARKERS = ("<|python_start|>", "<|python_end|>")
LLAMA4_PYTHONIC = ModelFormat(
    key="llama4_pythonic",
    title="Llama 4",
    models=("Llama-4-Scout", "Llama-4-Maverick"),
    # Parsers remove the markers wherever they stand. No text is safe to exclude without tools.
    calls=replace(python_calls("[", "]", markers=_MARKERS), trigger="[", marker=""),
    checks_reasoning=False,
    layout=_text_or_calls,
)
