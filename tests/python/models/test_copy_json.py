"""Copies of JSON values: equal, separate, of any depth; shared parts and circles end.

Builders copy what a request holds, so that editing a tag never changes the request.
"""

from __future__ import annotations

from xgrammar.models.copy_json import copy_json


def test_copies_are_equal_and_separate():
    value = {"a": [1, {"b": []}], "c": None}
    copied = copy_json(value)
    assert copied == value
    copied["a"][1]["b"].append(2)
    assert value == {"a": [1, {"b": []}], "c": None}
    assert copy_json(True) is True


def test_depth_is_no_limit():
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    copied = copy_json(value)
    depth = 0
    while copied:
        copied = copied[0]
        depth += 1
    assert depth == 100_000
    while value:  # taken apart by hand: deallocation would recurse, too
        value = value[0]


def test_shared_parts_and_circles_end():
    part: list[object] = []
    for _ in range(200):
        part = [part, part]
    copied = copy_json(part)
    assert copied[0] is copied[1]
    assert copied is not part
    circle: dict[str, object] = {}
    circle["self"] = circle
    copied = copy_json(circle)
    assert copied["self"] is copied is not circle
    circle.clear()
    copied.clear()


def test_many_shared_parts_are_copied_once():
    parts = [[number] for number in range(40)]
    value = {"first": parts, "second": [parts, {"third": parts[3]}]}
    copied = copy_json(value)
    assert copied == value
    assert copied["first"] is copied["second"][0] is not parts
    assert copied["first"][3] is copied["second"][1]["third"] is not parts[3]


def test_keys_that_are_no_texts_stay():
    value = {1: [], None: {"a": []}}
    copied = copy_json(value)
    assert copied == value
    assert copied[1] is not value[1]


def test_objects_of_other_classes_stay():
    class Name(str):
        __slots__ = ()

    value = {"a": Name("x"), "b": [Name("y"), {"c": (1, 2)}]}
    copied = copy_json(value)
    assert copied == value
    assert type(copied["a"]) is Name
    assert copied["b"] is not value["b"]
    assert copied["b"][1] is not value["b"][1]
