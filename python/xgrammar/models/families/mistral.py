"""Mistral since version 11 of its tokenizer: name and arguments after markers, nothing behind."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, ID, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("[THINK]", "[/THINK]")

MISTRAL = ModelFormat(
    key="mistral",
    title="Mistral (tokenizer version 11 and later)",
    models=("Mistral models with a token for arguments",),
    calls=Calls(
        call=("[TOOL_CALLS]", NAME, "[ARGS]", ARGUMENTS),
        spellings=(("[TOOL_CALLS]", NAME, "[CALL_ID]", ID, "[ARGS]", ARGUMENTS),),
        trigger="[TOOL_CALLS]",
        text_after=False,
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    reasoning=Reasoning(*_THINK, prompt_holds_begin=False, excludes=_THINK),
)
