"""Kimi-K3: blocks of thoughts, response and calls between three special tokens.

The layout is its own: the response is a block, too, the calls follow it, and the message is closed
by a marker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xgrammar.models.build import reasoning_part
from xgrammar.models.calls import call_block
from xgrammar.models.format import ARGUMENTS, INDEX, NAME, Calls, Content, ModelFormat, Reasoning
from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    OptionalFormat,
    SequenceFormat,
    TagFormat,
)

if TYPE_CHECKING:
    from xgrammar.models.request import Request

_OPEN, _CLOSE, _SEP = "<|open|>", "<|close|>", "<|sep|>"


def _begin(block: str) -> str:
    return f"{_OPEN}{block}{_SEP}"


def _end(block: str) -> str:
    return f"{_CLOSE}{block}{_SEP}"


def _layout(model: ModelFormat, request: Request) -> Any:
    # With thinking disabled, the prompt already holds the opener of the response.
    response = TagFormat(
        begin="" if request.reasoning == "disabled" else _begin("response"),
        content=AnyTextFormat(excludes=request.excluded(model.content.excludes)),
        end=_end("response"),
    )
    calls: list[Any] = []
    if request.tools:
        block = call_block(model.calls, request)
        calls = [block if request.must_call else OptionalFormat(content=block)]
    thoughts = reasoning_part(model.reasoning, request)
    last = ConstStringFormat(value=_end("message"))
    return SequenceFormat(elements=[*thoughts, response, *calls, last])


KIMI_K3 = ModelFormat(
    key="kimi_k3",
    title="Kimi-K3",
    models=("Kimi-K3",),
    calls=Calls(
        call=(f'{_OPEN}call tool="', NAME, '" index="', INDEX, f'"{_SEP}', ARGUMENTS, _end("call")),
        trigger=_begin("tools"),
        begin=_begin("tools"),
        end=_end("tools"),
        style="kimi_k3_xml",
        name_escapes={"&": "&amp;", '"': "&quot;"},
        argument_excludes=(_OPEN, _CLOSE, _SEP),
    ),
    content=Content(excludes=(_OPEN, _CLOSE)),
    reasoning=Reasoning(_begin("think"), _end("think"), excludes=(_OPEN, _CLOSE)),
    layout=_layout,
)
