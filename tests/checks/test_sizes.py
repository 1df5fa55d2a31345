"""Files and functions stay readable: hard limits on length, few repeated lines, an opening comment,
telling names.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import chain, takewhile

import pytest

from tests.checks.sources import CPP, PYTHON, TESTS, cpp_files, is_generated, python_files, relative

MAX_LINES = {"source": 600, "header": 350, "python": 400, "test": 700}
MAX_FUNCTION_LINES = 120
OPENING_LINES = (3, 15)
WINDOW = 8
MAX_REPEATED_SHARE = 0.03
BUCKET_NAMES = re.compile(r"(^|_)(utils?|common|misc|helpers?)(_|\.)")
FUNCTION_START = re.compile(
    r"^(?!namespace|class|struct|enum|union|extern|#|//)\S.*\{$|^\s*\) .*\{$"
)


def all_files():
    yield from (
        (path, "header" if path.suffix == ".h" else "source")
        for path in cpp_files()
        if not is_generated(path)
    )
    yield from ((path, "python") for path in python_files(PYTHON))
    yield from ((path, "test") for path in chain(python_files(TESTS), cpp_files(TESTS)))


def test_file_lengths():
    lengths = {
        path: (len(path.read_text(encoding="utf-8").splitlines()), kind)
        for path, kind in all_files()
    }
    wrong = [f"{relative(p)}: {n} lines" for p, (n, kind) in lengths.items() if n > MAX_LINES[kind]]
    assert not wrong, "\n".join(wrong)


def cpp_functions(path):
    """(first line, length) of each definition at namespace level: bodies end with a brace in column
    one.
    """
    start = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if start is None and FUNCTION_START.match(line):
            start = number
        elif line.startswith("}") and start is not None:
            yield start, number - start + 1
            start = None


def python_functions(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            is_docstring = (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            )
            documentation = (first.end_lineno or 0) - first.lineno + 1 if is_docstring else 0
            yield node.lineno, (node.end_lineno or node.lineno) - node.lineno + 1 - documentation


def test_function_lengths():
    wrong = []
    for path, _ in all_files():
        functions = python_functions(path) if path.suffix == ".py" else cpp_functions(path)
        wrong += [
            f"{relative(path)}:{line}: {n} lines" for line, n in functions if n > MAX_FUNCTION_LINES
        ]
    assert not wrong, "\n".join(wrong)


def code_lines(path):
    """Lines that say something, without white space."""
    for line in path.read_text(encoding="utf-8").splitlines():
        text = "".join(line.split())
        if len(text) > 3 and not text.startswith(
            ("//", "#", '"""', "import", "from", "using", "namespace")
        ):
            yield text


@pytest.mark.parametrize("language", ["cpp", "python"])
def test_repeated_windows(language):
    files = [
        path
        for path in (cpp_files() if language == "cpp" else python_files())
        if not is_generated(path)
    ]
    texts = {path: list(code_lines(path)) for path in files}
    windows = Counter(
        tuple(t[i : i + WINDOW]) for t in texts.values() for i in range(len(t) - WINDOW + 1)
    )
    repeated = total = 0
    places = Counter()
    for path, text in texts.items():
        marked = set()
        for i in range(len(text) - WINDOW + 1):
            if windows[tuple(text[i : i + WINDOW])] > 1:
                marked.update(range(i, i + WINDOW))
        repeated, total, places[relative(path)] = (
            repeated + len(marked),
            total + len(text),
            len(marked),
        )
    assert repeated <= MAX_REPEATED_SHARE * total, (
        f"{repeated} of {total} lines are repeated: {places.most_common(6)}"
    )


def opening_comment(path):
    return list(
        takewhile(lambda line: line.startswith("//"), path.read_text(encoding="utf-8").splitlines())
    )


def test_cpp_files_open_with_a_comment():
    """It says what the file holds, its stage or property, and what it does not do."""
    fewest, most = OPENING_LINES
    lengths = {
        relative(path): len(opening_comment(path))
        for path in chain(cpp_files(), cpp_files(TESTS))
        if not is_generated(path)
    }
    wrong = [f"{name}: {n} lines" for name, n in lengths.items() if not fewest <= n <= most]
    assert not wrong, "\n".join(wrong)


def test_names_say_what_is_inside():
    wrong = [relative(path) for path, _ in all_files() if BUCKET_NAMES.search(path.name)]
    assert not wrong, "\n".join(wrong)


GLOBAL_STATE = re.compile(
    r"^\s*(static|thread_local|inline)\s+"
    r"(?!const|constexpr|inline const|auto const|assert)[\w:<>,\s*&]+[=;{]"
)


# What looks like it and is none, or is so on purpose, by its line.
GLOBAL_EXCEPTIONS = {
    "static FormatLibrary library;": "automata of formats, each made once, then immutable",
}


def test_no_global_mutable_state():
    wrong = []
    for path in cpp_files(CPP):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if (
                GLOBAL_STATE.match(line)
                and line.strip() not in GLOBAL_EXCEPTIONS
                and "(" not in line.split("=")[0]
            ):
                wrong.append(f"{relative(path)}:{number}: {line.strip()}")
    assert not wrong, "\n".join(wrong)
