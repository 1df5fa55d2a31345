"""Gemma 4: calls and thoughts in channel markers, arguments with bare keys and quote tokens."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_CHANNEL, _END = "<|channel>", "<channel|>"
_CALL, _CALL_END = "<|tool_call>", "<tool_call|>"

GEMMA_4 = ModelFormat(
    key="gemma_4",
    title="Gemma 4",
    models=(
        "Gemma-4",
        "gemma-4-12b-it",
        "gemma-4-26b-a4b-it",
        "gemma-4-31b-it",
        "gemma-4-e2b-it",
    ),
    calls=Calls(
        call=(f"{_CALL}call:", NAME, ARGUMENTS, _CALL_END),
        trigger=_CALL,
        style="gemma",
        argument_excludes=(_CHANNEL, _END, _CALL, _CALL_END),
    ),
    content=Content(excludes=(_CHANNEL, _END), excludes_without_tools=(_CHANNEL, _END, _CALL)),
    reasoning=Reasoning(
        f"{_CHANNEL}thought\n",
        _END,
        prompt_holds_begin=False,
        excludes=(_CHANNEL, _END, _CALL),
    ),
)
