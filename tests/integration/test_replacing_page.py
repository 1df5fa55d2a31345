"""The code of `docs/replacing-xgrammar.md`, run block by block in one namespace.

Needs torch and transformers; the block for mlx-lm is only compiled. The table of what gets better
has its tests in test_beyond_the_peer.py. Also that test files which the page names exist.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from tests.integration.engine_tokenizers import fast_tokenizer

PAGE = Path(__file__).parents[2] / "docs" / "replacing-xgrammar.md"
BLOCKS = re.findall(
    r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


def small_model(vocab_size):
    """A model of random weights: what it samples is up to the masks."""
    transformers = pytest.importorskip("transformers", reason="needs the package transformers")
    config = transformers.GPT2Config(
        vocab_size=vocab_size, n_positions=128, n_embd=8, n_layer=1, n_head=1
    )
    return transformers.GPT2LMHeadModel(config).eval()


@pytest.mark.torch
@pytest.mark.hf
@pytest.mark.timeout(240)
def test_the_code_of_the_page():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tokenizer = fast_tokenizer()
    torch.manual_seed(1)
    namespace = {"tokenizer": tokenizer, "model": small_model(len(tokenizer))}
    run = 0
    for block in BLOCKS:
        if "# needs mlx-lm" in block:
            compile(block, str(PAGE), "exec")
            continue
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="transformers")
            exec(compile(block, str(PAGE), "exec"), namespace)
        run += 1
    assert run == len(BLOCKS) - 1
    new = namespace["output"][0][namespace["prompt"]["input_ids"].shape[1] :]
    text = tokenizer.decode(new, skip_special_tokens=True)
    assert re.match(r"\s*\{", text), text


def test_the_page_names_what_exists():
    """Files that the page points at."""
    root = PAGE.parents[1]
    named = re.findall(r"`(tests/[\w/]+\.py)`", PAGE.read_text(encoding="utf-8"))
    assert named
    assert not [path for path in named if not (root / path).is_file()]
