"""Drafts 7 and 2020-12 of the suite: no disagreement that is not listed with a reason.

Instances are serialized and matched as text; those that compile must nearly all be right. Other
drafts run by hand: `python -m tests.json_schema_suite FOLDER`. Skipped without the folder of shared
data beside the checkout.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import pytest

from tests.json_schema_suite.__main__ import SHARED
from tests.json_schema_suite.bundling import bundled
from tests.json_schema_suite.exceptions import DIFFERENCES, FORMATS
from tests.json_schema_suite.suite import Outcome, Verdict, judge, load_groups

DRAFTS = ("draft7", "draft2020-12")

pytestmark = pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the shared data folder beside the checkout"
)


@lru_cache(maxsize=2)
def outcomes_of(draft: str) -> list[Outcome]:
    return [judge(group) for group in load_groups(SHARED, draft)]


def differences(outcome: Outcome):
    """What differs from the suite: instance, verdict, and the entries that allow it."""
    message = str(outcome.error or "")
    for test, verdict in outcome.each():
        if verdict is not Verdict.RIGHT:
            allowed = [
                entry
                for entry in [*DIFFERENCES, *FORMATS]
                if entry.covers(outcome.group, test, verdict, message)
            ]
            yield test, verdict, allowed


@pytest.mark.parametrize("draft", DRAFTS)
def test_every_difference_is_listed(draft):
    wrong = [
        f"{outcome.group.file}: {outcome.group.description}: {test}: {verdict.value}"
        f" {outcome.error or ''}"
        for outcome in outcomes_of(draft)
        for test, verdict, allowed in differences(outcome)
        if not allowed
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("draft", DRAFTS)
def test_remote_schemas_in_the_document(draft):
    """What is refused for a remote reference is right once the document has the schema."""
    pytest.importorskip("jsonschema_specifications")
    remote = [outcome.group for outcome in outcomes_of(draft) if outcome.needs_remotes]
    assert len(remote) >= 10
    outcomes = [judge(bundled(group, SHARED.parent / "remotes")) for group in remote]
    assert not [outcome.group for outcome in outcomes if outcome.needs_remotes]
    wrong = [
        f"{outcome.group.file}: {outcome.group.description}: {test}: {verdict.value}"
        for outcome in outcomes
        for test, verdict, allowed in differences(outcome)
        if not allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_every_listed_difference_is_there():
    used = {
        entry.reason
        for draft in DRAFTS
        for outcome in outcomes_of(draft)
        for _, _, allowed in differences(outcome)
        for entry in allowed
    }
    stale = [
        entry
        for entry in DIFFERENCES
        if entry.reason not in used and entry.file != "optional/cross-draft"  # Only if bundled.
    ]
    assert not stale, "these need no mention any more"


@pytest.mark.parametrize("draft", DRAFTS)
def test_nearly_all_compiled_instances_are_right(draft):
    counts = Counter(
        verdict
        for outcome in outcomes_of(draft)
        if outcome.group.file != "format"
        for _, verdict in outcome.each()
    )
    judged = counts.total() - counts[Verdict.NOT_RUN]
    assert judged >= 1400
    assert counts[Verdict.RIGHT] + counts[Verdict.SPELLING] >= 0.98 * judged


def test_the_judge_sees_false_verdicts():
    """The runner itself: wrong expectations must show."""
    group = load_groups(SHARED, "draft7")[0]
    swapped = [{**test, "valid": not test["valid"]} for test in group.tests]
    outcome = judge(type(group)(group.draft, group.file, "swapped", group.schema, swapped))
    assert set(outcome.verdicts) <= {Verdict.FALSE_ACCEPT, Verdict.FALSE_REJECT}
    assert len(outcome.verdicts) == len(swapped)
