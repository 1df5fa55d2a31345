"""The typed client runs, and passes the strict type check by itself.

The client is a small program with annotations; a public name that loses its type fails here. Only
the type check needs mypy.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration import typed_client

ROOT = Path(__file__).parents[2]


def test_the_typed_client_runs():
    answer, wrong, tool = typed_client.generate()
    assert answer == '{"name": "Ann"}'
    assert "strin" in wrong
    assert "look" in tool


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_typed_client_is_strictly_typed(tmp_path):
    """As a client sees the package: strict, without this project's settings."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    settings = tmp_path / "mypy.ini"
    settings.write_text(
        "[mypy]\nstrict = true\n[mypy-numpy.*,torch.*,pydantic.*]\nfollow_imports = skip\n"
        "ignore_missing_imports = true\n"
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            f"--config-file={settings}",
            f"--cache-dir={tmp_path}",
            str(Path(typed_client.__file__)),
        ],
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
