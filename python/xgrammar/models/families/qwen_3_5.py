"""Qwen3.5 and Qwen3-Coder: calls in an XML of functions and parameters."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")


def xml_calls(tag: str) -> Calls:
    """Return calls of functions with parameters between `<tag>` and `</tag>`."""
    return Calls(
        call=(f"<{tag}>\n<function=", NAME, ">\n", ARGUMENTS, f"\n</function>\n</{tag}>"),
        trigger=f"<{tag}>\n<function=",
        style="qwen_xml",
        # Templates write one line end in a call without arguments, not two.
        line_before_arguments=True,
    )


def xml_content(think: tuple[str, str]) -> Content:
    """Return text without the markers of thoughts."""
    return Content(excludes=think, excludes_without_tools=think)


QWEN_3_5 = ModelFormat(
    key="qwen_3_5",
    title="Qwen3.5",
    models=("Qwen3.5", "Qwen3.6", "Qwen3-Coder", "Qwen3-Coder-Next"),
    calls=xml_calls("tool_call"),
    content=xml_content(_THINK),
    reasoning=Reasoning(*_THINK, suffix="\n\n", excludes=_THINK),
    aliases=("qwen_3_coder",),
    marker_tokens=(*_THINK, "<tool_call>", "</tool_call>"),
)
