"""Families at the level of tokens: markers are single special tokens, everything else is bytes.

Guards that every token of a rendered response is in its mask, that no control token gets into JSON
strings, and, with longer tokens, that masks equal acceptance. Texts as such are test_families.py.
"""

from __future__ import annotations

import random

import pytest

import xgrammar as xgr
from tests.python.models import renderers
from tests.python.models.conftest import has_engine
from tests.python.models.test_families import KEYS, disabled, random_request, tool

pytestmark = pytest.mark.skipif(not has_engine(), reason="needs the engine's structural tags")
STOP = 256
JSON_FAMILIES = [
    key
    for key in KEYS
    if renderers.TOKENS[key] and '"q": "v"' in renderers.CALLS[key]([("f", {"q": "v"})])
]


class Tokens:
    """A tokenizer of bytes, one stop token, and the markers of a family."""

    def __init__(self, key):
        self.markers = sorted(renderers.TOKENS[key], key=len, reverse=True)
        vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
        vocabulary += [marker.encode() for marker in self.markers]
        self.marker_ids = list(range(STOP + 1, len(vocabulary)))
        self.info = xgr.TokenizerInfo(
            vocabulary, stop_token_ids=[STOP], special_token_ids=self.marker_ids
        )
        self.compiler = xgr.GrammarCompiler(self.info)

    def encode(self, text):
        ids = []
        while text:
            marker = next((m for m in self.markers if text.startswith(m)), None)
            if marker is None:
                ids += text[0].encode()
                text = text[1:]
            else:
                ids.append(STOP + 1 + self.markers.index(marker))
                text = text[len(marker) :]
        return ids


