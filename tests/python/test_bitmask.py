"""Bitmasks: shapes, allocation, and applying them to logits of numpy and torch on the CPU.

Guards that every width, stride, row selection and element type gives what the definition gives,
that allowed logits keep their bits, that wrong arrays are refused, and that numpy alone never loads
torch. The native loop has its own test in tests/cpp/bindings; other devices are test_kernels.py.
"""

import subprocess
import sys

import pytest

import xgrammar as xgr

np = pytest.importorskip("numpy", reason="numpy is not installed")

DTYPES = [np.float32, np.float16, np.float64]


def bits_of(mask, width):
    bits = np.unpackbits(np.ascontiguousarray(mask).view(np.uint8), axis=-1, bitorder="little")
    return bits[..., :width].astype(bool)


def random_case(rows, columns, dtype=np.float32, seed=0):
    random = np.random.default_rng(seed)
    logits = random.standard_normal((rows, columns)).astype(dtype)
    words = (columns + 31) // 32
    mask = random.integers(-(2**31), 2**31, (rows, words)).astype(np.int32)
    mask[:, ::3] = np.where(random.random(mask[:, ::3].shape) < 0.5, 0, -1)
    return logits, mask


def expected_of(logits, mask, width=None):
    width = logits.shape[-1] if width is None else width
    expected = logits.copy()
    expected[..., :width][~bits_of(mask, width)] = -np.inf
    return expected


def test_shape():
    assert xgr.get_bitmask_shape(3, 100) == (3, 4)
    assert xgr.get_bitmask_shape(0, 0) == (0, 0)
    assert isinstance(xgr.get_bitmask_shape(1, 32), tuple)


def test_allocate_numpy():
    mask = xgr.allocate_token_bitmask(2, 33, like="numpy")
    assert mask.shape == (2, 2)
    assert mask.dtype == np.int32
    assert (mask == -1).all()
    mask[:] = 0
    xgr.reset_token_bitmask(mask)
    assert (mask == -1).all()
    for wrong in (np.zeros(2, np.float32), np.zeros(2, np.int64), np.zeros(2, np.uint32)):
        with pytest.raises(ValueError, match="int32"):
            xgr.reset_token_bitmask(wrong)
    for sizes in ((-1, 3), (3, -1)):
        with pytest.raises(RuntimeError, match="negative"):
            xgr.allocate_token_bitmask(*sizes, like="numpy")
        with pytest.raises(RuntimeError, match="negative"):
            xgr.get_bitmask_shape(*sizes)
    with pytest.raises(TypeError, match="vocab_size must be an integer, not float"):
        xgr.get_bitmask_shape(1, 32.0)
    assert xgr.get_bitmask_shape(np.int32(2), np.int64(33)) == (2, 2)
    with pytest.raises(ValueError, match="like"):
        xgr.allocate_token_bitmask(1, 1, like="jax")
    with pytest.raises(TypeError):
        xgr.reset_token_bitmask([0])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 64), (2, 1000), (4, 70)])
def test_apply_numpy(dtype, rows, columns):
    logits, mask = random_case(rows, columns, dtype)
    expected = expected_of(logits, mask)
    xgr.apply_token_bitmask_inplace(logits, mask)
    np.testing.assert_array_equal(logits, expected)


def test_apply_keeps_special_values():
    logits = np.array([[np.nan, np.inf, -np.inf, 1.0]], np.float32)
    xgr.apply_token_bitmask_inplace(logits, np.array([[0b0111]], np.int32))
    np.testing.assert_array_equal(logits, [[np.nan, np.inf, -np.inf, -np.inf]])


def test_bits_of_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="numpy has no bfloat16 of its own")
    logits = np.ones((1, 40), ml_dtypes.bfloat16)
    xgr.apply_token_bitmask_inplace(logits, np.array([[5, 0]], np.int32))
    assert np.isneginf(logits.astype(np.float32)).sum() == 38


def test_one_bitmask_for_a_batch():
    logits, mask = random_case(4, 70)
    expected = expected_of(logits, np.repeat(mask[:1], 4, axis=0))
    xgr.apply_token_bitmask_inplace(logits, np.broadcast_to(mask[0], mask.shape))
    np.testing.assert_array_equal(logits, expected)


