"""What this library does better than XGrammar 0.2.9, line by line of `docs/replacing-xgrammar.md`.

Each test is one line of the table there; figures have room for slow machines.
"""

from __future__ import annotations

import copy
import importlib.metadata
import json
import pickle
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration import serving

ROOT = Path(__file__).parents[2]


@pytest.fixture
def info():
    return xgr.TokenizerInfo(["a", "b", "</s>", "c"])


def matcher_of(info, ebnf, **options):
    return xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar(ebnf), **options)


def accepts(grammar, text):
    return xgr.testing._is_grammar_accept_string(grammar, text)


def test_import_is_fast_and_small():
    code = (
        "import time; begin = time.process_time(); import xgrammar; "
        "print(time.process_time() - begin); print(open('/proc/self/status').read())"
    )
    if not Path("/proc/self/status").is_file():
        pytest.skip("reads the memory of a process from /proc")
    runs = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        peak = re.search(r"VmHWM:\s*(\d+) kB", done.stdout)
        assert peak
        runs.append((float(done.stdout.split()[0]), int(peak[1])))
    seconds, kilobytes = (min(column) for column in zip(*runs, strict=True))
    assert seconds <= 0.15
    assert kilobytes <= 40_000


def test_no_heavy_dependency_is_required():
    tomllib = pytest.importorskip("tomllib", reason="reads pyproject.toml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = [re.split(r"[^\w-]", line, maxsplit=1)[0] for line in project["dependencies"]]
    assert names == ["pydantic"]


def test_no_array_package_is_needed_to_match():
    code = """
import sys
from array import array

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "torch", "pydantic"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import xgrammar as xgr
from xgrammar.__main__ import main
info = xgr.TokenizerInfo([chr(i) for i in range(32, 127)] + ["</s>"])
compiled = xgr.GrammarCompiler(info).compile_json_schema({"type": "boolean"})
matcher, row = xgr.GrammarMatcher(compiled), array("i", [0, 0, 0])
matcher.fill_next_token_bitmask(row)
found = [32 * i + b for i, word in enumerate(row) for b in range(32) if word >> b & 1]
assert {chr(32 + token) for token in found} == {"t", "f"}, found
assert matcher.accept_string("true") and matcher.accept_token(95) and matcher.is_terminated()
assert main(["demo", "--seed", "1"]) == 0
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_allocating_says_what_is_missing(monkeypatch):
    monkeypatch.setattr(xgr.bitmask, "_is_installed", lambda _package: False)
    for like in (None, "numpy", "torch"):
        with pytest.raises(ImportError, match=f"needs {like or 'numpy'}: pip install"):
            xgr.allocate_token_bitmask(1, 8, like=like)


def test_masks_are_any_writable_buffer(info):
    matcher = matcher_of(info, 'root ::= "a"')
    raw = bytearray(4)
    matcher.fill_next_token_bitmask(memoryview(raw).cast("i"))
    assert raw[0] == 1
    array = xgr.allocate_token_bitmask(2, 4, like="numpy")
    matcher.fill_next_token_bitmask(array, 1)
    assert array.tolist() == [[-1], [1]]


def test_stubs_and_errors_name_parameters(info):
    package = ROOT / "python" / "xgrammar"
    assert (package / "py.typed").is_file()
    assert "def accept_token(self, token_id:" in (package / "_core.pyi").read_text(encoding="utf-8")
    matcher = matcher_of(info, 'root ::= "a"')
    with pytest.raises(TypeError, match="token_id must be an integer, not str"):
        matcher.accept_token("a")
    with pytest.raises(TypeError, match="num_tokens must be an integer, not str"):
        matcher.rollback("a")


def test_errors_say_where():
    with pytest.raises(xgr.JSONSchemaError) as schema_error:
        xgr.Grammar.from_json_schema(
            {"properties": {"a": {"type": "strin"}}, "description": "x" * 100_000}
        )
    assert schema_error.value.pointer == "/properties/a"
    with pytest.raises(xgr.GrammarSyntaxError) as lark_error:
        xgr.Grammar.from_lark('start: "a" missing')
    assert (lark_error.value.line, lark_error.value.column) == (1, 12)
    assert str(lark_error.value).endswith("^")
    with pytest.raises(xgr.GrammarSyntaxError) as regex_error:
        xgr.Grammar.from_regex("a(b")
    assert regex_error.value.position == 2
    with pytest.raises(xgr.GrammarSyntaxError) as ebnf_error:
        xgr.Grammar.from_ebnf('root ::= "a" )')
    assert (ebnf_error.value.line, ebnf_error.value.column) == (1, 14)
    assert str(lark_error.value).endswith('\nstart: "a" missing\n           ^')
    assert str(regex_error.value).endswith("\na(b\n ^")
    assert str(ebnf_error.value).endswith('\nroot ::= "a" )\n             ^')
    for error in (schema_error, lark_error, regex_error, ebnf_error):
        text = str(error.value)
        assert len(text) < 500
        assert not re.search(r"\d\d:\d\d:\d\d|\.cc|Check failed|\n$", text)


def test_schema_keywords_are_enforced():
    schema = {
        "type": "array",
        "items": {"allOf": [{"type": "integer"}, {"multipleOf": 7}, {"enum": [7, 8, 14]}]},
        "uniqueItems": False,
        "minItems": 1,
    }
    grammar = xgr.Grammar.from_json_schema(schema)
    assert accepts(grammar, "[7, 14]")
    assert not accepts(grammar, "[8]")
    words = {"type": "string", "pattern": "^[ab]+$", "minLength": 2, "maxLength": 3}
    grammar = xgr.Grammar.from_json_schema(words)
    assert [accepts(grammar, f'"{text}"') for text in ("a", "ab", "aba", "abab")] == [
        False,
        True,
        True,
        False,
    ]


def test_what_cannot_be_enforced_is_an_error_or_reported():
    schema = {"type": "array", "not": {"uniqueItems": True}}
    with pytest.raises(xgr.UnsupportedFeatureError) as refused:
        xgr.Grammar.from_json_schema(schema)
    assert refused.value.pointer is not None
    report = xgr.Grammar.from_json_schema(schema, lenient=True).json_schema_report
    assert [entry["keyword"] for entry in report] == ["uniqueItems"]


def test_nothing_is_printed(info, capfd):
    matcher = matcher_of(info, 'root ::= "a"')
    for token in (-1, 99, 2, 1, 0, 2, 0):
        matcher.accept_token(token)
    assert matcher.is_terminated()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("stops", [None, [3], [2, 3]])
@pytest.mark.parametrize(
    "ebnf", ['root ::= "a" "</s>" "b"', "root ::= [^x]*", 'root ::= "a"*', "root ::= Token(2) [a]"]
)
def test_masks_and_acceptance_agree(info, ebnf, stops):
    matcher = matcher_of(info, ebnf, override_stop_tokens=stops)
    for step in range(3):
        row = np.zeros((1, 1), np.int32)
        matcher.fill_next_token_bitmask(row)
        allowed = [token for token in range(4) if row[0, 0] >> token & 1]
        assert allowed == [token for token in range(4) if matcher.fork().accept_token(token)]
        following = [t for t in allowed if t not in (stops or info.stop_token_ids)]
        if not following:
            break
        matcher.accept_token(following[step % len(following)])


def test_strides_are_honoured_or_refused(info):
    matcher = matcher_of(info, 'root ::= "a"')
    wide = np.full((4, 3), 7, np.int32)
    matcher.fill_next_token_bitmask(wide[::2, :1], 1)
    assert wide.tolist() == [[7, 7, 7], [7, 7, 7], [1, 7, 7], [7, 7, 7]]
    two_words = xgr.TokenizerInfo([f"t{i}" for i in range(40)])
    with pytest.raises(RuntimeError):
        matcher_of(two_words, 'root ::= "t1"').fill_next_token_bitmask(wide[:, ::2])
    logits = np.zeros((2, 8), np.float32)
    xgr.apply_token_bitmask_inplace(logits[:, ::2], np.array([[1], [2]], np.int32))
    assert np.isfinite(logits).tolist() == [
        [True, True, False, True, False, True, False, True],
        [False, True, True, True, False, True, False, True],
    ]


def test_stop_tokens_outside_the_vocabulary_are_reported():
    with pytest.warns(UserWarning, match=r"\[9\]"):
        info = xgr.TokenizerInfo(["a"], vocab_size=4, stop_token_ids=[2, 9])
    assert info.stop_token_ids == [2]
    matcher = matcher_of(info, 'root ::= "a"')
    assert matcher.accept_token(0)
    assert matcher.accept_token(2)
    assert matcher.is_terminated()


def test_wrong_arguments_are_errors(info):
    matcher = matcher_of(info, 'root ::= "a"')
    with pytest.raises(ValueError, match="-1"):
        matcher.rollback(-1)
    with pytest.raises(ValueError, match="separators"):
        xgr.Grammar.from_json_schema({}, separators=(",", ":", ";"))
    logits, mask = np.zeros((2, 4), np.float32), np.zeros((2, 1), np.int32)
    with pytest.raises(ValueError, match="vocab_size"):
        xgr.apply_token_bitmask_inplace(logits, mask, vocab_size=-1)
    xgr.apply_token_bitmask_inplace(logits, mask, indices=(1,))
    assert np.isfinite(logits).all(axis=1).tolist() == [True, False]


def test_copies_equality_and_pickles(info):
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_grammar('root ::= "a" "b"')
    assert compiled == compiler.compile_grammar('root ::= "a" "b"')
    assert compiled.tokenizer_info == info
    assert len({compiled.grammar, compiled.grammar}) == 1
    assert copy.deepcopy(info) is info
    matcher = xgr.GrammarMatcher(compiled)
    matcher.accept_token(0)
    for other in (copy.copy(matcher), copy.deepcopy(matcher), matcher.fork()):
        assert other.accept_token(1)
        assert not matcher.is_completed()
    again = pickle.loads(pickle.dumps(compiled))
    assert xgr.GrammarMatcher(again).accept_string("ab")


def test_compiled_grammars_belong_to_a_vocabulary(info):
    text = xgr.GrammarCompiler(info).compile_grammar('root ::= "a"').serialize_json()
    assert xgr.CompiledGrammar.deserialize_json(text, info)
    other = xgr.TokenizerInfo(["x", "b", "</s>", "c"])
    with pytest.raises(xgr.DeserializeFormatError):
        xgr.CompiledGrammar.deserialize_json(text, other)


def test_vocabularies_are_decoded_once():
    info = serving.tokenizer_info()
    assert info.decoded_vocab is info.decoded_vocab


def test_reading_a_vocabulary_lets_other_threads_run():
    vocabulary = [f"token{i}" for i in range(400_000)]
    ticks, stop = 0, threading.Event()

    def count():
        nonlocal ticks
        while not stop.is_set():
            time.sleep(0.0001)
            ticks += 1

    thread = threading.Thread(target=count)
    thread.start()
    # The part that holds the lock, reading the strings, is the shorter one.
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[0])
    xgr.GrammarCompiler(info)
    stop.set()
    thread.join()
    assert ticks > 1


def test_serialized_grammars_are_small(info):
    properties = {f"p{i}": {"type": ("string", "integer", "boolean")[i % 3]} for i in range(30)}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    text = xgr.GrammarCompiler(info).compile_json_schema(schema).serialize_json()
    assert len(text) < 21_000_000 / 100
    binary = xgr.GrammarCompiler(info).compile_json_schema(schema).serialize()
    assert len(binary) < len(text)
    assert xgr.CompiledGrammar.deserialize(binary, info).serialize_json() == text


@pytest.mark.parametrize("limit", [0, 3000, 20_000])
def test_the_cache_keeps_its_limit(info, limit):
    compiler = xgr.GrammarCompiler(info, cache_limit_bytes=limit)
    for i in range(20):
        matcher = xgr.GrammarMatcher(compiler.compile_grammar(f'root ::= "a"{{{i}}} "b"'))
        matcher.accept_token(0)
        assert compiler.get_cache_size_bytes() <= limit
    compiler.clear_cache()
    assert compiler.get_cache_size_bytes() == 0


PATTERNS = [
    "(a+)+b",
    "(x+x+)+y",
    "(?:(a|aa)+)+",
    "(.*a){25}",
    "([a-z]{1,1000}){1,1000}",
    "(.*)*" * 5,
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_compile_in_bounded_time(info, pattern):
    begin = time.thread_time()
    xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_regex(pattern)).accept_string("ab" * 50)
    assert time.thread_time() - begin < 1


def test_compilations_end_by_a_time_limit(info):
    schema = {"type": "string", "pattern": "(a|b)*a(a|b){16}", "maxLength": 100_000}
    with pytest.raises(RuntimeError) as caught:
        xgr.GrammarCompiler(info).compile_json_schema(schema, timeout=1e-4)
    assert isinstance(caught.value, xgr.CompileBudgetError)


def test_too_complex_patterns_are_a_runtime_error(info):
    limits = xgr.Limits(max_dfa_states=1000)
    schema = {"type": "string", "pattern": "(a|b)*a(a|b){14}", "maxLength": 1000}
    with pytest.raises(RuntimeError) as caught:
        xgr.GrammarCompiler(info, limits=limits).compile_json_schema(schema)
    assert caught.value.limit == "max_dfa_states"


def test_one_compiler_serves_text_and_markers():
    """Special tokens are no text, and stand where a literal or a token term spells them."""
    vocabulary = ["</s>", "<tool>", "</tool>", '"', "a", "<", "tool", ">"]
    info = xgr.TokenizerInfo(vocabulary, stop_token_ids=[0], special_token_ids=[1, 2])
    compiler = xgr.GrammarCompiler(info)
    matcher = xgr.GrammarMatcher(compiler.compile_json_schema({"type": "string"}))
    assert matcher.accept_token(3)
    assert not matcher.accept_token(1)
    assert all(map(matcher.accept_token, (5, 6, 7, 3)))
    tag = {"type": "tag", "begin": "<tool>", "content": {"type": "any_text"}, "end": "</tool>"}
    tag = {"type": "structural_tag", "format": tag}
    matcher = xgr.GrammarMatcher(compiler.compile_structural_tag(tag))
    assert all(map(matcher.accept_token, (1, 4, 2, 0)))
    assert matcher.is_terminated()


def test_operators_and_constructors():
    first, second = xgr.Grammar.from_ebnf('root ::= "a"'), xgr.Grammar.from_ebnf('root ::= "b"')
    assert accepts(first + second, "ab")
    assert accepts(first | second, "b")
    for kind in (xgr.Grammar, xgr.CompiledGrammar):
        with pytest.raises(TypeError, match="made by"):
            kind()


def test_tools_are_never_dropped_silently():
    assert {"DispatchFormat", "TokenDispatchFormat"} <= set(xgr.structural_tag.__all__)
    for malformed in ({"type": "function"}, {"type": "function", "name": "f"}):
        with pytest.raises(ValueError, match="function"):
            xgr.normalize_tool_choice([malformed])


def test_the_version_is_there():
    assert xgr.__version__ == importlib.metadata.version("xgrammar")
    assert xgr.__version_tuple__[:2] >= (0, 3)


def test_renaming_rules_in_printed_grammars_is_safe():
    """One client renames the rules of a printed grammar by whole-word substitution."""
    properties = {name: {"type": "integer"} for name in ("root", "ws", "integer", "value", "name")}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    text = str(xgr.Grammar.from_json_schema(json.dumps(schema)))
    for name in set(re.findall(r"\b(\w+)\s*::=", text)):
        text = re.sub(rf"\b{re.escape(name)}\b", f"tool_{name}", text)
    grammar = xgr.Grammar.from_ebnf(text, root_rule_name="tool_root")
    assert accepts(grammar, json.dumps(dict.fromkeys(properties, 1)))
