"""Compiling CUDA source at run time, without a device.

NVRTC is asked first: it takes half a second, needs no host compiler, and comes with every CUDA
build of torch. Without it, an installed `nvcc` is called.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from xgrammar.exception import InternalError

__all__ = ["compile_cuda", "find_nvcc", "find_nvrtc", "require_compiler"]

_OPTIONS = ("--std=c++17",)
_TIMEOUT_SECONDS = 120


def _cuda_folders() -> list[Path]:
    named = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    return [Path(folder) for folder in [*named, "/usr/local/cuda"]]


def find_nvrtc() -> str | None:
    """Return a name or path by which NVRTC can be loaded, or None."""
    packages = importlib.util.find_spec("nvidia")
    roots = [Path(root) for root in (packages and packages.submodule_search_locations) or ()]
    paths = [path for root in roots for path in sorted(root.glob("*/lib/libnvrtc.so.*"))]
    paths += [path for root in roots for path in sorted(root.rglob("nvrtc64_*_0.dll"))]
    for folder in _cuda_folders():
        paths += sorted((folder / "lib64").glob("libnvrtc.so.*"))
    paths = [path for path in paths if "builtins" not in path.name]
    return str(paths[0]) if paths else ctypes.util.find_library("nvrtc")


def find_nvcc() -> str | None:
    """Return the path of the CUDA compiler, or None."""
    for folder in _cuda_folders():
        found = shutil.which("nvcc", path=str(folder / "bin"))
        if found:
            return found
    return shutil.which("nvcc")


def require_compiler() -> None:
    """Raise ImportError if there is nothing to compile CUDA with."""
    if find_nvrtc() is None and find_nvcc() is None:
        raise ImportError(
            "The backend 'cuda' compiles its kernel on first use and needs NVRTC (package "
            "nvidia-cuda-nvrtc, part of CUDA builds of torch) or nvcc; neither was found"
        )


def compile_cuda(source: str, architecture: int) -> bytes:
    """Compile for one architecture, 90 for compute capability 9.0.

    Parameters
    ----------
    source : str
        CUDA C++ that includes nothing.
    architecture : int
        Ten times the compute capability.

    Returns
    -------
    bytes
        What the driver's `cuModuleLoadData` takes: machine code, or PTX text for a device that is
        newer than the compiler.

    Raises
    ------
    ImportError
        There is no compiler.
    InternalError
        The compiler refuses the source; the text is its log.
    """
    require_compiler()
    library = find_nvrtc()
    if library is not None:
        return _Nvrtc(library).compile(source, architecture)
    return _compile_by_nvcc(str(find_nvcc()), source, architecture)


def _compile_by_nvcc(nvcc: str, source: str, architecture: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path, result = Path(folder, "kernel.cu"), Path(folder, "kernel.cubin")
        path.write_text(source, encoding="utf-8")
        command = [
            nvcc,
            *_OPTIONS,
            "-cubin",
            f"-arch=sm_{architecture}",
            "-o",
            str(result),
            str(path),
        ]
        done = subprocess.run(  # noqa: S603 - the compiler of this machine, fixed arguments.
            command, capture_output=True, text=True, check=False, timeout=_TIMEOUT_SECONDS
        )
        if done.returncode != 0:
            raise InternalError(f"nvcc failed: {(done.stderr or done.stdout).strip()[-500:]}")
        return result.read_bytes()


class _Nvrtc:
    """The calls of NVRTC that are needed, each checked."""

    def __init__(self, library: str) -> None:
        self._library = ctypes.CDLL(library)
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def compile(self, source: str, architecture: int) -> bytes:
        newest = max((a for a in self._architectures() if a <= architecture), default=None)
        if newest is None:
            raise InternalError(f"NVRTC does not know compute capability {architecture / 10}")
        is_exact = newest == architecture
        target = f"--gpu-architecture={'sm' if is_exact else 'compute'}_{newest}"
        program = ctypes.c_void_p()
        self._call(
            "nvrtcCreateProgram",
            ctypes.byref(program),
            source.encode(),
            b"token_bitmask.cu",
            0,
            None,
            None,
        )
        try:
            options = [option.encode() for option in (*_OPTIONS, target)]
            array = (ctypes.c_char_p * len(options))(*options)
            if self._library.nvrtcCompileProgram(program, len(options), array) != 0:
                log = self._read(program, "ProgramLog").decode(errors="replace").strip("\0\n ")
                raise InternalError(f"NVRTC refused the kernel: {log[-500:]}")
            return self._read(program, "CUBIN" if is_exact else "PTX")
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _architectures(self) -> list[int]:
        number = ctypes.c_int()
        self._call("nvrtcGetNumSupportedArchs", ctypes.byref(number))
        array = (ctypes.c_int * number.value)()
        self._call("nvrtcGetSupportedArchs", array)
        return list(array)

    def _read(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._call(f"nvrtcGet{what}", program, buffer)
        return buffer.raw

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status != 0:
            text = self._library.nvrtcGetErrorString(status).decode()
            raise InternalError(f"{name} failed: {text}")