def test_empty_arrays_are_no_work():
    for rows, columns in ((0, 64), (2, 0), (0, 0)):
        xgr.apply_token_bitmask_inplace(
            np.zeros((rows, columns), np.float32), np.zeros((rows, columns // 32), np.int32)
        )
    logits = np.zeros((2, 40), np.float32)
    xgr.apply_token_bitmask_inplace(logits, np.zeros((2, 2), np.int32), vocab_size=0)
    assert not logits.any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_pattern_of_a_word(dtype):
    """Every run of bits, at widths around the ends of vectors."""
    words = [(1 << n) - 1 << m & 0xFFFF_FFFF for n in range(33) for m in range(32)]
    mask = np.array([words, words[::-1]], np.uint32).view(np.int32).T.copy()
    for width in (1, 31, 32, 33, 47, 63, 64):
        logits = np.ones((len(words), 64), dtype)
        xgr.apply_token_bitmask_inplace(logits, mask, vocab_size=width)
        np.testing.assert_array_equal(logits, expected_of(np.ones_like(logits), mask, width))


def test_apply_vectors_and_strides():
    logits, mask = random_case(6, 140)
    expected = expected_of(logits, mask)
    one = logits[0].copy()
    xgr.apply_token_bitmask_inplace(one, mask[0])
    np.testing.assert_array_equal(one, expected[0])
    wide = np.repeat(logits, 2, axis=1)
    xgr.apply_token_bitmask_inplace(wide[::2, ::2], mask[::2])
    np.testing.assert_array_equal(wide[::2, ::2], expected[::2])
    np.testing.assert_array_equal(wide[1::2], np.repeat(logits, 2, axis=1)[1::2])
    np.testing.assert_array_equal(wide[:, 1::2], logits)
    xgr.apply_token_bitmask_inplace(logits[::-1], np.repeat(mask, 2, axis=1)[::-1, ::2])
    np.testing.assert_array_equal(logits, expected)


@pytest.mark.parametrize("indices", [[0, 3], (3, 0), np.array([3, 0], np.int32), range(0, 4, 3)])
def test_apply_some_rows(indices):
    logits, mask = random_case(5, 100)
    expected = logits.copy()
    expected[[0, 3]] = expected_of(logits, mask)[[0, 3]]
    xgr.apply_token_bitmask_inplace(logits, mask[:4], indices=indices)
    np.testing.assert_array_equal(logits, expected)
    xgr.apply_token_bitmask_inplace(logits, mask[:2], indices=[])
    np.testing.assert_array_equal(logits, expected)


def test_apply_widths():
    logits, mask = random_case(2, 100)
    expected = expected_of(logits, mask, 41)
    narrow = logits.copy()
    xgr.apply_token_bitmask_inplace(narrow, mask, vocab_size=41)
    np.testing.assert_array_equal(narrow, expected)
    unmasked = logits.copy()
    with pytest.warns(UserWarning, match="not masked"):
        xgr.apply_token_bitmask_inplace(unmasked, mask[:, :2])
    np.testing.assert_array_equal(unmasked, expected_of(logits, mask, 64))
    for size in (101, 10**6):
        with pytest.raises(RuntimeError):
            xgr.apply_token_bitmask_inplace(logits, mask, vocab_size=size)
    with pytest.raises(ValueError, match="negative"):
        xgr.apply_token_bitmask_inplace(logits, mask, vocab_size=-1)


def test_apply_errors():
    logits, mask = random_case(2, 64)
    cases = [
        (ValueError, (logits.astype(np.int32), mask), {}),
        (ValueError, (logits, mask.astype(np.int64)), {}),
        (ValueError, (logits[None], mask), {}),
        (ValueError, (logits, mask[None]), {}),
        (ValueError, (logits, mask), {"backend": "gpu"}),
        (ValueError, (logits, mask), {"backend": None}),
        ((ImportError, ValueError), (logits, mask), {"backend": "cuda"}),
        ((ImportError, ValueError), (logits, mask), {"backend": "triton"}),
        ((ImportError, ValueError), (logits, mask), {"backend": "torch_native"}),
        ((ImportError, ValueError), (logits, mask), {"backend": "torch_compile", "indices": []}),
        (ValueError, (np.broadcast_to(logits[:1], (2, 64)), mask), {}),
        (ValueError, (logits.astype(">f4"), mask), {}),
        (ValueError, (logits, mask.astype(np.uint32)), {}),
        (ValueError, (logits[0, 0], mask), {}),
        (RuntimeError, (logits, mask[:1]), {}),
        (RuntimeError, (logits, mask), {"indices": [2]}),
        (RuntimeError, (logits, mask), {"indices": [-1]}),
        (RuntimeError, (logits, mask[:1]), {"indices": [1]}),
        (RuntimeError, (logits, mask), {"indices": np.array([0, 2])}),
        (ValueError, (logits, mask), {"indices": np.array([0.0])}),
        (ValueError, (logits, mask), {"indices": np.array([True, False])}),
        (ValueError, (logits, mask), {"indices": np.array([[0]])}),
        (TypeError, (logits, mask), {"indices": [0.5]}),
        (TypeError, (logits, mask), {"indices": 0}),
        (TypeError, (logits, mask), {"indices": "0"}),
        (TypeError, (logits, mask), {"vocab_size": 2.0}),
        (TypeError, ([[1.0]], mask), {}),
        (TypeError, (logits, [[1]]), {}),
    ]
    before = logits.copy()
    for error, arguments, options in cases:
        with pytest.raises(error):
            xgr.apply_token_bitmask_inplace(*arguments, **options)
    np.testing.assert_array_equal(logits, before)
    logits.flags.writeable = False
    with pytest.raises(BufferError):
        xgr.apply_token_bitmask_inplace(logits, mask)


def test_numpy_path_does_not_import_torch():
    code = (
        "import sys, numpy as np, xgrammar as x\n"
        "m = x.allocate_token_bitmask(1, 40, like='numpy')\n"
        "x.apply_token_bitmask_inplace(np.zeros((1, 40), np.float32), m)\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.torch
class TestTorch:
    @pytest.fixture(autouse=True)
    def torch(self):
        return pytest.importorskip("torch", reason="torch is not installed")

    def test_allocate(self, torch):
        mask = xgr.allocate_token_bitmask(2, 33)
        assert isinstance(mask, torch.Tensor)
        assert mask.dtype == xgr.bitmask_dtype
        assert mask.device.type == "cpu"
        assert tuple(mask.shape) == (2, 2)
        assert (mask == -1).all()
        mask.zero_()
        xgr.reset_token_bitmask(mask)
        assert (mask == -1).all()

    @pytest.mark.parametrize("backend", ["auto", "cpu", "torch_native"])
    @pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
    def test_apply(self, torch, backend, dtype):
        logits, mask = random_case(4, 100)
        tensor = torch.from_numpy(logits).to(getattr(torch, dtype))
        expected = tensor.clone()
        blocked = torch.from_numpy(~bits_of(mask, 100))
        expected[[0, 2]] = expected.masked_fill(blocked, float("-inf"))[[0, 2]]
        rows = torch.tensor([2, 0], dtype=torch.int32)
        bitmask = torch.from_numpy(mask)
        xgr.apply_token_bitmask_inplace(tensor, bitmask, indices=rows, backend=backend)
        assert torch.equal(tensor, expected)
        xgr.apply_token_bitmask_inplace(tensor, bitmask, backend=backend)
        assert torch.equal(tensor == float("-inf"), blocked)

    @pytest.mark.parametrize("backend", ["cpu", "torch_native"])
    def test_gradients_and_views(self, torch, backend):
        logits = torch.zeros((4, 64), requires_grad=True)
        mask = torch.zeros((4, 2), dtype=torch.int32)
        xgr.apply_token_bitmask_inplace(logits, mask, backend=backend)
        assert torch.isinf(logits).all()
        with torch.inference_mode():
            made_in_inference_mode = torch.zeros((4, 64))
        xgr.apply_token_bitmask_inplace(made_in_inference_mode, mask, backend=backend)
        assert torch.isinf(made_in_inference_mode).all()
        view = torch.zeros((8, 128))
        xgr.apply_token_bitmask_inplace(view[::2, ::2], mask, backend=backend)
        assert torch.isinf(view).sum() == 4 * 64
        assert torch.isinf(view[::2, ::2]).all()
        vector = torch.zeros(64)
        xgr.apply_token_bitmask_inplace(vector, mask[0], vocab_size=3, backend=backend)
        assert torch.isinf(vector).sum() == 3

    def test_backend_goes_by_the_device(self, torch):
        from xgrammar.bitmask import _backend_of

        assert _backend_of("cpu") == "cpu"
        assert _backend_of("npu") == "torch_native"
        assert _backend_of("mps") == "torch_compile"
        assert _backend_of("cuda") in ("triton", "torch_native")
        meta = torch.zeros((1, 64), device="meta")
        mask = torch.zeros((1, 2), dtype=torch.int32, device="meta")
        for backend in ("cpu", "triton", "cuda"):
            with pytest.raises((ValueError, ImportError)):
                xgr.apply_token_bitmask_inplace(meta, mask, backend=backend)

    def test_logits_and_mask_of_different_libraries(self, torch):
        logits, mask = random_case(2, 64)
        expected = expected_of(logits, mask)
        xgr.apply_token_bitmask_inplace(logits, torch.from_numpy(mask))
        np.testing.assert_array_equal(logits, expected)

    def test_same_errors_for_all_backends(self, torch):
        logits, mask = torch.zeros((2, 64)), torch.zeros((2, 2), dtype=torch.int32)
        for backend in ("cpu", "torch_native", "torch_compile"):
            for error, arguments, options in (
                (ValueError, (logits.to(torch.int32), mask), {}),
                (ValueError, (logits, mask.to(torch.int64)), {}),
                (RuntimeError, (logits, mask[:1]), {}),
                (RuntimeError, (logits, mask), {"indices": [5]}),
                (ValueError, (logits, mask.to("meta")), {}),
                (ValueError, (logits[:1].expand(2, 64), mask), {}),
                (ValueError, (logits.to_sparse(), mask), {}),
                (RuntimeError, (logits, mask), {"vocab_size": 65}),
                (ValueError, (logits, mask), {"vocab_size": -1}),
            ):
                with pytest.raises(error):
                    xgr.apply_token_bitmask_inplace(*arguments, backend=backend, **options)
