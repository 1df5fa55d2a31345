"""DeepSeek-V3.2, V4 and V4.1: blocks of invokes in DSML, a markup of the model's own tokens.

The three differ in the names of their tags and in what may follow a block.
"""

# ruff: noqa: RUF001 (the markers are made of full-width bars)

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")
_DSML = "｜DSML｜"


def _calls(block: str, invoke: str, style: str, *, text_after: bool) -> Calls:
    return Calls(
        call=(f'<{_DSML}{invoke} name="', NAME, '">\n', ARGUMENTS, f"</{_DSML}{invoke}>\n"),
        trigger=f"<{_DSML}{block}>",
        begin=f"<{_DSML}{block}>\n",
        end=f"</{_DSML}{block}>",
        style=style,
        lead="\n\n",
        text_after=text_after,
        text_after_required=False,
    )


def _family(key: str, title: str, calls: Calls, *, always_excluded: bool = False) -> ModelFormat:
    return ModelFormat(
        key=key,
        title=title,
        models=(title,),
        calls=calls,
        content=Content(
            excludes=_THINK,
            excludes_without_tools=(*_THINK, calls.trigger),
            always_excluded_without_tools=(calls.trigger,) if always_excluded else (),
        ),
        reasoning=Reasoning(*_THINK, excludes=_THINK),
    )


DEEPSEEK_V3_2 = _family(
    "deepseek_v3_2",
    "DeepSeek-V3.2",
    _calls("function_calls", "invoke", "deepseek_xml", text_after=True),
)
DEEPSEEK_V4 = _family(
    "deepseek_v4",
    "DeepSeek-V4",
    _calls("tool_calls", "invoke", "deepseek_xml", text_after=False),
)
DEEPSEEK_V4_1 = _family(
    "deepseek_v4_1",
    "DeepSeek-V4.1",
    _calls(" calls", " invoke", "deepseek_v4_1_xml", text_after=False),
    always_excluded=True,
)
