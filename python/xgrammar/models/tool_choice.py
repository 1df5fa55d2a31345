"""Tools and tool choices of the OpenAI Chat Completions API, brought to one simple form.

Independent of model families: the result is the function tools, the builtin tools and one of
"auto", "required" and "forced". What is malformed is a `ValueError`, never another kind of tool.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic_core import PydanticCustomError, ValidationError

from xgrammar.openai_tool_call_schema import (
    AllowedToolChoiceParam,
    AllowedToolsParam,
    BuiltinToolChoiceParam,
    BuiltinToolParam,
    FunctionToolParam,
    NamedToolChoiceParam,
    ToolChoiceOptionParam,
    ToolParam,
)

__all__ = ["SimplifiedToolChoice", "normalize_tool_choice"]

SimplifiedToolChoice = Literal["auto", "required", "forced"]
_Normalized = tuple[list[FunctionToolParam], list[BuiltinToolParam], SimplifiedToolChoice]


def normalize_tool_choice(
    tools: list[ToolParam | dict[str, Any]] | None = None,
    tool_choice: ToolChoiceOptionParam | dict[str, Any] | None = "auto",
) -> _Normalized:
    """Sort tools by kind and reduce the tool choice to "auto", "required" or "forced".

    Parameters
    ----------
    tools : list of FunctionToolParam, BuiltinToolParam or dict, optional
        The tools of the request; None is none at all.
    tool_choice : str, dict, NamedToolChoiceParam, AllowedToolChoiceParam, ..., optional
        "auto" (as is None), "none", "required", one function tool or one builtin tool to force,
        or a subset of the tools with a mode of its own.

    Returns
    -------
    tuple
        Function tools, builtin tools, and the simplified choice. "none" is no tools and "auto".

    Raises
    ------
    ValueError
        The tools are no list, a tool or the choice is malformed, a tool that the choice names is
        missing, or no tool is left that could be called.
    """
    functions, builtins = _read_tools(tools)
    choice = _read_choice(tool_choice)
    if choice == "none":
        return [], [], "auto"
    if isinstance(choice, NamedToolChoiceParam):
        return [_function_named(functions, choice.function.name)], [], "forced"
    if isinstance(choice, BuiltinToolChoiceParam):
        return [], [_builtin_of_type(builtins, choice.type)], "forced"
    simple: SimplifiedToolChoice = "required" if choice == "required" else "auto"
    if isinstance(choice, AllowedToolChoiceParam):
        allowed = choice.allowed_tools
        functions, builtins = _allowed_tools(functions, builtins, allowed)
        simple = "required" if allowed.mode == "required" else "auto"
    if simple == "required" and not functions and not builtins:
        raise ValueError("Tool choice required needs at least one available tool.")
    return functions, builtins, simple


def _read_tools(tools: Any) -> tuple[list[FunctionToolParam], list[BuiltinToolParam]]:
    if tools is None:
        tools = []
    if not isinstance(tools, list):
        raise ValueError(  # noqa: TRY004 (documented)
            f"tools must be a list, not {type(tools).__name__}."
        )
    functions: list[FunctionToolParam] = []
    builtins: list[BuiltinToolParam] = []
    for tool in tools:
        if isinstance(tool, BuiltinToolParam):
            builtins.append(tool)
        elif isinstance(tool, FunctionToolParam) or _is_of_type(tool, "function", "function"):
            functions.append(
                tool
                if isinstance(tool, FunctionToolParam)
                else FunctionToolParam.model_validate(tool)
            )
        else:
            builtins.append(BuiltinToolParam.model_validate(tool))
    return functions, builtins


def _is_of_type(value: Any, name: str, member: str) -> bool:
    """Whether a dict names this type, or leaves the type out and has the member it is known by."""
    return isinstance(value, dict) and (
        value["type"] == name if "type" in value else member in value
    )


def _read_choice(choice: Any) -> Any:
    """Return "auto", "none", "required" or an object of one of the choice classes."""
    if choice is None:
        return "auto"
    if isinstance(choice, str):
        if choice not in ("auto", "none", "required"):
            raise _choice_error(
                f'Unknown tool_choice "{choice}": it must be "auto", "none", "required", '
                "or say which tool or tools it means.",
                choice,
            )
        return choice
    if isinstance(choice, (NamedToolChoiceParam, AllowedToolChoiceParam, BuiltinToolChoiceParam)):
        return choice
    if _is_of_type(choice, "function", "function"):
        return NamedToolChoiceParam.model_validate(choice)
    if _is_of_type(choice, "allowed_tools", "allowed_tools"):
        return AllowedToolChoiceParam.model_validate(choice)
    return BuiltinToolChoiceParam.model_validate(choice)


def _choice_error(text: str, choice: str) -> ValidationError:
    """Return the class that every other malformed choice raises, with a text of our own."""
    problem = PydanticCustomError("tool_choice", "{text}", {"text": text})
    return ValidationError.from_exception_data("tool_choice", [{"type": problem, "input": choice}])


def _function_named(tools: list[FunctionToolParam], name: str) -> FunctionToolParam:
    matches = [tool for tool in tools if tool.function.name == name]
    if not matches:
        raise ValueError(f'Tool choice names the function "{name}", which is not among the tools.')
    if len(matches) > 1:
        raise ValueError(
            f'Forced tool choice must resolve to exactly one tool, but {len(matches)} are "{name}".'
        )
    return matches[0]


def _builtin_of_type(tools: list[BuiltinToolParam], kind: str) -> BuiltinToolParam:
    matches = [tool for tool in tools if tool.type == kind]
    if len(matches) != 1:
        raise ValueError(
            f'Tool choice must match exactly one builtin tool of type "{kind}": '
            f"{len(matches)} matches."
        )
    return matches[0]


def _allowed_tools(
    functions: list[FunctionToolParam],
    builtins: list[BuiltinToolParam],
    allowed: AllowedToolsParam,
) -> tuple[list[FunctionToolParam], list[BuiltinToolParam]]:
    """Keep the referenced tools, in the order of the tools."""
    names: set[str] = set()
    types: set[str] = set()
    for reference in allowed.tools:
        if reference.type != "function":
            types.add(reference.type)
        elif reference.function is None:
            raise ValueError("An allowed function tool must include 'function' with its name.")
        else:
            names.add(reference.function.name)
    missing = sorted(names - {tool.function.name for tool in functions})
    if missing:
        raise ValueError(f"Allowed function tools are not among the tools: {missing}.")
    missing = sorted(types - {tool.type for tool in builtins})
    if missing:
        raise ValueError(f"Allowed builtin tools are not among the tools: {missing}.")
    return (
        [tool for tool in functions if tool.function.name in names],
        [tool for tool in builtins if tool.type in types],
    )
