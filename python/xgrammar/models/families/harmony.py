"""Harmony (gpt-oss): calls are messages to a recipient, in one of several header spellings."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, ModelFormat, Reasoning
from xgrammar.models.messages import channel_messages

_COMMENTARY, _ANALYSIS = "<|channel|>commentary", "<|channel|>analysis"
_END = (ARGUMENTS, "<|call|>")
_FUNCTION = " to=functions."

HARMONY = ModelFormat(
    key="harmony",
    title="Harmony",
    models=("gpt-oss",),
    calls=Calls(
        call=(f"{_COMMENTARY}{_FUNCTION}", NAME, "<|constrain|>json<|message|>", *_END),
        spellings=(
            (f"{_COMMENTARY}{_FUNCTION}", NAME, " <|constrain|>json<|message|>", *_END),
            (f"{_COMMENTARY}{_FUNCTION}", NAME, " json<|message|>", *_END),
            (_FUNCTION, NAME, f"{_COMMENTARY} <|constrain|>json<|message|>", *_END),
            (_FUNCTION, NAME, f"{_COMMENTARY} json<|message|>", *_END),
        ),
        builtin_spellings=(
            (f"{_COMMENTARY} to=", NAME, " code<|message|>", *_END),
            (" to=", NAME, f"{_COMMENTARY} code<|message|>", *_END),
            (f"{_ANALYSIS} to=", NAME, " code<|message|>", *_END),
            (" to=", NAME, f"{_ANALYSIS} code<|message|>", *_END),
        ),
        trigger="",
    ),
    reasoning=Reasoning(f"{_ANALYSIS}<|message|>", "<|end|>"),
    checks_reasoning=False,
    builtin_tools="called",
    layout=channel_messages,
)
