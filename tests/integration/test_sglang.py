"""SGLang's own backend files on this library, with a real tokenizer of 129,280 tokens.

Needs the Python files of SGLang's wheel: `pip download --no-deps sglang==0.5.23`, unzip, and name
the folder by `XGRAMMAR_ENGINES`. Nothing of it is installed, and nothing else of it runs.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tests.integration.engine_files import engine_modules
from tests.integration.engine_requests import BAD_SOURCES, PERSON, REQUESTS, TAG
from tests.integration.engine_tokenizers import fast_tokenizer

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.hf,
    pytest.mark.filterwarnings("ignore:max_rollback_tokens:DeprecationWarning"),
]

CONSTRAINED = "sglang.srt.constrained"
REAL = [
    *(
        f"{CONSTRAINED}.{name}"
        for name in (
            "xgrammar_backend",
            "base_grammar_backend",
            "json_schema_validation",
            "utils",
            "torch_ops.token_filter_torch_ops",
        )
    ),
    "sglang.srt.speculative.spec_utils",
    "sglang.srt.tokenizer.tiktoken_tokenizer",
]


class AnySetting:
    """The engine's environment: every variable is off."""

    def __getattr__(self, name):
        return SimpleNamespace(get=lambda: -1)


def same(function):
    return function


STAND_INS: dict[str, Any] = {
    "sglang.srt.utils": {"is_hip": lambda: False, "is_cuda": lambda: False},
    "sglang.srt.utils.hf_transformers.common": {"_ADDITIONAL_STOP_TOKEN_TEXTS": ()},
    "sglang.srt.utils.common": {"is_pin_memory_available": lambda: False},
    "sglang.srt.environ": {"envs": AnySetting()},
    "sglang.srt.utils.nvtx_utils": {"profile_range": lambda *_, **__: same},
}


@pytest.fixture(scope="module")
def engine():
    """The engine's modules, its tokenizer, and one backend for the tests of this file."""
    tokenizer = fast_tokenizer()
    with engine_modules("sglang", REAL, STAND_INS) as load:
        modules = {name.rpartition(".")[2]: load(name) for name in REAL}
        backend = modules["xgrammar_backend"].XGrammarGrammarBackend(
            tokenizer,
            vocab_size=len(tokenizer),
            model_eos_token_ids=[tokenizer.eos_token_id],
            max_whitespace_cnt=2,
        )
        yield SimpleNamespace(tokenizer=tokenizer, backend=backend, **modules)
        backend.executor.shutdown()


