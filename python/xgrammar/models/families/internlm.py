"""InternLM 2.5 and 3: a JSON object between action tokens, with or without a blank between them."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, ModelFormat

_BEGINS = ("<|action_start|><|plugin|>", "<|action_start|> <|plugin|>")

_END = "}<|action_end|>"

INTERNLM = ModelFormat(
    key="internlm",
    title="InternLM",
    models=("internlm2_5-7b-chat", "internlm3-8b-instruct"),
    calls=Calls(
        call=(f'{_BEGINS[0]}\n{{"name": "', NAME, '", "parameters": ', ARGUMENTS, _END),
        spellings=((f'{_BEGINS[1]}\n{{"name": "', NAME, '", "parameters": ', ARGUMENTS, _END),),
        trigger="<|action_start|>",
    ),
    checks_reasoning=False,
)
