"""The backends do the same; each kernel module has one function of its own name.

Every backend is compared with a reference on random masks, strides and rows. Triton runs in its
interpreter and the CUDA source is compiled for the host where there is no GPU; tests marked `gpu`
need one. How fast they are is not asked.
"""

import importlib
import importlib.util
import shutil
import subprocess
import sys
import warnings

import pytest

import xgrammar as xgr
from tests.conftest import ROOT
from xgrammar.bitmask import _backend_module
from xgrammar.kernels import _cuda_compiler, _cuda_driver
from xgrammar.kernels._arguments import checked_call

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.torch

KERNELS = ROOT / "python" / "xgrammar" / "kernels"
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64]


def reference(logits, bitmask, width, rows=None):
    """Masked logits, by the definition: one bit after the other."""
    result = logits.clone()
    masked, words = torch.atleast_2d(result), torch.atleast_2d(bitmask).tolist()
    for row in range(len(words)) if rows is None else rows:
        for column in range(width):
            if words[row][column // 32] >> column % 32 & 1 == 0:
                masked[row, column] = float("-inf")
    return result


def random_bitmask(rows, words, seed=0):
    generator = torch.Generator().manual_seed(seed)
    bitmask = torch.randint(-(2**31), 2**31, (rows, words), generator=generator).to(torch.int32)
    kind = torch.randint(0, 3, (rows, words), generator=generator)
    return bitmask.where(kind == 0, -(kind == 1).to(torch.int32))


def calls(dtype, device="cpu"):
    """Logits, bitmask and options that reach every branch of a kernel."""
    logits = torch.randn((5, 230), generator=torch.Generator().manual_seed(1)).to(dtype)
    logits[0, :4] = torch.tensor([float("nan"), float("inf"), -float("inf"), -0.0])
    logits, bitmask = logits.to(device), random_bitmask(5, 8).to(device)
    index = torch.tensor([4, 0, 4], device=device)
    yield "all rows", logits, bitmask, {}
    yield "vector", logits[1], bitmask[2], {}
    yield "width", logits, bitmask, {"vocab_size": 97}
    yield "rows", logits, bitmask[:3], {"indices": [2, 0]}
    yield "rows of a device", logits, bitmask, {"indices": index}
    yield "narrow rows of a device", logits, bitmask, {"indices": index.to(torch.int32)[::2]}
    yield "bytes as rows", logits, bitmask, {"indices": index.to(torch.uint8)}
    yield "no rows", logits, bitmask[:1], {"indices": []}
    yield "strides", logits[::2, 1::3], bitmask[1:4, ::2], {}
    yield "transposed", logits.T.contiguous().T, bitmask.T.contiguous().T, {}
    yield "expanded mask", logits, bitmask[:1].expand(5, 8), {}
    yield "odd start", logits[:, 3:], bitmask, {}
    yield "no columns", logits, bitmask, {"vocab_size": 0}


def check(apply, dtype, device="cpu"):
    for name, logits, bitmask, options in calls(dtype, device):
        width = options.get("vocab_size", min(logits.shape[-1], bitmask.shape[-1] * 32))
        rows = options.get("indices")
        rows = rows.tolist() if isinstance(rows, torch.Tensor) else rows
        outside = logits._base.clone() if logits._base is not None else logits.clone()
        view = outside.as_strided(logits.shape, logits.stride(), logits.storage_offset())
        expected = outside.clone()
        wanted = reference(view.cpu(), bitmask.cpu(), width, rows).to(device)
        expected.as_strided(view.shape, view.stride(), view.storage_offset()).copy_(wanted)
        apply(view, bitmask, **options)
        assert torch.equal(outside.nan_to_num(9), expected.nan_to_num(9)), name


def function_of(name):
    module = importlib.import_module(f"xgrammar.kernels.apply_token_bitmask_inplace_{name}")
    return getattr(module, f"apply_token_bitmask_inplace_{name}")


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["cpu", "torch"])
def test_functions_of_the_modules(name, dtype):
    check(function_of(name), dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("backend", ["auto", "cpu", "torch_native"])
def test_backends_by_name(backend, dtype):
    def apply(*arguments, **options):
        xgr.apply_token_bitmask_inplace(*arguments, **options, backend=backend)

    check(apply, dtype)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_torch_compile(dtype):
    if shutil.which("g++") is None:
        pytest.skip("torch.compile needs a C++ compiler")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Compiling warns about the machine.
        check(function_of("torch_compile"), dtype)


def test_positional_arguments():
    bitmask = torch.tensor([[5, 0, 0], [-1, -1, -1], [1, 0, 0]], dtype=torch.int32)
    for name in ("cpu", "torch"):
        logits = torch.zeros((3, 70))
        function_of(name)(logits, bitmask, 65, [0, 2])
        assert torch.equal(logits, reference(torch.zeros((3, 70)), bitmask, 65, [0, 2]))


def test_narrow_bitmask_warns_at_the_caller():
    for apply in (xgr.apply_token_bitmask_inplace, function_of("cpu")):
        with pytest.warns(UserWarning, match="not masked") as caught:
            apply(torch.zeros(1, 40), torch.zeros(1, 1, dtype=torch.int32))
        assert [warning.filename for warning in caught] == [__file__]


def test_kernels_are_reached_from_the_root():
    assert xgr.kernels.__name__ == "xgrammar.kernels"
    assert xgr.kernels.apply_token_bitmask_inplace_cpu.__name__.endswith("_cpu")
    assert set(xgr.kernels.__all__) <= set(dir(xgr.kernels))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = xgr.kernels.nothing


@pytest.fixture(scope="module")
def interpreted():
    """A second copy of the module, made while Triton's interpreter is switched on."""
    pytest.importorskip("triton", reason="triton is not installed")
    name = "xgrammar.kernels.interpreted_triton"
    path = KERNELS / "apply_token_bitmask_inplace_triton.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRITON_INTERPRET", "1")
        spec.loader.exec_module(module)
    return module


