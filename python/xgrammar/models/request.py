"""What one structural tag is built for: tools, choice, modes and options, checked.

The checks are those of every family's builder: they need the family's data, but no shape of a tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from xgrammar.openai_tool_call_schema import BuiltinToolParam, FunctionToolParam

    from .format import ModelFormat

__all__ = ["REASONING_MODES", "Request"]

REASONING_MODES = ("enabled", "disabled", "auto")
_CHOICES = ("auto", "required", "forced")


@dataclass(frozen=True)
class Request:
    """Normalised arguments of a builder.

    Attributes
    ----------
    tools : list of FunctionToolParam
        Function tools.
    builtin_tools : list of BuiltinToolParam
        Builtin tools.
    choice : str
        "auto", "required" or "forced".
    reasoning : str
        "enabled", "disabled" or "auto".
    any_order, max_whitespace_cnt
        Options of every arguments format.
    exclude_special_tokens, parallel_tool_calls : bool
        As in `get_model_structural_tag`.
    tools_disabled : bool
        The caller said "none": text cannot start a call either.
    """

    tools: list[FunctionToolParam]
    builtin_tools: list[BuiltinToolParam]
    choice: str = "auto"
    reasoning: Any = "enabled"
    any_order: Any = False
    exclude_special_tokens: Any = True
    max_whitespace_cnt: Any = None
    parallel_tool_calls: Any = True
    tools_disabled: bool = False

    @property
    def must_call(self) -> bool:
        """Whether a call has to come."""
        return self.choice != "auto"

    @property
    def one_call(self) -> bool:
        """Whether at most one call may come."""
        return self.choice == "forced" or not self.parallel_tool_calls

    def excluded(self, texts: Iterable[str], always: Iterable[str] = ()) -> list[str]:
        """Return the texts if exclusions are asked for, and those that hold always."""
        wanted = [*texts] if self.exclude_special_tokens else []
        return [*wanted, *(text for text in always if text not in wanted)]

    def check(self, model: ModelFormat) -> None:
        """Refuse what the family cannot do.

        Raises
        ------
        ValueError
            An unknown mode or choice, a tool whose name cannot be written, or a call is due and no
            tool can be called.
        """
        if model.checks_reasoning and self.reasoning not in REASONING_MODES:
            raise ValueError(
                f"Unsupported reasoning mode: {self.reasoning!r}; "
                'reasoning must be "enabled", "disabled" or "auto".'
            )
        if self.choice not in _CHOICES:
            raise ValueError(
                f"Unsupported tool choice: {self.choice!r}; "
                'tool_choice must be "auto", "required" or "forced".'
            )
        if model.builtin_tools == "refused" and self.builtin_tools:
            raise ValueError(f"{model.title} does not support builtin tools.")
        if model.calls.names is not None:
            self._check_names(model, model.calls.names)
        callable_tools = len(self.tools)
        if model.builtin_tools == "called":
            callable_tools += len(self.builtin_tools)
        if self.choice == "forced" and not callable_tools:
            raise ValueError("Forced tool choice must resolve to exactly one tool.")
        if self.choice == "required" and not callable_tools:
            raise ValueError(
                f"Tool choice required needs at least one tool that {model.title} can call."
            )

    def _check_names(self, model: ModelFormat, names: re.Pattern[str]) -> None:
        for tool in self.tools:
            if not names.fullmatch(tool.function.name):
                raise ValueError(
                    f"{model.title} cannot call the tool {tool.function.name!r}: "
                    f"names of its tools have to match {names.pattern}"
                )
