"""Every family against a renderer of its own: random tools and arguments are accepted, damaged
markers and wrong types are not.
"""

from __future__ import annotations

import random

import pytest

import xgrammar as xgr
from tests.python.models import renderers
from tests.python.models.conftest import engine_accepts, has_engine, oracle_accepts
from xgrammar.models.families import FAMILIES

KEYS = [key for family in FAMILIES for key in (*family.aliases, family.key)]
LETTERS = "ab <>&\"'{}[]:,\\/\n\té日😀|=0"
DAMAGE = "\x7f"
SAMPLES = 12
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


def random_value(rng, schema):
    """A value of one of the schemas that `random_schema` makes."""
    if "enum" in schema:
        return rng.choice(schema["enum"])
    kind = schema["type"]
    if kind == "string":
        return "".join(rng.choices(LETTERS, k=rng.randrange(8)))
    if kind == "array":
        return [random_value(rng, schema["items"]) for _ in range(rng.randrange(1, 4))]
    if kind == "object":
        return random_arguments(rng, schema)
    simple = {"integer": rng.randrange(-99, 99), "number": 0.5, "boolean": True, "null": None}
    return simple[kind]


def random_schema(rng, depth=0):
    kinds = ["string", "string", "integer", "number", "boolean", "null", "enum"]
    kind = rng.choice(kinds + (["array", "object"] if depth < 2 else []))
    if kind == "enum":
        return {"enum": ["red", "blue green"]}
    if kind == "array":
        return {"type": "array", "items": random_schema(rng, depth + 1)}
    if kind == "object":
        return random_object(rng, depth + 1)
    return {"type": kind}


def random_object(rng, depth=0):
    names = rng.sample(["city", "n", "opts", "x_1", "when"], k=rng.randrange(1, 4))
    properties = {name: random_schema(rng, depth) for name in names}
    required = [name for name in names if rng.random() < 0.6]
    return {"type": "object", "properties": properties, "required": required}


def random_arguments(rng, schema):
    return {
        name: random_value(rng, part)
        for name, part in schema["properties"].items()
        if name in schema["required"] or rng.random() < 0.5
    }


def tool(name, parameters):
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def random_request(rng, key):
    names = renderers.NAMES.get(key, ("get", "get_time", "a-b.c"))
    schemas = {name: random_object(rng) for name in names}
    tools = [tool(name, schema) for name, schema in schemas.items()]
    calls = [
        (name, random_arguments(rng, schemas[name]))
        for name in rng.choices(list(schemas), k=rng.randrange(1, 4))
    ]
    return tools, calls


def required_tag(key, tools, **options):
    return xgr.get_model_structural_tag(key, tools, "required", **options)


def disabled(key):
    return renderers.DISABLED.get(key, "")


@pytest.mark.parametrize("key", KEYS)
def test_rendered_calls_are_accepted(key, accepts):
    rng = random.Random(key)
    for _ in range(SAMPLES):
        tools, calls = random_request(rng, key)
        text = disabled(key) + renderers.plain(renderers.CALLS[key](calls))
        for choice in ("auto", "required"):
            tag = xgr.get_model_structural_tag(key, tools, choice, reasoning="disabled")
            assert accepts(tag, text), (choice, text)
        single = disabled(key) + renderers.plain(renderers.CALLS[key](calls[:1]))
        named = {"type": "function", "function": {"name": calls[0][0]}}
        for parallel in (True, False):
            tag = xgr.get_model_structural_tag(
                key, tools, named, reasoning="disabled", parallel_tool_calls=parallel
            )
            assert accepts(tag, single), single


@pytest.mark.parametrize("key", KEYS)
def test_thoughts_come_first(key, accepts):
    rng = random.Random(key)
    tools, calls = random_request(rng, key)
    written = renderers.plain(renderers.CALLS[key](calls))
    thoughts = renderers.THOUGHTS.get(key, "")
    tag = required_tag(key, tools, reasoning=True)
    assert accepts(tag, thoughts.format("let me see") + written)
    if thoughts and key != "harmony":
        assert not accepts(tag, disabled(key) + written)
        unfinished = thoughts.format("let me see")[:-20]
        assert not accepts(tag, unfinished)


