"""Forced text in the tokens of the tokenizer's own encoding.

Guards that tokens which may still join with later text are left out, that the state stays as it is,
and, with a real tokenizer on random schemas, that the tokens are those of encoding the whole text.
The forced text itself is tests/cpp/matcher/jump_forward_test.cc.
"""

import json
import random

import pytest

import xgrammar as xgr
from tests.python.real_tokenizers import deepseek_backend

VOCAB = ["</s>", *"abcdefgh", "ab", "cd", "abcd", "ef", '"', ":", '":"', '""', '":', "é"]


def encode(text):
    """Left to right, the longest token first: a tokenizer of its own kind."""
    ids = []
    while text:
        token = max((t for t in VOCAB if text.startswith(t)), key=len)
        ids.append(VOCAB.index(token))
        text = text[len(token) :]
    return ids


def names(ids):
    return [VOCAB[i] for i in ids]


@pytest.fixture
def make():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(VOCAB, stop_token_ids=[0]))
    return lambda ebnf: xgr.GrammarMatcher(compiler.compile_grammar(ebnf))


def test_tokens_that_may_join_with_what_follows_are_left_out(make):
    undo, tokens = make('root ::= "efab" [c-h]+').find_jump_forward_encoding(encode)
    assert (undo, names(tokens)) == (0, ["ef"])  # After ab, cd may come: abcd.
    undo, tokens = make('root ::= "efg" [c-h]+').find_jump_forward_encoding(encode)
    assert (undo, names(tokens)) == (0, ["ef", "g"])


def test_tokens_before_are_encoded_anew(make):
    matcher = make('root ::= "abcdg" [e-h]')
    before = [VOCAB.index(c) for c in "ab"]
    assert all(map(matcher.accept_token, before))
    undo, tokens = matcher.find_jump_forward_encoding(encode, before)
    assert (undo, names(tokens)) == (2, ["abcd", "g"])
    matcher.rollback(undo)
    assert all(map(matcher.accept_token, tokens))
    assert matcher.find_jump_forward_encoding(encode, tokens) == (0, [])


def test_overlapping_merges(make):
    """The last quote may be the first of two: the token before it is not settled either."""
    undo, tokens = make(r'root ::= "a\":\"" [\"a-h]*').find_jump_forward_encoding(encode)
    assert (undo, names(tokens)) == (0, ["a"])


def test_the_state_stays_as_it_is(make):
    matcher = make('root ::= "efg" [e-h]')
    assert matcher.accept_token(VOCAB.index("e"))
    before = matcher._debug_print_internal_state()
    assert matcher.find_jump_forward_encoding(encode, [VOCAB.index("e")])[1]
    assert matcher._debug_print_internal_state() == before
    assert matcher.num_steps == 1


@pytest.mark.parametrize(
    "strange",
    [
        lambda text: encode("a" + text),  # a marker in front
        lambda text: encode(text[1:]),  # normalized
        lambda text: [VOCAB.index(c) for c in text][:-1],
        lambda _: [],
    ],
)
def test_encodings_that_do_not_spell_the_text_give_nothing(make, strange):
    assert make('root ::= "efg" [e-h]').find_jump_forward_encoding(strange) == (0, [])


def test_errors(make):
    matcher = make('root ::= "efg" [e-h]')
    with pytest.raises(ValueError, match="outside the vocabulary"):
        matcher.find_jump_forward_encoding(encode, [99])
    with pytest.raises(RuntimeError):  # Nothing was accepted that could be undone.
        matcher.find_jump_forward_encoding(encode, [VOCAB.index(c) for c in "ab"])
    with pytest.raises(TypeError, match=r"token_ids\[0\]"):
        matcher.find_jump_forward_encoding(encode, ["a"])
    done = make('root ::= "e"')
    assert all(map(done.accept_token, [VOCAB.index("e"), 0]))
    with pytest.raises(RuntimeError, match="terminated"):
        done.find_jump_forward_encoding(encode)


KEYS = ("name", "x", "measurement", "größe", "user_email", "日本", "longPropertyName", "type")
VALUES = ("", "a", "hello world", "x-y", "ünï", "The quick", "{}", "\n tab")


def random_schema(rng, depth=0):
    """A schema and an instance."""
    kind = rng.choice(["object", "const", "string", "integer"]) if 0 < depth < 3 else "object"
    if depth == 3:
        kind = "string"
    if kind == "const":
        value = rng.choice(["measurement", "A long text, with punctuation.", 42, "  spaces  "])
        return {"const": value}, value
    if kind == "string":
        return {"type": "string"}, rng.choice(VALUES)
    if kind == "integer":
        return {"type": "integer"}, rng.randrange(-5, 10**6)
    parts = {key: random_schema(rng, depth + 1) for key in rng.sample(KEYS, rng.randrange(1, 4))}
    schema = {
        "type": "object",
        "properties": {key: part for key, (part, _) in parts.items()},
        "required": list(parts),
        "additionalProperties": False,
    }
    return schema, {key: value for key, (_, value) in parts.items()}


@pytest.mark.hf
def test_a_real_tokenizer_would_have_written_the_same():
    """After every jump, the tokens so far begin the encoding of the whole text."""
    backend = deepseek_backend()
    info = xgr.TokenizerInfo.from_huggingface(backend, stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info)
    rng, jumped = random.Random(5), 0

    def tokenize(text):
        return backend.encode(text, add_special_tokens=False).ids

    for round_ in range(60):
        schema, value = random_schema(rng)
        layout = ({}, {"indent": 2}, {"separators": (",", ":")})[round_ % 3]
        wanted = tokenize(json.dumps(value, ensure_ascii=False, **layout))
        text = json.dumps(schema, ensure_ascii=False)
        matcher = xgr.GrammarMatcher(
            compiler.compile_json_schema(text, any_whitespace=False, **layout)
        )
        output = []
        while len(output) < len(wanted):
            undo, tokens = matcher.find_jump_forward_encoding(tokenize, output)
            if not tokens:
                undo, tokens = 0, [wanted[len(output)]]  # what the model would sample
            else:
                jumped += len(tokens)
            matcher.rollback(undo)
            output[len(output) - undo :] = tokens
            assert all(map(matcher.accept_token, tokens))
            assert output == wanted[: len(output)]
    assert jumped > 500
