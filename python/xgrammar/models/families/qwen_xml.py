"""Families that write the XML calls of Qwen3-Coder: Seed-OSS under tags of its own, Nemotron 3."""

from __future__ import annotations

from xgrammar.models.format import ModelFormat, Reasoning

from .qwen_3_5 import xml_calls, xml_content

_SEED = ("<seed:think>", "</seed:think>")
_THINK = ("<think>", "</think>")

SEED_OSS = ModelFormat(
    key="seed_oss",
    title="Seed-OSS",
    models=("Seed-OSS-36B-Instruct",),
    calls=xml_calls("seed:tool_call"),
    content=xml_content(_SEED),
    # Whether the prompt or the model writes the opener depends on the thinking budget.
    reasoning=Reasoning(*_SEED, may_write_begin=True, excludes=_SEED, line_ends_follow=True),
)

NEMOTRON_V3 = ModelFormat(
    key="nemotron_v3",
    title="Nemotron 3",
    models=("Nemotron-3-Nano", "Nemotron-3-Super"),
    calls=xml_calls("tool_call"),
    content=xml_content(_THINK),
    reasoning=Reasoning(*_THINK, excludes=_THINK, line_ends_follow=True),
)
