"""Random structural tags over three characters: the engine against a recogniser that follows the
definition of each format with sets of positions.
"""

from __future__ import annotations

import itertools
import random

import pytest

import xgrammar as xgr
from tests.python.models.recogniser import Recogniser
from xgrammar.testing import _is_grammar_accept_string

LETTERS = "ab<"
TEXTS = ["".join(text) for n in range(6) for text in itertools.product(LETTERS, repeat=n)]
LEAVES = ["const_string", "any_text", "any_text", "regex"]
COMPOSITES = ["sequence", "or", "optional", "star", "tag", "triggered_tags", "tags_with_separator"]


class Formats:
    """Makes random formats."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def literal(self, longest=2):
        return "".join(self.rng.choices(LETTERS, k=self.rng.randint(1, longest)))

    def several(self, make, least, most):
        return [make() for _ in range(self.rng.randint(least, most))]

    def flags(self):
        return {name: self.rng.random() < 0.4 for name in ("at_least_one", "stop_after_first")}

    def make(self, depth):
        kind = self.rng.choice(LEAVES + (COMPOSITES if depth > 0 else []))
        return {"type": kind, **getattr(self, kind)(depth - 1)}

    def const_string(self, _):
        return {"value": self.rng.choice(["", self.literal(), self.literal(3)])}

    def any_text(self, _):
        return {"excludes": self.several(self.literal, 0, 2)}

    def regex(self, _):
        return {"pattern": self.rng.choice(["a*", "(ab)?", "[a<]", "a|b<"])}

    def sequence(self, depth):
        return {"elements": self.several(lambda: self.make(depth), 1, 3)}

    def optional(self, depth):
        return {"content": self.make(depth)}

    def tag(self, depth, begin=None):
        ends = [self.literal(), [self.literal(), self.literal()], [self.literal(), ""]]
        return {
            "begin": self.rng.choice(["", self.literal()]) if begin is None else begin,
            "content": self.make(depth),
            "end": self.rng.choice(ends),
        }

    def triggered_tags(self, depth):
        trigger = self.literal()

        def tag():
            return {"type": "tag", **self.tag(depth, trigger + self.rng.choice(["", "a", "b<"]))}

        return {
            "triggers": [trigger],
            "tags": self.several(tag, 1, 2),
            "excludes": self.several(self.literal, 0, 1),
            **self.flags(),
        }

    def tags_with_separator(self, depth):
        def tag():
            return {"type": "tag", **self.tag(depth)}

        separator = self.rng.choice(["", self.literal()])
        return {"tags": self.several(tag, 1, 2), "separator": separator, **self.flags()}

    star = optional


setattr(Formats, "or", Formats.sequence)


@pytest.mark.parametrize("seed", range(10))
def test_engine_and_recogniser_agree(seed):
    formats = Formats(seed)
    for _ in range(60):
        tag = xgr.StructuralTag.model_validate({"format": formats.make(3)})
        grammar = xgr.Grammar.from_structural_tag(tag)
        written = tag.model_dump()["format"]
        for text in formats.rng.sample(TEXTS, 40):
            expected = len(text) in Recogniser(text).ends(written, 0, ())
            assert _is_grammar_accept_string(grammar, text) == expected, (text, written)
