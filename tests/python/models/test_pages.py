"""The pages of model families: examples run, texts get the verdict that the page gives them.

Also that each family has a page with the same sections, that the index lists it, and that the
guide's code runs. Descriptions of formats are not read.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.python.models.conftest import has_engine
from xgrammar.models.families import FAMILIES

PAGES = Path(__file__).resolve().parents[3] / "docs" / "models"
BLOCK = re.compile(r"^(`{3,})(\w+)\n(.*?)\n\1$", re.MULTILINE | re.DOTALL)
SECTIONS = ("## Format", "## What the prompt already holds", "## Example", "## Sources")


def blocks(text, language):
    return [body for _, name, body in BLOCK.findall(text) if name == language]


@pytest.fixture(params=[family.key for family in FAMILIES])
def page(request):
    return (PAGES / f"{request.param}.md").read_text(encoding="utf-8")


def test_pages_hold_what_they_should(page):
    assert [line for line in page.splitlines() if line.startswith("## ")] == list(SECTIONS)


def test_examples(page, accepts):
    (code,) = blocks(page, "python")
    names = {}
    exec(code, names)
    _, accepted, refused = blocks(page, "text")
    assert accepts(names["tag"], accepted)
    assert not accepts(names["tag"], refused)


def test_the_index_lists_every_family():
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\((\w+)\.md\)", index)
    assert sorted(linked) == sorted(family.key for family in FAMILIES)
    assert sorted(path.stem for path in PAGES.glob("*.md")) == sorted([*linked, "index"])


def test_the_guide_runs():
    if not has_engine():
        pytest.skip("needs the engine's structural tags")
    (code,) = blocks((PAGES / "index.md").read_text(encoding="utf-8"), "python")
    exec(code, {})
