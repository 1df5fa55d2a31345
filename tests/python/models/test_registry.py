"""Looking families up by name and model, the order of checks, and registering more.

Guards that hostile schemas and arguments end in typed errors, that a registered builder's result is
checked, and that lookups go on while others register. Building itself is test_build.py.
"""

from __future__ import annotations

import sys
import threading
import warnings

import pytest

import xgrammar as xgr
from xgrammar.models import registry
from xgrammar.structural_tag import AnyTextFormat, StructuralTag

FIRST_KEYS = [
    "llama", "kimi", "kimi_k3", "deepseek_r1", "deepseek_v3_1", "qwen_3_coder", "qwen_3_5", "mimo",
    "qwen_3", "harmony", "deepseek_v3_2", "minimax", "minimax_m3", "glm_4_7", "gemma_4",
    "deepseek_v4", "deepseek_v4_1", "cohere", "exaone",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _restore(monkeypatch):
    monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))


def test_order_of_keys():
    assert list(registry._REGISTRY)[: len(FIRST_KEYS)] == FIRST_KEYS


@pytest.mark.parametrize("model", ["nope", None, 1, ["llama"]])
def test_unknown_models_come_first(model):
    with pytest.raises(
        ValueError, match=r"^Unknown format type: .*, supported types: .'llama', 'ki"
    ):
        xgr.get_model_structural_tag(model, tools="x", token_markers=1)


def test_order_of_checks():
    bad = {"token_markers": 1, "tools": "x", "reasoning": 1, "parallel_tool_calls": 1}
    good = {"token_markers": False, "tools": [], "reasoning": True, "parallel_tool_calls": True}
    messages = {
        "token_markers": "token_markers must be a bool",
        "tools": "must be a list",
        "reasoning": "reasoning must be",
        "parallel_tool_calls": "parallel_tool_calls must be a bool",
    }
    for name, message in messages.items():
        with pytest.raises(ValueError, match=message):
            xgr.get_model_structural_tag("qwen_3", **bad)
        bad[name] = good[name]
    xgr.get_model_structural_tag("qwen_3", **bad)


@pytest.mark.parametrize("reasoning", [0, None, "on", "", ["auto"], 1.0])
def test_reasoning_values(reasoning):
    with pytest.raises(ValueError, match="reasoning"):
        xgr.get_model_structural_tag("llama", reasoning=reasoning)


def test_boolean_and_deprecated_arguments_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tags = [
            xgr.get_builtin_structural_tag("glm_4_7", [], "auto", value, force_reasoning=object())
            for value in (True, False)
        ]
    modes = [xgr.get_model_structural_tag("glm_4_7", reasoning=m) for m in ("enabled", "disabled")]
    assert tags == modes


def test_options_are_validated_with_arguments_only():
    tools = [{"function": {"name": "f"}}]
    assert xgr.get_model_structural_tag("llama", any_order="zz", max_whitespace_cnt=1.5)
    for options in ({"any_order": "zz"}, {"max_whitespace_cnt": 1.5}):
        with pytest.raises(ValueError):
            xgr.get_model_structural_tag("llama", tools, **options)
    tag = xgr.get_model_structural_tag("llama", tools, any_order="yes", max_whitespace_cnt="2")
    assert tag.format.tags[0].content.max_whitespace_cnt == 2


def test_registered_builders_get_four_and_four_arguments():
    seen = []

    @xgr.register_model_structural_tag("mine", marker_tokens=["<x>"])
    def build(*args, **kwargs):
        seen.append((args, kwargs))
        return StructuralTag(format=AnyTextFormat())

    assert xgr.get_model_structural_tag("mine", [{"type": "web"}], reasoning=False, any_order=1)
    (functions, builtins, choice, mode), options = seen[0]
    assert (functions, builtins[0].type, choice, mode) == ([], "web", "auto", "disabled")
    assert options == {
        "any_order": 1,
        "exclude_special_tokens": True,
        "max_whitespace_cnt": None,
        "parallel_tool_calls": True,
    }
    assert xgr.get_model_structural_tag("mine", token_markers=True)
    assert xgr.register_model_structural_tag("mine")(build) is build
    with pytest.raises(ValueError, match="token_markers is not supported for model mine"):
        xgr.get_model_structural_tag("mine", token_markers=True)


