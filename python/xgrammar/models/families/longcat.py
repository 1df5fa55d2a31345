"""LongCat-Flash: Hermes calls under a tag of its own."""

from __future__ import annotations

from xgrammar.models.format import ModelFormat

from .hermes import hermes_calls

LONGCAT = ModelFormat(
    key="longcat",
    title="LongCat",
    models=("LongCat-Flash-Chat",),
    calls=hermes_calls("longcat_tool_call"),
    checks_reasoning=False,
)
