"""Runs every case of tests/data through every route.

A test id is route-case; a case that expects an error has to raise one of its kind. Ids are unique,
and a case is left out only by a feature listed in features.py with the reason.
"""

from __future__ import annotations

import pytest

import xgrammar as xgr
from tests.conformance.cases import Case, load_cases
from tests.conformance.features import NOT_YET
from tests.conformance.routes import ROUTES

CASES = load_cases()
TYPED = (RuntimeError, ValueError)


def marked(case: Case):
    reasons = sorted({NOT_YET[feature] for feature in case.features if feature in NOT_YET})
    marks = [pytest.mark.skip(reason="not there yet: " + ", ".join(reasons))] if reasons else []
    return pytest.param(case, id=case.id, marks=marks)


def build_or_skip(case: Case) -> xgr.Grammar:
    """The grammar; where a typed refusal is right too, a refusal ends the test."""
    try:
        return case.build()
    except TYPED as error:
        if case.fields.get("may_error"):
            pytest.skip(f"refused, as it may be: {type(error).__name__}")
        raise


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "case", [marked(c) for c in CASES if not c.expects_error and "accept_tokens" not in c.fields]
)
def test_language(case, route):
    grammar = build_or_skip(case)
    try:
        judge = ROUTES[route](case, grammar)
    except xgr.exception.UnsatisfiableGrammarError:
        assert case.fields.get("may_error") or not (case.texts("accept") or case.value("feed"))
        return
    for data in case.texts("accept"):
        assert judge(data), f"rejected {data!r}"
    for data in case.texts("reject"):
        assert not judge(data), f"accepted {data!r}"


@pytest.mark.parametrize(
    "case", [marked(c) for c in CASES if "feed_python" in c.fields and not c.expects_error]
)
def test_fed_text(case):
    info = xgr.TokenizerInfo([])
    matcher = xgr.GrammarMatcher(
        xgr.GrammarCompiler(info, max_threads=1).compile_grammar(build_or_skip(case))
    )
    for number, byte in enumerate(case.value("feed").encode()):
        assert matcher.accept_string(bytes([byte])), f"rejected byte {number}"


@pytest.mark.parametrize("case", [marked(c) for c in CASES if c.expects_error])
def test_refused(case):
    # An id outside the vocabulary is refused when there is one.
    vocabulary = [text.encode() for text in case.fields.get("vocab", []) if isinstance(text, str)]
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(vocabulary), max_threads=1)
    # What a family's builder refuses is a ValueError; what the grammar refuses never is.
    errors = TYPED if case.fields["kind"] == "model" else RuntimeError
    with pytest.raises(errors) as caught:
        compiler.compile_grammar(case.build())
    if isinstance(case.expects_error, str):
        assert case.expects_error in [base.__name__ for base in type(caught.value).__mro__]
    assert str(caught.value).strip()
    assert case.fields.get("phrase", "") in str(caught.value)


@pytest.mark.parametrize(
    "case", [marked(c) for c in CASES if "accept_tokens" in c.fields and not c.expects_error]
)
def test_tokens(case):
    vocabulary = [
        entry.encode() if isinstance(entry, str) else bytes(entry) for entry in case.fields["vocab"]
    ]
    info = xgr.TokenizerInfo(vocabulary, xgr.VocabType.RAW, stop_token_ids=[len(vocabulary) - 1])
    compiled = case.compile(xgr.GrammarCompiler(info, max_threads=1))
    for expected, name in ((True, "accept_tokens"), (False, "reject_tokens")):
        for tokens in case.fields.get(name, []):
            matcher = xgr.GrammarMatcher(compiled, terminate_without_stop_token=True)
            accepted = (
                all(matcher.accept_token(token) for token in tokens) and matcher.is_completed()
            )
            assert accepted == expected, tokens


def test_ids_are_unique_and_features_are_known():
    ids = [case.id for case in CASES]
    assert len(ids) == len(set(ids))
    known = set(NOT_YET)
    assert all(set(case.features) <= known for case in CASES), (
        "a feature that is there now needs no mark"
    )
