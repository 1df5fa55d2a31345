"""The process-wide recursion depth and the serialization version.

Guards that the depth bounds nesting, is restored behind its context manager, and is read from the
environment with a warning for what is no number. Other limits are test_limits.py.
"""

import subprocess
import sys

import pytest

import xgrammar as xgr

# A schema's text may nest twice the limit, because a level of the schema takes two of JSON.
DEEP = '{"items":' * 50 + "{}" + "}" * 50


def test_default_depth():
    assert xgr.get_max_recursion_depth() == 10_000


def test_depth_bounds_nesting_and_is_restored():
    xgr.Grammar.from_json_schema(DEEP)
    with xgr.max_recursion_depth(20):
        assert xgr.get_max_recursion_depth() == 20
        with pytest.raises(xgr.GrammarLimitError):
            xgr.Grammar.from_json_schema(DEEP)
    assert xgr.get_max_recursion_depth() == 10_000
    with pytest.raises(KeyError), xgr.max_recursion_depth(30):
        raise KeyError
    assert xgr.get_max_recursion_depth() == 10_000


def test_depth_holds_for_compilers_that_exist():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a", "</s>"]))
    schema = '{"items":' * 25 + "{}" + "}" * 25
    tag = '{"format":' + '{"type":"optional","content":' * 25 + '{"value":"a"}' + "}" * 26
    with xgr.max_recursion_depth(20):
        for build in (xgr.Grammar.from_json_schema, compiler.compile_json_schema):
            with pytest.raises(xgr.GrammarLimitError) as caught:
                build(schema)
            assert (caught.value.limit, caught.value.maximum) == ("max_recursion_depth", 20)
        for build in (xgr.Grammar.from_structural_tag, compiler.compile_structural_tag):
            with pytest.raises(xgr.InvalidJSONError, match="Failed to parse JSON") as caught:
                build(tag)
            assert caught.value.limit == "max_recursion_depth"
    compiler.compile_json_schema(schema)
    compiler.compile_structural_tag(tag)


@pytest.mark.parametrize("depth", [0, -1, 1_000_001])
def test_depth_out_of_range(depth):
    with pytest.raises(RuntimeError):
        xgr.set_max_recursion_depth(depth)


@pytest.mark.parametrize(
    ("value", "depth", "warned"),
    [
        ("77", 77, False),
        ("2000000", 1_000_000, True),
        ("x", 10_000, True),
        ("", 10_000, True),
        ("0", 10_000, True),
    ],
)
def test_environment_variable(value, depth, warned):
    code = (
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as w:\n"
        "    warnings.simplefilter('always')\n"
        "    import xgrammar\n"
        "print(xgrammar.get_max_recursion_depth(), len(w))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"XGRAMMAR_MAX_RECURSION_DEPTH": value},
    )
    assert done.stdout.split() == [str(depth), str(int(warned))]


def test_serialization_version_is_no_peer_version():
    assert isinstance(xgr.get_serialization_version(), str)
    assert not xgr.get_serialization_version().startswith("v")
