"""JSON text of values of any depth is what `json.dumps` writes.

The writer exists since that one recurses: deep values, values that contain themselves and values of
other types are compared or refused. Parsing them is native: tests/cpp/json.
"""

import json
import sys
from typing import ClassVar

import pytest

import xgrammar
from xgrammar import _core
from xgrammar._json_writer import CyclicValueError, dumped, dumped_iteratively, encoded

WRITERS = [dumped, dumped_iteratively]


class Holder:
    def __init__(self, value):
        self.value = value


def value_of(holder):
    return {"value": holder.value} if isinstance(holder, Holder) else json.dumps(holder)


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    "value",
    [
        {1: [True, None], "\u00e9\n": ({}, []), None: 1.5},
        {1.5: 2**70, True: "\ud800", False: [[], [[]], [1, [2, (3,)]]]},
        [],
        {},
        "a",
        None,
        float("inf"),
    ],
)
def test_text_is_that_of_json(write, value):
    assert write(value) == json.dumps(value)


@pytest.mark.parametrize("write", WRITERS)
def test_values_of_other_types(write):
    shared = Holder([1, Holder({})])
    value = {"a": shared, "b": [shared, shared]}
    assert write(value, value_of) == json.dumps(value, default=value_of)
    for bad in ({1, 2}, b"a", {"a": object()}, {(1, 2): 3}):
        with pytest.raises(TypeError):
            write(bad)


def test_any_depth():
    value = holder = []
    levels = 20_000
    for level in range(levels):
        value = [value]
        holder = Holder(holder) if level % 2 else [holder]
    assert dumped(value) == "[" * (levels + 1) + "]" * (levels + 1)
    half = levels // 2
    assert dumped(holder, value_of) == '{"value": [' * half + "[]" + "]}" * half


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("levels", [0, 3, 5000])
def test_what_contains_itself(write, levels):
    first = last = []
    for _ in range(levels):
        last.append({"a": []})
        last = last[0]["a"]
    last.append(first)
    with pytest.raises(CyclicValueError):
        write(first)
    holder = Holder(None)
    holder.value = first
    last[0] = holder
    with pytest.raises(CyclicValueError):
        write(holder, value_of)


NATIVE = [
    {"a": [1, -(2**63), 2**63 - 1, True, False, None], "\u00e9\n\u2028\x7f\0": {}, "": [[]]},
    [0.1, -0.0, 1e300, 5e-324, 1.0, 123456789012345680.0],
    "text",
    7,
    None,
]
LEFT_TO_JSON = [
    {1: 2},
    {"a": (1, 2)},
    {"a": 2**63},
    [float("nan"), float("-inf")],
    "\ud800",
    {"\udfff": 1},
]


@pytest.mark.parametrize("value", NATIVE)
def test_the_extension_writes_what_json_reads(value):
    text = _core.json_text(value, None)
    assert text is not None
    assert repr(json.loads(text)) == repr(value)
    assert encoded(value) == text


@pytest.mark.parametrize("value", LEFT_TO_JSON)
def test_the_extension_leaves_the_rest(value):
    assert _core.json_text(value, None) is None
    assert _core.json_text([{"a": value}], None) is None
    assert encoded(value) == json.dumps(value).encode()


@pytest.mark.parametrize("subclass", [dict, list, str, int, float])
def test_subclasses_are_left_to_json(subclass):
    assert _core.json_text(type("Other", (subclass,), {})(), None) is None


def test_objects_of_a_class_are_written_as_their_fields():
    class Model:
        __pydantic_fields__: ClassVar = {"a": None, "b": None}

    class Other:
        pass

    model = Model()
    model.a, model.b = 1, [Model()]
    model.b[0].a, model.b[0].b = None, {}
    assert _core.json_text(model, Model) == b'{"a":1,"b":[{"a":null,"b":{}}]}'
    assert _core.json_text(model, None) is None
    assert _core.json_text(Other(), Model) is None
    del model.b[0].a  # `default` knows what to do without a field, or with one more.
    assert _core.json_text(model, Model) is None
    model.b[0].a = model.b[0].c = 1
    assert _core.json_text(model, Model) is None


@pytest.mark.parametrize("levels", [100, 20_000])
def test_the_extension_has_no_trouble_with_depth(levels):
    value = []
    for _ in range(levels):
        value = [{"a": value}]
    assert encoded(value).count(b"[") == levels + 1
    value = last = []
    last.append(value)
    assert _core.json_text(value, None) is None
    with pytest.raises(CyclicValueError):
        encoded(value)


@pytest.mark.skipif(not hasattr(sys, "set_int_max_str_digits"), reason="Python without the bound")
def test_integers_longer_than_python_writes():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(1000)
    try:
        assert encoded({"const": 10**999}) == b'{"const": 1' + b"0" * 999 + b"}"
        deep = 10**1000
        for _ in range(5000):
            deep = [deep]
        for value in ({"const": 10**1000}, deep):
            with pytest.raises(xgrammar.GrammarLimitError, match="1,000 digits") as caught:
                encoded(value)
            assert (caught.value.limit, caught.value.maximum) == (None, 1000)
    finally:
        sys.set_int_max_str_digits(before)
