"""Families that write their calls as one JSON list of objects with a name and arguments.

Granite 3, Hunyuan-A13B, Phi-4-mini and Mistral up to version 7 of its tokenizer differ in what is
around the list.
"""

from __future__ import annotations

from dataclasses import replace

from xgrammar.models.format import ARGUMENTS, ID, NAME, Calls, ModelFormat, Reasoning

_CALL = ('{"name": "', NAME, '", "arguments": ', ARGUMENTS, "}")


def _list_after(marker: str, end: str = "]", *, blank: bool = False, text_after: bool) -> Calls:
    """Return a list of calls after a marker, perhaps with a blank between them."""
    return Calls(
        call=_CALL,
        trigger=marker,
        begin=f"{marker}[",
        other_begins=(f"{marker} [",) if blank else (),
        end=end,
        separator=", ",
        text_after=text_after,
        text_after_required=text_after,
    )


GRANITE = ModelFormat(
    key="granite",
    title="Granite 3",
    models=("Granite 3 models",),
    calls=_list_after("<|tool_call|>", blank=True, text_after=False),
    checks_reasoning=False,
)

HUNYUAN = ModelFormat(
    key="hunyuan",
    title="Hunyuan-A13B",
    models=("Hunyuan-A13B-Instruct",),
    calls=_list_after("<tool_calls>", "]</tool_calls>", text_after=True),
    reasoning=Reasoning(
        "<think>\n",
        "\n</think>\n",
        suffix="<answer>\n",
        prompt_holds_begin=False,
        excludes=("<think>", "</think>"),
    ),
)

PHI4_MINI = ModelFormat(
    key="phi4_mini",
    title="Phi-4-mini",
    models=("Phi-4-mini-instruct",),
    calls=replace(_list_after("functools", text_after=False), trigger="functools["),
    checks_reasoning=False,
)

_MISTRAL_CALLS = _list_after("[TOOL_CALLS]", blank=True, text_after=False)
MISTRAL_V7 = ModelFormat(
    key="mistral_v7",
    title="Mistral (tokenizer version 7)",
    models=("Mistral models with JSON lists of calls",),
    calls=replace(_MISTRAL_CALLS, spellings=((*_CALL[:-1], ', "id": "', ID, '"}'),)),
    checks_reasoning=False,
)
