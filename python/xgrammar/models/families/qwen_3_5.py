"""Qwen3.5 and Qwen3-Coder: calls in an XML of functions and parameters."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")

QWEN_3_5 = ModelFormat(
    key="qwen_3_5",
    title="Qwen3.5",
    models=("Qwen3.5", "Qwen3.6", "Qwen3-Coder", "Qwen3-Coder-Next"),
    calls=Calls(
        call=(
            "<tool_call>\n<function=",
            NAME,
            ">\n",
            ARGUMENTS,
            "\n</function>\n</tool_call>",
        ),
        trigger="<tool_call>\n<function=",
        style="qwen_xml",
        # The template writes one line end in a call without arguments, not two.
        line_before_arguments=True,
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, suffix="\n\n", excludes=_THINK),
    aliases=("qwen_3_coder",),
    marker_tokens=(*_THINK, "<tool_call>", "</tool_call>"),
)
