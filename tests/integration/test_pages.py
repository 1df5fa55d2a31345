"""What the pages for readers print is what happens: their code, console sessions and links.

Guards README.md and the pages of docs that no other test runs: Python blocks are executed in order,
console blocks are run command by command and their output compared (`...` stands for any text),
links between files and to headings lead somewhere. The references of the input languages, of the
model families and of the page on replacing XGrammar have tests of their own, beside their subject.
Not guarded here: whether prose is true, and blocks marked `bash`, which install packages or need
hardware.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tests").rglob("README.md")),
]
FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for _, name, body in FENCE.findall(text) if name == language]


def anchors(text):
    """Heading anchors as Markdown renderers make them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_readme_example():
    (code,) = blocks("README.md", "python")
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    row = names["mask"][0]
    names["matcher"].fill_next_token_bitmask(names["mask"])
    allowed = [t for t in range(len(names["vocab"])) if row[0] >> t & 1]
    assert [names["vocab"][t] for t in allowed] == ['"', " "]


def test_command_line_page():
    sessions = blocks("docs/command-line.md", "console")
    commands = 0
    for session in sessions:
        for entry in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, wanted = entry.partition("\n")
            words = shlex.split(command)
            assert words[:3] == ["python", "-m", "xgrammar"]
            done = subprocess.run(
                [sys.executable, *words[1:]],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                check=False,
            )
            pattern = ".+?".join(re.escape(part) for part in wanted.split("..."))
            assert re.fullmatch(pattern, done.stdout, re.DOTALL), f"{command}\n{done.stdout}"
            commands += 1
    assert commands >= len(sessions) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    wrong = []
    for link in LINK.findall(FENCE.sub("", text)):
        name, _, anchor = link.partition("#")
        if "://" in name:
            continue
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (
            anchor and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            wrong.append(link)
    assert not wrong
