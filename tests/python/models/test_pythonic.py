"""The style `pythonic` against Python itself: what the grammar lets through is read by `ast` as the
calls that were meant, with arguments that satisfy the schema.
"""

from __future__ import annotations

import ast
import random

import pytest

import xgrammar as xgr
from tests.python.models.conftest import has_engine
from tests.python.models.test_families import tool

pytestmark = pytest.mark.skipif(not has_engine(), reason="needs the engine's structural tags")
STOP = 256
SCHEMA = {
    "type": "object",
    "properties": {
        "s": {"type": "string", "maxLength": 6},
        "p": {"type": "string", "pattern": "^[a'\"\\\\\n]+$"},
        "e": {"enum": ["it's", 'a "b"', "\n\u2028", None, True, {"k": ["v"]}]},
        "d": {"type": "object", "additionalProperties": {"type": "boolean"}, "maxProperties": 2},
        "n": {"type": ["integer", "null"]},
    },
    "required": ["s", "p", "e"],
    "additionalProperties": False,
}
# Weights of what to sample: quotes, escapes and brackets over letters.
FAVOURED = b"\\'\"]})>,xuU0123456789\xc2\x85\xe2\x80\xa8 "


@pytest.fixture(scope="module")
def compiler():
    vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    return xgr.GrammarCompiler(xgr.TokenizerInfo(vocabulary, stop_token_ids=[STOP]))


def sample(compiler, tag, rng):
    """A random text of a tag, byte by byte from its masks."""
    matcher = xgr.GrammarMatcher(compiler.compile_structural_tag(tag))
    mask = xgr.allocate_token_bitmask(1, compiler.tokenizer_info.vocab_size)
    text = b""
    while len(text) < 4000:
        matcher.fill_next_token_bitmask(mask)
        bits = [int(word) & 0xFFFFFFFF for word in mask[0]]
        allowed = [t for t in range(257) if bits[t // 32] >> (t % 32) & 1]
        if STOP in allowed:
            return text.decode()
        closers = [t for t in allowed if t in b"'\"]})"]
        favoured = [t for t in allowed if t in FAVOURED]
        if len(text) > 400 and closers:
            favoured = closers
        token = rng.choice(favoured if favoured and rng.random() < 0.7 else allowed)
        assert matcher.accept_token(token)
        text += bytes([token])
    return None


def read(text):
    """The calls of a list, as parsers of these families read them."""
    parsed = ast.parse(text).body[0].value
    assert isinstance(parsed, ast.List)
    return [
        (call.func.id, {k.arg: ast.literal_eval(k.value) for k in call.keywords})
        for call in parsed.elts
    ]


def test_sampled_calls_are_python_and_satisfy_the_schema(compiler):
    jsonschema = pytest.importorskip("jsonschema")
    rng = random.Random("pythonic")
    tag = xgr.get_model_structural_tag("llama4_pythonic", [tool("f", SCHEMA)], "required")
    read_texts = 0
    for _ in range(40):
        text = sample(compiler, tag, rng)
        if text is None:
            continue
        read_texts += 1
        # Some parsers split calls at line ends, of which Python's text knows many.
        assert len(text.splitlines()) == 1
        for name, arguments in read(text):
            assert name == "f"
            jsonschema.validate(arguments, SCHEMA)
    assert read_texts > 20


ESCAPES = {
    **{chr(code): f"\\x{code:02x}" for code in (*range(32), 0x85)},
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "\\": "\\\\",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}
STRINGS = [
    "",
    "'",
    '"',
    "'\"",
    "\\",
    "\\'",
    "a\nb\r\t\x00\x1f\x7f",
    "\x85\u2028\u2029",
    "日😀",
    "%s",
]


def written(value, quote):
    body = "".join({**ESCAPES, quote: "\\" + quote}.get(c, c) for c in value)
    return quote + body + quote


@pytest.mark.parametrize("value", STRINGS)
@pytest.mark.parametrize("schema", [{"type": "string"}, {"type": "string", "maxLength": 30}, {}])
def test_every_string_can_be_written_in_both_quotes(value, schema, accepts):
    for part in (schema, {"const": value}):
        parameters = {"type": "object", "properties": {"q": part}, "required": ["q"]}
        tag = xgr.get_model_structural_tag("llama4_pythonic", [tool("f", parameters)], "required")
        for quote in "'\"":
            text = written(value, quote)
            assert ast.literal_eval(text) == value
            assert accepts(tag, f"[f(q={text})]"), text


@pytest.mark.parametrize(
    "spelling",
    [r"'\d'", r"'\ud83d\ude00'", r"'\U00110000'", r"'\0'", r"'\N{DASH}'", "'a' 'b'", "b'a'", "f'a'",
     "'a\n'", "'''a'''", "('a')", "'a',"],
)  # fmt: skip
def test_other_spellings_are_refused(spelling, accepts):
    tag = xgr.get_model_structural_tag(
        "lfm2", [tool("f", {"properties": {"q": {"type": "string"}}})], "required", "disabled"
    )
    assert accepts(tag, "<|tool_call_start|>[f(q='a')]<|tool_call_end|>")
    assert not accepts(tag, f"<|tool_call_start|>[f(q={spelling})]<|tool_call_end|>")


def test_names_that_python_cannot_write():
    plain = ("f-g", "f.g", "class", "", "1f", "日", "_f")
    for key, names in (
        ("llama4_pythonic", plain),
        ("olmo3", plain),
        ("lfm2", ("f-g", "f.", "f.in")),
    ):
        for name in names:
            with pytest.raises(ValueError, match="cannot call the tool"):
                xgr.get_model_structural_tag(key, [tool(name, {})])
    assert xgr.get_model_structural_tag("lfm2", [tool("f.g", {})])
    for name in ("a-b", "from", "1a", "日", ""):
        tag = xgr.get_model_structural_tag("lfm2", [tool("f", {"properties": {name: {}}})])
        with pytest.raises(
            xgr.exception.UnsupportedFeatureError, match="cannot write the argument"
        ):
            xgr.Grammar.from_structural_tag(tag)


def test_llama_writes_calls_or_text(accepts):
    tools = [tool("f", {}), tool("g", {})]
    tag = xgr.get_model_structural_tag("llama4_pythonic", tools)
    for text in ("", "See [1] and [f] or f(x).", "[f()]", "[f(), g(a=1)]", "[h()]"):
        assert accepts(tag, text), text
    for text in ("Hm. [f()]", "[f()] ok", "[f(", "[f(), h()]", "[]g [g()"):
        assert not accepts(tag, text), text
    single = xgr.get_model_structural_tag("llama4_pythonic", tools, parallel_tool_calls=False)
    assert accepts(single, "[g()]")
    assert not accepts(single, "[f(), g()]")
