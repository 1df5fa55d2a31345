"""The languages that users write grammars for: JSON, arithmetic, SQL, C, Python, in EBNF and Lark.

Verdicts on whole texts, and masks at sampled states against the slow oracle. The default run takes
few states with a small vocabulary of pieces of the texts, and a real one at one state; `-m slow`
takes states all along the texts and real vocabularies.
"""

from __future__ import annotations

import random

import pytest

import xgrammar as xgr
from tests.property import earley_oracle, sample_grammars
from tests.property.harness import Vocabulary, byte_vocabulary, mask_of
from tests.property.real_tokenizers import real_tokenizer

BOTH = [
    (name, language) for name in sample_grammars.NAMES for language in sample_grammars.LANGUAGES
]
each_grammar = pytest.mark.parametrize(("name", "language"), BOTH)


def compiled_for(grammar: xgr.Grammar, info: xgr.TokenizerInfo) -> xgr.CompiledGrammar:
    return xgr.GrammarCompiler(info, max_threads=1).compile_grammar(grammar)


def valid_texts(name: str) -> list[bytes]:
    return [sample.text.encode() for sample in sample_grammars.texts(name) if sample.valid]


def piece_vocabulary(name: str) -> Vocabulary:
    """All bytes, and random pieces of the texts, which are tokens that matter."""
    rng = random.Random(name)
    texts = valid_texts(name)
    pieces: set[bytes] = set()
    while len(pieces) < 60:
        text = rng.choice(texts)
        begin = rng.randrange(len(text))
        pieces.add(text[begin : begin + rng.randint(2, 9)])
    tokens = byte_vocabulary().tokens[:256] + sorted(pieces)
    return Vocabulary([*tokens, b"</s>"], [len(tokens)])


def positions(text: bytes, count: int, seed: str) -> list[int]:
    """The start, and sampled positions, ascending."""
    chosen = random.Random(seed).sample(range(1, len(text)), min(count, len(text)) - 1)
    return [0, *sorted(chosen)]


@each_grammar
def test_whole_texts(name, language):
    info = byte_vocabulary().info
    compiled = compiled_for(sample_grammars.grammar(name, language), info)
    for sample in sample_grammars.texts(name):
        matcher = xgr.GrammarMatcher(compiled)
        matched = matcher.accept_string(sample.text) and matcher.is_completed()
        assert matched == sample.valid, sample.text


@each_grammar
def test_few_states_against_the_oracle(name, language):
    vocabulary, grammar = piece_vocabulary(name), sample_grammars.grammar(name, language)
    compiled = compiled_for(grammar, vocabulary.info)
    chart = earley_oracle.start(str(grammar))
    text = min(valid_texts(name), key=len)
    matcher, before = xgr.GrammarMatcher(compiled), 0
    for position in positions(text, 3, name):
        assert matcher.accept_string(text[before:position])
        chart = chart.advance(text[before:position])
        before = position
        assert mask_of(matcher, vocabulary.size) == vocabulary.expected(chart), text[:position]


@each_grammar
def test_the_two_languages_give_equal_masks(name, language):
    """Also after printing: Lark and EBNF versions are written to mean the same."""
    del language
    vocabulary = piece_vocabulary(name)
    grammars = [sample_grammars.grammar(name, each) for each in sample_grammars.LANGUAGES]
    grammars.append(xgr.Grammar.from_ebnf(str(grammars[1])))
    text = valid_texts(name)[0]
    matchers = [xgr.GrammarMatcher(compiled_for(each, vocabulary.info)) for each in grammars]
    before = 0
    for position in positions(text, 25, name):
        for matcher in matchers:
            assert matcher.accept_string(text[before:position])
        before = position
        masks = [mask_of(matcher, vocabulary.size) for matcher in matchers]
        assert masks[0] == masks[1] == masks[2], text[:position]


def check_against_oracle(
    matcher: xgr.GrammarMatcher,
    chart: earley_oracle.Chart,
    info: xgr.TokenizerInfo,
    count: int,
) -> None:
    """Up to `count` random tokens that the mask allows, and as many others."""
    mask = mask_of(matcher, info.vocab_size)
    vocabulary, stops = info.decoded_vocab, set(info.stop_token_ids)
    specials = set(info.special_token_ids)
    rng = random.Random(count)
    wrong = []
    for verdict in (True, False):
        tokens = [token for token, allowed in enumerate(mask) if allowed == verdict]
        for token in rng.sample(tokens, min(count, len(tokens))):
            if token in stops:
                expected = chart.completed
            else:
                data = b"" if token in specials or token >= len(vocabulary) else vocabulary[token]
                expected = bool(data) and chart.advance(data) is not None
            if verdict != expected:
                wrong.append((token, verdict))
    assert not wrong, wrong[:10]


@pytest.mark.hf
@each_grammar
def test_one_state_of_a_real_vocabulary(name, language):
    info, grammar = real_tokenizer("sentencepiece"), sample_grammars.grammar(name, language)
    text = valid_texts(name)[0]
    position = positions(text, 2, name)[1]
    matcher = xgr.GrammarMatcher(compiled_for(grammar, info))
    assert matcher.accept_string(text[:position])
    chart = earley_oracle.start(str(grammar)).advance(text[:position])
    check_against_oracle(matcher, chart, info, 60)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@each_grammar
@pytest.mark.parametrize("tokenizer", ["deepseek", "qwen", "sentencepiece"])
def test_many_states_of_real_vocabularies(name, language, tokenizer):
    info, grammar = real_tokenizer(tokenizer), sample_grammars.grammar(name, language)
    compiled = compiled_for(grammar, info)
    for text in valid_texts(name):
        matcher, chart, before = (
            xgr.GrammarMatcher(compiled),
            earley_oracle.start(str(grammar)),
            0,
        )
        for position in positions(text, 4, name + tokenizer):
            assert matcher.accept_string(text[before:position])
            chart = chart.advance(text[before:position])
            before = position
            check_against_oracle(matcher, chart, info, 300)
