"""Random structural tags over a small vocabulary: engine and recogniser agree on token sequences.

All formats but schemas and grammars, token formats and budgets among text. Walks also check that
masks and `accept_token` agree and that no mask is empty.
"""

from __future__ import annotations

import itertools
import random

import pytest

import xgrammar as xgr
from tests.property.token_recogniser import TokenRecogniser

VOCABULARY = ["a", "b", "<", "ab", "<a", ">", "b>", "</s>"]
STOP = len(VOCABULARY) - 1
SHORT = [tokens for n in range(4) for tokens in itertools.product(range(STOP), repeat=n)]
LEAVES = ["const_string", "any_text", "any_text", "regex", "token", "exclude_token", "any_tokens"]
COMPOSITES = ["sequence", "or", "optional", "star", "plus", "repeat", "tag", "tag"]
COMPOSITES += ["triggered_tags", "dispatch", "token_dispatch", "token_triggered_tags"]
COMPOSITES += ["tags_with_separator"]
PATTERNS = ["a*", "[ab]+", "a|<", "(ab)*>?", "[^>]*", ".*", "(a|ab)(b|<)?"]


class Formats:
    """Makes random formats."""

    def __init__(self, seed):
        self.rng = random.Random(seed)

    def make(self, depth):
        is_leaf = depth <= 0 or self.rng.random() < 0.25
        kind = self.rng.choice(LEAVES if is_leaf else COMPOSITES)
        return {"type": kind, **getattr(self, kind)(depth - 1)}

    def literal(self, longest=3, shortest=1):
        return "".join(self.rng.choices("ab<>", k=self.rng.randint(shortest, longest)))

    def some(self, make, least, most):
        return [make() for _ in range(self.rng.randint(least, most))]

    def excludes(self):
        return self.some(self.literal, 0, 2)

    def a_token(self):
        token = self.rng.randrange(STOP)
        return self.rng.choice([token, token, VOCABULARY[token]])

    def tokens(self, least=0):
        return self.rng.sample(range(STOP), self.rng.randint(least, 2))

    def maybe(self, chance, *names):
        return {name: True for name in names if self.rng.random() < chance}

    def budgets(self, *names):
        return {name: self.rng.randint(0, 3) for name in self.maybe(0.25, *names)}

    def const_string(self, _):
        return {"value": self.literal(3, 0)}

    def any_text(self, _):
        return {"excludes": self.excludes(), **self.budgets("max_tokens", "max_chars")}

    def regex(self, _):
        return {"pattern": self.rng.choice(PATTERNS)}

    def token(self, _):
        return {"token": self.a_token()}

    def exclude_token(self, _):
        return {"exclude_tokens": self.tokens()}

    def any_tokens(self, _):
        return {"exclude_tokens": self.tokens(), **self.budgets("max_tokens")}

    def sequence(self, depth):
        return {"elements": self.some(lambda: self.make(depth), 1, 3)}

    def optional(self, depth):
        return {"content": self.make(depth)}

    def repeat(self, depth):
        least = self.rng.randint(0, 3)
        most = self.rng.choice([-1, least, least + 1, least + 3])
        return {"min": least, "max": most, "content": self.make(depth)}

    def marker(self):
        return self.rng.choice([self.literal(2), {"type": "token", "token": self.a_token()}])

    def tag(self, depth, begin=None):
        end = self.rng.choice([self.marker(), self.some(lambda: self.literal(2, 0), 1, 2)])
        begin = self.rng.choice(["", self.marker()]) if begin is None else begin
        return {"type": "tag", "begin": begin, "content": self.make(depth), "end": end}

    def flags(self):
        return self.maybe(0.3, "at_least_one", "stop_after_first")

    def triggered_tags(self, depth):
        triggers = self.some(lambda: self.literal(2), 1, 2)
        tags = [self.tag(depth, trigger + self.literal(1, 0)) for trigger in triggers]
        return {"triggers": triggers, "tags": tags, "excludes": self.excludes(), **self.flags()}

    def token_triggered_tags(self, depth):
        triggers = self.tokens(1)
        tags = [self.tag(depth, {"type": "token", "token": token}) for token in triggers]
        free = {"exclude_tokens": self.tokens(), **self.flags()}
        return {"trigger_tokens": triggers, "tags": tags, **free}

    def tags_with_separator(self, depth):
        tags = self.some(lambda: self.tag(depth), 1, 2)
        return {"tags": tags, "separator": self.literal(1, 0), **self.flags()}

    def dispatch(self, depth):
        rules = self.some(lambda: [self.literal(), self.make(depth)], 1, 2)
        return {"rules": rules, "loop": self.rng.random() < 0.7, "excludes": self.excludes()}

    def token_dispatch(self, depth):
        rules = self.some(lambda: [self.a_token(), self.make(depth)], 1, 2)
        return {"rules": rules, "loop": self.rng.random() < 0.7, "exclude_tokens": self.tokens()}

    star = plus = optional


setattr(Formats, "or", Formats.sequence)


def walk(matcher, rng):
    """Random allowed tokens; the places on the way are yielded."""
    mask = xgr.allocate_token_bitmask(1, len(VOCABULARY), like="numpy")
    tokens = ()
    for _ in range(8):
        matcher.fill_next_token_bitmask(mask)
        assert mask[0, 0] != 0, tokens
        allowed = [token for token in range(STOP) if int(mask[0, 0]) >> token & 1]
        accepted = [token for token in range(STOP) if matcher.fork().accept_token(token)]
        assert allowed == accepted, tokens
        if not allowed:
            return
        token = rng.choice(allowed)
        assert matcher.accept_token(token)
        tokens += (token,)
        yield tokens
        yield (*tokens[:-1], rng.randrange(STOP))


def completes(compiled, tokens):
    matcher = xgr.GrammarMatcher(compiled)
    return all(matcher.accept_token(token) for token in tokens) and matcher.is_completed()


@pytest.mark.parametrize("seed", range(8))
def test_engine_and_recogniser_agree_on_tokens(seed):
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(VOCABULARY))
    formats = Formats(seed)
    built = 0
    while built < 70:
        written = formats.make(formats.rng.choice([1, 2, 3]))
        try:
            compiled = compiler.compile_structural_tag({"format": written})
        except (xgr.InvalidStructuralTagError, xgr.UnsatisfiableGrammarError):
            continue  # Empty ends of unlimited text, ambiguous triggers.
        built += 1
        samples = formats.rng.sample(SHORT, 60)
        for _ in range(4):
            samples.extend(walk(xgr.GrammarMatcher(compiled), formats.rng))
        for tokens in samples:
            expected = TokenRecogniser(VOCABULARY, tokens).accepts(written)
            assert completes(compiled, tokens) == expected, (tokens, written)
