"""EXAONE 4.0: calls are JSON objects directly between tool_call tags."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")

EXAONE = ModelFormat(
    key="exaone",
    title="EXAONE 4.0",
    models=("EXAONE-4.0-32B", "EXAONE-4.0-1.2B"),
    calls=Calls(
        call=('<tool_call>{"name": "', NAME, '", "arguments": ', ARGUMENTS, "}</tool_call>"),
        trigger="<tool_call>",
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, suffix="\n\n", excludes=_THINK, excludes_enabled=()),
)
