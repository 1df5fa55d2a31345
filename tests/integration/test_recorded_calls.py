"""What the serving engines' own files call, played back: needs neither the engines nor torch.

`record_clients.py` makes the recordings.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.integration.call_recording import Player, words_of

FOLDER = Path(__file__).parents[1] / "data" / "client_calls"
pytestmark = pytest.mark.filterwarnings("ignore:max_rollback_tokens:DeprecationWarning")


def events_of(client):
    lines = (FOLDER / f"{client}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("client", ["vllm", "sglang"])
def test_a_recording_plays(client):
    player = Player()
    for event in events_of(client):
        player.play(event)


def test_recordings_hold_what_the_engines_do():
    calls = {client: Counter(e["call"] for e in events_of(client)) for client in ("vllm", "sglang")}
    for client, names in {
        "vllm": [
            "TokenizerInfo.from_huggingface",
            "TokenizerInfo.from_vocab_and_metadata",
            "GrammarCompiler.compile_json_schema",
            "GrammarCompiler.compile_lark",
            "GrammarCompiler.compile_grammar",
            "GrammarCompiler.compile_regex",
            "GrammarCompiler.compile_structural_tag",
            "GrammarMatcher.reset",
            "GrammarMatcher.rollback",
            "Grammar.from_structural_tag",
            "apply_token_bitmask_inplace",
        ],
        "sglang": [
            "GrammarCompiler.compile_builtin_json_grammar",
            "GrammarMatcher.find_jump_forward_string",
            "GrammarCompiler.clear_cache",
            "TokenizerInfo.decoded_vocab",
            "Grammar.__str__",
        ],
    }.items():
        assert not [name for name in names if not calls[client][name]]
        assert calls[client]["GrammarMatcher.accept_token"] > 100


def test_a_difference_is_found():
    """A changed mask, answer or error does not pass."""
    events = events_of("vllm")
    fill = next(e for e in events if "row" in e)
    for key, value in (("row", words_of([0])), ("returns", not fill["returns"])):
        player = Player()
        changed = [{**e, key: value} if e is fill else e for e in events]
        with pytest.raises(AssertionError):
            list(map(player.play, changed))
