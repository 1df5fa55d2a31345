"""MiniMax-M3: blocks of invokes whose arguments are elements in a namespace, at every depth."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_NS = "]<]minimax[>["
_THINK = ("<mm:think>", "</mm:think>")
_TEXT = (*_THINK, f"{_NS}</tool_call>", f"{_NS}<invoke", f"{_NS}</invoke>")
_BLOCK = f"{_NS}<tool_call>"

MINIMAX_M3 = ModelFormat(
    key="minimax_m3",
    title="MiniMax-M3",
    models=("MiniMax-M3",),
    calls=Calls(
        call=(f'{_NS}<invoke name="', NAME, '">', ARGUMENTS, f"{_NS}</invoke>\n"),
        trigger=_BLOCK,
        begin=f"{_BLOCK}\n",
        end=f"{_NS}</tool_call>",
        style="minimax_m3_xml",
    ),
    content=Content(excludes=_TEXT, excludes_without_tools=(_BLOCK, *_TEXT)),
    reasoning=Reasoning(*_THINK, excludes=(_BLOCK, *_TEXT), end_alone=True),
    default_reasoning="auto",
    builtin_tools="refused",
)
