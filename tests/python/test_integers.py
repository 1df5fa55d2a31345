"""Integer arguments, and the errors of what is none.

Integers of numpy and bools count, floats and texts do not; the error names the argument. Which
calls use it is test_arguments.py.
"""

from typing import Any

import numpy as np
import pytest

import xgrammar as xgr
from xgrammar._integers import integer, integers

untyped: Any = xgr


def test_what_counts_as_an_integer():
    assert integer("n", 3) == 3
    assert integer("n", np.int64(4)) == 4
    assert integer("n", True) == 1
    assert type(integer("n", np.uint8(5))) is int
    assert integers("n", np.arange(3)) == [0, 1, 2]
    assert integers("n", (1, np.int32(2))) == [1, 2]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: integer("n", 1.5), "n must be an integer, not float"),
        (lambda: integers("ids", [1, "2"]), r"ids\[1\] must be an integer, not str"),
        (
            lambda: untyped.TokenizerInfo(["a"], vocab_size="3"),
            "vocab_size must be an integer",
        ),
        (
            lambda: untyped.TokenizerInfo(["a"], stop_token_ids=["a"]),
            r"stop_token_ids\[0\] must be",
        ),
        (lambda: untyped.TokenizerInfo(["a"], stop_token_ids=1.0), "stop_token_ids must be"),
        (
            lambda: untyped.GrammarCompiler(untyped.TokenizerInfo(["a"]), max_threads="8"),
            "max_threads",
        ),
        (
            lambda: untyped.GrammarCompiler(untyped.TokenizerInfo(["a"]), cache_limit_bytes=1e6),
            "cache_limit_bytes must be an integer, not float",
        ),
        (
            lambda: untyped.allocate_token_bitmask(1.0, 3),
            "batch_size must be an integer, not float",
        ),
        (lambda: untyped.Grammar.from_json_schema({}, indent="2"), "indent must be an integer"),
        (lambda: untyped.set_max_recursion_depth(None), "max_recursion_depth must be an integer"),
        (lambda: untyped.BatchGrammarMatcher(2.0), "max_threads must be an integer, not float"),
    ],
)
def test_errors_name_the_argument(call, text):
    with pytest.raises(TypeError, match=text):
        call()
