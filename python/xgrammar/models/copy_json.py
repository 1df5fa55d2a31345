"""Copies JSON values of any depth, where `copy.deepcopy` would exhaust the stack.

A container that stands at several places is copied once: values that share parts, or hold
themselves and so are no JSON at all, cost no more than their own size.
"""

from __future__ import annotations

from typing import Any

__all__ = ["copy_json"]


def copy_json(value: Any) -> Any:
    """Return a copy that shares no list and no dict with the value."""
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
