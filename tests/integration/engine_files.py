"""The serving engines' own files, loaded from unpacked wheels beside stand-ins for the rest.

`XGRAMMAR_ENGINES` names a folder that holds the folders `vllm` and `sglang` of their wheels: only
the Python files are needed, nothing is installed. Of a package, the modules named by the test are
the engine's own files; every other one is a stand-in whose names are empty classes, good for
annotations and for what is never called. Where a name is called or compared, the test gives it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "XGRAMMAR_ENGINES"


class StandIn(types.ModuleType):
    """A module where any name is an empty class, except those given."""

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []  # so that it may have submodules
        self.__dict__.update(given)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (), {"__module__": self.__name__})
        setattr(self, name, value)
        return value


class _Loader(importlib.abc.Loader):
    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = given

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return StandIn(spec.name, self._given)

    def exec_module(self, module: types.ModuleType) -> None:
        del module


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of some packages: the real ones in the folder, the rest as stand-ins."""

    def __init__(
        self, folder: Path, real: Sequence[str], given: Mapping[str, Mapping[str, Any]]
    ) -> None:
        self._folder, self._real, self._given = folder, frozenset(real), given
        self.packages = {name.partition(".")[0] for name in (*real, *given)}

    def find_spec(
        self, fullname: str, path: Any = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] not in self.packages:
            return None
        if fullname in self._real:
            stem = self._folder.joinpath(*fullname.split("."))
            package = stem / "__init__.py"
            if package.is_file():
                return importlib.util.spec_from_file_location(
                    fullname, package, submodule_search_locations=[]
                )
            return importlib.util.spec_from_file_location(fullname, stem.with_suffix(".py"))
        return importlib.machinery.ModuleSpec(
            fullname, _Loader(self._given.get(fullname, {})), is_package=True
        )


def engine_folder(package: str) -> Path:
    """The folder with an engine's unpacked wheel; skips the test where there is none."""
    named = os.environ.get(VARIABLE)
    if not named:
        pytest.skip(f"needs {VARIABLE}, the folder of the unpacked wheels of the engines")
    folder = Path(named)
    if not (folder / package).is_dir():
        pytest.skip(f"{VARIABLE} has no folder {package}")
    return folder


@contextlib.contextmanager
def engine_modules(
    package: str, real: Sequence[str], given: Mapping[str, Mapping[str, Any]]
) -> Iterator[Any]:
    """Make an engine's modules importable for the time of a block.

    `real` names the modules to take from the engine's files, `given` the contents of stand-ins by
    module name; a package of its own may be named there, too. Yields the import function. What was
    imported of these packages is forgotten afterwards.
    """
    finder = _Finder(engine_folder(package), real, given)

    def ours(name: str) -> bool:
        return name.partition(".")[0] in finder.packages

    shadowed = {name: module for name, module in sys.modules.items() if ours(name)}
    for name in shadowed:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if ours(name)]:
            del sys.modules[name]
        sys.modules.update(shadowed)
