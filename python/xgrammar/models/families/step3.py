"""Step 3: calls between DeepSeek-like markers, invokes and parameters in an XML of its own."""

# ruff: noqa: RUF001 (the markers are made of full-width bars)

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_BEGIN, _END = "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"
_CALL, _SEP, _CALL_END = "<｜tool_call_begin｜>", "<｜tool_sep｜>", "<｜tool_call_end｜>"
_INVOKE_END = "</steptml:invoke>"

STEP_3 = ModelFormat(
    key="step3",
    title="Step 3",
    models=("step3",),
    calls=Calls(
        call=(
            f'{_CALL}function{_SEP}<steptml:invoke name="',
            NAME,
            '">\n',
            ARGUMENTS,
            f"{_INVOKE_END}{_CALL_END}",
        ),
        trigger=_BEGIN,
        begin=f"{_BEGIN}\n",
        end=f"\n{_END}",
        separator="\n",
        style="step3_xml",
        # Parsers look for these ends wherever they stand.
        argument_excludes=(_BEGIN, _END, _CALL, _CALL_END, _SEP, _INVOKE_END),
        text_after=False,
        text_after_required=False,
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, excludes=_THINK, line_ends_follow=True),
)
