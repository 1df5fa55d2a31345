"""GLM-4.7 and GLM-5: calls with a pair of tags for each argument's name and value."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_LATER = ("</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>")
_MARKERS = (*_THINK, "<tool_call>", *_LATER)

GLM_4_7 = ModelFormat(
    key="glm_4_7",
    title="GLM-4.7",
    models=("GLM-4.7", "GLM-5"),
    calls=Calls(
        call=("<tool_call>", NAME, ARGUMENTS, "</tool_call>"),
        trigger="<tool_call>",
        style="glm_xml",
    ),
    content=Content(excludes=(*_THINK, *_LATER), excludes_without_tools=_MARKERS),
    reasoning=Reasoning(*_THINK, excludes=_MARKERS),
    marker_tokens=_MARKERS,
)
