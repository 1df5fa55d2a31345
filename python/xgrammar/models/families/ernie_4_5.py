"""ERNIE 4.5 thinking models: Hermes calls after thoughts that the prompt opens."""

from __future__ import annotations

from xgrammar.models.format import Content, ModelFormat, Reasoning

from .hermes import hermes_calls

_THINK = ("<think>", "</think>")

ERNIE_4_5 = ModelFormat(
    key="ernie_4_5",
    title="ERNIE 4.5",
    models=("ERNIE-4.5-21B-A3B-Thinking",),
    calls=hermes_calls("tool_call"),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, excludes=_THINK, line_ends_follow=True),
)
