"""DeepSeek-R1 and V3.1: a block of calls between markers; R1 fences the arguments as code."""

# ruff: noqa: RUF001 (the markers are made of full-width bars)

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_CALLS = "<｜tool▁calls▁begin｜>"
_BEGIN, _SEP, _END = "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"
_CONTENT = Content(excludes=_THINK, excludes_without_tools=(*_THINK, _CALLS))
_REASONING = Reasoning(*_THINK, excludes=_THINK)

DEEPSEEK_R1 = ModelFormat(
    key="deepseek_r1",
    title="DeepSeek-R1",
    models=("DeepSeek-R1", "DeepSeek-R1-0528"),
    calls=Calls(
        call=(f"{_BEGIN}function{_SEP}", NAME, "\n```json\n", ARGUMENTS, f"\n```{_END}"),
        trigger=_CALLS,
        begin=_CALLS,
        end="<｜tool▁calls▁end｜>",
        separator="\n",
        text_after_required=False,
    ),
    content=_CONTENT,
    reasoning=_REASONING,
)

DEEPSEEK_V3_1 = ModelFormat(
    key="deepseek_v3_1",
    title="DeepSeek-V3.1",
    models=("DeepSeek-V3.1", "DeepSeek-V3.2-Exp"),
    calls=Calls(
        call=(_BEGIN, NAME, _SEP, ARGUMENTS, _END),
        trigger=_CALLS,
        begin=_CALLS,
        end="<｜tool▁calls▁end｜>",
        text_after_required=False,
    ),
    content=_CONTENT,
    reasoning=_REASONING,
)
