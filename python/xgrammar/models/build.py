"""Turns the description of a model family and a request into a structural tag.

The usual layout is the thinking part, then free text in which calls may come, or calls at once.
`build_structural_tag` composes it; the functions for its parts serve families with a layout of
their own, too. Every tag is a fresh tree: nothing is shared between two results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    OptionalFormat,
    OrFormat,
    RegexFormat,
    StructuralTag,
    TagFormat,
    TriggeredTagsFormat,
)

from .calls import call_block, call_row, call_tags, one_of, sequence

if TYPE_CHECKING:
    from .format import Calls, ModelFormat, Reasoning
    from .request import Request

__all__ = ["build_structural_tag", "reasoning_part"]


def build_structural_tag(model: ModelFormat, request: Request) -> StructuralTag:
    """Return the structural tag of a family for a request.

    Raises
    ------
    ValueError
        The family cannot do what is requested.
    """
    request.check(model)
    if model.layout is not None:
        return StructuralTag(format=model.layout(model, request))
    parts = [*reasoning_part(model.reasoning, request), _response(model, request)]
    return StructuralTag(format=sequence(parts))


def reasoning_part(reasoning: Reasoning | None, request: Request) -> list[Any]:
    """Return the formats that come before the response."""
    if reasoning is None:
        return []
    if request.reasoning == "disabled":
        return [ConstStringFormat(value=text) for text in reasoning.disabled_prefix]
    enabled = request.reasoning == "enabled"
    excludes = reasoning.excludes
    if enabled and reasoning.excludes_enabled is not None:
        excludes = reasoning.excludes_enabled
    thoughts: Any = TagFormat(
        begin="" if enabled and reasoning.prompt_holds_begin else reasoning.begin,
        content=AnyTextFormat(excludes=request.excluded(excludes)),
        end=reasoning.end,
    )
    if enabled and reasoning.may_write_begin:
        opener = OptionalFormat(content=ConstStringFormat(value=reasoning.begin))
        thoughts = sequence([opener, thoughts])
    if reasoning.suffix:
        thoughts = sequence([thoughts, ConstStringFormat(value=reasoning.suffix)])
    if reasoning.line_ends_follow:
        thoughts = sequence([thoughts, RegexFormat(pattern="\\n*")])
    if enabled:
        return [thoughts]
    if reasoning.end_alone:
        thoughts = OrFormat(elements=[thoughts, ConstStringFormat(value=reasoning.end)])
    return [OptionalFormat(content=thoughts)]


def _response(model: ModelFormat, request: Request) -> Any:
    calls = model.calls
    if not request.tools:
        return AnyTextFormat(excludes=_without_tools(model, request))
    excludes = request.excluded(model.content.excludes)
    tags = [call_block(calls, request)] if calls.begin else call_tags(calls, request)
    if request.choice == "forced":
        return _at_once(calls, one_of(tags))
    if not calls.begin and not calls.text_after:
        row = call_row(calls, tags, request, at_least_one=request.must_call)
        text = AnyTextFormat(excludes=[calls.trigger, *excludes])
        return row if request.must_call else sequence([text, row])
    if request.must_call and not calls.text_after_required:
        return _at_once(calls, one_of(tags))
    return TriggeredTagsFormat(
        triggers=[calls.trigger],
        tags=tags,
        at_least_one=request.must_call,
        stop_after_first=request.one_call or not calls.text_after,
        excludes=excludes,
    )


def _at_once(calls: Calls, tag: Any) -> Any:
    return sequence([ConstStringFormat(value=calls.lead), tag]) if calls.lead else tag


def _without_tools(model: ModelFormat, request: Request) -> list[str]:
    content, marker = model.content, model.calls.disabled_marker
    excludes = [*content.excludes_without_tools]
    if request.tools_disabled and marker and marker not in excludes:
        excludes.append(marker)
    return request.excluded(excludes, content.always_excluded_without_tools)