@pytest.mark.parametrize("key", sorted(renderers.THOUGHTS))
def test_optional_thoughts(key, accepts):
    rng = random.Random(key)
    tools, calls = random_request(rng, key)
    written = renderers.plain(renderers.CALLS[key](calls))
    thoughts = renderers.THOUGHTS[key].format("hm")
    opener = renderers.OPENERS.get(key, "")
    tag = required_tag(key, tools, reasoning="auto")
    for start in (opener + thoughts, *renderers.WITHOUT_THOUGHTS.get(key, [""])):
        assert accepts(tag, start + written), start
    if key != "harmony":
        for start in ((opener + thoughts).rstrip("\n")[:-1], *([thoughts] if opener else [])):
            assert not accepts(tag, start + written), start


@pytest.mark.parametrize("key", KEYS)
def test_arguments_in_any_order(key, accepts):
    properties = {name: {"type": "integer"} for name in ("a", "b", "c")}
    tools = [tool("f", {"type": "object", "properties": properties, "required": ["a", "b"]})]
    tags = {
        any_order: required_tag(key, tools, reasoning="disabled", any_order=any_order)
        for any_order in (False, True)
    }
    for order in ("ab", "ba", "cab", "abc", "bca", "ac", "c"):
        arguments = dict.fromkeys(order, 1)
        text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", arguments)]))
        complete = {"a", "b"} <= set(order)
        assert accepts(tags[True], text) == complete, text
        assert accepts(tags[False], text) == (complete and list(order) == sorted(order)), text


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "free", [{}, {"parameters": None}, {"parameters": NOTHING, "strict": False}]
)
def test_free_arguments(key, free, accepts):
    rng = random.Random(key)
    tools = [{"type": "function", "function": {"name": "f", **free}}]
    tag = required_tag(key, tools, reasoning="disabled")
    if key == "minimax_m3":
        with pytest.raises(RuntimeError, match="cannot write"):
            xgr.Grammar.from_structural_tag(tag)
        return
    for _ in range(SAMPLES // 2):
        arguments = random_arguments(rng, random_object(rng))
        text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", arguments)]))
        assert accepts(tag, text), text


@pytest.mark.parametrize("key", KEYS)
def test_one_call_where_calls_are_not_parallel(key, accepts):
    tools = [tool("f", {"type": "object", "properties": {"q": {"type": "string"}}})]
    for choice in ("auto", "required"):
        tag = xgr.get_model_structural_tag(
            key, tools, choice, reasoning="disabled", parallel_tool_calls=False
        )
        for count in (1, 2):
            calls = [("f", {"q": "v"})] * count
            text = disabled(key) + renderers.plain(renderers.CALLS[key](calls))
            assert accepts(tag, text) == (count == 1), (choice, text)


@pytest.mark.parametrize("key", KEYS)
def test_damaged_markers_are_rejected(key, accepts):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "q": {"type": "string"}},
        "required": ["n", "q"],
    }
    tag = xgr.get_model_structural_tag(
        key,
        [tool("f", schema)],
        {"type": "function", "function": {"name": "f"}},
        reasoning="disabled",
    )
    marked = disabled(key) + renderers.CALLS[key]([("f", {"n": 3, "q": "v"})])
    text = renderers.plain(marked)
    assert accepts(tag, text)
    # Kimi-K3 and Harmony have text before the call: a broken begin may be text there.
    for position in renderers.marker_positions(marked):
        damaged = text[:position] + DAMAGE + text[position + 1 :]
        assert not accepts(tag, damaged), damaged


