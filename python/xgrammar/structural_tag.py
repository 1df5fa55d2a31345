"""The structural-tag language as pydantic classes: one class per format.

A structural tag describes what a model may emit as a tree of formats: literal text, free text,
JSON in the style of a model family, tags with a begin and an end, and their combinations. The
classes hold the shape of the tree and the types of its fields; what a tree means, and whether its
triggers, ends and bounds fit together, is judged by `Grammar.from_structural_tag` and
`GrammarCompiler.compile_structural_tag`. The tree is mutable, so that engines can adjust it.

Fields that mean the same wherever they stand: `type` is constant. `excludes` are texts that the
free text of the format must not contain, `exclude_tokens` tokens likewise. A token is its id, or
its decoded text if a compiler's tokenizer is at hand. With `at_least_one` a tag comes first; with
`stop_after_first` the format ends with the first tag. `max_tokens` and `max_chars` (code points)
are 0 to 2**31 - 1; None sets no limit.

Module level imports of this file include pydantic: `import xgrammar` loads it only when one of its
names is used.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field  # noqa: TID253 (loaded when used)

from ._json_schema import class_schema
from .exception import JSONSchemaError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "AnyTextFormat",
    "AnyTokensFormat",
    "ConstStringFormat",
    "DispatchFormat",
    "ExcludeTokenFormat",
    "Format",
    "GrammarFormat",
    "JSONSchemaFormat",
    "OptionalFormat",
    "OrFormat",
    "PlusFormat",
    "QwenXMLParameterFormat",
    "RegexFormat",
    "RepeatFormat",
    "SequenceFormat",
    "StarFormat",
    "StructuralTag",
    "StructuralTagItem",
    "TagFormat",
    "TagsWithSeparatorFormat",
    "TokenDispatchFormat",
    "TokenFormat",
    "TokenTriggeredTagsFormat",
    "TriggeredTagsFormat",
]

SchemaStyle = Literal[
    "json",
    "qwen_xml",
    "minimax_xml",
    "minimax_m3_xml",
    "deepseek_xml",
    "deepseek_v4_1_xml",
    "glm_xml",
    "cohere_xml",
    "kimi_k3_xml",
    "gemma",
    "pythonic",
    "step3_xml",
]
Budget = Annotated[int, Field(ge=0, le=2**31 - 1)]


class FormatModel(BaseModel):  # type: ignore[misc, unused-ignore]
    """Unknown fields are ignored; fields may be assigned."""

    model_config = ConfigDict(extra="ignore")


class ConstStringFormat(FormatModel):
    """Exactly `value`."""

    type: Literal["const_string"] = "const_string"
    value: str


class JSONSchemaFormat(FormatModel):
    """A value that is valid for a JSON Schema, in the spelling of a model family.

    Attributes
    ----------
    json_schema : bool or dict
        The schema; True accepts any value.
    style : str
        "json", or how a model family spells arguments.
    any_order : bool
        Members of every object in any order; names still at most once, required ones present.
    max_whitespace_cnt : int or None
        Longest run of layout whitespace; None sets no limit.
    excludes : list of str
        Texts that no string value and no property name may contain.
    """

    type: Literal["json_schema"] = "json_schema"
    json_schema: bool | dict[str, Any]
    style: SchemaStyle = "json"
    any_order: bool = False
    max_whitespace_cnt: int | None = None
    excludes: list[str] = []


class QwenXMLParameterFormat(FormatModel):
    """Deprecated: `JSONSchemaFormat` with style "qwen_xml"."""

    type: Literal["qwen_xml_parameter"] = "qwen_xml_parameter"
    json_schema: bool | dict[str, Any]


class AnyTextFormat(FormatModel):
    """Text without the `excludes` and without the end of the tag around it.

    At most `max_tokens` tokens and `max_chars` code points; None sets no limit.
    """

    type: Literal["any_text"] = "any_text"
    excludes: list[str] = []
    max_tokens: Budget | None = None
    max_chars: Budget | None = None


class GrammarFormat(FormatModel):
    """The language of a grammar; its `syntax` is "ebnf" or "lark"."""

    type: Literal["grammar"] = "grammar"
    grammar: str
    syntax: Literal["ebnf", "lark"] = "ebnf"


class RegexFormat(FormatModel):
    """Text that `pattern`, a regular expression, matches as a whole."""

    type: Literal["regex"] = "regex"
    pattern: str


class TokenFormat(FormatModel):
    """One token, by id or by its decoded text."""

    type: Literal["token"] = "token"
    token: int | str


class ExcludeTokenFormat(FormatModel):
    """Any one token but `exclude_tokens`."""

    type: Literal["exclude_token"] = "exclude_token"
    exclude_tokens: list[int | str] = []


class AnyTokensFormat(FormatModel):
    """Any number of tokens but `exclude_tokens`, at most `max_tokens`."""

    type: Literal["any_tokens"] = "any_tokens"
    exclude_tokens: list[int | str] = []
    max_tokens: Budget | None = None


class SequenceFormat(FormatModel):
    """The elements one after the other."""

    type: Literal["sequence"] = "sequence"
    elements: list[Format]


class OrFormat(FormatModel):
    """Any one of the elements."""

    type: Literal["or"] = "or"
    elements: list[Format]


class OptionalFormat(FormatModel):
    """The content or nothing."""

    type: Literal["optional"] = "optional"
    content: Format


class PlusFormat(FormatModel):
    """The content once or more."""

    type: Literal["plus"] = "plus"
    content: Format


class StarFormat(FormatModel):
    """The content any number of times, also none."""

    type: Literal["star"] = "star"
    content: Format


class RepeatFormat(FormatModel):
    """The content `min` to `max` times; a `max` of -1 sets no limit."""

    type: Literal["repeat"] = "repeat"
    min: int
    max: int
    content: Format


class TagFormat(FormatModel):
    """`begin`, content, and `end` or one of several ends."""

    type: Literal["tag"] = "tag"
    begin: str | TokenFormat
    content: Format
    end: str | list[str] | TokenFormat


class TriggeredTagsFormat(FormatModel):
    """Free text, without `excludes`, in which one of `triggers` starts one of the tags.

    Each tag begins with one of the triggers.
    """

    type: Literal["triggered_tags"] = "triggered_tags"
    triggers: list[str]
    tags: list[TagFormat]
    at_least_one: bool = False
    stop_after_first: bool = False
    excludes: list[str] = []


class TokenTriggeredTagsFormat(FormatModel):
    """Free tokens but `exclude_tokens`, among which one of `trigger_tokens` starts a tag."""

    type: Literal["token_triggered_tags"] = "token_triggered_tags"
    trigger_tokens: list[int | str]
    tags: list[TagFormat]
    exclude_tokens: list[int | str] = []
    at_least_one: bool = False
    stop_after_first: bool = False


class TagsWithSeparatorFormat(FormatModel):
    """Any number of `tags` with a separator between two of them, and no other text."""

    type: Literal["tags_with_separator"] = "tags_with_separator"
    tags: list[TagFormat]
    separator: str
    at_least_one: bool = False
    stop_after_first: bool = False


class DispatchFormat(FormatModel):
    """Free text without `excludes`, in which each pattern of `rules` is followed by its format.

    Without `loop` the first such content ends the format.
    """

    type: Literal["dispatch"] = "dispatch"
    rules: list[tuple[str, Format]]
    loop: bool = True
    excludes: list[str] = []


class TokenDispatchFormat(FormatModel):
    """Free tokens but `exclude_tokens`, among which a token of `rules` is followed by its format.

    Without `loop` the first such content ends the format.
    """

    type: Literal["token_dispatch"] = "token_dispatch"
    rules: list[tuple[int | str, Format]]
    loop: bool = True
    exclude_tokens: list[int | str] = []


Format = Annotated[
    ConstStringFormat
    | JSONSchemaFormat
    | QwenXMLParameterFormat
    | AnyTextFormat
    | GrammarFormat
    | RegexFormat
    | TokenFormat
    | ExcludeTokenFormat
    | AnyTokensFormat
    | SequenceFormat
    | OrFormat
    | OptionalFormat
    | PlusFormat
    | StarFormat
    | RepeatFormat
    | TagFormat
    | TriggeredTagsFormat
    | TokenTriggeredTagsFormat
    | TagsWithSeparatorFormat
    | DispatchFormat
    | TokenDispatchFormat,
    Field(discriminator="type"),
]


class StructuralTagItem(FormatModel):
    """Deprecated: one tag of the legacy form, `begin`, a JSON value, and `end`.

    `schema_` is given as `schema=`: JSON text, a dict, or a pydantic class.
    """

    begin: str
    schema_: str | type[BaseModel] | dict[str, Any] = Field(alias="schema")
    end: str


class StructuralTag(FormatModel):
    """The whole: one format."""

    type: Literal["structural_tag"] = "structural_tag"
    format: Format

    @staticmethod
    def from_json(json_str: str | dict[str, Any]) -> StructuralTag:
        """Read a structural tag from `json_str`, JSON text or what it decodes to.

        Raises
        ------
        ValueError
            It is neither text nor a dict, or (`pydantic.ValidationError`) no structural tag.
        """
        if isinstance(json_str, str):
            tag = StructuralTag.model_validate_json(json_str)
        elif isinstance(json_str, dict):
            tag = StructuralTag.model_validate(json_str)
        else:
            raise ValueError(  # noqa: TRY004 (documented)
                "a structural tag is read from JSON text or a dict, "
                f"not from {type(json_str).__name__}"
            )
        return tag  # type: ignore[no-any-return, unused-ignore]

    @staticmethod
    def from_legacy_structural_tag(
        tags: Sequence[StructuralTagItem], triggers: Sequence[str]
    ) -> StructuralTag:
        """Return the `triggered_tags` that the legacy form of tags and triggers stands for.

        Raises
        ------
        json.JSONDecodeError
            A schema given as text is no JSON.
        JSONSchemaError
            A schema given as text or as a class is nested too deeply for Python.
        """
        formats = [
            TagFormat(
                begin=item.begin,
                content=JSONSchemaFormat(json_schema=_schema_of(item.schema_)),
                end=item.end,
            )
            for item in tags
        ]
        return StructuralTag(format=TriggeredTagsFormat(triggers=list(triggers), tags=formats))


def _schema_of(schema: Any) -> Any:
    if isinstance(schema, str):
        try:
            return json.loads(schema)
        except RecursionError:
            hint = "give the schema as a dict, or the structural tag as JSON text"
            error = JSONSchemaError(f"The schema of a tag is nested too deeply to be read; {hint}")
            error.hint = hint
            raise error from None
    return schema if isinstance(schema, dict) else class_schema(schema.model_json_schema)


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, FormatModel) and _class is not FormatModel:
        _class.model_rebuild()
