"""Structural tags of model families: from tools and a tool choice to the format of the response.

`get_model_structural_tag` serves every registered family by its key. Each family also has a builder
of its own, `get_<key>_structural_tag`, made from its description in `xgrammar.models.families`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._structural_tag import structural_tag_text
from .models.families import FAMILIES
from .models.registry import (
    family_builder,
    get_model_structural_tag,
    register_model_structural_tag,
)
from .models.tool_choice import SimplifiedToolChoice, normalize_tool_choice

__all__ = [
    "SimplifiedToolChoice",
    "get_builtin_structural_tag",
    "get_model_structural_tag",
    "normalize_tool_choice",
    "register_model_structural_tag",
]

# Deprecated name of the same function.
get_builtin_structural_tag = get_model_structural_tag

# Python runs code several times as long the first time: that is a small part of this import, but
# half of the time to the first mask of the first request.
_FIRST_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {}}}},
}
for _family in FAMILIES:
    structural_tag_text((get_model_structural_tag(_family.key, [_FIRST_TOOL]),), {})

for _family in FAMILIES:
    _builder = family_builder(_family)
    for _key in (_family.key, *_family.aliases):
        globals()[f"get_{_key}_structural_tag"] = _builder
        __all__ += [f"get_{_key}_structural_tag"]  # noqa: PLE0604 (a list of str)

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
