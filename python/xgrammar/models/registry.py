"""Finds a model family by its key and builds structural tags for it.

Families described as data are here from the start; `register_model_structural_tag` adds builders
written as functions, or replaces earlier ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from xgrammar.structural_tag import StructuralTag

from .build import build_structural_tag
from .families import FAMILIES
from .format import ModelFormat
from .request import REASONING_MODES, Request
from .token_markers import with_token_markers
from .tool_choice import normalize_tool_choice

if TYPE_CHECKING:
    from xgrammar.openai_tool_call_schema import ToolChoiceOptionParam, ToolParam

__all__ = ["family_builder", "get_model_structural_tag", "register_model_structural_tag"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class _Entry:
    """A family by its description, or by a function; and its markers."""

    builder: ModelFormat | Callable[..., Any]
    marker_tokens: tuple[str, ...] = ()


_REGISTRY: dict[str, _Entry] = {
    key: _Entry(family, family.marker_tokens)
    for family in FAMILIES
    for key in (*family.aliases, family.key)
}


def register_model_structural_tag(
    name: str, *, marker_tokens: list[str] | None = None
) -> Callable[[_Function], _Function]:
    """Return a decorator that registers a builder of structural tags under a name.

    The builder is called as `builder(function_tools, builtin_tools, tool_choice, reasoning,
    any_order=..., exclude_special_tokens=..., max_whitespace_cnt=..., parallel_tool_calls=...)`
    with what `normalize_tool_choice` returns and one of the three reasoning modes. It
    returns a `StructuralTag`.

    Parameters
    ----------
    name : str
        The value of `model` in `get_model_structural_tag`. An earlier builder is replaced.
    marker_tokens : list of str, optional
        Control markers of the model that are single tokens of its tokenizer. Naming them allows
        `token_markers=True`.

    Raises
    ------
    TypeError
        The name is no `str`, the markers are no list of `str`, or what is decorated cannot be
        called.
    ValueError
        A marker is empty.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be a str, not {type(name).__name__}")
    markers = _checked_markers(marker_tokens)

    def register(function: _Function) -> _Function:
        if not callable(function):
            raise TypeError(
                f"the builder of {name!r} must be callable, not {type(function).__name__}"
            )
        _REGISTRY[name] = _Entry(function, markers)
        return function

    return register


def get_model_structural_tag(
    model: str,
    tools: list[ToolParam | dict[str, Any]] | None = None,
    tool_choice: ToolChoiceOptionParam | dict[str, Any] | None = "auto",
    reasoning: Any = "enabled",
    force_reasoning: bool = False,  # noqa: ARG001 (deprecated, part of the API)
    any_order: bool = False,
    exclude_special_tokens: bool = True,
    max_whitespace_cnt: int | None = None,
    parallel_tool_calls: bool = True,
    token_markers: bool = False,
) -> StructuralTag:
    """Return the structural tag of a model family for tools and a tool choice.

    Parameters
    ----------
    model : str
        Key of the family, for example "qwen_3".
    tools : list, optional
        Function tools and builtin tools, as in `normalize_tool_choice`.
    tool_choice : str, dict or choice object, optional
        Whether and which tools may or must be called, as in `normalize_tool_choice`.
    reasoning : {"enabled", "disabled", "auto"} or bool
        Whether the response begins with a thinking part; True and False are "enabled" and
        "disabled".
    force_reasoning : bool
        Deprecated, without effect.
    any_order : bool
        Arguments may come in any order.
    exclude_special_tokens : bool
        Control markers of the family cannot appear in free text and thoughts.
    max_whitespace_cnt : int, optional
        Longest run of layout whitespace in arguments.
    parallel_tool_calls : bool
        A response may hold more than one call. If not, it ends with its only call.
    token_markers : bool
        Control markers are matched as their single tokens, in families that name them.

    Raises
    ------
    ValueError
        An unknown model, malformed tools, or a choice that cannot be met.
    TypeError
        A registered builder returned something else than a `StructuralTag`.
    """
    entry = _REGISTRY.get(model) if isinstance(model, str) else None
    if entry is None:
        raise ValueError(f"Unknown format type: {model}, supported types: {list(_REGISTRY)}")
    _check_token_markers(model, entry, token_markers)
    functions, builtins, choice = normalize_tool_choice(tools, tool_choice)
    mode = _reasoning_mode(reasoning)
    _check_bool("parallel_tool_calls", parallel_tool_calls)
    options = {
        "any_order": any_order,
        "exclude_special_tokens": exclude_special_tokens,
        "max_whitespace_cnt": max_whitespace_cnt,
        "parallel_tool_calls": parallel_tool_calls,
    }
    tag: StructuralTag
    if isinstance(entry.builder, ModelFormat):
        disabled = isinstance(tool_choice, str) and tool_choice == "none"
        request = Request(functions, builtins, choice, mode, **options, tools_disabled=disabled)
        tag = build_structural_tag(entry.builder, request)
    else:
        tag = entry.builder(functions, builtins, choice, mode, **options)
        _check_result(model, tag)
    return with_token_markers(tag, entry.marker_tokens) if token_markers else tag


