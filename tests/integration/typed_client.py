"""A small client with types throughout: mypy checks that the package's own types are exact.

`assert_type` fails the type check where a result is wider than stated, `Any` included. It runs,
too: `test_typed_client.py` calls `generate`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import xgrammar as xgr
from xgrammar.exception import GrammarLimitError, GrammarSyntaxError, XGrammarError
from xgrammar.openai_tool_call_schema import FunctionToolParam

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value, kind):
        del kind
        return value


@dataclass
class Served:
    """One request: its grammar and its place in the text."""

    compiled: xgr.CompiledGrammar
    matcher: xgr.GrammarMatcher


class Server:
    """Compiles requests and finds the tokens of their answers."""

    def __init__(self, vocabulary: list[str | bytes]) -> None:
        self.info = xgr.TokenizerInfo(vocabulary, xgr.VocabType.RAW, stop_token_ids=[0])
        self.compiler = xgr.GrammarCompiler(self.info, cache_limit_bytes=1 << 20)
        assert_type(self.info.vocab_size, int)
        assert_type(self.info.decoded_vocab, list[bytes])
        assert_type(self.info.dump_metadata(), str)

    def start(self, schema: dict[str, object] | str) -> Served | str:
        """A request, or the text of what is wrong with it."""
        try:
            compiled = self.compiler.compile_json_schema(schema, any_whitespace=False)
        except GrammarSyntaxError as error:
            assert_type(error.line, int | None)
            return f"{error.where}: {error}"
        except GrammarLimitError as error:
            assert_type(error.limit, str | None)
            return str(error)
        except XGrammarError as error:
            assert_type(error.pointer, str | None)
            return str(error)
        assert_type(compiled, xgr.CompiledGrammar)
        assert_type(compiled.grammar, xgr.Grammar)
        return Served(compiled, xgr.GrammarMatcher(compiled, override_stop_tokens=[0]))

    def answer(self, served: Served, wanted: str) -> list[int]:
        """Token ids of a text, forced ones without looking at it."""
        matcher, ids = served.matcher, list[int]()
        assert_type(matcher.find_jump_forward_string(), str)
        while not matcher.is_terminated():
            forced = matcher.find_jump_forward_tokens()
            assert_type(forced, list[int])
            if not forced:
                rest = wanted.encode()[len(self.text(ids)) :]
                forced = [self.next_token(rest)]
            for token in forced:
                if not matcher.accept_token(token):
                    raise ValueError(f"{token} after {ids}")
            ids += forced
        return ids

    def next_token(self, rest: bytes) -> int:
        """The longest token that begins the rest, or the stop token."""
        fitting = [i for i, token in enumerate(self.info.decoded_vocab) if rest.startswith(token)]
        return max(fitting, key=lambda i: len(self.info.decoded_vocab[i])) if rest else 0

    def text(self, ids: list[int]) -> bytes:
        """The bytes of tokens."""
        return b"".join(self.info.decoded_vocab[i] for i in ids)


def tool_call(name: str) -> xgr.StructuralTag:
    """The structural tag of one tool in a model family's format."""
    tool = FunctionToolParam.model_validate({"type": "function", "function": {"name": name}})
    return xgr.get_model_structural_tag("llama", tools=[tool.model_dump()], tool_choice="required")


def generate() -> list[str]:
    """Answers to a good and a bad request, and a grammar of a tool call."""
    server = Server(["</s>", *(chr(byte) for byte in range(32, 127)), '{"', '": ', '"}', "name"])
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
    }
    answers = []
    for source in (schema, '{"type": "strin"}'):
        served = server.start(source)
        if isinstance(served, str):
            answers.append(served)
            continue
        ids = server.answer(served, '{"name": "Ann"}')
        answers.append(server.text(ids[:-1]).decode())
    grammar = xgr.Grammar.from_structural_tag(tool_call("look"))
    assert_type(grammar | grammar, xgr.Grammar)
    assert_type(str(grammar), str)
    return [*answers, str(grammar)]
