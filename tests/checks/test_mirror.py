"""Tests mirror sources.

`cpp/a/b.cc` has `tests/cpp/a/b_test.cc`, `python/xgrammar/x.py` has `tests/python/test_x.py`. A
file without a test of its own name passes if a test of its folder includes its header, or the
header that it implements. What is left is listed here with the reason.
"""

from __future__ import annotations

from tests.checks.sources import CPP, PYTHON, TESTS, cpp_files, includes, python_files, relative

# Beginnings of paths, each with what tests them instead. One leaves the list with its own tests.
EXCEPTIONS = {
    "cpp/bindings/": "tested through Python: tests/python",
    "cpp/frontend/json_schema/branch.cc": "keys: json_schema_test.cc, conformance cases",
    "cpp/frontend/json_schema/convert_": "one class: json_schema_test.cc, conformance cases",
    "cpp/frontend/json_schema/string_language.cc": "json_schema_test.cc, conformance cases",
    "cpp/frontend/json_schema/styles/python_literals.cc": "spelled in styles/pythonic_test.cc",
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


def missing_cpp_tests():
    return {
        relative(path) for path in cpp_files() if path.suffix == ".cc" and not is_mirrored(path)
    }


def test_cpp_sources_are_mirrored():
    missing = missing_cpp_tests()
    assert not unexplained(missing), "\n".join(unexplained(missing))


def test_tests_have_a_source():
    """A folder of C++ tests is one of sources, or says here what it is instead."""
    folders = {path.parent.relative_to(TESTS / "cpp") for path in cpp_files(TESTS / "cpp")}
    strays = {folder.as_posix() for folder in folders if not (CPP / folder).is_dir()}
    assert strays == {"threads"}  # threads across all stages, for the thread sanitizer


def test_exceptions_are_needed():
    missing = missing_cpp_tests() | missing_python_tests()
    assert not [name for name in EXCEPTIONS if not any(i.startswith(name) for i in missing)]


def missing_python_tests():
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
    return missing


def test_python_modules_are_mirrored():
    missing = missing_python_tests()
    assert not unexplained(missing), "\n".join(unexplained(missing))
