"""How the tests of model families judge texts: by the engine where it can, else by the oracle.

The oracle is recogniser.py of this folder, which shares no code with the engine; a test that takes
`accepts` runs once with each judge.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr
from tests.python.models import recogniser


def engine_accepts(tag, text):
    """The verdict of the engine on a whole text."""
    from xgrammar.testing import _is_grammar_accept_string

    return _is_grammar_accept_string(xgr.Grammar.from_structural_tag(tag), text)


def oracle_accepts(tag, text):
    """The verdict of the recogniser of these tests."""
    return recogniser.accepts(tag.model_dump(), text)


def has_engine():
    """Whether the installed extension reads structural tags."""
    try:
        xgr.Grammar.from_structural_tag({"format": {"type": "any_text"}})
    except AttributeError:
        return False
    return True


JUDGES = {"oracle": oracle_accepts, **({"engine": engine_accepts} if has_engine() else {})}


@pytest.fixture(params=sorted(JUDGES))
def accepts(request):
    """Judge a text by each of the judges that there are."""
    return JUDGES[request.param]
