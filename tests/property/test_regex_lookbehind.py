"""Random patterns with look-behind against Python's `re`, as whole texts and somewhere in a text.

The bodies have a fixed width, which is what `re` takes; bodies of any width are compared with node
(test_regex_ecma.py). Texts are ASCII without line ends, where both dialects agree.
"""

from __future__ import annotations

import random
import re

import pytest

import xgrammar as xgr
from tests.property.harness import byte_vocabulary

ATOMS = ("a", "b", "-", ".", "[ab]", "[^a]", r"\w", r"\W")
QUANTIFIERS = ("", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,4}", "{2,}")


def fixed_width(rng: random.Random, width: int) -> str:
    """A body whose texts all have so many characters."""
    if width >= 2 and rng.random() < 0.3:
        halves = [fixed_width(rng, width) for _ in range(2)]
        return f"(?:{halves[0]}|{halves[1]})"
    return "".join(rng.choice(ATOMS) for _ in range(width))


def random_pattern(rng: random.Random, depth: int) -> str:
    def part() -> str:
        kind = rng.random()
        if kind < 0.25:
            return rng.choice(("(?<=", "(?<!")) + fixed_width(rng, rng.randint(0, 3)) + ")"
        if kind < 0.32:
            return rng.choice(("^", "$", r"\b", "(?=a)", "(?!b-)"))
        if depth > 0 and kind < 0.5:
            return f"(?:{random_pattern(rng, depth - 1)})" + rng.choice(QUANTIFIERS)
        return rng.choice(ATOMS) + rng.choice(QUANTIFIERS)

    alternatives = ("".join(part() for _ in range(rng.randint(1, 4))) for _ in range(2))
    return "|".join(list(alternatives)[: rng.randint(1, 2)])


def compare(seed: int, patterns: int, texts: int) -> None:
    rng = random.Random(seed)
    compiler = xgr.GrammarCompiler(byte_vocabulary().info, max_threads=1, cache_enabled=False)
    matched = refused = 0
    for _ in range(patterns):
        pattern = random_pattern(rng, 2)
        reference = re.compile(pattern)
        samples = ["".join(rng.choices("ab-", k=rng.randint(0, 6))) for _ in range(texts)]
        for whole, is_match in (
            (pattern, reference.fullmatch),
            (f"[ab-]*(?:{pattern})[ab-]*", reference.search),
        ):
            try:
                compiled = compiler.compile_grammar(xgr.Grammar.from_regex(whole))
            except xgr.exception.UnsatisfiableGrammarError:
                compiled = None
            except xgr.exception.GrammarLimitError:
                refused += 1  # Some nested repetitions need millions of states.
                continue
            for text in samples:
                found = False
                if compiled is not None:
                    matcher = xgr.GrammarMatcher(compiled)
                    found = matcher.accept_string(text) and matcher.is_completed()
                expected = is_match(text) is not None
                assert found == expected, (whole, text)
                matched += expected
    assert refused <= patterns // 50
    assert matched > patterns * texts // 10, "the texts match too rarely to say anything"


def test_few_patterns():
    compare(1, 60, 15)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 6))
def test_thousands_of_pairs(seed):
    compare(seed, 400, 15)
