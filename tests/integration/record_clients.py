"""Records what the serving engines' own files call, for `test_recorded_calls.py`.

Run as `XGRAMMAR_ENGINES=... python -m tests.integration.record_clients` where torch is installed;
writes `tests/data/client_calls`. Only needed when an engine changes what it calls.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch

from tests.integration import test_sglang, test_vllm
from tests.integration.call_recording import Recorder
from tests.integration.engine_files import engine_modules
from tests.integration.engine_requests import BAD_SOURCES, REQUESTS
from tests.integration.engine_tokenizers import SmallTokenizer

FOLDER = Path(__file__).parents[1] / "data" / "client_calls"
BODY = '{"name": "x", "age": 3'


def record_vllm() -> list[dict[str, Any]]:
    """Requests through vLLM's backend, validation, drafts and logits."""
    recorder, tokenizer = Recorder(), SmallTokenizer()
    with engine_modules("vllm", test_vllm.REAL, test_vllm.stand_ins(tokenizer)) as load:
        modules = {name.rpartition(".")[2]: load(name) for name in test_vllm.REAL}
        for name in ("backend_xgrammar", "utils"):
            recorder.install(modules[name])
        engine = SimpleNamespace(**modules)
        backend = engine.backend_xgrammar.XgrammarBackend(
            vllm_config=test_vllm.config(tokenizer, drafts=2),
            tokenizer=tokenizer,
            vocab_size=len(tokenizer),
        )
        mask = backend.allocate_token_bitmask(3)
        for request in REQUESTS:
            engine.backend_xgrammar.validate_xgrammar_grammar(test_vllm.params_of(request))
            grammar = backend.compile_grammar(test_vllm.option(engine, request), request.source)
            tokens = tokenizer.encode(request.right)
            for i, token in enumerate(tokens):
                grammar.fill_bitmask(mask, 1)
                if i % 4 == 0:
                    grammar.validate_tokens([*tokens[i : i + 2], tokenizer.bos_token_id])
                grammar.accept_tokens("r", [token])
            grammar.accept_tokens("r", [tokenizer.eos_token_id])
            grammar.rollback(3)
            grammar.accept_tokens("r", [*tokens[-2:], tokenizer.eos_token_id])
            grammar.reset()
            grammar.validate_tokens(tokenizer.encode(request.wrong))
            grammar.fill_bitmask(mask, 0)
            logits = torch.zeros((3, len(tokenizer)))
            engine.utils.xgr.apply_token_bitmask_inplace(logits, mask, indices=[0, 1])
        for kind, source in BAD_SOURCES:
            bad = SimpleNamespace(kind=kind, source=source)
            with contextlib.suppress(engine.exceptions.VLLMValidationError):
                engine.backend_xgrammar.validate_xgrammar_grammar(test_vllm.params_of(bad))
    return recorder.events


def record_sglang() -> list[dict[str, Any]]:
    """Requests through SGLang's backend, copies, jump-forward, framing."""
    recorder, tokenizer = Recorder(), SmallTokenizer()
    with engine_modules("sglang", test_sglang.REAL, test_sglang.STAND_INS) as load:
        module = load("sglang.srt.constrained.xgrammar_backend")
        recorder.install(module)
        backend = module.XGrammarGrammarBackend(
            tokenizer,
            vocab_size=len(tokenizer),
            model_eos_token_ids=[tokenizer.eos_token_id],
            any_whitespace=False,
        )
        for request in test_sglang.SERVED:
            kind, source = test_sglang.key_of(request)
            grammar = getattr(backend, f"dispatch_{kind}")(source)
            mask = grammar.allocate_vocab_mask(len(tokenizer), 2, "cpu")
            tokens = tokenizer.encode(request.right)
            for token in [*tokens, tokenizer.eos_token_id]:
                grammar.fill_vocab_mask(mask, 1)
                grammar.try_jump_forward(tokenizer)
                grammar.accept_token(token)
            grammar.rollback(2)
            again = grammar.copy()
            for token in tokenizer.encode(request.wrong):
                with contextlib.suppress(ValueError):
                    again.accept_token(token)
        for kind, source in BAD_SOURCES:
            if kind != "lark":
                getattr(backend, f"dispatch_{kind}")(source)
        think = tokenizer.convert_tokens_to_ids("<think>")
        backend.reserve_framing_tokens([think])
        inner = backend.dispatch_json(REQUESTS[0].source)

        def frame(content: dict[str, Any]) -> dict[str, Any]:
            elements = [{"type": "token", "token": think}, content]
            return {"type": "structural_tag", "format": {"type": "sequence", "elements": elements}}

        framed = backend.compile_framed_grammar(inner, frame)
        for token in [think, *tokenizer.encode(BODY)]:
            framed.fill_vocab_mask(mask, 0)
            framed.accept_token(token)
        backend.reset()
        backend.executor.shutdown()
    return recorder.events


def main() -> None:
    """Write both recordings."""
    warnings.simplefilter("ignore", DeprecationWarning)
    FOLDER.mkdir(exist_ok=True)
    makers: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "vllm": record_vllm,
        "sglang": record_sglang,
    }
    for name, make in makers.items():
        events = make()
        with (FOLDER / f"{name}.jsonl").open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(event) + "\n" for event in events)
        sys.stdout.write(f"{name}: {len(events)} calls\n")


if __name__ == "__main__":
    main()
