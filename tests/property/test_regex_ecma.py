"""Random regular expressions against an ECMA-262 engine: node, with the flags u and s, full match.

Node decides what a pattern means; patterns that it refuses are not made. A pattern that this
library refuses as matching nothing must match none of the texts there. The default run takes few
patterns, `-m slow` some thousand pairs.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess

import pytest

import xgrammar as xgr
from tests.property.harness import byte_vocabulary

ALPHABET = "aabbZ09_-. \n\u00e9\u4e2d\U0001f600\u2028\u00a0"
CLASSES = (
    *(r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", r"\p{L}", r"\P{L}", r"\p{Script=Latin}"),
    *("[ab]", "[^a]", "[a-z0-9]", r"[^\d\s]", r"[\w-]", r"[\u00e0-\u00ff]", "[^]", r"[\p{Lu}_]"),
    *(r"[\u{1F600}-\u{1F64F}]", r"[.\-\]]", r"[\b\n]", r"[^\W_]"),
)
ESCAPES = (r"\n", r"\x61", r"\u0062", r"\u{5A}", r"\uD83D\uDE00", r"\.", r"\/", r"\cJ", r"\x00")
QUANTIFIERS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{0,2}?", "{2,}", "{0}")
ASSERTIONS = ("^", "$", r"\b", r"\B")
ENGINE = """
const pairs = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(pairs.map(([pattern, texts]) => {
  const regex = new RegExp("^(?:" + pattern + ")$", "us");
  return texts.map(text => regex.test(text));
})));
"""


def random_pattern(rng: random.Random, depth: int) -> str:
    """A pattern that is legal with the flag u."""

    def atom() -> str:
        kind = rng.random()
        if depth > 0 and kind < 0.3:
            opening = rng.choice(("(", "(?:", "(?:"))
            return opening + random_pattern(rng, depth - 1) + ")"
        if kind < 0.55:
            return rng.choice(CLASSES)
        if kind < 0.65:
            return rng.choice(ESCAPES)
        return rng.choice(ALPHABET)

    def part() -> str:
        kind = rng.random()
        if kind < 0.06:
            return rng.choice(ASSERTIONS)
        if depth > 0 and kind < 0.12:
            return rng.choice(("(?=", "(?!", "(?<=", "(?<!")) + random_pattern(rng, depth - 1) + ")"
        return atom() + (rng.choice(QUANTIFIERS) if rng.random() < 0.35 else "")

    def sequence() -> str:
        return "".join(part() for _ in range(rng.randint(0 if depth < 2 else 1, 4)))

    return "|".join(sequence() for _ in range(rng.choice((1, 1, 1, 2, 3))))


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(ALPHABET) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 6))))


def verdicts_of_node(pairs: list[tuple[str, list[str]]]) -> list[list[bool]]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    done = subprocess.run(
        [node, "-e", ENGINE], input=json.dumps(pairs), capture_output=True, text=True, check=True
    )
    verdicts: list[list[bool]] = json.loads(done.stdout)
    return verdicts


def verdicts_here(pattern: str, texts: list[str], compiler: xgr.GrammarCompiler) -> list[bool]:
    try:
        compiled = compiler.compile_grammar(xgr.Grammar.from_regex(pattern))
    except xgr.exception.UnsatisfiableGrammarError:
        return [False] * len(texts)
    found = []
    for text in texts:
        matcher = xgr.GrammarMatcher(compiled)
        found.append(matcher.accept_string(text) and matcher.is_completed())
    return found


def compare(seed: int, patterns: int, texts: int) -> None:
    rng = random.Random(seed)
    pairs = [
        (random_pattern(rng, 2), [random_text(rng) for _ in range(texts)]) for _ in range(patterns)
    ]
    compiler = xgr.GrammarCompiler(byte_vocabulary().info, max_threads=1, cache_enabled=False)
    matched = 0
    for (pattern, samples), expected in zip(pairs, verdicts_of_node(pairs), strict=True):
        found = verdicts_here(pattern, samples, compiler)
        wrong = [t for t, a, b in zip(samples, found, expected, strict=True) if a != b]
        assert not wrong, f"{pattern!r} on {wrong!r}"
        matched += sum(expected)
    assert matched > patterns * texts // 30, "the texts match too rarely to say anything"


def test_few_patterns():
    compare(1, 60, 15)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(2, 6))
def test_thousands_of_pairs(seed):
    compare(seed, 400, 15)
