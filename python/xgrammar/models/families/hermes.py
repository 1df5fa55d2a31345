"""Hermes 2 Pro and models after it: JSON objects between tags, on lines of their own or not."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, ModelFormat


def hermes_calls(tag: str) -> Calls:
    """Return JSON calls between `<tag>` and `</tag>`."""
    head, middle = '{"name": "', '", "arguments": '
    return Calls(
        call=(f"<{tag}>\n{head}", NAME, middle, ARGUMENTS, f"}}\n</{tag}>"),
        spellings=((f"<{tag}>{head}", NAME, middle, ARGUMENTS, f"}}</{tag}>"),),
        trigger=f"<{tag}>",
    )


HERMES = ModelFormat(
    key="hermes",
    title="Hermes",
    models=("Hermes-2-Pro", "Hermes-3", "Qwen2.5"),
    calls=hermes_calls("tool_call"),
    checks_reasoning=False,
)
