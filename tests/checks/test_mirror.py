"""Tests mirror sources.

`cpp/a/b.cc` has `tests/cpp/a/b_test.cc`, `python/xgrammar/x.py` has `tests/python/test_x.py`. A
file without a test of its own name passes if a test of its folder includes its header, or the
header that it implements. What is left is listed here with the reason.
"""

from __future__ import annotations

from tests.checks.sources import CPP, PYTHON, TESTS, cpp_files, includes, python_files, relative

# Folders and files, each with what tests them instead. A folder leaves the list with its own tests.
EXCEPTIONS = {
    "cpp/bindings/": "tested through Python: tests/python",
    "cpp/frontend/json_schema/": "tested by cases through every route: tests/conformance",
}


def headers_under_test(folder):
    """Headers that some test of the mirrored folder includes."""
    tests = TESTS / "cpp" / folder.relative_to(CPP)
    return {
        include
        for path in (cpp_files(tests) if tests.is_dir() else ())
        for include in includes(path)
    }


def is_mirrored(path):
    folder = path.parent.relative_to(CPP)
    if (TESTS / "cpp" / folder / f"{path.stem}_test.cc").exists():
        return True
    own = (folder / f"{path.stem}.h").as_posix()
    implemented = (
        own
        if (CPP / own).exists()
        else next((i for i in includes(path) if i.startswith(f"{folder}/")), own)
    )
    return implemented in headers_under_test(path.parent)


def unexplained(missing):
    return sorted(name for name in missing if not name.startswith(tuple(EXCEPTIONS)))


def test_cpp_sources_are_mirrored():
    missing = set()
    for path in cpp_files():
        if path.suffix == ".cc" and not is_mirrored(path):
            missing.add(relative(path))
    assert not unexplained(missing), "\n".join(unexplained(missing))


def test_python_modules_are_mirrored():
    missing = set()
    for path in python_files():
        stem = path.parent.name if path.name == "__init__.py" else path.stem
        names = (
            f"test_{stem.strip('_')}.py",
            f"test_{path.parent.name}_{stem.strip('_')}.py",
            f"test_{path.parent.name}.py",
        )
        if path == PYTHON / "__init__.py" or path.name == "__init__.py":
            continue
        if not any(list((TESTS / "python").rglob(name)) for name in names):
            missing.add(relative(path))
    assert not unexplained(missing), "\n".join(unexplained(missing))