def allows(mask, row, token):
    return bool(int(mask[row, token // 32]) >> (token % 32) & 1)


def key_of(request):
    if request.kind == "json_object":
        return ("json", "$$ANY$$")
    return (request.kind, request.source)


SERVED = [request for request in REQUESTS if request.kind not in ("lark", "choice")]


def compiled(engine, key):
    value, hit = engine.backend.get_cached_or_future_value(key, require_reasoning=False)
    grammar = value if hit else value.result(timeout=60)
    if not hit:
        engine.backend.set_cache(key, grammar.copy())
    return grammar


@pytest.mark.parametrize("request_", SERVED, ids=lambda request: request.name)
def test_requests(engine, request_):
    """Compile in the pool, copy, fill, accept, roll back, terminate."""
    tokenizer = engine.tokenizer
    key = key_of(request_)
    first = compiled(engine, key)
    assert not isinstance(first, engine.base_grammar_backend.InvalidGrammarObject), first
    grammar = compiled(engine, key)  # A copy of the cached one.
    assert grammar is not first
    tokens = tokenizer.encode(request_.right, add_special_tokens=False)
    mask = grammar.allocate_vocab_mask(len(tokenizer), 4, "cpu")
    assert mask.shape == (4, (len(tokenizer) + 31) // 32)
    masks = []
    for token in tokens:
        mask.fill_(-1)
        grammar.fill_vocab_mask(mask, 3)
        assert (mask[:3] == -1).all()
        assert allows(mask, 3, token)
        masks.append(mask[3].clone())
        grammar.accept_token(token)
    grammar.fill_vocab_mask(mask, 0)
    logits = torch.zeros((4, len(tokenizer)))
    grammar.apply_vocab_mask(logits, mask)
    assert logits[0, tokenizer.eos_token_id] == 0
    assert logits[0, tokenizer.bos_token_id] == float("-inf")
    grammar.accept_token(tokenizer.eos_token_id)
    assert grammar.is_terminated()
    grammar.accept_token(7)  # Ignored by its wrapper.
    back = len(tokens) // 2
    grammar.rollback(back + 1)
    assert not grammar.is_terminated()
    for token, before in zip(tokens[-back:], masks[-back:], strict=True):
        grammar.fill_vocab_mask(mask, 1)
        assert (mask[1] == before).all()
        grammar.accept_token(token)
    fresh = grammar.copy()
    fresh.fill_vocab_mask(mask, 2)
    assert (mask[2] == masks[0]).all()
    wrong = tokenizer.encode(request_.wrong, add_special_tokens=False)
    with pytest.raises(ValueError, match="not accepted"):
        list(map(fresh.accept_token, [*wrong, tokenizer.eos_token_id]))


@pytest.mark.parametrize(("kind", "source"), [bad for bad in BAD_SOURCES if bad[0] != "lark"])
def test_bad_requests_become_invalid_objects(engine, kind, source):
    grammar = compiled(engine, (kind, source))
    assert isinstance(grammar, engine.base_grammar_backend.InvalidGrammarObject)
    assert grammar.error_message


def test_jump_forward(engine):
    """Forced text, tokenized anew with what stood before it."""
    tokenizer = engine.tokenizer
    schema = {
        "type": "object",
        "properties": {"kind": {"const": "measurement"}, "value": {"type": "integer"}},
        "required": ["kind", "value"],
        "additionalProperties": False,
    }
    backend = engine.xgrammar_backend.XGrammarGrammarBackend(
        tokenizer, vocab_size=len(tokenizer), any_whitespace=False
    )
    grammar = backend.dispatch_json(json.dumps(schema))
    old = tokenizer.encode("{", add_special_tokens=False)
    for token in old:
        grammar.accept_token(token)
    helper = grammar.try_jump_forward(tokenizer)
    assert helper is not None
    text, state = grammar.jump_forward_str_state(helper)
    assert text == '"kind": "measurement", "value": '
    new = tokenizer.encode("{" + text, add_special_tokens=False)
    grammar.jump_and_retokenize(old, new, state)
    mask = grammar.allocate_vocab_mask(len(tokenizer), 1, "cpu")
    grammar.fill_vocab_mask(mask, 0)
    assert allows(mask, 0, tokenizer.convert_tokens_to_ids("4"))
    assert grammar.try_jump_forward(tokenizer) is None
    backend.executor.shutdown()


def test_framed_grammars(engine):
    """The text of a compiled grammar inside token-level framing; framing tokens are no text."""
    tokenizer = engine.tokenizer
    think, unthink = tokenizer.convert_tokens_to_ids(["<think>", "</think>"])
    backend = engine.xgrammar_backend.XGrammarGrammarBackend(
        tokenizer, vocab_size=len(tokenizer), model_eos_token_ids=[tokenizer.eos_token_id]
    )
    backend.reserve_framing_tokens([think, unthink])

    def frame(content):
        reasoning = {"type": "any_tokens", "exclude_tokens": [unthink]}
        thought = {
            "type": "tag",
            "begin": {"type": "token", "token": think},
            "content": reasoning,
            "end": {"type": "token", "token": unthink},
        }
        elements = [thought, content]
        return {
            "type": "structural_tag",
            "format": {"type": "sequence", "elements": elements},
        }

    for request_ in SERVED[:4]:
        inner = compiled(engine, key_of(request_))
        grammar = backend.compile_framed_grammar(inner, frame)
        mask = grammar.allocate_vocab_mask(len(tokenizer), 1, "cpu")
        tokens = tokenizer.encode(request_.right, add_special_tokens=False)
        thought = tokenizer.encode("Hm, {[?", add_special_tokens=False)
        for token in [think, *thought, unthink, *tokens, tokenizer.eos_token_id]:
            grammar.fill_vocab_mask(mask, 0)
            assert allows(mask, 0, token), (request_.name, tokenizer.decode([token]))
            assert allows(mask, 0, think) == (not grammar.accepted_tokens) or (
                token in (*thought, unthink)
            )
            grammar.accept_token(token)
        assert grammar.is_terminated()
    backend.executor.shutdown()


def test_draft_trees(engine):
    """The engine's own walk over a tree of drafts, in a slice of the batch's mask."""
    tokenizer = engine.tokenizer
    grammar = compiled(engine, ("json", json.dumps(PERSON)))
    plain = grammar.copy()
    text = tokenizer.encode('{"name": "A', add_special_tokens=False)
    for token in text[:1]:
        grammar.accept_token(token)
        plain.accept_token(token)
    eos = tokenizer.eos_token_id
    #      0: the last accepted one -> 1 -> 2 -> 3, with siblings 4 (wrong) and 5 (an end) of 1
    drafts = torch.tensor([[text[0], text[1], text[2], text[3], eos, text[1]]])
    child = torch.tensor([[1, 2, 3, -1, -1, -1]])
    sibling = torch.tensor([[-1, 4, -1, -1, 5, -1]])
    requests = [SimpleNamespace(grammar=grammar)]
    mask, _ = engine.spec_utils.generate_token_bitmask(
        requests, child, sibling, drafts, len(tokenizer)
    )
    row = torch.full((1, mask.shape[1]), -1, dtype=mask.dtype)
    for node, token in enumerate([None, *text[1:4]]):
        if token is not None:
            plain.accept_token(token)
        plain.fill_vocab_mask(row, 0)
        assert (mask[node] == row[0]).all()
    assert (mask[4] == -1).all()  # Not visited.
    assert (mask[5] == mask[1]).all()
    assert grammar.accepted_tokens == text[:1]


def test_token_filter_and_cache(engine):
    mask = engine.backend.allocate_vocab_mask(len(engine.tokenizer), 2, "cpu")
    engine.backend.set_token_filter(mask, [5, 77], 1)
    assert allows(mask, 1, 5)
    assert allows(mask, 1, 77)
    assert not allows(mask, 1, 6)
    assert (mask[0] == -1).all()
    compiled(engine, ("structural_tag", json.dumps(TAG)))
    assert engine.backend.grammar_compiler.get_cache_size_bytes() > 0
    engine.backend.reset()
    assert engine.backend.grammar_compiler.get_cache_size_bytes() == 0


def test_unsupported_tokenizers_are_reported_as_such(engine):
    with pytest.raises(engine.xgrammar_backend.TokenizerNotSupportedError):
        engine.xgrammar_backend.XGrammarGrammarBackend(object(), vocab_size=10)


def test_tokenizers_with_a_vocabulary_of_their_own(engine, tmp_path):
    """A tokenizer of the engine that makes its own `TokenizerInfo`, and stop tokens with it."""
    pytest.importorskip("tiktoken", reason="needs the package tiktoken")
    pytest.importorskip("jinja2", reason="needs the package jinja2")
    special = ["<|pad|>", "<|separator|>", "<|eos|>"]
    regular = [bytes([byte]) for byte in range(256)] + [b"\0\0", b"ab"]
    file = tmp_path / "small.json"
    value = {
        "special_tokens": [
            {"bytes": list(text.encode()), "token": i} for i, text in enumerate(special)
        ],
        "regular_tokens": [
            {"bytes": list(token), "token": i + len(special)} for i, token in enumerate(regular)
        ],
        "word_split": "V1",
    }
    file.write_text(json.dumps(value), encoding="utf-8")
    tokenizer = engine.tiktoken_tokenizer.TiktokenTokenizer(str(file))
    backend = engine.xgrammar_backend.XGrammarGrammarBackend(
        tokenizer, vocab_size=len(special) + len(regular)
    )
    grammar = backend.dispatch_regex("(ab)+x")
    for token in [3 + 257, 3 + ord("a"), 3 + ord("b"), 3 + ord("x"), 2]:
        grammar.accept_token(token)
    assert grammar.is_terminated()
    backend.executor.shutdown()
