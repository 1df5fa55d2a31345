"""The shared cases of model families, judged without the engine and, where it can, by it.

A case has a family, a request, and texts that are accepted or refused, or an error. They lie in the
folder of shared data; without it the tests are skipped. Random requests are test_families.py.
"""

from __future__ import annotations

import json

import pytest

import xgrammar as xgr

FILES = ("models-1.jsonl", "models-2.jsonl", "reports.jsonl")


@pytest.fixture(scope="module")
def cases(shared_dir):
    found = []
    for name in FILES:
        with (shared_dir / "cases" / name).open(encoding="utf-8") as lines:
            found += [json.loads(line) for line in lines]
    return [case for case in found if case["kind"] in ("model", "model_error")]


def test_texts(cases, accepts):
    wrong = []
    for case in cases:
        if case.get("error"):
            continue
        tag = xgr.get_model_structural_tag(case["model"], **case["kwargs"])
        wrong += [
            (case["id"], "rejected", t) for t in case.get("accept", []) if not accepts(tag, t)
        ]
        wrong += [(case["id"], "accepted", t) for t in case.get("reject", []) if accepts(tag, t)]
    assert not wrong, wrong[:5]


# Errors of the arguments schema, and of whitespace bounds, come with the grammar.
LATE_ERRORS = {"m2-err-minimax_m3-no-params"}


def raised(case):
    try:
        xgr.get_model_structural_tag(case["model"], **case["kwargs"])
    except ValueError:
        return True
    return False


def test_errors(cases):
    errors = [case for case in cases if case.get("error") and case["id"] not in LATE_ERRORS]
    assert not [case["id"] for case in errors if not raised(case)]