class TestTriton:
    @pytest.fixture(autouse=True)
    def _triton(self):
        pytest.importorskip("triton", reason="triton is not installed")

    @pytest.mark.parametrize("dtype", DTYPES, ids=str)
    def test_interpreted(self, interpreted, dtype):
        check(interpreted.apply_token_bitmask_inplace_triton, dtype)

    def test_interpreted_rows_outside_are_skipped(self, interpreted):
        logits, bitmask = torch.zeros((2, 40)), torch.zeros((2, 2), dtype=torch.int32)
        call = checked_call(logits, bitmask, None, [1], stacklevel=1)
        rows = torch.tensor([-1, 2, 1, 2**40])
        interpreted.apply_checked(call._replace(rows=rows))
        assert torch.isinf(logits).sum(1).tolist() == [0, 40]

    def test_needs_a_gpu_otherwise(self):
        with pytest.raises(ValueError, match="on a GPU, not on cpu"):
            function_of("triton")(torch.zeros(1, 32), torch.zeros(1, 1, dtype=torch.int32))

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::UserWarning")
    @pytest.mark.parametrize("dtype", ["fp32", "fp16", "bf16", "fp64"])
    @pytest.mark.parametrize("has_rows", [True, False])
    def test_compiles_without_a_device(self, dtype, has_rows):
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource

        module = importlib.import_module("xgrammar.kernels.apply_token_bitmask_inplace_triton")
        kernel = module._mask_kernel
        types = dict.fromkeys(kernel.arg_names, "i64")
        types |= {"logits": f"*{dtype}", "bitmask": "*i32", "width": "i32", "num_rows": "i32"}
        types |= {"has_rows": "constexpr", "num_words": "constexpr"}
        types["rows"] = "*i64" if has_rows else "constexpr"
        constants = {"has_rows": has_rows, "num_words": 128}
        constants |= {} if has_rows else {"rows": None}
        source = ASTSource(kernel, types, constexprs=constants)
        compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
        assert compiled.asm["cubin"][:4] == b"\x7fELF"


def test_triton_is_asked_for_by_name(monkeypatch):
    _backend_module.cache_clear()
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.delitem(
        sys.modules, "xgrammar.kernels.apply_token_bitmask_inplace_triton", raising=False
    )
    with pytest.raises(ImportError, match=r"needs the package triton.*xgrammar\[triton\]"):
        xgr.apply_token_bitmask_inplace(
            torch.zeros(1, 32), torch.zeros(1, 1, dtype=torch.int32), backend="triton"
        )


@pytest.fixture(scope="module")
def host_driver(tmp_path_factory):
    """The kernels as C++ behind the driver's interface; see cuda_on_host.cc."""
    if shutil.which("g++") is None:
        pytest.skip("needs a C++ compiler")
    library = tmp_path_factory.mktemp("driver") / "libcuda_on_host.so"
    source = ROOT / "tests" / "python" / "cuda_on_host.cc"
    options = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-shared", "-fPIC", f"-I{KERNELS}"]
    command = ["g++", *options, "-o", library, source]
    subprocess.run(command, check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_cuda_driver, "compile_cuda", lambda _source, _architecture: b"image")
        driver = _cuda_driver.Driver(str(library))
        driver._load(0)
    return driver


