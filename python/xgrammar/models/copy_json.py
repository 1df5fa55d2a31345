"""Copies JSON values of any depth, where `copy.deepcopy` would exhaust the stack.

A container that stands at several places is copied once: values that share parts, or hold
themselves and so are no JSON at all, cost no more than their own size.
"""

from __future__ import annotations

import marshal
from typing import Any

from xgrammar import _core

__all__ = ["copy_json"]


def copy_json(value: Any) -> Any:
    """Return a copy that shares no list and no dict with the value."""
    copy = _core.copy_json(value)
    if copy is not None:
        return copy
    try:
        # Several times as fast. It refuses what is very deep, and objects of other classes.
        return marshal.loads(marshal.dumps(value))  # noqa: S302 (written here)
    except ValueError:
        return copy_containers(value)


def copy_containers(value: Any) -> Any:
    """Do what `copy_json` does, for any depth, and whatever else stands in the containers."""
    whole = [value]
    copies: dict[int, Any] = {}
    todo: list[Any] = [whole]
    while todo:
        container = todo.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, part in list(items):
            if not isinstance(part, (dict, list)):
                continue
            if id(part) not in copies:
                copies[id(part)] = part.copy()
                todo.append(copies[id(part)])
            container[key] = copies[id(part)]
    return whole[0]
