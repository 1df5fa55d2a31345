"""The engines' own builders of structural tags for tool calls, on this library.

vLLM's registry and SGLang's detectors build tags of several model families from the models of
`xgrammar.structural_tag` or ask `get_model_structural_tag` for them; every tag must compile. Needs
the Python files of the wheels, see `test_vllm.py`.
"""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

import xgrammar as xgr
from tests.integration.engine_files import engine_modules

PARAMETERS = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "units": {"enum": ["C", "F"]},
        "places": {"type": "array", "items": {"type": "object", "properties": {}}},
    },
    "required": ["city"],
}
TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "description": "d", "parameters": PARAMETERS, "strict": True},
    }
    for name in ("get_weather", "get_time")
]


class Function(BaseModel):  # type: ignore[misc,unused-ignore]
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(BaseModel):  # type: ignore[misc,unused-ignore]
    """What both engines' request models look like to the builders."""

    type: str = "function"
    function: Function
    defer_loading: bool = False


class Named(BaseModel):  # type: ignore[misc,unused-ignore]
    """A tool choice that names a function."""

    type: str = "function"
    function: Function


CHOICES = ["auto", "required", Named(function=Function(name="get_time"))]


def token_texts(node):
    """Texts of tokens that a tag names."""
    if isinstance(node, dict):
        if node.get("type") == "token" and isinstance(node["token"], str):
            yield node["token"]
        for key in ("exclude_tokens", "trigger_tokens"):
            yield from (token for token in node.get(key, []) if isinstance(token, str))
        for value in node.values():
            yield from token_texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from token_texts(value)


def check_tag(tag):
    """It compiles, lets something be written, and survives JSON and the printed grammar."""
    assert isinstance(tag, xgr.StructuralTag)
    value = tag.model_dump()
    names = sorted(set(token_texts(value)))
    vocabulary = [bytes([byte]) for byte in range(256)] + [name.encode() for name in names]
    info = xgr.TokenizerInfo([*vocabulary, "</s>"], stop_token_ids=[len(vocabulary)])
    compiler = xgr.GrammarCompiler(info)
    rows = []
    for source in (tag, tag.model_dump_json(), xgr.StructuralTag.model_validate(value)):
        compiled = compiler.compile_structural_tag(source)
        rows.append(xgr.allocate_token_bitmask(1, info.vocab_size, like="numpy"))
        xgr.GrammarMatcher(compiled).fill_next_token_bitmask(rows[-1])
    printed = compiler.compile_grammar(str(compiled.grammar))
    rows.append(xgr.allocate_token_bitmask(1, info.vocab_size, like="numpy"))
    xgr.GrammarMatcher(printed).fill_next_token_bitmask(rows[-1])
    assert np.any(rows[0])
    assert all((row == rows[0]).all() for row in rows)


def test_vllm_registry():
    real = ["vllm.tool_parsers.structural_tag_registry", "vllm.tool_parsers.tool_strict_level"]
    given = {
        "openai": {},
        "vllm.entrypoints.openai.chat_completion.protocol": {
            "ChatCompletionToolsParam": Tool,
            "ChatCompletionNamedToolChoiceParam": Named,
        },
        "vllm.tool_parsers.utils": {"get_function_tools": list, "require_function_tools": list},
    }
    tools = [Tool.model_validate(tool) for tool in TOOLS]
    built = 0
    with engine_modules("vllm", real, given) as load:
        registry = load(real[0])
        models = registry.XGRAMMAR_BUILTIN_STRUCTURAL_TAG_MODELS | set(
            registry._VLLM_STRUCTURAL_TAG_REGISTRY
        )
        for model, choice, reasoning in product(sorted(models), CHOICES, (True, False)):
            tag = registry.get_model_structural_tag(model, tools, choice, reasoning)
            check_tag(tag)
            check_tag(registry.limit_to_single_tool_call(tag))
            built += 1
    assert built >= 6 * 16


DETECTORS = {
    "deepseekv32_detector": "DeepSeekV32Detector",
    "deepseekv4_detector": "DeepSeekV4Detector",
    "deepseekv41_detector": "DeepSeekV41Detector",
    "glm47_moe_detector": "Glm47MoeDetector",
    "kimik2_detector": "KimiK2Detector",
    "qwen3_coder_detector": "Qwen3CoderDetector",
}


def sglang_modules(*names):
    prefix = "sglang.srt.function_call"
    real = [f"{prefix}.{name}" for name in (*names, "base_format_detector", "core_types", "utils")]
    given: dict[str, Any] = {
        "orjson": {},
        "partial_json_parser": {},
        "sglang.srt.entrypoints.openai.protocol": {"Tool": Tool, "ToolChoice": Named},
        "sglang.srt.environ": {"envs": SimpleNamespace()},
    }
    return engine_modules("sglang", real, given), prefix


@pytest.mark.parametrize("module", DETECTORS)
def test_sglang_detectors(module):
    context, prefix = sglang_modules(*DETECTORS, "deepseekv31_detector")
    tools = [Tool.model_validate(tool) for tool in TOOLS]
    with context as load:
        loaded = load(f"{prefix}.{module}")
        detector = next(
            value
            for name, value in vars(loaded).items()
            if name.lower() == DETECTORS[module].lower()
        )()
        assert detector.get_structural_tag_name()
        for choice, thinking, parallel in product(CHOICES, (True, False), (True, False)):
            tag = detector.get_structural_tag(
                tools, choice, thinking_mode=thinking, parallel_tool_calls=parallel
            )
            check_tag(tag)


def test_sglang_kimi_k3():
    context, prefix = sglang_modules("kimik3_structural_tag", "kimik3_format")
    tools = [Tool.model_validate(tool) for tool in TOOLS]
    with context as load:
        builder = load(f"{prefix}.kimik3_structural_tag")
        for choice, thinking, parallel in product(CHOICES, (True, False), (True, False)):
            check_tag(builder.get_kimik3_structural_tag(tools, choice, thinking, parallel))
        for thinking, parallel in product((True, False), (True, False)):
            check_tag(builder.get_kimik3_auto_tool_call_structural_tag(tools, thinking, parallel))


def excluded_texts(node):
    if isinstance(node, dict):
        yield from node.get("excludes", [])
        for value in node.values():
            yield from excluded_texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from excluded_texts(value)


def test_sglang_replaces_excluded_texts_in_a_tag():
    """Its walk over a tag: attributes by name, lists replaced in place."""
    context, prefix = sglang_modules()
    tag = xgr.get_model_structural_tag("qwen_3", TOOLS, reasoning=False)
    before = set(excluded_texts(tag.model_dump()))
    assert "</think>" in before
    with context as load:
        load(f"{prefix}.utils").strip_structural_tag_excludes(tag, ["</think>"])
    assert set(excluded_texts(tag.model_dump())) == before - {"</think>"}
    check_tag(tag)
