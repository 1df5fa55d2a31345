"""MiMo-V2.6: the XML of Qwen3-Coder without its line ends; thoughts are generated in full."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_TEXT = (*_THINK, "</tool_call>", "<function=")

MIMO = ModelFormat(
    key="mimo",
    title="MiMo-V2.6",
    models=("MiMo-V2.6-Pro-RL", "MiMo-V2.6-Flash-RL"),
    calls=Calls(
        call=("<tool_call><function=", NAME, ">", ARGUMENTS, "</function></tool_call>"),
        trigger="<tool_call>",
        style="qwen_xml",
    ),
    content=Content(excludes=_TEXT, excludes_without_tools=("<tool_call>", *_TEXT)),
    reasoning=Reasoning(*_THINK, prompt_holds_begin=False, excludes=("<tool_call>", *_TEXT)),
    builtin_tools="refused",
)
