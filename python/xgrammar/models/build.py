"""Turns the description of a model family and a request into a structural tag.

The usual layout is the thinking part, then free text in which calls may come, or calls at once.
`build_structural_tag` composes it; the functions for its parts serve families with a layout of
their own, too. Every tag is a fresh tree: nothing is shared between two results.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from xgrammar.structural_tag import (
    AnyTextFormat,
    ConstStringFormat,
    JSONSchemaFormat,
    OptionalFormat,
    OrFormat,
    RegexFormat,
    SequenceFormat,
    StructuralTag,
    TagFormat,
    TagsWithSeparatorFormat,
    TriggeredTagsFormat,
)

from .empty_arguments import accepts_no_arguments
from .format import ARGUMENTS, ID, INDEX, NAME, Calls, ModelFormat, Reasoning, Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xgrammar.openai_tool_call_schema import FunctionToolParam

    from .request import Request

__all__ = [
    "any_call",
    "build_structural_tag",
    "call_block",
    "one_of",
    "reasoning_part",
    "sequence",
]


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
    if reasoning.suffix:
        thoughts = sequence([thoughts, ConstStringFormat(value=reasoning.suffix)])
    if reasoning.line_ends_follow:
        thoughts = sequence([thoughts, RegexFormat(pattern="\\n*")])
    if enabled:
        return [thoughts]
    if reasoning.end_alone:
        thoughts = OrFormat(elements=[thoughts, ConstStringFormat(value=reasoning.end)])
    return [OptionalFormat(content=thoughts)]


def _function_tags(calls: Calls, request: Request) -> list[TagFormat]:
    """Return the calls of the tools that may be called: one tag per tool and spelling."""
    tools = request.tools[:1] if request.choice == "forced" else request.tools
    return [
        _call_tag(calls, spelling, tool, request)
        for tool in tools
        for spelling in (calls.call, *calls.spellings)
    ]


def _call_tag(
    calls: Calls, spelling: Sequence[str | Role], tool: FunctionToolParam, request: Request
) -> TagFormat:
    """Return the tag of one call: literals up to the first variable part are its begin."""
    written = calls.written_name(tool.function.name)
    schema = _function_schema(tool)
    pieces: list[str | Role] = [""]
    for part in spelling:
        piece = written if part is NAME else part
        if isinstance(piece, str) and isinstance(pieces[-1], str):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    begin, *middle = pieces
    end = middle.pop() if isinstance(middle[-1], str) else ""
    arguments = _arguments_format(calls, schema, request)
    if calls.line_before_arguments and accepts_no_arguments(schema):
        arguments = OrFormat(
            elements=[
                sequence([ConstStringFormat(value=str(begin)[-1]), arguments]),
                ConstStringFormat(value=""),
            ]
        )
        begin = str(begin)[:-1]
    formats = {
        INDEX: RegexFormat(pattern="[0-9]+"),
        ID: RegexFormat(pattern="[a-zA-Z0-9]{9}"),
        ARGUMENTS: arguments,
    }
    content = [
        formats[piece] if isinstance(piece, Role) else ConstStringFormat(value=piece)
        for piece in middle
    ]
    return TagFormat(begin=begin, content=sequence(content), end=end)


def any_call(calls: Calls, request: Request) -> Any:
    """Return the call of any tool in any spelling, up to the end of its arguments."""
    tools = [
        ((calls.call, *calls.spellings), tool.function.name, _function_schema(tool))
        for tool in request.tools
    ]
    tools += [
        (calls.builtin_spellings, tool.name or tool.type, _any_if_none(tool.parameters))
        for tool in request.builtin_tools
    ]
    return one_of(
        [
            sequence(
                [
                    one_of([_header(calls, spelling, name) for spelling in spellings]),
                    _arguments_format(calls, schema, request),
                ]
            )
            for spellings, name, schema in tools
        ]
    )


def _header(calls: Calls, spelling: Sequence[str | Role], name: str) -> ConstStringFormat:
    """Return what stands before the arguments of a call."""
    parts = spelling[: spelling.index(ARGUMENTS)]
    written = calls.written_name(name)
    return ConstStringFormat(
        value="".join(written if part is NAME else str(part) for part in parts)
    )


def _arguments_format(calls: Calls, schema: Any, request: Request) -> JSONSchemaFormat:
    """Return the format of a call's arguments."""
    return JSONSchemaFormat(
        json_schema=copy.deepcopy(schema),
        style=calls.style,
        any_order=request.any_order,
        max_whitespace_cnt=request.max_whitespace_cnt,
        excludes=request.excluded(calls.argument_excludes),
    )


def call_block(calls: Calls, request: Request, begin: str | None = None) -> TagFormat:
    """Return the tag of a block of calls."""
    begin = calls.begin if begin is None else begin
    tags = _function_tags(calls, request)
    if request.choice == "forced":
        return TagFormat(begin=begin, content=one_of(tags), end=calls.end)
    return TagFormat(begin=begin, content=_row(calls, tags, request, True), end=calls.end)


def _row(
    calls: Calls, tags: list[TagFormat], request: Request, at_least_one: bool
) -> TagsWithSeparatorFormat:
    """Return calls with nothing but the separator between them."""
    return TagsWithSeparatorFormat(
        tags=tags,
        separator=calls.separator,
        at_least_one=at_least_one,
        stop_after_first=request.one_call,
    )


def _response(model: ModelFormat, request: Request) -> Any:
    calls, content = model.calls, model.content
    if not request.tools:
        return AnyTextFormat(excludes=_without_tools(model, request))
    excludes = request.excluded(content.excludes)
    if calls.begin:
        begins = (calls.begin, *calls.other_begins)
        tags = [call_block(calls, request, begin) for begin in begins]
    else:
        tags = _function_tags(calls, request)
        if request.choice != "forced" and not calls.text_after:
            row = _row(calls, tags, request, request.must_call)
            text = AnyTextFormat(excludes=[calls.trigger, *excludes])
            return row if request.must_call else sequence([text, row])
    if request.choice == "forced" or (request.must_call and not calls.text_after_required):
        lead = [ConstStringFormat(value=calls.lead)] if calls.lead else []
        return sequence([*lead, one_of(tags)])
    return TriggeredTagsFormat(
        triggers=[calls.trigger],
        tags=tags,
        at_least_one=request.must_call,
        stop_after_first=request.one_call or not calls.text_after,
        excludes=excludes,
    )


def _without_tools(model: ModelFormat, request: Request) -> list[str]:
    content, marker = model.content, model.calls.disabled_marker
    excludes = [*content.excludes_without_tools]
    if request.tools_disabled and marker and marker not in excludes:
        excludes.append(marker)
    return request.excluded(excludes, content.always_excluded_without_tools)


def _function_schema(tool: Any) -> Any:
    """Return the schema of a function's arguments; anything goes where it is not strict."""
    function = tool.function
    return True if function.strict is False else _any_if_none(function.parameters)


def _any_if_none(parameters: Any) -> Any:
    return True if parameters is None else parameters


def sequence(formats: Sequence[Any]) -> Any:
    """Return formats in a row; one alone stands for itself."""
    return formats[0] if len(formats) == 1 else SequenceFormat(elements=list(formats))


def one_of(formats: Sequence[Any]) -> Any:
    """Return a choice of formats; one alone stands for itself."""
    return formats[0] if len(formats) == 1 else OrFormat(elements=list(formats))
