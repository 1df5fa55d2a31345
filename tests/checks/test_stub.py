"""The stub of the extension is what the generator makes from the built module.

White space is not compared, since versions of the generator differ in it. A stub that is stale says
which command writes it again.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.checks.sources import PYTHON


def test_stub_is_fresh(tmp_path):
    pytest.importorskip("nanobind", reason="the stub generator comes with nanobind")
    stub = PYTHON / "_core.pyi"
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-m", "xgrammar._core", "-P", "-o"]
    subprocess.run([*command, str(fresh)], check=True, capture_output=True)
    wanted, found = (
        fresh.read_text(encoding="utf-8").split(),
        stub.read_text(encoding="utf-8").split(),
    )
    assert found == wanted, f"stale: run {' '.join(command[1:])} {stub}"
