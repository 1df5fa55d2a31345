"""The package root: names, laziness, weight of the import.

Guards that `import xgrammar` loads no heavy package, that every listed name resolves and is the
object of its module, and that the package is typed. Signatures of the names are
tests/integration/test_client_surface.py.
"""

import importlib
import importlib.resources
import importlib.util
import inspect
import re
import subprocess
import sys

import pytest

import xgrammar as xgr

HEAVY = ("numpy", "torch", "transformers", "tokenizers", "pydantic", "triton", "inspect", "asyncio")


def test_import_loads_nothing_heavy():
    code = f"import sys, xgrammar; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_import_is_fast():
    code = "import time; t = time.process_time(); import xgrammar; print(time.process_time() - t)"
    times = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
        for _ in range(5)
    ]
    assert min(times) < 0.15


def test_all_names_resolve_and_are_listed():
    optional = {"bitmask_dtype"} if importlib.util.find_spec("torch") is None else set()
    for name in set(xgr.__all__) - optional:
        assert getattr(xgr, name) is not None
    assert set(xgr.__all__) <= set(dir(xgr))
    assert xgr.__all__ == sorted(xgr.__all__)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xgr.nothing


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("tokenizer_info", ["TokenizerInfo", "VocabType"]),
        ("grammar", ["Grammar"]),
        ("compiler", ["GrammarCompiler", "CompiledGrammar"]),
        (
            "matcher",
            [
                "GrammarMatcher",
                "BatchGrammarMatcher",
                "allocate_token_bitmask",
                "apply_token_bitmask_inplace",
                "get_bitmask_shape",
                "reset_token_bitmask",
            ],
        ),
        ("config", ["get_max_recursion_depth", "get_serialization_version"]),
        ("exception", ["InvalidJSONError", "DeserializeFormatError"]),
    ],
)
def test_names_live_in_their_modules(module, names):
    loaded = importlib.import_module(f"xgrammar.{module}")
    for name in names:
        assert getattr(loaded, name) is getattr(xgr, name)


@pytest.mark.torch
def test_bitmask_dtype_is_the_torch_object():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    assert xgr.bitmask_dtype is torch.int32
    assert xgr.matcher.bitmask_dtype is torch.int32


def test_package_is_typed():
    path = importlib.resources.files("xgrammar")
    assert (path / "py.typed").is_file()
    assert (path / "_core.pyi").is_file()


PUBLIC_MODULES = (
    "bitmask", "builtin_structural_tag", "compiler", "config", "grammar", "limits", "matcher",
    "structural_tag", "testing", "tokenizer_info",
)  # fmt: skip


def public_calls():
    """Functions and methods of the public modules, with their names."""
    for module_name in PUBLIC_MODULES:
        module = importlib.import_module(f"xgrammar.{module_name}")
        for name in set(getattr(module, "__all__", ())) - {"bitmask_dtype"}:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{module_name}.{name}", value
            elif inspect.isclass(value) and value.__module__.startswith("xgrammar"):
                for member in vars(value):
                    method = getattr(value, member)
                    if not member.startswith("_") and callable(method):
                        yield f"{module_name}.{name}.{member}", method


def linked(path, text):
    """Docstrings of the calls that a docstring names in back quotes."""
    owner = path.rpartition(".")[0]
    for name in re.findall(r"`([A-Za-z_][\w.]*)`", text):
        for full in (name, f"{owner}.{name}"):
            value = xgr
            for part in full.split("."):
                value = getattr(value, part, None)
            if callable(value):
                yield inspect.getdoc(value) or ""


def undocumented(path, call):
    """Parameters that neither the docstring names nor that of a call that it refers to."""
    text = inspect.getdoc(call) or ""
    texts = [text, *linked(path, text)]
    texts += [further for near in texts[1:] for further in linked(path, near)]
    names = [
        p.name
        for p in inspect.signature(call).parameters.values()
        if p.name not in ("self", "cls") and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    return [n for n in names if not any(re.search(rf"\b{n}\b", text) for text in texts)]


def test_docstrings_say_what_every_parameter_is():
    """Native methods have their parameters in the first line, which the binding makes."""
    calls = [(p, c) for p, c in public_calls() if type(c).__module__ != "nanobind"]
    assert len(calls) > 80
    assert not [path for path, call in calls if not call.__doc__]
    wrong = {path: undocumented(path, call) for path, call in calls}
    assert not {path: names for path, names in wrong.items() if names}
