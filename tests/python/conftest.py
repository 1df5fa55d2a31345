"""Small vocabularies and compilers shared by the tests of the Python modules.

A vocabulary is a few tokens, so that masks can be written out in a test; real ones are in
real_tokenizers.py.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr

# 64 ids: two whole words of a mask.
LETTERS = [chr(c) for c in range(ord("a"), ord("z") + 1)]
SMALL_VOCAB = ["</s>", "", *LETTERS, "ab", "abc", '"', "{", "}", ":", ",", "é", b"\xc3", b"\xa9"]
SMALL_VOCAB += [str(d) for d in range(10)]
SMALL_VOCAB += [f"<extra_{i}>" for i in range(64 - len(SMALL_VOCAB))]


@pytest.fixture
def info():
    return xgr.TokenizerInfo(SMALL_VOCAB)


@pytest.fixture
def compiler(info):
    return xgr.GrammarCompiler(info)


@pytest.fixture
def make_matcher(compiler):
    def make(ebnf, **options):
        return xgr.GrammarMatcher(compiler.compile_grammar(ebnf), **options)

    return make
