"""Qwen3: Hermes calls, JSON objects between tool_call tags on lines of their own."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")

QWEN_3 = ModelFormat(
    key="qwen_3",
    title="Qwen3",
    models=("Qwen3", "Qwen3-Next"),
    calls=Calls(
        call=(
            '<tool_call>\n{"name": "',
            NAME,
            '", "arguments": ',
            ARGUMENTS,
            "}\n</tool_call>",
        ),
        trigger="<tool_call>",
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, suffix="\n\n", excludes=_THINK),
    marker_tokens=(*_THINK, "<tool_call>", "</tool_call>"),
)
