"""Writes responses as the models of each family write them, from the descriptions of the formats.

Nothing here looks at the library: a family is a function from calls to text. Marker text stands
between two private characters, so that tests can damage exactly the markers; `plain` removes them.
A call is `(name, arguments)`; arguments are a dict in the order of the schema.
"""

# ruff: noqa: RUF001 (markers are made of full-width bars)

from __future__ import annotations

import json

BEGIN, END = "\ue000", "\ue001"
NS = "]<]minimax[>["


def mark(text):
    return BEGIN + text + END


def plain(text):
    """The response without the private characters."""
    return text.replace(BEGIN, "").replace(END, "")


def marker_positions(text):
    """Positions, in the plain text, of the characters of markers."""
    positions, at, inside = [], 0, False
    for character in text:
        if character in (BEGIN, END):
            inside = character == BEGIN
        else:
            positions += [at] if inside else []
            at += 1
    return positions


def dumps(value):
    return json.dumps(value, ensure_ascii=False)


def is_text(value):
    return isinstance(value, str)


def raw(value):
    """A value as XML styles write it: strings as they are."""
    return value if is_text(value) else dumps(value)


# Arguments.


def qwen_arguments(arguments):
    parts = (
        mark(f"<parameter={k}>") + f"\n{raw(v)}\n" + mark("</parameter>")
        for k, v in arguments.items()
    )
    return "\n".join(parts)


def compact_arguments(arguments):
    return "".join(
        mark(f"<parameter={k}>") + raw(v) + mark("</parameter>") for k, v in arguments.items()
    )


def minimax_arguments(arguments):
    return "".join(
        mark(f'<parameter name="{k}">') + raw(v) + mark("</parameter>") + "\n"
        for k, v in arguments.items()
    )


def glm_arguments(arguments):
    return "".join(
        mark(f"<arg_key>{k}</arg_key><arg_value>") + raw(v) + mark("</arg_value>")
        for k, v in arguments.items()
    )


def dsml_arguments(arguments, space):
    tag = f"｜DSML｜{space}parameter"
    return "".join(
        mark(f'<{tag} name="{k}" string="{str(is_text(v)).lower()}">')
        + raw(v)
        + mark(f"</{tag}>")
        + "\n"
        for k, v in arguments.items()
    )


def type_name(value):
    names = {bool: "boolean", str: "string", list: "array", dict: "object", type(None): "null"}
    return names.get(type(value), "number")


def kimi_k3_arguments(arguments):
    return "".join(
        mark(f'<|open|>argument key="{k}" type="{type_name(v)}"<|sep|>')
        + raw(v)
        + mark("<|close|>argument<|sep|>")
        for k, v in arguments.items()
    )


def gemma(value):
    if is_text(value):
        return mark('<|"|>') + value + mark('<|"|>')
    if isinstance(value, dict):
        return mark("{") + ",".join(f"{k}:{gemma(v)}" for k, v in value.items()) + mark("}")
    if isinstance(value, list):
        return "[" + ",".join(map(gemma, value)) + "]"
    return dumps(value)


def minimax_m3(value):
    if isinstance(value, dict):
        return "".join(
            mark(f"{NS}<{k}>") + minimax_m3(v) + mark(f"{NS}</{k}>") for k, v in value.items()
        )
    if isinstance(value, list):
        return "".join(mark(f"{NS}<item>") + minimax_m3(v) + mark(f"{NS}</item>") for v in value)
    return raw(value)


def cohere(value, name=""):
    kinds = {str: "raw", dict: "dict", list: "list"}
    body = raw(value)
    if isinstance(value, dict):
        body = "".join(cohere(v, f' name="{k}"') for k, v in value.items())
    elif isinstance(value, list):
        body = "".join(map(cohere, value))
    kind = kinds.get(type(value), "json")
    return mark(f'<cofl:value{name} type="{kind}">') + body + mark("</cofl:value>")


def cohere_arguments(arguments):
    return "".join(cohere(v, f' name="{k}"') for k, v in arguments.items())


# Calls.


def json_call(before, name, key, arguments, after):
    return mark(f'{before}{{"name": "{name}", "{key}": ') + dumps(arguments) + mark("}" + after)


def llama(calls):
    return "; ".join(json_call("", name, "parameters", a, "") for name, a in calls)


def qwen_3(calls):
    return "\n".join(
        json_call("<tool_call>\n", name, "arguments", a, "\n</tool_call>") for name, a in calls
    )


def longcat(calls):
    return qwen_3(calls).replace("tool_call>", "longcat_tool_call>")


def exaone(calls):
    return "\n".join(
        json_call("<tool_call>", name, "arguments", a, "</tool_call>") for name, a in calls
    )


