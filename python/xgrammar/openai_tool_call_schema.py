"""Tools and tool choices in the shapes of the OpenAI Chat Completions API, as pydantic classes.

A function tool is `{"type": "function", "function": {...}}`. Any other type is a builtin tool of
the provider, with an output name and a schema of its own. `"function"` and `"allowed_tools"` are
never types of builtin tools: a malformed function tool is an error, not another kind of tool.
`xgrammar.normalize_tool_choice` reads these shapes and their dict forms.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, field_validator  # noqa: TID253 (loaded when used)

__all__ = [
    "AllowedToolChoiceParam",
    "AllowedToolRef",
    "AllowedToolsParam",
    "BuiltinToolChoiceParam",
    "BuiltinToolParam",
    "FunctionDefinition",
    "FunctionToolParam",
    "NamedToolChoiceFunction",
    "NamedToolChoiceParam",
    "ToolChoiceOptionParam",
    "ToolParam",
]


class _Model(BaseModel):  # type: ignore[misc, unused-ignore]
    """Unknown fields are ignored."""


class FunctionDefinition(_Model):
    """A function, by `name`; its `description` is for the model and has no effect here.

    `parameters` is the JSON Schema of the arguments; None, or `strict=False`, leaves them free.
    """

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None

    @field_validator("strict", mode="before")  # type: ignore[untyped-decorator, unused-ignore]
    @classmethod
    def _only_a_bool(cls, value: Any) -> Any:
        if value is not None and not isinstance(value, bool):
            raise ValueError(f"strict must be true, false or null, not {value!r}")
        return value


class FunctionToolParam(_Model):
    """A function that the caller runs."""

    type: Literal["function"] = "function"
    function: FunctionDefinition


class _Builtin(_Model):
    """What builtin tools and their choices share."""

    type: str
    name: str | None = None

    @field_validator("type")  # type: ignore[untyped-decorator, unused-ignore]
    @classmethod
    def _not_a_function(cls, value: str) -> str:
        if value in ("function", "allowed_tools"):
            raise ValueError(f'"{value}" is not the type of a builtin tool')
        return value


class BuiltinToolParam(_Builtin):
    """A tool of the provider; the model writes `name`, or `type` where there is no name.

    `parameters` is the JSON Schema of its arguments; None leaves them free.
    """

    parameters: dict[str, Any] | None = None


ToolParam = FunctionToolParam | BuiltinToolParam


class NamedToolChoiceFunction(_Model):
    """The name of a function."""

    name: str


class NamedToolChoiceParam(_Model):
    """Force one function tool."""

    type: Literal["function"] = "function"
    function: NamedToolChoiceFunction


class BuiltinToolChoiceParam(_Builtin):
    """Force the builtin tool of a type; its `name` is read and has no effect."""


class AllowedToolRef(_Model):
    """A function by name, or builtin tools by type."""

    type: str
    function: NamedToolChoiceFunction | None = None
    name: str | None = None


class AllowedToolsParam(_Model):
    """A subset of the tools; with the `mode` "required" one of them must be called."""

    mode: Literal["auto", "required"]
    tools: list[AllowedToolRef]


class AllowedToolChoiceParam(_Model):
    """Limit the tools to the subset in `allowed_tools`."""

    type: Literal["allowed_tools"] = "allowed_tools"
    allowed_tools: AllowedToolsParam


ToolChoiceOptionParam = (
    Literal["none", "auto", "required"]
    | NamedToolChoiceParam
    | AllowedToolChoiceParam
    | BuiltinToolChoiceParam
)
