"""Prints how the library does on JSON-Schema-Test-Suite folders.

    python -m tests.json_schema_suite [FOLDER] [--draft NAME ...] [--bundle]
        [--any-order] [--details]

FOLDER holds the folders of the drafts; the default is the shared data beside the checkout. The
table has one row per file and sums per draft: groups, instances, groups compiled, instances right,
right in their plain number spelling only, false accepts, false rejects, and compile errors (in
brackets: groups without a valid instance). `--details` lists each disagreement and each error,
`--bundle` puts remote schemas into the documents that refer to them.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from tests.json_schema_suite.bundling import bundled
from tests.json_schema_suite.suite import DIALECTS, Outcome, Verdict, judge, load_groups

SHARED = Path(__file__).resolve().parents[3] / "shared/json-schema-test-suite/tests"
HEADER = "| file | g | i | c | ok | spelling | FA | FR | err | err i |\n" + "|---" * 10 + "|"


def row(name: str, outcomes: list[Outcome]) -> str:
    """One line of the table."""

    def total(verdict: Verdict) -> int:
        return sum(outcome.count(verdict) for outcome in outcomes)

    errors = [outcome for outcome in outcomes if outcome.error]
    hopeless = sum(outcome.group.all_invalid for outcome in errors)
    cells = [
        name,
        len(outcomes),
        sum(len(outcome.verdicts) for outcome in outcomes),
        len(outcomes) - len(errors),
        total(Verdict.RIGHT),
        total(Verdict.SPELLING),
        total(Verdict.FALSE_ACCEPT),
        total(Verdict.FALSE_REJECT),
        f"{len(errors)} ({hopeless})" if hopeless else len(errors),
        total(Verdict.NOT_RUN),
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def print_details(outcome: Outcome) -> None:
    group = outcome.group
    place = f"{group.draft}/{group.file}: {group.description}"
    if outcome.error:
        print(f"{place}\n    {outcome.error}")
        return
    for description, verdict in outcome.each():
        if verdict is not Verdict.RIGHT:
            print(f"{place}\n    {verdict.value}: {description}")


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=SHARED)
    parser.add_argument("--draft", action="append", help="folders to run; default: all there are")
    parser.add_argument("--bundle", action="store_true", help="put remote schemas into documents")
    parser.add_argument("--any-order", action="store_true", help="with any_order=True")
    parser.add_argument("--details", action="store_true", help="list disagreements and errors")
    options = parser.parse_args(arguments)
    drafts = options.draft or [name for name in DIALECTS if (options.folder / name).is_dir()]
    by_file: dict[str, list[Outcome]] = defaultdict(list)
    by_draft: dict[str, list[Outcome]] = defaultdict(list)
    for draft in drafts:
        for group in load_groups(options.folder, draft):
            outcome = judge(group, any_order=options.any_order)
            if options.bundle and outcome.needs_remotes:
                whole = bundled(group, options.folder.parent / "remotes")
                outcome = judge(whole, any_order=options.any_order)
            by_file[group.file].append(outcome)
            part = "optional" if group.file.startswith("optional/") else "mandatory"
            by_draft[f"{draft} {part}"].append(outcome)
            if options.details:
                print_details(outcome)
    print(HEADER)
    for name in sorted(by_file, key=lambda name: (name.count("/"), name)):
        print(row(name, by_file[name]))
    for name, outcomes in by_draft.items():
        print(row(name, outcomes))
    print(row("TOTAL", [outcome for outcomes in by_draft.values() for outcome in outcomes]))


if __name__ == "__main__":
    main(sys.argv[1:])
