"""vLLM's own backend files on this library, with a real tokenizer of 129,280 tokens.

Needs the Python files of vLLM's wheel: `pip download --no-deps vllm==0.33.0`, unzip, and name the
folder by `XGRAMMAR_ENGINES`. Nothing of it is installed, and nothing else of it runs.
"""

from __future__ import annotations

import json
import logging
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.integration.engine_files import engine_modules
from tests.integration.engine_requests import BAD_SOURCES, REQUESTS
from tests.integration.engine_tokenizers import fast_tokenizer
from tests.python.real_tokenizers import tekken

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.hf,
    pytest.mark.filterwarnings("ignore:max_rollback_tokens:DeprecationWarning"),
]

STRUCTURED = "vllm.v1.structured_output"
REAL = [
    "vllm.exceptions",
    "vllm.utils.import_utils",
    STRUCTURED,
    *(f"{STRUCTURED}.{name}" for name in ("backend_types", "backend_xgrammar", "utils", "request")),
]


class Params(SimpleNamespace):
    """Sampling parameters: one structured output, the rest unset."""

    def __init__(self, **given):
        names = ("regex", "choice", "json", "json_object", "grammar", "structural_tag")
        outputs = dict.fromkeys(names) | given
        super().__init__(
            structured_outputs=SimpleNamespace(
                **outputs,
                _backend="xgrammar",
                all_constraints_none=lambda: not any(outputs.values()),
            ),
            all_stop_token_ids=set(),
        )


def stand_ins(tokenizer) -> dict[str, Any]:
    return {
        "vllm.logger": {"init_logger": logging.getLogger},
        "vllm.envs": {"VLLM_XGRAMMAR_CACHE_MB": 64, "VLLM_REGEX_COMPILATION_TIMEOUT_S": 5},
        "vllm.utils.torch_utils": {"PIN_MEMORY": False},
        "vllm.utils.mistral": {"is_mistral_tokenizer": lambda _: False},
        "vllm.tokenizers": {"cached_tokenizer_from_config": lambda **_: tokenizer},
        "vllm.sampling_params": {"check_json_nesting": lambda *_, **__: None},
        "vllm.reasoning": {},
        "cachetools": {},
    }


def config(tokenizer, *, drafts=0, rows=8, compact=False):
    speculative = SimpleNamespace(num_speculative_tokens=drafts) if drafts else None
    return SimpleNamespace(
        structured_outputs_config=SimpleNamespace(
            disable_any_whitespace=compact,
            reasoning_parser_plugin="",
            reasoning_parser="",
            enable_in_reasoning=False,
        ),
        model_config=SimpleNamespace(
            hf_config=SimpleNamespace(model_type="deepseek_v3"),
            skip_tokenizer_init=False,
            is_diffusion=False,
            get_vocab_size=lambda: len(tokenizer),
        ),
        scheduler_config=SimpleNamespace(max_num_seqs=rows),
        parallel_config=SimpleNamespace(distributed_executor_backend="mp"),
        speculative_config=speculative,
        num_speculative_tokens=drafts,
    )


@pytest.fixture(scope="module")
def engine():
    """The engine's modules, its tokenizer, and one backend for the tests of this file."""
    tokenizer = fast_tokenizer()
    with engine_modules("vllm", REAL, stand_ins(tokenizer)) as load:
        modules = {name.rpartition(".")[2]: load(name) for name in REAL}
        backend = modules["backend_xgrammar"].XgrammarBackend(
            vllm_config=config(tokenizer, drafts=4),
            tokenizer=tokenizer,
            vocab_size=len(tokenizer),
        )
        yield SimpleNamespace(tokenizer=tokenizer, backend=backend, load=load, **modules)
        backend.destroy()


def option(engine, request):
    name = "GRAMMAR" if request.kind in ("ebnf", "lark") else request.kind.upper()
    return engine.backend_types.StructuredOutputOptions[name]


def params_of(request) -> Any:
    if request.kind in ("ebnf", "lark"):
        return Params(grammar=request.source)
    if request.kind == "choice":
        return Params(choice=json.loads(request.source))
    if request.kind == "json_object":
        return Params(json_object=True)
    return Params(**{request.kind: request.source})