def _checked_markers(markers: Any) -> tuple[str, ...]:
    if markers is None:
        return ()
    if not isinstance(markers, (list, tuple)):
        raise TypeError(f"marker_tokens must be a list of str, not {type(markers).__name__}")
    for i, marker in enumerate(markers):
        if not isinstance(marker, str):
            raise TypeError(f"marker_tokens[{i}] must be a str, not {type(marker).__name__}")
        if not marker:
            raise ValueError(f"marker_tokens[{i}] is empty; name the text of a token")
    return tuple(markers)


def family_builder(model: ModelFormat) -> Callable[..., StructuralTag]:
    """Return the builder of one family: a function of normalised tools and choice."""

    def build(
        tools: list[Any] | None = None,
        builtin_tools: list[Any] | None = None,
        tool_choice: str = "auto",
        reasoning: str = model.default_reasoning,
        any_order: bool = False,
        exclude_special_tokens: bool = True,
        max_whitespace_cnt: int | None = None,
        parallel_tool_calls: bool = True,
        **kwargs: Any,  # noqa: ARG001 - what builders of other families take is ignored.
    ) -> StructuralTag:
        request = Request(
            tools=tools or [],
            builtin_tools=builtin_tools or [],
            choice=tool_choice,
            reasoning=reasoning,
            any_order=any_order,
            exclude_special_tokens=exclude_special_tokens,
            max_whitespace_cnt=max_whitespace_cnt,
            parallel_tool_calls=parallel_tool_calls,
        )
        return build_structural_tag(model, request)

    build.__name__ = build.__qualname__ = f"get_{model.key}_structural_tag"
    build.__module__ = "xgrammar.builtin_structural_tag"
    build.__doc__ = (
        f"Return the structural tag of {model.title} ({', '.join(model.models)}).\n\n"
        "`tools`, `builtin_tools` and `tool_choice` are what `normalize_tool_choice` returns, "
        "`reasoning` is\na mode; the other arguments are those of `get_model_structural_tag`, with "
        "the same errors, and more\nof them are ignored.\n"
    )
    return build


def _check_token_markers(model: str, entry: _Entry, token_markers: Any) -> None:
    _check_bool("token_markers", token_markers)
    if token_markers and not entry.marker_tokens:
        # Another thread may register a family meanwhile. A copy of the dict is made in one step, a
        # list of its items is not: it may collect garbage and switch threads.
        supported = [key for key, other in _REGISTRY.copy().items() if other.marker_tokens]
        raise ValueError(
            f"token_markers is not supported for model {model}, supported models: {supported}"
        )


def _check_result(model: str, tag: Any) -> None:
    if not isinstance(tag, StructuralTag):
        raise TypeError(
            f"The builder that is registered for {model} returned {type(tag).__name__}; "
            "it must return a StructuralTag"
        )


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(  # noqa: TRY004 (documented)
            f"{name} must be a bool, not {value!r}."
        )


def _reasoning_mode(reasoning: Any) -> str:
    if isinstance(reasoning, bool):
        return "enabled" if reasoning else "disabled"
    if isinstance(reasoning, str) and reasoning in REASONING_MODES:
        return reasoning
    raise ValueError(
        f'reasoning must be "enabled", "disabled", "auto" or a bool, not {reasoning!r}.'
    )
