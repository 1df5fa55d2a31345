"""Families that write calls as Python source: OLMo 3 and LFM2; and the calls of Llama 4.

Parsers read them with Python's own parser, so names of tools have to be names in Python.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import replace

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_TEXT = Content(excludes=_THINK, excludes_without_tools=_THINK)
_NAME = rf"(?!(?:{'|'.join(keyword.kwlist)})\b)[A-Za-z][A-Za-z0-9_]*"
_ONE_NAME = re.compile(_NAME)


def python_calls(
    begin: str, end: str, separator: str = ", ", markers: tuple[str, ...] = ()
) -> Calls:
    """Return calls of functions in Python; `markers` are kept out of strings, the first begins."""
    return Calls(
        call=(NAME, "(", ARGUMENTS, ")"),
        trigger=markers[0],
        begin=begin,
        end=end,
        separator=separator,
        style="pythonic",
        text_after=False,
        text_after_required=False,
        argument_excludes=markers,
        names=_ONE_NAME,
    )


_OLMO_CALLS = ("<function_calls>", "</function_calls>")
OLMO_3 = ModelFormat(
    key="olmo3",
    title="OLMo 3",
    models=("Olmo-3-7B-Instruct", "Olmo-3-32B-Think"),
    calls=python_calls(*_OLMO_CALLS, "\n", _OLMO_CALLS),
    content=_TEXT,
    # The prompt of the thinking models opens the thoughts; parsers also read an opener.
    reasoning=Reasoning(*_THINK, may_write_begin=True, excludes=_THINK, line_ends_follow=True),
)

_LFM_CALLS = ("<|tool_call_start|>", "<|tool_call_end|>")
LFM2 = ModelFormat(
    key="lfm2",
    title="LFM2",
    models=("LFM2", "LFM2.5"),
    calls=replace(
        python_calls(f"{_LFM_CALLS[0]}[", f"]{_LFM_CALLS[1]}", markers=_LFM_CALLS),
        names=re.compile(rf"{_NAME}(?:\.{_NAME})*"),
    ),
    content=_TEXT,
    reasoning=Reasoning(*_THINK, prompt_holds_begin=False, excludes=_THINK, line_ends_follow=True),
)
