"""Where the library differs from the suite, on purpose or not yet, each with its reason.

An entry has patterns for the file, the group and the instance, the verdict they get instead, and
why. test_suite.py fails for a difference that is not listed and for an entry that is no longer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.json_schema_suite.suite import Group, Verdict


@dataclass(frozen=True)
class Difference:
    """Instances that may get a verdict other than the suite's.

    Args:
        file: pattern for the file, relative to the draft's folder.
        verdict: what they get instead.
        reason: why.
        group: pattern for the group's description.
        test: pattern for the instance's description.
        error: what the message of a compile error has to contain.
    """

    file: str
    verdict: Verdict
    reason: str
    group: str = "*"
    test: str = "*"
    error: str = ""

    def covers(self, group: Group, test: str, verdict: Verdict, error: str) -> bool:
        return (
            verdict is self.verdict
            and fnmatchcase(group.file, self.file)
            and fnmatchcase(group.description, self.group)
            and fnmatchcase(test, self.test)
            and self.error in error
        )


DIFFERENCES = [
    Difference("*", Verdict.SPELLING, "numbers are written in their plain spelling, 1 for 1.0"),
    Difference(
        "*",
        Verdict.NOT_RUN,
        "remote references are not fetched",
        error="does not resolve inside the document",
    ),
    Difference(
        "multipleOf",
        Verdict.NOT_RUN,
        "a divisor with more than 10,000 remainders",
        group="float division = inf",
        error="'multipleOf' cannot be enforced",
    ),
    Difference(
        "format",
        Verdict.FALSE_REJECT,
        "formats are asserted",
        test="invalid * string is only an annotation by default",
    ),
    Difference(
        "vocabulary",
        Verdict.FALSE_REJECT,
        "the vocabularies of custom meta-schemas are not interpreted",
        test="no validation: invalid number, but it still validates",
    ),
    Difference(
        "optional/cross-draft",
        Verdict.FALSE_REJECT,
        "keywords of later drafts act in documents of earlier ones, too",
        group="refs to historic drafts are processed as historic drafts",
    ),
    Difference(
        "optional/content",
        Verdict.FALSE_ACCEPT,
        "content* keywords are annotations",
    ),
]

# Formats that are no regular languages, or not decided in full.
FORMATS = [
    Difference(
        "*",
        Verdict.NOT_RUN,
        "format 'idn-hostname', and the complement of 'regex', are not implemented",
        error="'format' cannot be enforced",
    ),
    Difference(
        "optional/format/*hostname",
        Verdict.FALSE_REJECT,
        "host names with '--' at places 3 and 4 are not accepted",
    ),
    Difference(
        "format",
        Verdict.FALSE_REJECT,
        "formats are asserted",
    ),
]