class Walk:
    """A matcher with a mask: says which tokens may come next."""

    def __init__(self, compiler, tag):
        self.matcher = xgr.GrammarMatcher(compiler.compile_structural_tag(tag))
        self.mask = xgr.allocate_token_bitmask(1, compiler.tokenizer_info.vocab_size)

    def allows(self, token):
        self.matcher.fill_next_token_bitmask(self.mask)
        return bool(int(self.mask[0, token // 32]) >> (token % 32) & 1)

    def accept(self, token):
        return self.allows(token) and self.matcher.accept_token(token)


@pytest.mark.parametrize("key", KEYS)
def test_every_token_is_in_its_mask(key):
    rng = random.Random(key)
    tokens = Tokens(key)
    for reasoning in ("enabled", "disabled"):
        tools, calls = random_request(rng, key)
        tag = xgr.get_model_structural_tag(key, tools, "required", reasoning)
        thoughts = renderers.THOUGHTS.get(key, "").format("hm")
        before = thoughts if reasoning == "enabled" else disabled(key)
        text = before + renderers.plain(renderers.CALLS[key](calls))
        walk = Walk(tokens.compiler, tag)
        ids = tokens.encode(text)
        for number, token in enumerate(ids):
            assert walk.accept(token), (number, text)
        assert walk.matcher.is_terminated() or walk.accept(STOP), text


@pytest.mark.parametrize("key", JSON_FAMILIES)
def test_no_control_token_inside_json_strings(key):
    tokens = Tokens(key)
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tag = xgr.get_model_structural_tag(key, [tool("f", schema)], "required", "disabled")
    text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", {"q": "v"})]))
    walk = Walk(tokens.compiler, tag)
    for token in tokens.encode(text[: text.index('"q": "v') + len('"q": "v')]):
        assert walk.accept(token)
    assert not [token for token in (*tokens.marker_ids, STOP) if walk.allows(token)]
    assert walk.allows(ord("<"))


@pytest.mark.parametrize("key", [key for key in KEYS if renderers.TOKENS[key]])
def test_control_tokens_only_end_strings(key):
    tokens = Tokens(key)
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tag = xgr.get_model_structural_tag(key, [tool("f", schema)], "required", "disabled")
    text = disabled(key) + renderers.plain(renderers.CALLS[key]([("f", {"q": "vv"})]))
    position = text.index("vv")
    following = set(tokens.encode(text[position + 2 :])[:1])
    walk = Walk(tokens.compiler, tag)
    for token in tokens.encode(text[:position]):
        assert walk.accept(token)
    for token in b"vv":
        assert walk.accept(token)
        assert {t for t in (*tokens.marker_ids, STOP) if walk.allows(t)} <= following


@pytest.mark.parametrize("key", ["qwen_3", "qwen_3_5", "glm_4_7"])
def test_markers_as_tokens(key):
    tokens = Tokens(key)
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tag = xgr.get_model_structural_tag(key, [tool("f", schema)], "required", token_markers=True)
    thoughts = renderers.THOUGHTS[key].format("hm </think> as text")
    call = renderers.plain(renderers.CALLS[key]([("f", {"q": "v"})]))
    # The end of the thoughts is the last `</think>`; the one inside is spelled in bytes.
    head, _, tail = thoughts.rpartition("</think>")
    walk = Walk(tokens.compiler, tag)
    for token in [*head.encode(), *tokens.encode("</think>" + tail)]:
        assert walk.accept(token)
    assert not walk.allows(ord("<"))
    for token in tokens.encode(call):
        assert walk.accept(token)
    assert walk.accept(STOP)


def test_stop_tokens_that_end_harmony_messages():
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"<|return|>", b"<|call|>"]
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[256, 257])
    compiler = xgr.GrammarCompiler(info)
    schema = {"type": "object", "properties": {}}
    tag = xgr.get_model_structural_tag("harmony", [tool("f", schema)])
    for text, last in (
        ("<|channel|>final<|message|>Hi", 256),
        ("<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}", 257),
    ):
        walk = Walk(compiler, tag)
        for token in text.encode():
            assert walk.accept(token)
        assert [walk.allows(stop) for stop in (256, 257)] == [last == 256, last == 257]
        assert walk.accept(last)
        assert walk.matcher.is_terminated()


class LongTokens(Tokens):
    """Markers as special tokens, bytes, and pieces of the texts themselves as ordinary tokens."""

    def __init__(self, key, text, rng):
        self.markers = sorted(renderers.TOKENS[key], key=len, reverse=True)
        starts = [rng.randrange(len(text)) for _ in range(120)]
        pieces = {text[start : start + rng.randint(2, 7)] for start in starts}
        pieces |= {'"', '",', '":', "{", "}", "</", ">\n", "\n\n", 'x"', " {", "<", "<x", "]}"}
        words = sorted(piece for piece in pieces if piece and piece not in self.markers)
        vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
        vocabulary += [marker.encode() for marker in self.markers]
        vocabulary += [word.encode() for word in words]
        first_word = STOP + 1 + len(self.markers)
        self.info = xgr.TokenizerInfo(
            vocabulary, stop_token_ids=[STOP], special_token_ids=list(range(STOP + 1, first_word))
        )
        self.compiler = xgr.GrammarCompiler(self.info)


@pytest.mark.parametrize("key", KEYS)
def test_masks_equal_acceptance_without_masks(key):
    # The oracle reads each token's bytes through the parser on a fork; it uses no mask.
    rng = random.Random("masks" + key)
    tools, calls = random_request(rng, key)
    thoughts = renderers.THOUGHTS.get(key, "").format("hm")
    text = thoughts + renderers.plain(renderers.CALLS[key](calls))
    tokens = LongTokens(key, text, rng)
    walk = Walk(tokens.compiler, xgr.get_model_structural_tag(key, tools, "required", "enabled"))
    ids = tokens.encode(text)
    sampled = set(rng.sample(range(len(ids)), min(len(ids), 40))) | {0}
    for number, token in enumerate(ids):
        if number in sampled:
            walk.matcher.fill_next_token_bitmask(walk.mask)
            bits = [int(word) & 0xFFFFFFFF for word in walk.mask[0]]
            for other in range(tokens.info.vocab_size):
                allowed = bool(bits[other // 32] >> (other % 32) & 1)
                assert allowed == walk.matcher.fork().accept_token(other), (number, other)
        assert walk.accept(token), (number, text)
