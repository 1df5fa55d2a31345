"""Loading and launching a CUDA kernel through the driver's C interface.

The driver is the one that torch uses, and its contexts and streams are torch's own: a launch is
ordered with the work of torch on the same stream and can be captured in a CUDA graph. Nothing is
built for a version of torch or of Python.
"""

from __future__ import annotations

import ctypes
import sys
from functools import lru_cache
from pathlib import Path

from xgrammar.exception import XGrammarError

from ._cuda_compiler import compile_cuda

__all__ = ["Driver", "LaunchArguments", "open_driver"]

_THREADS = 256
_MAX_GRID_ROWS = 65_535  # Limit of the hardware for the second dimension of a grid.
_THREAD_BYTES = 16


class LaunchArguments(ctypes.Structure):
    """The argument of the kernels in token_bitmask.cu, field by field."""

    _fields_ = (
        ("logits", ctypes.c_void_p),
        ("logits_row_stride", ctypes.c_longlong),
        ("logits_column_stride", ctypes.c_longlong),
        ("bitmask", ctypes.c_void_p),
        ("bitmask_row_stride", ctypes.c_longlong),
        ("bitmask_column_stride", ctypes.c_longlong),
        ("rows", ctypes.c_void_p),
        ("rows_stride", ctypes.c_longlong),
        ("row_number_bytes", ctypes.c_longlong),
        ("num_selected", ctypes.c_longlong),
        ("num_rows", ctypes.c_longlong),
        ("width", ctypes.c_longlong),
        ("fill", ctypes.c_ulonglong),
    )


class Driver:
    """The CUDA driver with the kernels loaded for the devices that were used; safe to share.

    Parameters
    ----------
    library : str or None
        Name or path of the driver's library; None means the installed driver.

    Raises
    ------
    ImportError
        There is no driver.
    """

    def __init__(self, library: str | None = None) -> None:
        name = library or ("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
        try:
            self._library = ctypes.CDLL(name)
        except OSError as error:
            raise ImportError(
                f"The backend 'cuda' needs the CUDA driver, but {name} cannot be loaded: {error}"
            ) from error
        self._call("cuInit", 0)
        self._kernels: dict[tuple[int, int], tuple[ctypes.c_void_p, ctypes.c_void_p]] = {}

    def launch(
        self, device: int, stream: int, element_bytes: int, arguments: LaunchArguments
    ) -> None:
        """Mask the rows that the arguments name.

        Parameters
        ----------
        device : int
            Ordinal of the device that owns the memory.
        stream : int
            Handle of the stream to launch on; 0 is the default stream.
        element_bytes : int
            Size of a logit: 2, 4 or 8.
        arguments : LaunchArguments
            At least one row and one column.

        Raises
        ------
        InternalError
            The kernel cannot be compiled.
        XGrammarError
            The driver reports an error.
        """
        context, kernel = self._kernel(device, element_bytes)
        columns = _THREADS * _THREAD_BYTES // element_bytes
        grid = (-(-arguments.width // columns), min(arguments.num_selected, _MAX_GRID_ROWS), 1)
        parameters = (ctypes.c_void_p * 1)(ctypes.addressof(arguments))
        self._call("cuCtxPushCurrent_v2", context)
        try:
            self._call(
                "cuLaunchKernel",
                kernel,
                *(ctypes.c_uint(size) for size in (*grid, _THREADS, 1, 1)),
                ctypes.c_uint(0),
                ctypes.c_void_p(stream),
                parameters,
                None,
            )
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def _kernel(self, device: int, element_bytes: int) -> tuple[ctypes.c_void_p, ctypes.c_void_p]:
        """Return the context of a device and the kernel in it; loads once."""
        found = self._kernels.get((device, element_bytes))
        if found is None:
            self._load(device)
            found = self._kernels[device, element_bytes]
        return found

    def _load(self, device: int) -> None:
        handle, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuDeviceGet", ctypes.byref(handle), device)
        image = compile_cuda(_source(), self._architecture(handle))
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self._call("cuCtxPushCurrent_v2", context)
        try:
            self._call("cuModuleLoadData", ctypes.byref(module), image)
            for size in (2, 4, 8):
                kernel = ctypes.c_void_p()
                name = f"mask_logits_{size}".encode()
                self._call("cuModuleGetFunction", ctypes.byref(kernel), module, name)
                self._kernels[device, size] = (context, kernel)
        finally:
            self._call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def _architecture(self, device: ctypes.c_int) -> int:
        numbers = []
        for attribute in (75, 76):  # Major and minor compute capability, as cuda.h numbers them.
            value = ctypes.c_int()
            self._call("cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
            numbers.append(value.value)
        return numbers[0] * 10 + numbers[1]

    def _call(self, name: str, *arguments: object) -> None:
        status = getattr(self._library, name)(*arguments)
        if status == 0:
            return
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(status, ctypes.byref(text))
        raise XGrammarError(
            f"{name} failed: {(text.value or b'unknown error').decode()} (error {status})"
        )


def _source() -> str:
    return Path(__file__).with_name("token_bitmask.cu").read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def open_driver() -> Driver:
    """Return the driver of this process, opened when it is first asked for."""
    return Driver()