def qwen_3_5(calls, tag="tool_call"):
    return "\n".join(
        mark(f"<{tag}>\n<function={name}>\n")
        + (qwen_arguments(a) + mark("\n") if a else "")
        + mark(f"</function>\n</{tag}>")
        for name, a in calls
    )


def seed_oss(calls):
    return qwen_3_5(calls, "seed:tool_call")


def mimo(calls):
    return "".join(
        mark(f"<tool_call><function={name}>")
        + compact_arguments(a)
        + mark("</function></tool_call>")
        for name, a in calls
    )


def glm_4_7(calls):
    return "".join(
        mark(f"<tool_call>{name}") + glm_arguments(a) + mark("</tool_call>") for name, a in calls
    )


def gemma_4(calls):
    return "".join(
        mark(f"<|tool_call>call:{name}") + gemma(a) + mark("<tool_call|>") for name, a in calls
    )


def kimi(calls):
    inner = "".join(
        mark(f"<|tool_call_begin|>functions.{name}:")
        + f"{number}"
        + mark("<|tool_call_argument_begin|>")
        + dumps(a)
        + mark("<|tool_call_end|>")
        for number, (name, a) in enumerate(calls)
    )
    return mark("<|tool_calls_section_begin|>") + inner + mark("<|tool_calls_section_end|>")


def kimi_k3(calls):
    inner = "".join(
        mark(f'<|open|>call tool="{name}" index="')
        + f"{number}"
        + mark('"<|sep|>')
        + kimi_k3_arguments(a)
        + mark("<|close|>call<|sep|>")
        for number, (name, a) in enumerate(calls, 1)
    )
    tools = mark("<|open|>tools<|sep|>") + inner + mark("<|close|>tools<|sep|>")
    return mark("<|close|>response<|sep|>") + tools + mark("<|close|>message<|sep|>")


