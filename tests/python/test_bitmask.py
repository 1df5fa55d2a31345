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
    for sizes in ((-1, 3), (3, -1)):
        with pytest.raises(RuntimeError):
            xgr.allocate_token_bitmask(*sizes, like="numpy")
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
    with pytest.raises(ValueError, match="contiguous"):
        xgr.apply_token_bitmask_inplace(logits, np.repeat(mask, 2, axis=1)[:, ::2])


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
        (ImportError, (logits, mask), {"backend": "cuda"}),
        (ImportError, (logits, mask), {"backend": "triton"}),
        (ValueError, (logits, mask), {"backend": "torch_native"}),
        (RuntimeError, (logits, mask[:1]), {}),
        (RuntimeError, (logits, mask), {"indices": [2]}),
        (RuntimeError, (logits, mask), {"indices": [-1]}),
        (RuntimeError, (logits, mask[:1]), {"indices": [1]}),
        (ValueError, (logits, mask), {"indices": np.array([0.0])}),
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
        view = torch.zeros((8, 128))
        xgr.apply_token_bitmask_inplace(view[::2, ::2], mask, backend=backend)
        assert torch.isinf(view).sum() == 4 * 64
        assert torch.isinf(view[::2, ::2]).all()
        vector = torch.zeros(64)
        xgr.apply_token_bitmask_inplace(vector, mask[0], vocab_size=3, backend=backend)
        assert torch.isinf(vector).sum() == 3

    def test_same_errors_for_all_backends(self, torch):
        logits, mask = torch.zeros((2, 64)), torch.zeros((2, 2), dtype=torch.int32)
        for backend in ("cpu", "torch_native", "torch_compile"):
            for error, arguments, options in (
                (ValueError, (logits.to(torch.int32), mask), {}),
                (ValueError, (logits, mask.to(torch.int64)), {}),
                (RuntimeError, (logits, mask[:1]), {}),
                (RuntimeError, (logits, mask), {"indices": [5]}),
                (ValueError, (logits, mask.to("meta")), {}),
            ):
                with pytest.raises(error):
                    xgr.apply_token_bitmask_inplace(*arguments, backend=backend, **options)
