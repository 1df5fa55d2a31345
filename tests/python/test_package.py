"""The package root: names, laziness, weight of the import.

Guards that `import xgrammar` loads no heavy package, that every listed name resolves and is the
object of its module, and that the package is typed. Signatures of the names are
tests/integration/test_client_surface.py.
"""

import importlib
import importlib.resources
import importlib.util
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
