"""Reads groups of the suite and judges their instances.

A group is a schema with instances and the verdicts of the standard. The schema gets the `$schema`
of its folder's draft where it has none, as users state a draft; strict mode is off, so that the
standard alone decides. An instance counts as accepted if any order of its members is: a valid one
must be accepted in some order, an invalid one in none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any

import xgrammar as xgr
from tests.conftest import at_end
from tests.json_schema_suite.texts import load, text_of, texts_of

DIALECTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
WITHOUT_DIALECT = {"optional/no-schema"}


class Verdict(Enum):
    """What became of an instance."""

    RIGHT = "right"
    SPELLING = "spelling"  # Valid, and accepted once its numbers have their plain spelling.
    FALSE_ACCEPT = "false accept"
    FALSE_REJECT = "false reject"
    NOT_RUN = "compile error"


@dataclass
class Group:
    """One schema of the suite with its instances."""

    draft: str
    file: str  # Relative to the draft's folder, without suffix.
    description: str
    schema: Any
    tests: list[dict[str, Any]]

    @property
    def all_invalid(self) -> bool:
        """Whether refusing the schema as unsatisfiable may be right."""
        return not any(test["valid"] for test in self.tests)

    def schema_text(self) -> str:
        schema = self.schema
        states_draft = isinstance(schema, dict) and self.file not in WITHOUT_DIALECT
        if states_draft and "$schema" not in schema:
            schema = {"$schema": DIALECTS.get(self.draft, ""), **schema}
        return text_of(schema)


@dataclass
class Outcome:
    """The verdicts on a group's instances, and why its schema was refused."""

    group: Group
    verdicts: list[Verdict] = field(default_factory=list)
    error: RuntimeError | None = None

    @property
    def needs_remotes(self) -> bool:
        """Whether the schema was refused for a reference out of the document."""
        return "does not resolve inside the document" in str(self.error or "")

    def count(self, verdict: Verdict) -> int:
        return self.verdicts.count(verdict)

    def each(self) -> Iterator[tuple[str, Verdict]]:
        for test, verdict in zip(self.group.tests, self.verdicts, strict=True):
            yield test["description"], verdict


def load_groups(root: Path, draft: str) -> list[Group]:
    """All groups of a draft's folder, in a fixed order."""
    folder = root / draft
    groups = []
    for path in sorted(folder.rglob("*.json")):
        file = path.relative_to(folder).with_suffix("").as_posix()
        groups += [
            Group(draft, file, entry["description"], entry["schema"], entry["tests"])
            for entry in load(path)
        ]
    return groups


@lru_cache(maxsize=1)
def compiler() -> xgr.GrammarCompiler:
    at_end(compiler.cache_clear)
    return xgr.GrammarCompiler(xgr.TokenizerInfo([]), max_threads=1, cache_enabled=False)


def accepts(compiled: xgr.CompiledGrammar, text: str) -> bool:
    matcher = xgr.GrammarMatcher(compiled)
    return bool(matcher.accept_string(text)) and bool(matcher.is_completed())


def judge(group: Group, **options: Any) -> Outcome:
    """Compile a group's schema and judge all of its instances.

    Args:
        group: the group.
        options: keyword arguments for `Grammar.from_json_schema` besides `strict_mode`.

    Returns:
        The verdicts. A refused schema has the error; if it was refused as unsatisfiable and no
        instance is valid, the verdicts are right all the same.
    """
    try:
        grammar = xgr.Grammar.from_json_schema(group.schema_text(), strict_mode=False, **options)
        compiled = compiler().compile_grammar(grammar)
    except RuntimeError as error:
        is_right = group.all_invalid and isinstance(error, xgr.exception.UnsatisfiableGrammarError)
        verdict = Verdict.RIGHT if is_right else Verdict.NOT_RUN
        return Outcome(group, [verdict] * len(group.tests), None if is_right else error)
    outcome = Outcome(group)
    for test in group.tests:
        accepted = any(accepts(compiled, text) for text in texts_of(test["data"]))
        if accepted == test["valid"]:
            verdict = Verdict.RIGHT
        elif accepted:
            verdict = Verdict.FALSE_ACCEPT
        elif any(accepts(compiled, text) for text in texts_of(test["data"], plain_numbers=True)):
            verdict = Verdict.SPELLING
        else:
            verdict = Verdict.FALSE_REJECT
        outcome.verdicts.append(verdict)
    return outcome
