"""Rewrites a structural tag so that control markers are matched as tokens, not as text.

Output parsers that recognise `<tool_call>` by its token id need the token itself. A begin that
starts with a marker, and an end that ends with one, become token formats; the rest of such a
literal moves into the content. Free text that ends at a token, or waits for one, becomes free
tokens. Text inside schema-driven arguments stays text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xgrammar.structural_tag import (
    AnyTextFormat,
    AnyTokensFormat,
    ConstStringFormat,
    SequenceFormat,
    StructuralTag,
    TagFormat,
    TokenFormat,
    TokenTriggeredTagsFormat,
    TriggeredTagsFormat,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["with_token_markers"]


def with_token_markers(tag: StructuralTag, markers: Sequence[str]) -> StructuralTag:
    """Return the tag with the markers matched as tokens; `tag` itself may be changed."""
    # Where one marker starts with another, the longer one is meant.
    ordered = sorted(markers, key=len, reverse=True)
    return StructuralTag(format=_convert(tag.format, ordered))


def _convert(node: Any, markers: Sequence[str]) -> Any:
    if isinstance(node, TagFormat):
        return _convert_tag(node, markers)
    if isinstance(node, TriggeredTagsFormat):
        return _convert_triggered(node, markers)
    if hasattr(node, "elements"):
        node.elements = [_convert(element, markers) for element in node.elements]
    elif hasattr(node, "content"):
        node.content = _convert(node.content, markers)
    elif hasattr(node, "tags"):
        node.tags = [_convert(tag, markers) for tag in node.tags]
    elif hasattr(node, "rules"):
        node.rules = [(pattern, _convert(content, markers)) for pattern, content in node.rules]
    return node


def _convert_triggered(node: TriggeredTagsFormat, markers: Sequence[str]) -> Any:
    starts = {_marker_at_start(text, markers) for text in node.triggers}
    starts |= {_marker_at_start(tag.begin, markers) for tag in node.tags}
    tags = [_convert_tag(tag, markers) for tag in node.tags]
    if len(starts) != 1 or None in starts:
        # The begins stay text: without a common marker there is no token to wait for.
        node.tags = [
            tag if isinstance(tag.begin, str) else original
            for tag, original in zip(tags, node.tags, strict=True)
        ]
        return node
    return TokenTriggeredTagsFormat(
        trigger_tokens=list(starts),
        tags=tags,
        exclude_tokens=[text for text in node.excludes if text in markers],
        at_least_one=node.at_least_one,
        stop_after_first=node.stop_after_first,
    )


def _convert_tag(tag: TagFormat, markers: Sequence[str]) -> TagFormat:
    begin, before = _split_begin(tag.begin, markers)
    end, after = _split_end(tag.end, markers)
    content = _convert(tag.content, markers)
    if isinstance(end, TokenFormat):
        content = _free_tokens(content, markers)
    parts = [*_literal(before, markers), content, *_literal(after, markers)]
    content = parts[0] if len(parts) == 1 else SequenceFormat(elements=parts)
    return TagFormat(begin=begin, content=content, end=end)


def _free_tokens(node: Any, markers: Sequence[str]) -> Any:
    """Return the content of a tag that ends with a token: its free text as free tokens.

    Text with a bound on characters stays text: there is no such bound on tokens.
    """
    if isinstance(node, AnyTextFormat) and node.max_chars is None:
        return AnyTokensFormat(
            exclude_tokens=[text for text in node.excludes if text in markers],
            max_tokens=node.max_tokens,
        )
    if hasattr(node, "elements"):
        node.elements = [_free_tokens(element, markers) for element in node.elements]
    elif hasattr(node, "content") and not isinstance(node, TagFormat):
        node.content = _free_tokens(node.content, markers)
    return node


def _split_begin(begin: Any, markers: Sequence[str]) -> tuple[Any, str]:
    marker = _marker_at_start(begin, markers)
    return (begin, "") if marker is None else (TokenFormat(token=marker), begin[len(marker) :])


def _split_end(end: Any, markers: Sequence[str]) -> tuple[Any, str]:
    if isinstance(end, list) and len(end) == 1:
        end = end[0]
    if isinstance(end, str):
        for marker in markers:
            if end.endswith(marker):
                return TokenFormat(token=marker), end[: -len(marker)]
    return end, ""


def _marker_at_start(text: Any, markers: Sequence[str]) -> str | None:
    if not isinstance(text, str):
        return None
    return next((marker for marker in markers if text.startswith(marker)), None)


def _literal(text: str, markers: Sequence[str]) -> list[Any]:
    """Return a literal as formats: markers in it as tokens, the rest as text."""
    formats: list[Any] = []
    start = position = 0
    while position < len(text):
        marker = _marker_at_start(text[position:], markers)
        if marker is None:
            position += 1
            continue
        if position > start:
            formats.append(ConstStringFormat(value=text[start:position]))
        formats.append(TokenFormat(token=marker))
        start = position = position + len(marker)
    if start < len(text):
        formats.append(ConstStringFormat(value=text[start:]))
    return formats