def damaged(rng, text):
    """The text with one or two random edits."""
    for _ in range(rng.choice([1, 1, 2])):
        at, to = sorted(rng.choices(range(len(text) + 1), k=2))
        to = min(to, at + 20)
        text = rng.choice(
            [
                text[:at] + text[at + 1 :],
                text[:at] + rng.choice(" \nx<>\"1,'\\{") + text[at:],
                text[:at] + text[to:],
                text[:to] + text[at:to] + text[to:],
            ]
        )
    return text


@pytest.mark.skipif(not has_engine(), reason="needs the engine's structural tags")
@pytest.mark.parametrize("key", KEYS)
def test_engine_and_oracle_agree_on_damaged_responses(key):
    rng = random.Random("damage" + key)
    for _ in range(SAMPLES):
        tools, calls = random_request(rng, key)
        named = {"type": "function", "function": {"name": calls[0][0]}}
        options = {
            name: rng.random() < 0.6
            for name in ("any_order", "exclude_special_tokens", "parallel_tool_calls")
        }
        tag = xgr.get_model_structural_tag(
            key,
            tools,
            rng.choice(["auto", "required", "none", named]),
            rng.choice(["enabled", "disabled", "auto"]),
            max_whitespace_cnt=rng.choice([None, 1]),
            **options,
        )
        thoughts = renderers.THOUGHTS.get(key, "").format("hm")
        before = rng.choice([disabled(key), thoughts, renderers.OPENERS.get(key, "") + thoughts])
        text = before + renderers.plain(renderers.CALLS[key](calls))
        for case in (text, *(damaged(rng, text) for _ in range(20))):
            assert engine_accepts(tag, case) == oracle_accepts(tag, case), case


@pytest.mark.parametrize("key", KEYS)
def test_wrong_types_are_rejected(key, accepts):
    properties = {"n": {"type": "integer"}, "b": {"type": "boolean"}, "o": {"type": "object"}}
    schema = {"type": "object", "properties": properties, "required": ["n"]}
    if key == "minimax_m3":
        properties["o"] = {"type": "object", "properties": {"k": {"type": "null"}}}
    tag = required_tag(key, [tool("f", schema)], reasoning="disabled")
    right = {"n": 3, "b": False}
    wrong = [{"n": "x"}, {"n": 1.5}, {"b": True}, {"n": 1, "b": 0}, {"n": 1, "o": [1]}, {}]
    for arguments in [right, *wrong]:
        text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", arguments)]))
        assert accepts(tag, text) == (arguments is right), text


@pytest.mark.parametrize("key", KEYS)
def test_other_tools_are_rejected(key, accepts):
    tag = required_tag(key, [tool("f", {"type": "object", "properties": {}})], reasoning="disabled")
    for name in ("f", "g", "ff"):
        text = disabled(key) + renderers.plain(renderers.CALLS[key]([(name, {})]))
        assert accepts(tag, text) == (name == "f"), text


@pytest.mark.parametrize("key", KEYS)
def test_no_call_where_tools_are_disabled(key, accepts):
    if key in ("llama", "llama4_pythonic"):
        pytest.skip("no text is a sign of a call in this family")
    schema = {"type": "object", "properties": {"q": {"type": "string"}}}
    tag = xgr.get_model_structural_tag(key, [tool("f", schema)], "none", reasoning="disabled")
    text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", {"q": "v"})]))
    assert not accepts(tag, text)


@pytest.mark.parametrize("key", renderers.OTHER_SPELLINGS)
def test_other_spellings(key, accepts):
    text = renderers.OTHER_SPELLINGS[key]
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    for choice in ("auto", "required", {"type": "function", "function": {"name": "f"}}):
        tag = xgr.get_model_structural_tag(key, [tool("f", schema)], choice, reasoning="disabled")
        assert accepts(tag, text)
        assert not accepts(tag, text.replace('"v"', "3").replace(">v<", "><x"))


@pytest.mark.parametrize("key", KEYS)
def test_every_key_has_a_builder_and_a_page(key):
    from xgrammar import builtin_structural_tag

    builder = getattr(builtin_structural_tag, f"get_{key}_structural_tag")
    assert builder().type == "structural_tag"
