"""The version of the package is that of the installed distribution.

Both come from python/xgrammar/_version.py; an old installation beside newer sources shows here.
"""

from importlib.metadata import version

import xgrammar as xgr


def test_version_is_that_of_the_distribution():
    assert xgr.__version__ == version("xgrammar")
    assert ".".join(map(str, xgr.__version_tuple__)) == xgr.__version__
    assert xgr.__version_tuple__ >= (0, 2, 9)
