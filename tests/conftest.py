"""What all Python tests share: markers, which tests the default run leaves out, and the folder of
shared data.

Also what is released before the interpreter ends, so that reports of leaks mean leaks. Tests that
need a package or device skip themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MARKERS = {
    "slow": "takes more than a second; left out of the default run, pytest -m slow runs it",
    "torch": "needs torch",
    "hf": "needs a tokenizer package and tokenizers",
    "gpu": "needs an NVIDIA GPU and a CUDA build of torch",
    "bench": "exercises the benchmark",
}


_AT_END: list[Callable[[], object]] = []


def at_end(release: Callable[[], object]) -> None:
    """Have something released before the interpreter ends, so that leak reports mean leaks."""
    _AT_END.append(release)


def pytest_unconfigure() -> None:
    while _AT_END:
        _AT_END.pop()()


def pytest_configure(config: pytest.Config) -> None:
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave slow tests out unless a marker or the test itself is asked for."""
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    kept = [item for item in items if item.get_closest_marker("slow") is None]
    if len(kept) < len(items):
        config.hook.pytest_deselected(
            items=[item for item in items if item.get_closest_marker("slow") is not None]
        )
        items[:] = kept


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of shared data that may lie beside the checkout."""
    path = ROOT.parent / "shared"
    if not path.is_dir():
        pytest.skip("needs the shared data folder beside the checkout")
    return path
