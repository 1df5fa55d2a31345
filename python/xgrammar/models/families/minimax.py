"""MiniMax-M2: blocks of invokes with one parameter tag per argument."""

from __future__ import annotations

from xgrammar.models.format import ARGUMENTS, NAME, Calls, Content, ModelFormat, Reasoning

_THINK = ("<think>", "</think>")

MINIMAX = ModelFormat(
    key="minimax",
    title="MiniMax-M2",
    models=("MiniMax-M2.5", "MiniMax-M2.7"),
    calls=Calls(
        call=('<invoke name="', NAME, '">\n', ARGUMENTS, "</invoke>\n"),
        trigger="<minimax:tool_call>",
        begin="<minimax:tool_call>\n",
        end="</minimax:tool_call>",
        style="minimax_xml",
        lead="\n",
        text_after_required=False,
    ),
    content=Content(excludes=_THINK, excludes_without_tools=_THINK),
    # The prompt always opens the thoughts: without reasoning they are closed at once.
    reasoning=Reasoning(
        *_THINK,
        suffix="\n\n",
        excludes=_THINK,
        excludes_enabled=(),
        disabled_prefix=("\n</think>\n\n", "\n\n"),
    ),
)
