"""The layout of responses that are lists of messages on channels, with calls among them.

Messages are joined by the start of the next one. A call is a message to a recipient; in every
choice, thoughts and preambles may come before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    StarFormat,
    TagFormat,
    TagsWithSeparatorFormat,
)

from .calls import any_call, one_of, sequence

if TYPE_CHECKING:
    from .format import ModelFormat
    from .request import Request

__all__ = ["channel_messages"]

_NEXT = "<|start|>assistant"
_CALL_END = "<|call|>"
_ENDS = ("<|end|>", "<|return|>")


def channel_messages(model: ModelFormat, request: Request) -> Any:
    """Return the format of a response in channel messages."""
    if not request.tools and not request.builtin_tools:
        return TagsWithSeparatorFormat(tags=_messages(request), separator=_NEXT)
    call = any_call(model.calls, request)
    only_one = not request.parallel_tool_calls
    if not request.must_call and not only_one:
        tags = [*_messages(request), TagFormat(begin="", content=call, end=_CALL_END)]
        return TagsWithSeparatorFormat(tags=tags, separator=_NEXT)
    # A call with the messages before it: more of them may follow, and messages after the last.
    before = StarFormat(content=sequence([one_of(_messages(request)), _next()]))
    call_with_messages = TagFormat(begin="", content=sequence([before, call]), end=_CALL_END)
    if not request.must_call:
        messages = TagsWithSeparatorFormat(tags=_messages(request), separator=_NEXT)
        return one_of([messages, call_with_messages])
    calls = TagsWithSeparatorFormat(
        tags=[call_with_messages], separator=_NEXT, at_least_one=True, stop_after_first=only_one
    )
    if only_one:
        return calls
    after = StarFormat(content=sequence([_next(), one_of(_messages(request))]))
    return sequence([calls, after])


def _messages(request: Request) -> list[TagFormat]:
    """Return the messages that are no calls: preambles, thoughts and final answers."""
    messages = []
    if request.tools or request.builtin_tools:
        messages.append(_message("commentary", _ENDS[:1]))
    if request.reasoning != "disabled":
        messages.append(_message("analysis", _ENDS))
    if not request.must_call:
        messages.append(_message("final", _ENDS))
    return messages


def _message(channel: str, ends: tuple[str, ...]) -> TagFormat:
    # The text ends at the first of both ends, even where only one of them may follow.
    text = AnyTextFormat(excludes=[end for end in _ENDS if end not in ends])
    return TagFormat(begin=f"<|channel|>{channel}<|message|>", content=text, end=list(ends))


def _next() -> ConstStringFormat:
    return ConstStringFormat(value=_NEXT)
