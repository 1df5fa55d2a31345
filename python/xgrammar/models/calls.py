"""Formats of tool calls: one call in all its spellings, rows of calls, blocks.

Spellings of one call share its arguments format where they can: they are factored into a common
begin, a choice of what follows it, the arguments, and a choice of what comes after them.
"""

from __future__ import annotations

from functools import cache
from os.path import commonprefix
from typing import TYPE_CHECKING, Any

from xgrammar.structural_tag import (
    ConstStringFormat,
    JSONSchemaFormat,
    OrFormat,
    RegexFormat,
    SequenceFormat,
    TagFormat,
    TagsWithSeparatorFormat,
)

from .copy_json import copy_json
from .empty_arguments import accepts_no_arguments
from .format import ARGUMENTS, ID, INDEX, NAME, Calls, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from xgrammar.openai_tool_call_schema import FunctionToolParam

    from .request import Request

__all__ = ["any_call", "call_block", "call_row", "call_tags", "one_of", "sequence"]

_PATTERNS = {INDEX: "[0-9]+", ID: "[a-zA-Z0-9]{9}"}
_Pieces = tuple["str | Role", ...]


def call_tags(calls: Calls, request: Request) -> list[TagFormat]:
    """Return the calls of the tools that may be called, each with its begin and end."""
    tools = request.tools[:1] if request.choice == "forced" else request.tools
    return [tag for tool in tools for tag in _tags_of(calls, tool, request)]


def call_row(
    calls: Calls, tags: list[TagFormat], request: Request, *, at_least_one: bool
) -> TagsWithSeparatorFormat:
    """Return calls with nothing but the separator between them."""
    return TagsWithSeparatorFormat(
        tags=tags,
        separator=calls.separator,
        at_least_one=at_least_one,
        stop_after_first=request.one_call,
    )


def call_block(calls: Calls, request: Request) -> TagFormat:
    """Return the tag of a block of calls."""
    tags = call_tags(calls, request)
    content: Any = one_of(tags)
    if request.choice != "forced":
        content = call_row(calls, tags, request, at_least_one=True)
    begins = (calls.begin, *calls.other_begins)
    begin = commonprefix(begins)  # noqa: RUF071 (characters are meant)
    rest = _choice([(text[len(begin) :],) for text in begins])
    return TagFormat(begin=begin, content=sequence([*rest, content]), end=calls.end)


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
    alternatives = []
    for spellings, name, schema in tools:
        heads = [_split(spelling, calls.written_name(name))[0] for spelling in spellings]
        alternatives.append(sequence([*_choice(heads), _arguments_format(calls, schema, request)]))
    return one_of(alternatives)


def _tags_of(calls: Calls, tool: FunctionToolParam, request: Request) -> list[TagFormat]:
    """Return one tag for all spellings of a call if they differ on one side only, else one each."""
    name, schema = calls.written_name(tool.function.name), _function_schema(tool)
    if not calls.spellings:
        head, tail = _split(calls.call, name)
        return [_tag(calls, [head], [tail], schema, request)]
    split = [_split(spelling, name) for spelling in (calls.call, *calls.spellings)]
    heads, tails = _unique(head for head, _ in split), _unique(tail for _, tail in split)
    if len(heads) == 1 or len(tails) == 1:
        return [_tag(calls, heads, tails, schema, request)]
    return [_tag(calls, [head], [tail], schema, request) for head, tail in split]


def _tag(
    calls: Calls, heads: list[_Pieces], tails: list[_Pieces], schema: Any, request: Request
) -> TagFormat:
    begin = _common_begin(heads)
    arguments: Any = _arguments_format(calls, schema, request)
    if calls.line_before_arguments and accepts_no_arguments(schema):
        last, begin = begin[-1], begin[:-1]
        with_line = sequence([ConstStringFormat(value=last), arguments])
        content = [OrFormat(elements=[with_line, ConstStringFormat(value="")])]
    else:
        rests = [(str(head[0])[len(begin) :], *head[1:]) for head in heads]
        content = [*_choice(rests), arguments]
    if len(tails) == 1:
        return TagFormat(begin=begin, content=sequence(content), end="".join(map(str, tails[0])))
    return TagFormat(begin=begin, content=sequence([*content, *_choice(tails)]), end="")


def _common_begin(heads: list[_Pieces]) -> str:
    if len(heads) == 1:
        return str(heads[0][0])
    return commonprefix([str(head[0]) for head in heads])  # noqa: RUF071 (characters are meant)


def _split(spelling: _Pieces, name: str) -> tuple[_Pieces, _Pieces]:
    """Return what stands before and after the arguments, with neighbouring literals joined."""
    head, tail = _halves(spelling)
    return _joined(head, name), _joined(tail, name) if NAME in tail else tail


@cache
def _halves(spelling: _Pieces) -> tuple[_Pieces, _Pieces]:
    position = spelling.index(ARGUMENTS)
    head, tail = spelling[:position], spelling[position + 1 :]
    return head, tail if NAME in tail else _joined(tail, "")


def _joined(pieces: _Pieces, name: str) -> _Pieces:
    joined: list[str | Role] = [""]
    for piece in pieces:
        text = name if piece is NAME else piece
        if isinstance(text, str) and isinstance(joined[-1], str):
            joined[-1] += text
        else:
            joined.append(text)
    return tuple(joined)


def _unique(values: Iterable[_Pieces]) -> list[_Pieces]:
    return list(dict.fromkeys(values))


def _choice(alternatives: Sequence[_Pieces]) -> list[Any]:
    """Return formats for one of the alternatives; an empty literal alone needs none."""
    if len(alternatives) == 1:
        return _formats(alternatives[0])
    empty = ConstStringFormat(value="")
    return [one_of([sequence(_formats(pieces) or [empty]) for pieces in alternatives])]


def _formats(pieces: _Pieces) -> list[Any]:
    return [
        RegexFormat(pattern=_PATTERNS[piece])
        if isinstance(piece, Role)
        else ConstStringFormat(value=piece)
        for piece in pieces
        if piece
    ]


def _arguments_format(calls: Calls, schema: Any, request: Request) -> JSONSchemaFormat:
    return JSONSchemaFormat(
        json_schema=copy_json(schema),
        style=calls.style,
        any_order=request.any_order,
        max_whitespace_cnt=request.max_whitespace_cnt,
        excludes=request.excluded(calls.argument_excludes),
    )


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
