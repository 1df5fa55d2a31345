"""Masking logits of MLX; its CPU build for Linux is enough.

Compared with the CPU kernel on all shapes and with special values; logits are returned and never
changed in place. Skipped without mlx, except for the error that says so.
"""

import importlib.util

import pytest

import xgrammar as xgr

np = pytest.importorskip("numpy", reason="numpy is not installed")


def test_logits_of_mlx_are_not_changed_in_place():
    mx = pytest.importorskip("mlx.core", reason="mlx is not installed")
    with pytest.raises(TypeError, match="apply_token_bitmask_mlx"):
        xgr.apply_token_bitmask_inplace(mx.zeros((1, 32)), np.zeros((1, 1), np.int32))


def test_without_mlx():
    if importlib.util.find_spec("mlx") is not None:
        pytest.skip("mlx is installed")
    with pytest.raises(ModuleNotFoundError):
        _ = xgr.kernels.apply_token_bitmask_mlx


class TestMlx:
    @pytest.fixture(autouse=True)
    def mx(self):
        return pytest.importorskip("mlx.core", reason="mlx is not installed")

    @pytest.fixture
    def apply(self):
        return xgr.kernels.apply_token_bitmask_mlx.apply_token_bitmask_mlx

    @staticmethod
    def case(rows, columns, seed=0):
        random = np.random.default_rng(seed)
        logits = random.standard_normal((rows, columns)).astype(np.float32)
        words = random.integers(-(2**31), 2**31, (rows, -(-columns // 32))).astype(np.int32)
        return logits, words

    @pytest.mark.parametrize("columns", [1, 32, 70, 1000])
    @pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
    def test_agrees_with_the_cpu_kernel(self, mx, apply, dtype, columns):
        logits, words = self.case(3, columns)
        before = mx.array(logits).astype(getattr(mx, dtype))
        width = max(1, columns - 5)
        masked = apply(mx.array(words), before, width)
        assert masked.dtype == before.dtype
        expected = np.array(before.astype(mx.float32))
        assert np.isfinite(expected).all()  # Logits are values: these are untouched.
        xgr.apply_token_bitmask_inplace(expected, words)
        np.testing.assert_array_equal(np.array(masked.astype(mx.float32)), expected[:, :width])

    def test_special_values_are_kept(self, mx, apply):
        logits = mx.array([[float("nan"), float("inf"), -float("inf"), 1.0]])
        masked = np.array(apply(mx.array([[0b0111]], dtype=mx.int32), logits, 4))
        np.testing.assert_array_equal(masked, [[np.nan, np.inf, -np.inf, -np.inf]])

    def test_shapes(self, mx, apply):
        logits, words = self.case(2, 64)
        one = np.where(np.array(apply(words, mx.array(logits), 64)) == -np.inf, -np.inf, logits)
        vector = apply(words[0], mx.array(logits[0]), 64)
        assert vector.shape == (64,)
        np.testing.assert_array_equal(np.array(vector), one[0])
        np.testing.assert_array_equal(np.array(apply(words[:1], mx.array(logits[0]), 64)), one[0])
        batch = np.array(apply(words[0], mx.array(logits), 64))
        np.testing.assert_array_equal(np.isneginf(batch[0]), np.isneginf(batch[1]))
        assert apply(words, mx.array(logits), 0).shape == (2, 0)

    def test_errors(self, mx, apply):
        logits, words = mx.zeros((2, 64)), mx.zeros((2, 2), dtype=mx.int32)
        for error, arguments in (
            (ValueError, (words.astype(mx.uint32), logits, 64)),
            (ValueError, (words, logits.astype(mx.int32), 64)),
            (ValueError, (words, logits, -1)),
            (ValueError, (words[None], logits, 64)),
            (RuntimeError, (words, logits, 65)),
            (RuntimeError, (words[:, :1], logits, 33)),
            (RuntimeError, (mx.zeros((3, 2), dtype=mx.int32), logits, 64)),
            (TypeError, (words, np.zeros((2, 64), np.float32), 64)),
            (TypeError, (words, logits, 1.5)),
        ):
            with pytest.raises(error):
                apply(*arguments)
