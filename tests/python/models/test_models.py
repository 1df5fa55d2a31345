"""What the families have in common: their data, their files, and the checks of every builder.

Guards that files stay short and are no clones of one another, and that arguments are checked before
anything is built. What a family accepts is test_families.py.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import xgrammar
from xgrammar.models.families import FAMILIES
from xgrammar.models.format import ARGUMENTS, NAME, Calls, ModelFormat
from xgrammar.models.request import Request
from xgrammar.openai_tool_call_schema import BuiltinToolParam, FunctionToolParam

FOLDER = Path(xgrammar.__file__).parent / "models" / "families"
PLAIN = ModelFormat(key="x", title="X", models=(), calls=Calls(call=(NAME, ARGUMENTS), trigger="t"))
TOOL = FunctionToolParam.model_validate({"function": {"name": "f"}})


def test_files_are_short():
    for path in FOLDER.glob("*.py"):
        assert (
            len(path.read_text(encoding="utf-8").splitlines()) <= 80 or path.name == "__init__.py"
        ), path.name


def test_no_clones_between_families():
    windows: Counter[str] = Counter()
    for path in FOLDER.glob("*.py"):
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        lines = [line for line in lines if line and not line.startswith(("#", "from ", "import "))]
        windows.update({"\n".join(lines[i : i + 9]) for i in range(len(lines) - 8)})
    assert not [window for window, count in windows.items() if count > 1]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.key)
def test_data(family):
    assert re.fullmatch(r"[a-z][a-z0-9_]*", family.key)
    assert family.title
    assert family.models
    for spelling in (family.calls.call, *family.calls.spellings):
        assert spelling.count(ARGUMENTS) == 1
        assert spelling.index(NAME) < spelling.index(ARGUMENTS) or family.key == "cohere"
    with pytest.raises(FrozenInstanceError):
        family.key = "y"


def test_written_names():
    calls = Calls(call=(NAME, ARGUMENTS), trigger="t", name_escapes={"&": "&amp;"})
    assert calls.written_name("a&b<") == "a&amp;b<"
    assert calls.disabled_marker == "t"


def test_exclusions():
    request = Request([], [], exclude_special_tokens=True)
    assert request.excluded(["a"], ["a", "b"]) == ["a", "b"]
    request = Request([], [], exclude_special_tokens=False)
    assert request.excluded(["a"], ["b"]) == ["b"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (Request([TOOL], [], reasoning=True), "reasoning must be"),
        (Request([TOOL], [], reasoning="on"), "Unsupported reasoning mode: 'on'"),
        (Request([TOOL], [], choice="any"), "Unsupported tool choice: 'any'"),
        (Request([], [], choice="forced"), "must resolve to exactly one tool"),
        (Request([], [BuiltinToolParam(type="w")], choice="required"), "at least one tool"),
    ],
)
def test_checks(request_, message):
    with pytest.raises(ValueError, match=message):
        request_.check(PLAIN)


def test_reasoning_is_not_checked_where_there_is_none():
    from xgrammar.builtin_structural_tag import get_llama_structural_tag

    assert get_llama_structural_tag(reasoning="whatever") == get_llama_structural_tag()