class TestCuda:
    @staticmethod
    def on_host(driver, *arguments, **options):
        from xgrammar.kernels.apply_token_bitmask_inplace_cuda import launch_arguments

        options = {"vocab_size": None, "indices": None, **options}
        call = checked_call(*arguments, **options, stacklevel=2)
        if call.width and (call.rows is None or call.rows):
            rows = options["indices"]  # As on a device, where they are not read.
            call = call._replace(rows=rows if isinstance(rows, torch.Tensor) else call.rows)
            launched, element_bytes, _rows = launch_arguments(call)
            driver.launch(0, 0, element_bytes, launched)

    @pytest.mark.parametrize("dtype", DTYPES, ids=str)
    def test_kernels_on_the_host(self, host_driver, dtype):
        check(lambda *a, **o: self.on_host(host_driver, *a, **o), dtype)

    def test_many_rows_and_blocks(self, host_driver):
        logits = torch.zeros((70_000, 64), dtype=torch.float16)
        bitmask = torch.full((70_000, 2), 0x5555_5555, dtype=torch.int32)
        self.on_host(host_driver, logits, bitmask)
        assert torch.isinf(logits[:, 1::2]).all()
        assert not logits[:, ::2].any()
        wide, words = torch.zeros((1, 20_000)), random_bitmask(1, 625)
        self.on_host(host_driver, wide, words)
        assert torch.equal(wide, reference(torch.zeros((1, 20_000)), words, 20_000))

    def test_rows_outside_are_skipped(self, host_driver):
        from xgrammar.kernels.apply_token_bitmask_inplace_cuda import launch_arguments

        logits, bitmask = torch.zeros((2, 40)), torch.zeros((2, 2), dtype=torch.int32)
        call = checked_call(logits, bitmask, None, [1], stacklevel=1)
        rows = torch.tensor([-1, 2, 1, 2**40])
        launched, element_bytes, _rows = launch_arguments(call._replace(rows=rows))
        host_driver.launch(0, 0, element_bytes, launched)
        assert torch.isinf(logits).sum(1).tolist() == [0, 40]

    def test_errors_of_the_driver(self, host_driver):
        with pytest.raises(RuntimeError, match=r"cuDeviceGet failed: invalid device ordinal"):
            host_driver.launch(3, 0, 4, _cuda_driver.LaunchArguments(width=1, num_selected=1))
        with pytest.raises(ImportError, match="needs the CUDA driver"):
            _cuda_driver.Driver("libno_such_driver.so")

    def test_without_a_compiler(self, monkeypatch):
        monkeypatch.setattr(_cuda_compiler, "find_nvrtc", lambda: None)
        monkeypatch.setattr(_cuda_compiler, "find_nvcc", lambda: None)
        with pytest.raises(ImportError, match="needs NVRTC"):
            xgr.apply_token_bitmask_inplace(
                torch.zeros(1, 32), torch.zeros(1, 1, dtype=torch.int32), backend="cuda"
            )

    @pytest.mark.slow
    @pytest.mark.parametrize("compiler", ["nvrtc", "nvcc"])
    def test_source_compiles_without_a_device(self, compiler, monkeypatch):
        if getattr(_cuda_compiler, f"find_{compiler}")() is None:
            pytest.skip(f"{compiler} is not installed")
        if compiler == "nvcc":
            monkeypatch.setattr(_cuda_compiler, "find_nvrtc", lambda: None)
        image = _cuda_compiler.compile_cuda(_cuda_driver._source(), 90)
        assert image[:4] == b"\x7fELF"
        for size in (2, 4, 8):
            assert f"mask_logits_{size}".encode() in image
        with pytest.raises(xgr.InternalError, match="expected an expression"):
            _cuda_compiler.compile_cuda("__device__ int x = ;", 90)

    @pytest.mark.slow
    def test_newer_device_than_the_compiler_gets_ptx(self):
        if _cuda_compiler.find_nvrtc() is None:
            pytest.skip("NVRTC is not installed")
        assert b".target" in _cuda_compiler.compile_cuda(_cuda_driver._source(), 999)


@pytest.mark.gpu
class TestGpu:
    @pytest.fixture(autouse=True)
    def _gpu(self):
        if not torch.cuda.is_available():
            pytest.skip("torch sees no GPU")

    @pytest.mark.parametrize("dtype", DTYPES, ids=str)
    @pytest.mark.parametrize("backend", ["auto", "cuda", "triton", "torch_native"])
    def test_backends(self, backend, dtype):
        if backend == "triton":
            pytest.importorskip("triton", reason="triton is not installed")

        def apply(*arguments, **options):
            xgr.apply_token_bitmask_inplace(*arguments, **options, backend=backend)

        check(apply, dtype, "cuda")

    @pytest.mark.parametrize("backend", ["cuda", "triton", "torch_native"])
    def test_rows_outside_are_skipped(self, backend):
        logits = torch.zeros((2, 40), device="cuda")
        bitmask = torch.zeros((2, 2), dtype=torch.int32, device="cuda")
        rows = torch.tensor([-1, 2, 1, 2**40], device="cuda")
        xgr.apply_token_bitmask_inplace(logits, bitmask, indices=rows, backend=backend)
        assert torch.isinf(logits).sum(1).tolist() == [0, 40]

    @pytest.mark.parametrize("backend", ["cuda", "triton"])
    def test_streams_and_graphs(self, backend):
        logits = torch.zeros((4, 1000), device="cuda")
        bitmask = random_bitmask(4, 32).cuda()
        xgr.apply_token_bitmask_inplace(logits, bitmask, backend=backend)  # Compiles.
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            xgr.apply_token_bitmask_inplace(logits, bitmask, backend=backend)
        logits.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert torch.equal(logits.cpu(), reference(torch.zeros((4, 1000)), bitmask.cpu(), 1000))

    def test_devices_differ(self):
        with pytest.raises(ValueError, match="cuda"):
            xgr.apply_token_bitmask_inplace(
                torch.zeros((1, 32), device="cuda"), torch.zeros((1, 1), dtype=torch.int32)
            )
