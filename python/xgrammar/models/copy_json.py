"""Copies JSON values of any depth, where `copy.deepcopy` would exhaust the stack."""

from __future__ import annotations

from typing import Any

__all__ = ["copy_json"]


def copy_json(value: Any) -> Any:
    """Return a copy that shares no list and no dict with the value."""
    whole = [value]
    todo: list[Any] = [whole]
    while todo:
        container = todo.pop()
        items = container.items() if isinstance(container, dict) else enumerate(container)
        for key, part in list(items):
            if isinstance(part, (dict, list)):
                container[key] = part.copy()
                todo.append(container[key])
    return whole[0]
