"""Each kernel module has one function of its own name."""

import importlib
import shutil
import warnings

import pytest

import xgrammar as xgr

NAMES = ["cpu", "torch", "torch_compile"]


@pytest.mark.torch
@pytest.mark.parametrize("name", [*NAMES[:2], pytest.param(NAMES[2], marks=pytest.mark.slow)])
def test_kernel(name):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if name == "torch_compile" and shutil.which("g++") is None:
        pytest.skip("torch.compile needs a C++ compiler")
    function_name = f"apply_token_bitmask_inplace_{name}"
    module = importlib.import_module(f"xgrammar.kernels.{function_name}")
    function = getattr(module, function_name)
    for dtype in (torch.float32, torch.bfloat16):
        logits = torch.zeros((3, 70), dtype=dtype)
        bitmask = torch.tensor([[5, 0, 0], [-1, -1, -1], [1, 0, 0]], dtype=torch.int32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Compiling warns about the machine.
            function(logits, bitmask, 65, [0, 2])
        expected = torch.zeros((3, 70), dtype=dtype)
        expected[0, :65] = expected[2, :65] = float("-inf")
        expected[0, 0] = expected[0, 2] = expected[2, 0] = 0
        assert torch.equal(logits, expected)


def test_kernels_are_reached_from_the_root():
    assert xgr.kernels.__name__ == "xgrammar.kernels"
