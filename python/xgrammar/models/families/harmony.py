"""Harmony (gpt-oss): messages on channels, joined by the start of the next one.

The layout is its own: calls are messages to a recipient, in one of several spellings of the header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xgrammar.models.build import any_call, one_of, sequence
from xgrammar.models.format import ARGUMENTS, NAME, Calls, ModelFormat, Reasoning
from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    StarFormat,
    TagFormat,
    TagsWithSeparatorFormat,
)

if TYPE_CHECKING:
    from xgrammar.models.request import Request

_NEXT, _MESSAGE, _CALL = "<|start|>assistant", "<|message|>", "<|call|>"
_COMMENTARY, _ANALYSIS = "<|channel|>commentary", "<|channel|>analysis"
_ENDS = ("<|end|>", "<|return|>")


def _messages(request: Request) -> list[TagFormat]:
    has_tools = request.tools or request.builtin_tools
    return [
        *([_message(_COMMENTARY, _ENDS[:1])] if has_tools else []),
        *([_message(_ANALYSIS)] if request.reasoning != "disabled" else []),
        *([_message("<|channel|>final")] if not request.must_call else []),
    ]


def _message(channel: str, ends: tuple[str, ...] = _ENDS) -> TagFormat:
    # The text ends at the first of both ends, even where only one of them may follow.
    text = AnyTextFormat(excludes=[end for end in _ENDS if end not in ends])
    return TagFormat(begin=f"{channel}{_MESSAGE}", content=text, end=list(ends))


def _layout(model: ModelFormat, request: Request) -> Any:
    if not request.tools and not request.builtin_tools:
        return TagsWithSeparatorFormat(tags=_messages(request), separator=_NEXT)
    before = StarFormat(
        content=sequence([one_of(_messages(request)), ConstStringFormat(value=_NEXT)])
    )
    call = any_call(model.calls, request)
    only_one = not request.parallel_tool_calls
    if not request.must_call and not only_one:
        tags = [*_messages(request), TagFormat(begin="", content=call, end=_CALL)]
        return TagsWithSeparatorFormat(tags=tags, separator=_NEXT)
    # A call with the messages before it: more of them may follow, and messages after the last.
    call_with_messages = TagFormat(begin="", content=sequence([before, call]), end=_CALL)
    if not request.must_call:
        messages = TagsWithSeparatorFormat(tags=_messages(request), separator=_NEXT)
        return one_of([messages, call_with_messages])
    calls = TagsWithSeparatorFormat(
        tags=[call_with_messages], separator=_NEXT, at_least_one=True, stop_after_first=only_one
    )
    if only_one:
        return calls
    more = sequence([ConstStringFormat(value=_NEXT), one_of(_messages(request))])
    return sequence([calls, StarFormat(content=more)])


HARMONY = ModelFormat(
    key="harmony",
    title="Harmony",
    models=("gpt-oss",),
    calls=Calls(
        call=(
            f"{_COMMENTARY} to=functions.",
            NAME,
            "<|constrain|>json<|message|>",
            ARGUMENTS,
            _CALL,
        ),
        trigger="",
        spellings=tuple(
            (begin, NAME, middle, ARGUMENTS, _CALL)
            for begin, middle in (
                (f"{_COMMENTARY} to=functions.", " <|constrain|>json<|message|>"),
                (f"{_COMMENTARY} to=functions.", " json<|message|>"),
                (" to=functions.", f"{_COMMENTARY} <|constrain|>json<|message|>"),
                (" to=functions.", f"{_COMMENTARY} json<|message|>"),
            )
        ),
        builtin_spellings=tuple(
            (begin, NAME, middle, ARGUMENTS, _CALL)
            for channel in (_COMMENTARY, _ANALYSIS)
            for begin, middle in (
                (f"{channel} to=", " code<|message|>"),
                (" to=", f"{channel} code<|message|>"),
            )
        ),
    ),
    reasoning=Reasoning(f"{_ANALYSIS}{_MESSAGE}", "<|end|>"),
    checks_reasoning=False,
    builtin_tools="called",
    layout=_layout,
)