def allows(mask, row, token):
    return bool(int(mask[row, token // 32]) >> (token % 32) & 1)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_requests(engine, request_):
    """Compile, fill, accept, validate drafts, roll back, terminate, reset."""
    tokenizer = engine.tokenizer
    grammar = engine.backend.compile_grammar(option(engine, request_), request_.source)
    mask = engine.backend.allocate_token_bitmask(4)
    tokens = tokenizer.encode(request_.right, add_special_tokens=False)
    eos = tokenizer.eos_token_id
    masks = []
    for i, token in enumerate(tokens):
        mask.fill_(-1)
        grammar.fill_bitmask(mask, 2)
        assert (mask[[0, 1, 3]] == -1).all()
        assert allows(mask, 2, token), (i, tokenizer.decode([token]))
        masks.append(mask[2].clone())
        draft = tokens[i : i + 3]
        assert grammar.validate_tokens([*draft, tokenizer.bos_token_id]) == draft
        assert grammar.accept_tokens("r", [token])
    grammar.fill_bitmask(mask, 0)
    assert allows(mask, 0, eos)
    assert grammar.accept_tokens("r", [eos])
    assert grammar.is_terminated()
    assert grammar.accept_tokens("r", [eos, 7])  # Its wrapper ignores what comes after the end.
    back = len(tokens) // 2
    grammar.rollback(back + 1)
    assert not grammar.is_terminated()
    for token, before in zip(tokens[-back:], masks[-back:], strict=True):
        grammar.fill_bitmask(mask, 1)
        assert (mask[1] == before).all()
        assert grammar.accept_tokens("r", [token])
    grammar.reset()
    wrong = tokenizer.encode(request_.wrong, add_special_tokens=False)
    valid = grammar.validate_tokens([*wrong, eos])
    assert len(valid) <= len(wrong)
    assert valid == wrong[: len(valid)]
    grammar.fill_bitmask(mask, 0)
    assert (mask[0] == masks[0]).all()


@pytest.mark.parametrize("is_tekken", [True, False])
def test_tokenizers_of_mistral(engine, monkeypatch, is_tekken):
    """Vocabularies as lists of bytes or pieces, the prefix flag by keyword."""
    if is_tekken:
        vocab, num_special = tekken()
        ids = [num_special + byte for byte in b'{"name": "x", "age": 1}']
    else:
        vocab = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁", "name"]
        ids = [3 + byte for byte in b'{"'] + [260] + [3 + byte for byte in b'": "x", "age": 1}']
    tokenizer = SimpleNamespace(vocab=vocab, eos_token_id=2, is_tekken=is_tekken)
    module = engine.backend_xgrammar
    monkeypatch.setattr(module, "is_mistral_tokenizer", lambda _: True)
    backend = module.XgrammarBackend(
        vllm_config=config(tokenizer_of(vocab)), tokenizer=tokenizer, vocab_size=len(vocab)
    )
    assert backend.full_vocab_compiler is backend.compiler
    options = engine.backend_types.StructuredOutputOptions
    grammar = backend.compile_grammar(options.JSON, REQUESTS[0].source)
    assert grammar.accept_tokens("r", [*ids, 2])
    assert grammar.is_terminated()


def tokenizer_of(vocab):
    """Something of the vocabulary's length."""
    return range(len(vocab))


def test_compact_json(engine):
    backend = engine.backend_xgrammar.XgrammarBackend(
        vllm_config=config(engine.tokenizer, compact=True),
        tokenizer=engine.tokenizer,
        vocab_size=len(engine.tokenizer),
    )
    options = engine.backend_types.StructuredOutputOptions
    grammar = backend.compile_grammar(options.JSON, REQUESTS[0].source)
    value = json.loads(REQUESTS[0].right)
    eos = engine.tokenizer.eos_token_id

    def accepts(text):
        tokens = [*engine.tokenizer.encode(text, add_special_tokens=False), eos]
        return grammar.validate_tokens(tokens) == tokens

    assert accepts(json.dumps(value, separators=(",", ":")))
    assert not accepts(json.dumps(value))


def test_stop_tokens_of_the_request(engine):
    options = engine.backend_types.StructuredOutputOptions
    stop = engine.tokenizer.convert_tokens_to_ids("!")
    grammar = engine.backend.compile_grammar(options.REGEX, "a+", stop_token_ids={stop})
    token = engine.tokenizer.convert_tokens_to_ids("a")
    assert grammar.validate_tokens([token, engine.tokenizer.eos_token_id]) == [token]
    assert grammar.validate_tokens([token, stop]) == [token, stop]


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.name)
def test_good_requests_pass_validation(engine, request_):
    engine.backend_xgrammar.validate_xgrammar_grammar(params_of(request_))


@pytest.mark.parametrize(("kind", "source"), BAD_SOURCES)
def test_bad_requests_fail_validation(engine, kind, source):
    bad = SimpleNamespace(kind=kind, source=source)
    with pytest.raises(engine.exceptions.VLLMValidationError):
        engine.backend_xgrammar.validate_xgrammar_grammar(params_of(bad))


class Running(SimpleNamespace):
    """A request of the scheduler."""

    def __init__(self, engine, name, params):
        super().__init__(
            request_id=name,
            sampling_params=params,
            structured_output_request=engine.request.StructuredOutputRequest.from_sampling_params(
                params
            ),
            use_structured_output=True,
            prompt_token_ids=[],
            all_token_ids=[],
        )


def start(engine, manager, count):
    requests = {}
    for i in range(count):
        chosen = REQUESTS[i % len(REQUESTS)]
        running = Running(engine, f"r{i}", params_of(chosen))
        manager.grammar_init(running)
        running.text = chosen.right
        requests[running.request_id] = running
    for running in requests.values():
        running.structured_output_request._grammar.result(timeout=60)
        assert running.structured_output_request.is_grammar_ready
    return requests


def test_manager_with_drafts(engine):
    """The scheduler's manager: compiling in its pool, masks of draft positions, logits."""
    tokenizer = engine.tokenizer
    manager = engine.structured_output.StructuredOutputManager(config(tokenizer, drafts=3))
    requests = start(engine, manager, len(REQUESTS))
    drafts = {}
    for name, running in requests.items():
        tokens = tokenizer.encode(running.text, add_special_tokens=False)[:3]
        drafts[name] = [*manager.validate_tokens(running, [*tokens[:2], 0]), -1]
        assert drafts[name][:2] == tokens[:2]
    names = list(requests)
    mask = manager.grammar_bitmask(requests, names, drafts)
    assert mask.shape == (4 * len(names), (len(tokenizer) + 31) // 32)
    for i, (name, running) in enumerate(requests.items()):
        for j, token in enumerate(drafts[name][:2]):
            assert allows(mask, 4 * i + j, token)
        assert manager.accept_tokens(running, drafts[name][:2])
    batch = SimpleNamespace(req_ids=["free", *names])
    for dtype in (torch.float32, torch.bfloat16):
        rows = 1 + sum(1 + len(drafts[name]) for name in names)
        logits = torch.zeros((rows, len(tokenizer)), dtype=dtype)
        engine.utils.apply_grammar_bitmask(
            SimpleNamespace(scheduled_spec_decode_tokens=drafts),
            SimpleNamespace(grammar_bitmask=mask, structured_output_request_ids=names),
            batch,
            logits,
        )
        assert (logits[0] == 0).all()
        row = 1
        for i, name in enumerate(names):
            bits = np.unpackbits(mask[4 * i].view(np.uint8), bitorder="little")[: len(tokenizer)]
            assert (torch.isfinite(logits[row]).numpy() == bits.astype(bool)).all()
            row += 1 + len(drafts[name])
    manager.clear_backend()


def test_manager_fills_many_rows_in_threads(engine):
    """More than 128 requests are filled by the engine's pool, 16 matchers to a task."""
    tokenizer = engine.tokenizer
    manager = engine.structured_output.StructuredOutputManager(config(tokenizer, rows=256))
    requests = start(engine, manager, 144)
    names = list(requests)
    mask = manager.grammar_bitmask(requests, names, {}).copy()
    for i in range(len(names)):
        assert (mask[i] == mask[i % len(REQUESTS)]).all()
        first = tokenizer.encode(requests[names[i]].text, add_special_tokens=False)[0]
        assert allows(mask, i, first)
    manager.clear_backend()


def test_a_failed_compilation_fails_its_request_alone(engine):
    manager = engine.structured_output.StructuredOutputManager(config(engine.tokenizer))
    bad = Running(engine, "bad", Params(regex="(a"))
    manager.grammar_init(bad)
    with pytest.raises(RuntimeError):
        bad.structured_output_request._grammar.result(timeout=60)
    assert bad.structured_output_request.is_grammar_ready
    assert isinstance(bad.structured_output_request.grammar, RuntimeError)
    start(engine, manager, 2)
    manager.clear_backend()
