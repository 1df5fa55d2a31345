"""JSON text of values of any depth is what `json.dumps` writes.

The writer exists since that one recurses: deep values, values that contain themselves and values of
other types are compared or refused. Parsing them is native: tests/cpp/json.
"""

import json

import pytest

from xgrammar._json_writer import CyclicValueError, dumped, dumped_iteratively

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
