"""Every small grammar with every small vocabulary: each mask bit equals the slow oracle's answer.

The default run takes the smallest sizes whole and a regular sample of the next; `-m slow` takes far
more.
"""

from __future__ import annotations

import itertools

import pytest

import xgrammar as xgr
from tests.property import earley_oracle
from tests.property.harness import Vocabulary, check_grammar, explore
from tests.property.small_grammars import PICKED, grammars

E_ACUTE, E_GRAVE, EURO = "é".encode(), "è".encode(), "€".encode()

VOCABULARIES = {
    # Duplicates, a token of another token's text, an empty token, two stop tokens, padding ids.
    "letters": Vocabulary(
        [b"a", b"b", b"ab", b"ba", b"aba", b"a", b"", b"</s>", b"<eos>", b"bb", b"c"],
        [7, 8],
        padding=3,
    ),
    # Only whole letters: what is allowed is exactly the byte level.
    "single": Vocabulary([b"b", b"a", b"</s>"], [2]),
    # Long tokens that leave and enter rules part-way, exactly one word wide.
    "long": Vocabulary(
        [bytes(t) for n in (1, 2, 3, 4) for t in itertools.product(b"ab", repeat=n)]
        + [b"</s>", b"abababab"],
        [30],
    ),
}
SPLIT = Vocabulary(
    [
        *(b"a", E_ACUTE[:1], E_ACUTE[1:], E_ACUTE, E_ACUTE + b"a", b"a" + E_ACUTE),
        *(E_GRAVE[1:] + b"a", EURO[:2], EURO[2:], EURO[1:], b"a" + EURO[:1], EURO),
        *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"", b"</s>"),
    ],
    [16],
)


def check_all(texts, vocabulary, **options):
    visited = 0
    for text in texts:
        try:
            visited += check_grammar(text, vocabulary, **options)
        except Exception as error:
            message = f"{text!r}: {error}"
            raise AssertionError(message) from error
    return visited


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_smallest_grammars(vocabulary):
    texts = [
        text for root, other in ((1, 1), (1, 2), (2, 1), (2, 2)) for text in grammars(root, other)
    ]
    assert check_all(texts, VOCABULARIES[vocabulary]) > len(texts)


@pytest.mark.parametrize(("vocabulary", "every"), [("letters", 1), ("single", 1), ("long", 5)])
def test_larger_grammars(vocabulary, every):
    texts = list(grammars(3, 2))[::every]
    assert check_all(texts, VOCABULARIES[vocabulary]) > len(texts)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("text", PICKED)
def test_picked_grammars(text, vocabulary):
    check_grammar(text, VOCABULARIES[vocabulary], depth=5, states=25)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('root ::= "a"{2,3}\n', 'root ::= "a"{2,4}\n'),
        ('root ::= ("ab")* "a"?\n', 'root ::= ("ab")*\n'),
        ('root ::= "a" root "b" | "ab"\n', 'root ::= "a" root "b" | "a"\n'),
    ],
)
def test_a_difference_is_noticed(one, other):
    vocabulary = VOCABULARIES["letters"]
    compiled = xgr.GrammarCompiler(vocabulary.info).compile_grammar(one)
    with pytest.raises(AssertionError, match="oracle"):
        explore(
            xgr.GrammarMatcher(compiled),
            earley_oracle.start(other),
            vocabulary,
            depth=4,
            states=40,
        )


def with_characters(text):
    """The same grammar over `a` and a class of characters of two and three bytes."""
    return text.replace("[ab]", "[^b-z]").replace('"b"', "[é-ê€]")


def test_characters_split_over_tokens():
    texts = [with_characters(text) for text in grammars(2, 1)] + [
        with_characters(text) for text in PICKED
    ]
    assert check_all(texts, SPLIT, depth=3, states=10) > len(texts)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize(("root", "other", "every"), [(3, 2, 1), (4, 1, 1), (3, 3, 4), (4, 2, 4)])
def test_the_next_sizes(root, other, every, vocabulary):
    check_all(list(grammars(root, other))[::every], VOCABULARIES[vocabulary])


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("root", "other", "every"), [(3, 1, 1), (3, 2, 1), (4, 1, 1)])
def test_the_next_sizes_over_split_characters(root, other, every):
    check_all((with_characters(t) for t in list(grammars(root, other))[::every]), SPLIT)
