"""How a model family writes its output, as data.

Every part has a role: reasoning, content (free text), call, and inside a call the tool's name, a
running index and the arguments. A builder of structural tags reads the roles in one direction; a
reader of finished or streaming responses can read the same data in the other. A family is one
`ModelFormat`; what cannot be said in its fields is one function, `ModelFormat.layout`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from .request import Request

__all__ = [
    "ARGUMENTS",
    "ID",
    "INDEX",
    "NAME",
    "Calls",
    "Content",
    "ModelFormat",
    "Reasoning",
    "Role",
]

ReasoningMode = Literal["enabled", "disabled", "auto"]


class Role(Enum):
    """The parts of a call that are not literal text."""

    NAME = "tool name"
    INDEX = "running number of the call, decimal digits"
    ID = "identifier of the call, nine letters or digits"
    ARGUMENTS = "arguments, in the family's schema style"


NAME, INDEX, ID, ARGUMENTS = Role.NAME, Role.INDEX, Role.ID, Role.ARGUMENTS


@dataclass(frozen=True)
class Reasoning:
    """The thinking part, which comes before everything else.

    Attributes
    ----------
    begin, end : str
        The markers around the thoughts.
    suffix : str
        Literal text that always follows `end`.
    line_ends_follow : bool
        Any number of line ends may follow `end`, also before a call that must come at once.
    prompt_holds_begin : bool
        With reasoning enabled, the generation prompt already ends with `begin`.
    may_write_begin : bool
        With `prompt_holds_begin`: not every prompt does, so the model may write `begin` itself.
    excludes : tuple of str
        What thoughts cannot contain.
    excludes_enabled : tuple of str or None
        The same where reasoning is enabled, if that differs.
    end_alone : bool
        With optional reasoning, a bare `end` says that there are no thoughts.
    disabled_prefix : tuple of str
        Literals that open the output when reasoning is disabled.
    """

    begin: str
    end: str
    suffix: str = ""
    line_ends_follow: bool = False
    prompt_holds_begin: bool = True
    may_write_begin: bool = False
    excludes: tuple[str, ...] = ()
    excludes_enabled: tuple[str, ...] | None = None
    end_alone: bool = False
    disabled_prefix: tuple[str, ...] = ()


@dataclass(frozen=True)
class Content:
    """Free text around calls, or instead of them.

    Attributes
    ----------
    excludes, excludes_without_tools : tuple of str
        What the text cannot contain when there are tools, and when there are none.
    always_excluded_without_tools : tuple of str
        The same without tools, even where the caller lifts the exclusions.
    """

    excludes: tuple[str, ...] = ()
    excludes_without_tools: tuple[str, ...] = ()
    always_excluded_without_tools: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calls:
    """Tool calls: how one is written, and what is around and between several of them.

    Attributes
    ----------
    call : tuple of str or Role
        One call: literals, the tool's name, perhaps an index or identifier, and the arguments.
    spellings, builtin_spellings : tuple
        Further ways to write a call, and the ways to write calls of builtin tools.
    trigger : str
        The text that announces calls inside free text.
    begin, end, separator : str
        Around and between the calls of a block. A family without blocks leaves `begin` empty.
    other_begins : tuple of str
        Further ways to begin a block.
    style : str
        Style of the arguments, as in `JSONSchemaFormat.style`.
    marker : str or None
        The text kept out of responses when tools are disabled; None is the trigger, and "" says
        that no text is safe to exclude.
    lead : str
        Literal before the first call where a call must come at once.
    line_before_arguments : bool
        The last character of what precedes the arguments falls away when there are none.
    text_after : bool
        Free text and more blocks may follow a block under the choice "auto". Without blocks:
        free text may stand between and after calls.
    text_after_required : bool
        The same where a call is required.
    name_escapes : mapping
        Characters of a tool's name that are written otherwise.
    argument_excludes : tuple of str
        What no string argument and no argument name can contain.
    names : re.Pattern or None
        What the names of tools that can be called have to match; None is any name.
    """

    call: tuple[str | Role, ...]
    trigger: str
    spellings: tuple[tuple[str | Role, ...], ...] = ()
    builtin_spellings: tuple[tuple[str | Role, ...], ...] = ()
    begin: str = ""
    other_begins: tuple[str, ...] = ()
    end: str = ""
    separator: str = ""
    style: str = "json"
    marker: str | None = None
    lead: str = ""
    line_before_arguments: bool = False
    text_after: bool = True
    text_after_required: bool = True
    name_escapes: Mapping[str, str] = field(default_factory=dict)
    argument_excludes: tuple[str, ...] = ()
    names: re.Pattern[str] | None = None

    def written_name(self, name: str) -> str:
        """Return a tool's name as the model writes it."""
        if not self.name_escapes:
            return name
        return "".join(self.name_escapes.get(character, character) for character in name)

    @property
    def disabled_marker(self) -> str:
        """The text that would start a call, or ""."""
        return self.trigger if self.marker is None else self.marker


@dataclass(frozen=True)
class ModelFormat:
    """A model family.

    Attributes
    ----------
    key : str
        The name under which the family is registered.
    title : str
        The name for people.
    models : tuple of str
        Models that write this format.
    calls : Calls
        Tool calls.
    content : Content
        Free text.
    reasoning : Reasoning or None
        The thinking part; None if the format has none.
    aliases : tuple of str
        Further keys, registered before `key`.
    default_reasoning : str
        What the family's own builder does when no mode is given.
    checks_reasoning : bool
        Values other than the three modes are errors.
    builtin_tools : str
        "ignored", "refused" or "called".
    marker_tokens : tuple of str
        Control markers that are single tokens of the tokenizer and may be matched as such.
    layout : callable or None
        Builds the tag of a family that is not thoughts, then text with calls.
    """

    key: str
    title: str
    models: tuple[str, ...]
    calls: Calls
    content: Content = field(default_factory=Content)
    reasoning: Reasoning | None = None
    aliases: tuple[str, ...] = ()
    default_reasoning: ReasoningMode = "enabled"
    checks_reasoning: bool = True
    builtin_tools: Literal["ignored", "refused", "called"] = "ignored"
    marker_tokens: tuple[str, ...] = ()
    layout: Callable[[ModelFormat, Request], Any] | None = None