def deepseek_r1(calls):
    inner = mark("\n").join(
        mark(f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n")
        + dumps(a)
        + mark("\n```<｜tool▁call▁end｜>")
        for name, a in calls
    )
    return mark("<｜tool▁calls▁begin｜>") + inner + mark("<｜tool▁calls▁end｜>")


def deepseek_v3_1(calls):
    inner = "".join(
        mark(f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>") + dumps(a) + mark("<｜tool▁call▁end｜>")
        for name, a in calls
    )
    return mark("<｜tool▁calls▁begin｜>") + inner + mark("<｜tool▁calls▁end｜>")


def dsml(block, space):
    def render(calls):
        invoke = f"｜DSML｜{space}invoke"
        inner = "".join(
            mark(f'<{invoke} name="{name}">\n') + dsml_arguments(a, space) + mark(f"</{invoke}>\n")
            for name, a in calls
        )
        return mark(f"\n\n<｜DSML｜{block}>\n") + inner + mark(f"</｜DSML｜{block}>")

    return render


def minimax(calls):
    inner = "".join(
        mark(f'<invoke name="{name}">\n') + minimax_arguments(a) + mark("</invoke>\n")
        for name, a in calls
    )
    return mark("\n<minimax:tool_call>\n") + inner + mark("</minimax:tool_call>")


def minimax_m3_calls(calls):
    inner = "".join(
        mark(f'{NS}<invoke name="{name}">') + minimax_m3(a) + mark(f"{NS}</invoke>\n")
        for name, a in calls
    )
    return mark(f"{NS}<tool_call>\n") + inner + mark(f"{NS}</tool_call>")


def cohere_calls(calls):
    inner = "".join(
        mark('<cofl:tool_call id="')
        + f"{number}"
        + mark(f'" name="{name}">')
        + cohere_arguments(a)
        + mark("</cofl:tool_call>")
        for number, (name, a) in enumerate(calls)
    )
    return mark("<cofl:tool_calls>") + inner + mark("</cofl:tool_calls>")


def harmony(calls):
    return mark("<|start|>assistant").join(
        mark(f"<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>")
        + dumps(a)
        + mark("<|call|>")
        for name, a in calls
    )


def json_list(before, after):
    def render(calls):
        inner = mark(", ").join(json_call("", name, "arguments", a, "") for name, a in calls)
        return mark(before) + inner + mark(after)

    return render


def mistral(calls):
    return "".join(mark(f"[TOOL_CALLS]{name}[ARGS]") + dumps(a) for name, a in calls)


def internlm(calls):
    return "\n".join(
        json_call("<|action_start|><|plugin|>\n", name, "parameters", a, "<|action_end|>")
        for name, a in calls
    )


def python_literal(value):
    """A value as `repr` writes it, which is how templates of these families write most."""
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{python_literal(k)}: {python_literal(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(python_literal, value)) + "]"
    return repr(value)


def python_call(name, arguments):
    written = mark(", ").join(mark(f"{k}=") + python_literal(v) for k, v in arguments.items())
    return mark(f"{name}(") + written + mark(")")


def python_calls(before, between, after):
    def render(calls):
        return mark(before) + mark(between).join(python_call(*call) for call in calls) + mark(after)

    return render


def step3(calls):
    inner = mark("\n").join(
        mark(f'<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="{name}">\n')
        + "".join(
            mark(f'<steptml:parameter name="{k}">') + raw(v) + mark("</steptml:parameter>") + "\n"
            for k, v in a.items()
        )
        + mark("</steptml:invoke><｜tool_call_end｜>")
        for name, a in calls
    )
    return mark("<｜tool_calls_begin｜>\n") + inner + mark("\n<｜tool_calls_end｜>")


CALLS = {
    "llama": llama,
    "kimi": kimi,
    "kimi_k3": kimi_k3,
    "deepseek_r1": deepseek_r1,
    "deepseek_v3_1": deepseek_v3_1,
    "qwen_3_coder": qwen_3_5,
    "qwen_3_5": qwen_3_5,
    "mimo": mimo,
    "qwen_3": qwen_3,
    "harmony": harmony,
    "deepseek_v3_2": dsml("function_calls", ""),
    "minimax": minimax,
    "minimax_m3": minimax_m3_calls,
    "glm_4_7": glm_4_7,
    "gemma_4": gemma_4,
    "deepseek_v4": dsml("tool_calls", ""),
    "deepseek_v4_1": dsml(" calls", " "),
    "cohere": cohere_calls,
    "exaone": exaone,
    "hermes": qwen_3,
    "mistral": mistral,
    "mistral_v7": json_list("[TOOL_CALLS][", "]"),
    "granite": json_list("<|tool_call|>[", "]"),
    "seed_oss": seed_oss,
    "ernie_4_5": qwen_3,
    "hunyuan": json_list("<tool_calls>[", "]</tool_calls>"),
    "longcat": longcat,
    "phi4_mini": json_list("functools[", "]"),
    "nemotron_v3": qwen_3_5,
    "internlm": internlm,
    "llama4_pythonic": python_calls("[", ", ", "]"),
    "olmo3": python_calls("<function_calls>", "\n", "</function_calls>"),
    "lfm2": python_calls("<|tool_call_start|>[", ", ", "]<|tool_call_end|>"),
    "step3": step3,
}

# Names of tools in random requests, where a family cannot call every tool.
NAMES = dict.fromkeys(("llama4_pythonic", "olmo3", "lfm2"), ("get", "get_time", "a_b_c"))

# How thoughts are written where reasoning is enabled, up to what follows them.
THOUGHTS = {
    "kimi_k3": "{}<|close|>think<|sep|><|open|>response<|sep|>",
    "mimo": "<think>{}</think>",
    "harmony": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant",
    "minimax_m3": "{}</mm:think>",
    "gemma_4": "<|channel>thought\n{}<channel|>",
    "cohere": "{}<|END_THINKING|>",
    "mistral": "[THINK]{}[/THINK]",
    "seed_oss": "<seed:think>{}</seed:think>\n",
    "ernie_4_5": "{}\n</think>\n\n\n",
    "hunyuan": "<think>\n{}\n</think>\n<answer>\n",
    "nemotron_v3": "{}\n</think>\n",
    "olmo3": "{}</think>",
    "lfm2": "<think>\n{}\n</think>\n",
    "step3": "{}\n</think>\n\n",
    **dict.fromkeys(("kimi", "deepseek_r1", "deepseek_v3_1", "glm_4_7"), "{}</think>"),
    **dict.fromkeys(("deepseek_v3_2", "deepseek_v4", "deepseek_v4_1"), "{}</think>"),
    **dict.fromkeys(
        ("qwen_3", "qwen_3_5", "qwen_3_coder", "exaone", "minimax"), "{}\n</think>\n\n"
    ),
}
# What opens thoughts that THOUGHTS leaves to the prompt, where the model writes them in full; and
# what comes before a call without thoughts where they are optional.
OPENERS = {
    "kimi_k3": "<|open|>think<|sep|>",
    "minimax_m3": "<mm:think>",
    "cohere": "<|START_THINKING|>",
    **dict.fromkeys(
        (
            "kimi", "deepseek_r1", "deepseek_v3_1", "glm_4_7", "deepseek_v3_2", "deepseek_v4",
            "deepseek_v4_1", "qwen_3", "qwen_3_5", "qwen_3_coder", "exaone", "minimax", "ernie_4_5",
            "nemotron_v3", "olmo3", "step3",
        ),
        "<think>",
    ),
}  # fmt: skip
WITHOUT_THOUGHTS = {"kimi_k3": ["<|open|>response<|sep|>"], "minimax_m3": ["", "</mm:think>"]}
# What opens the output where reasoning is disabled.
DISABLED = {"minimax": "\n</think>\n\n\n\n"}

# Markers that are single tokens of the models' tokenizers.
THINK_TOKENS = ["<think>", "</think>"]
CALL_TOKENS = ["<tool_call>", "</tool_call>"]
TOKENS = {
    "llama": ["<|python_tag|>"],
    "kimi": [
        *THINK_TOKENS,
        "<|tool_calls_section_begin|>",
        "<|tool_calls_section_end|>",
        "<|tool_call_begin|>",
        "<|tool_call_argument_begin|>",
        "<|tool_call_end|>",
    ],
    "kimi_k3": ["<|open|>", "<|close|>", "<|sep|>"],
    **dict.fromkeys(
        ("deepseek_r1", "deepseek_v3_1"),
        (
            *THINK_TOKENS,
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁sep｜>",
        ),
    ),
    **dict.fromkeys(("deepseek_v3_2", "deepseek_v4", "deepseek_v4_1"), (*THINK_TOKENS, "｜DSML｜")),
    "harmony": [
        "<|channel|>",
        "<|message|>",
        "<|start|>",
        "<|end|>",
        "<|constrain|>",
    ],
    "minimax": [*THINK_TOKENS, "<minimax:tool_call>", "</minimax:tool_call>"],
    "minimax_m3": [NS, "<mm:think>", "</mm:think>"],
    "glm_4_7": [
        *THINK_TOKENS,
        *CALL_TOKENS,
        "<arg_key>",
        "</arg_key>",
        "<arg_value>",
        "</arg_value>",
    ],
    "gemma_4": ["<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", '<|"|>'],
    "cohere": ["<|START_THINKING|>", "<|END_THINKING|>"],
    "mistral": ["[THINK]", "[/THINK]", "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"],
    "mistral_v7": ["[TOOL_CALLS]"],
    "granite": ["<|tool_call|>"],
    "seed_oss": ["<seed:think>", "</seed:think>", "<seed:tool_call>", "</seed:tool_call>"],
    "longcat": ["<longcat_tool_call>", "</longcat_tool_call>"],
    "internlm": ["<|action_start|>", "<|action_end|>", "<|plugin|>"],
    **dict.fromkeys(
        ("qwen_3", "qwen_3_5", "qwen_3_coder", "mimo", "exaone", "ernie_4_5", "nemotron_v3"),
        (*THINK_TOKENS, *CALL_TOKENS),
    ),
    "hermes": CALL_TOKENS,
    "hunyuan": [],
    "phi4_mini": [],
    "llama4_pythonic": ["<|python_start|>", "<|python_end|>"],
    "olmo3": [],
    "lfm2": [*THINK_TOKENS, "<|tool_call_start|>", "<|tool_call_end|>"],
    "step3": [
        *THINK_TOKENS,
        "<｜tool_calls_begin｜>",
        "<｜tool_calls_end｜>",
        "<｜tool_call_begin｜>",
        "<｜tool_call_end｜>",
        "<｜tool_sep｜>",
    ],
}

# Other ways in which models write the call of `f` with the argument q = "v".
OTHER_SPELLINGS = {
    "hermes": '<tool_call>{"name": "f", "arguments": {"q": "v"}}</tool_call>',
    "longcat": '<longcat_tool_call>{"name": "f", "arguments": {"q": "v"}}</longcat_tool_call>',
    "mistral": '[TOOL_CALLS]f[CALL_ID]a1B2c3D4e[ARGS]{"q": "v"}',
    "mistral_v7": '[TOOL_CALLS] [{"name": "f", "arguments": {"q": "v"}, "id": "a1B2c3D4e"}]',
    "granite": '<|tool_call|> [{"name": "f", "arguments": {"q": "v"}}]',
    "internlm": (
        '<|action_start|> <|plugin|>\n{"name": "f", "parameters": {"q": "v"}}<|action_end|>'
    ),
    "qwen_3_5": (
        "<tool_call>\n<function=f>\n<parameter=q>v</parameter>\n</function>\n</tool_call>"
    ),
    "harmony": (
        "<|channel|>commentary<|message|>Hm.<|end|><|start|>assistant to=functions.f"
        '<|channel|>commentary json<|message|>{"q": "v"}<|call|>'
    ),
    "llama4_pythonic": '[f(q="v")]',
    "olmo3": '<function_calls>f(q="v")</function_calls>',
    "lfm2": '<|tool_call_start|>[f(q="v")]<|tool_call_end|>',
    "step3": (
        "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="f">\n'
        '<steptml:parameter name="q">v</steptml:parameter></steptml:invoke><｜tool_call_end｜>'
        "\n<｜tool_calls_end｜>"
    ),
    "glm_4_7": ("<tool_call>f\n<arg_key>q</arg_key>\n<arg_value>v</arg_value>\n</tool_call>"),
}
