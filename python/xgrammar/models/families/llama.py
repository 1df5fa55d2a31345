"""Llama 3: calls are bare JSON objects in the text; there is no thinking part."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat

_THINK = ("<think>", "</think>")

LLAMA = ModelFormat(
    key="llama",
    title="Llama 3",
    models=("Meta-Llama-3", "Llama-3.1", "Llama-3.2"),
    calls=Calls(
        call=('{"name": "', NAME, '", "parameters": ', ARGUMENTS, "}"),
        trigger='{"name": ',
        marker="",  # Any JSON may start like a call.
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    checks_reasoning=False,
)
