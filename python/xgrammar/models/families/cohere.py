"""Cohere Command: a block of calls with typed value tags, names escaped as in XML."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, INDEX, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<|START_THINKING|>", "<|END_THINKING|>")
_CALLS = "<cofl:tool_calls>"

COHERE = ModelFormat(
    key="cohere",
    title="Cohere Command",
    models=("Cohere Command models that call tools in XML",),
    calls=Calls(
        call=(
            '<cofl:tool_call id="',
            INDEX,
            '" name="',
            NAME,
            '">',
            ARGUMENTS,
            "</cofl:tool_call>",
        ),
        trigger=_CALLS,
        begin=_CALLS,
        end="</cofl:tool_calls>",
        style="cohere_xml",
        text_after_required=False,
        name_escapes={"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"},
    ),
    content=Content(excludes=_THINK, excludes_without_tools=(*_THINK, _CALLS)),
    # A repeated opener is tolerated inside the thoughts.
    reasoning=Reasoning(*_THINK, excludes=_THINK, excludes_enabled=()),
)
