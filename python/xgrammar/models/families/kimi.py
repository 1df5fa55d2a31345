"""Kimi-K2: a section of calls, each with an id made of the tool's name and a running number."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, INDEX, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_SECTION = "<|tool_calls_section_begin|>"
_CALL = "<|tool_call_begin|>"

KIMI = ModelFormat(
    key="kimi",
    title="Kimi-K2",
    models=("Kimi-K2", "Kimi-K2.5"),
    calls=Calls(
        call=(
            f"{_CALL}functions.",
            NAME,
            ":",
            INDEX,
            "<|tool_call_argument_begin|>",
            ARGUMENTS,
            "<|tool_call_end|>",
        ),
        trigger=_SECTION,
        begin=_SECTION,
        end="<|tool_calls_section_end|>",
        text_after_required=False,
    ),
    # A call outside a section would be lost by parsers.
    content=Content(excludes=(*_THINK, _CALL), excludes_without_tools=(*_THINK, _SECTION)),
    # Some prompts hold the opener and some do not: with thinking enabled it may come again.
    reasoning=Reasoning(*_THINK, excludes=_THINK, excludes_enabled=()),
)