def test_a_registered_builder_replaces_a_family():
    @xgr.register_model_structural_tag("llama")
    def build(*_args, **_kwargs):
        return StructuralTag(format=AnyTextFormat(excludes=["mine"]))

    assert xgr.get_model_structural_tag("llama").format.excludes == ["mine"]


def test_choice_none_keeps_calls_out_of_text():
    tag = xgr.get_model_structural_tag("qwen_3", [], "none", "disabled")
    assert tag.format.excludes == ["<think>", "</think>", "<tool_call>"]
    free = xgr.get_model_structural_tag(
        "qwen_3", [], "none", "disabled", exclude_special_tokens=False
    )
    assert free.format.excludes == []
    always = xgr.get_model_structural_tag("deepseek_v4_1", exclude_special_tokens=False)
    assert always.format.elements[1].excludes == ["<｜DSML｜ calls>"]  # noqa: RUF001 (the marker)


def hostile_schemas():
    circle = {"type": "object"}
    circle["properties"] = circle
    deep = {}
    for _ in range(3000):
        deep = {"properties": {"a": deep}}
    wide = {"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}] * 1000}}, "$ref": "#/$defs/a"}
    return [circle, deep, wide, {"required": 5, "anyOf": 5, "properties": []}, {"": None}]


@pytest.mark.parametrize(
    "schema", hostile_schemas(), ids=["circle", "deep", "wide", "odd", "empty"]
)
@pytest.mark.parametrize("model", ["qwen_3_5", "harmony", "mistral"])
def test_hostile_schemas_neither_crash_nor_hang(model, schema):
    tools = [{"function": {"name": "f" * 10_000, "parameters": schema}}]
    tag = xgr.get_model_structural_tag(model, tools, "required")
    assert tag.type == "structural_tag"


def test_registering_checks_its_arguments():
    register = xgr.register_model_structural_tag
    with pytest.raises(TypeError, match="name must be a str, not function"):
        register(lambda *_args, **_kwargs: None)  # the decorator without its call
    for markers in ("<x>", 3, {"<x>"}):
        with pytest.raises(TypeError, match="marker_tokens must be a list of str"):
            register("mine", marker_tokens=markers)
    with pytest.raises(TypeError, match=r"marker_tokens\[1\] must be a str, not int"):
        register("mine", marker_tokens=["<x>", 3])
    with pytest.raises(ValueError, match=r"marker_tokens\[0\] is empty"):
        register("mine", marker_tokens=[""])
    with pytest.raises(TypeError, match="the builder of 'mine' must be callable, not int"):
        register("mine")(3)
    with pytest.raises(ValueError, match="Unknown format type: mine"):
        xgr.get_model_structural_tag("mine")


def test_what_a_registered_builder_returns_is_checked():
    xgr.register_model_structural_tag("mine", marker_tokens=["<x>"])(lambda *_args, **_kwargs: None)
    for markers in (False, True):
        with pytest.raises(TypeError, match="registered for mine returned NoneType"):
            xgr.get_model_structural_tag("mine", token_markers=markers)


def test_families_may_be_registered_while_others_are_looked_up():
    stop, errors = threading.Event(), []

    def register():
        for number in range(20_000):
            xgr.register_model_structural_tag(f"family {number}")(print)
        stop.set()

    def look_up():
        while not stop.is_set():
            try:
                xgr.get_model_structural_tag("llama", token_markers=True)
            except ValueError:
                continue
            except RuntimeError as error:
                errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for work in (register, look_up, look_up)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
