"""The command line, as a process and in this one.

Guards exit statuses, what `check` says about the place and the expected text or tokens, how the
language of a grammar is told, that every problem is one message without a traceback, and that the
demonstration ends with a valid text. What docs/command-line.md prints is compared in
tests/integration/test_pages.py; times and sizes are only checked to be there.
"""

import json
import os
import subprocess
import sys

import pytest

from xgrammar.cli import main

pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.parametrize("arguments", [[], ["demo"], ["check"], ["compile"]])
def test_help(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main([*arguments, "--help"])
    assert caught.value.code == 0
    assert "usage: xgrammar" in capsys.readouterr().out


def test_a_pipe_is_read_as_a_file(run):
    read_end, write_end = os.pipe()
    os.write(write_end, b'{"type": "boolean"}')
    os.close(write_end)
    try:
        assert run("check", f"/dev/fd/{read_end}", "true")[:2] == (0, "accepted\n")
    finally:
        os.close(read_end)


def test_as_a_process():
    command = [sys.executable, "-m", "xgrammar"]
    done = subprocess.run(
        [*command, "check", "a+", "aa"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "accepted\n", "")
    done = subprocess.run(
        [*command, "check", "a+", "b"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    done = subprocess.run(
        [*command, "check", "--kind", "ebnf", "root ::= (", "x"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "error:" in done.stderr
    for arguments in ([], ["nothing"], ["check"]):
        done = subprocess.run([*command, *arguments], capture_output=True, check=False)
        assert done.returncode == 2
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("xgrammar ")


def test_check_text_from_standard_input():
    done = subprocess.run(
        [sys.executable, "-m", "xgrammar", "check", "[a-z]+", "-"], input=b"abc", check=False
    )
    assert done.returncode == 0


def test_check_says_where_and_what(run):
    status, out, _ = run("check", 'root ::= "ab\\n" [c-e] "é"', "ab\nx")
    assert status == 1
    assert "byte 3 (line 2, column 1)" in out
    assert "expected: 'c'-'e'" in out
    status, out, _ = run("check", "ab(c|d)", "ab")
    assert status == 1
    assert "incomplete" in out
    assert "expected: 'c'-'d'" in out
    status, out, _ = run("check", "ab?é?", "abx")
    assert status == 1
    assert "the end of the text, or a character beyond ASCII" in out
    assert "^" in out


def test_check_kinds_and_files(run, tmp_path):
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "integer"}', encoding="utf-8")
    text = tmp_path / "text"
    text.write_bytes(b"12")
    assert run("check", str(schema), "12")[0] == 0
    assert run("check", str(schema), f"@{text}")[0] == 0
    assert run("check", str(schema), "x")[0] == 1
    assert run("check", '{"type": "null"}', "null")[0] == 0
    pattern = tmp_path / "p.regex"
    pattern.write_text("[0-9]+\n", encoding="utf-8")
    assert run("check", str(pattern), "12")[0] == 0
    assert run("check", "--kind", "regex", "root ::= a", "root ::= a")[0] == 0


CALL = (
    '{"type": "structural_tag", "format": {"type": "tag", "begin": "<call>", '
    '"content": {"type": "json_schema", "json_schema": {"type": "integer"}}, "end": "</call>"}}'
)

TOKEN_CALL = (
    '{"format": {"type": "tag", "begin": {"type": "token", "token": "<call>"}, '
    '"content": {"type": "any_text"}, "end": {"type": "token", "token": "</call>"}}}'
)


@pytest.mark.parametrize(
    ("suffix", "grammar", "accepted", "rejected"),
    [
        (".json", '{"type": "integer"}', "12", "x"),
        (".json", CALL, "<call>7</call>", "<call>x</call>"),
        (".ebnf", 'root ::= "a" b\nb ::= "b"', "ab", "ba"),
        (".lark", '# a comment\nstart: "a" b\nb: "b"+', "abb", "ba"),
        (".regex", "start[ab]+", "startba", "start"),
    ],
)
@pytest.mark.parametrize("as_file", [True, False])
def test_every_language_is_told(run, tmp_path, suffix, grammar, accepted, rejected, as_file):
    name = grammar
    if as_file:
        path = tmp_path / f"grammar{suffix}"
        path.write_text(grammar, encoding="utf-8")
        name = str(path)
    assert run("check", name, accepted)[0] == 0
    assert run("check", name, rejected)[0] == 1
    assert run("compile", "--tokenizer", "byte", name)[0] == 0


@pytest.mark.parametrize(
    ("kind", "grammar", "message"),
    [
        ("lark", 'start: "a"\n     | (', "line 2, column 9"),
        ("lark", 'start: "a" missing', "unknown name 'missing'"),
        ("lark", "start: <|no|>", "no token of the vocabulary"),
        ("structural-tag", CALL.replace("integer", "int"), "at /format/content/json_schema"),
        ("structural-tag", '{"format":\n{"type"}}', "line 2, column 8"),
        ("structural-tag", '{"format": {"type": "token", "token": "<no>"}}', "at /format"),
        ("json-schema", '{"type":\n"int"', "line 2, column 6"),
        ("json-schema", '{"items": {"type": "int"}}', "at /items"),
        ("ebnf", 'root ::= "a"\n  (', "line 2"),
        ("regex", "a(b", "position 2"),
    ],
)
@pytest.mark.parametrize("told", [True, False])
def test_errors_say_where(run, kind, grammar, message, told):
    arguments = ["--kind", kind] if told else []
    for command in (["check", *arguments, grammar, "a"], ["compile", *arguments, grammar]):
        status, out, err = run(*command)
        assert (status, out) == (2, "")
        assert message in err


@pytest.fixture
def call_tokens(tmp_path):
    path = tmp_path / "tokenizer.json"
    vocab = ["a", "b", "<", ">", "call", "<call>", "</call>", "</s>"]
    special = vocab[-3:]
    value = {
        "model": {"vocab": {t: i for i, t in enumerate(vocab) if t not in special}},
        "added_tokens": [{"id": vocab.index(t), "content": t, "special": True} for t in special],
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("grammar", "accepted"),
    [
        ('start: <call> "ab"+ <[6]>', ["<call>abab</call>", "<call>ab</call></s>"]),
        ('start: /.*/ <call> "a"', ["bb<call>a", "<call>a"]),
        ('start: "<call>" "a"', ["<call>a"]),
        ("start: /[ac<>l]*/", ["a<call>a", "<"]),
        ('start: <[4]> "a"', ["calla"]),
        (TOKEN_CALL, ["<call>ab</call>", "<call></call>"]),
    ],
)
def test_check_reads_tokens_by_their_text(run, call_tokens, grammar, accepted):
    for text in accepted:
        assert run("check", "--tokenizer", call_tokens, grammar, text)[1] == "accepted\n"


def test_check_says_which_token_is_missing(run, call_tokens):
    grammar = 'start: "a" <[6]>'
    _, out, _ = run("check", "--tokenizer", call_tokens, grammar, "a<")
    assert "rejected at byte 1" in out
    assert "expected: token 6 '</call>'" in out
    assert "name its vocabulary with --tokenizer" in run("check", grammar, "a<")[1]
    _, out, _ = run("check", "--tokenizer", call_tokens, grammar, "a</call></s>b")
    assert "rejected at byte 12" in out
    assert "expected: the end of the text" in out
    _, out, _ = run("check", "--tokenizer", "byte", 'start: "a"? <[^1]>', "")
    assert "expected: 'a', token 0" in out
    assert "tokens)" in out
    _, out, _ = run("check", "--tokenizer", "byte", 'start: "a" </s> "b"', "a</s>b")
    assert "a stop token before the end" in out


def test_problems_are_messages(run, tmp_path):
    binary = tmp_path / "binary.ebnf"
    binary.write_bytes(b"\xff\xfe")
    for arguments in (
        ("check", str(tmp_path / "no.json"), "x"),
        ("check", str(binary), "x"),
        ("check", "a", "@" + str(tmp_path / "none")),
        ("check", '{"type": "nothing"}', "x"),
        ("compile", "--tokenizer", "nothing", "a"),
        ("demo", "--schema", str(tmp_path / "no.json")),
        ("demo", "--max-tokens", "0"),
        ("demo", "--tokenizer", "byte", "--max-tokens", "3"),
    ):
        status, _, err = run(*arguments)
        assert status == 2
        assert err.startswith(f"xgrammar {arguments[0]}: error: ")
        assert len(err.splitlines()) == 1


def test_compile(run):
    status, out, _ = run("compile", "--tokenizer", "byte", "--json", '{"type": "string"}')
    assert status == 0
    figures = json.loads(out)
    assert figures["vocab_size"] == 257
    assert figures["compile_ms"] >= 0
    assert figures["memory_bytes"] > 0
    assert figures["num_rules"] >= 1
    assert figures["not_enforced"] == []
    assert "ebnf" not in figures
    status, out, _ = run("compile", "--tokenizer", "byte", "--ebnf", "a+")
    assert "root ::=" in out
    assert "compile_ms" in out
    status, out, _ = run(
        "compile", "--tokenizer", "byte", '{"type": "string", "format": "no-such-format"}'
    )
    assert "not enforced: format at the schema root" in out
    _, out, _ = run("compile", "--tokenizer", "byte", "--json", "--ebnf", '{"format": "iban"}')
    figures = json.loads(out)
    assert [record["keyword"] for record in figures["not_enforced"]] == ["format"]
    assert figures["ebnf"].startswith("root ::=")
    assert "grammar_ms" not in json.loads(run("compile", "--json", CALL)[1])


@pytest.mark.parametrize("seed", range(8))
def test_demo_ends_with_valid_json(run, seed):
    status, out, _ = run("demo", "--tokenizer", "byte", "--seed", str(seed))
    assert status == 0
    lines = dict(line.split(None, 1) for line in out.splitlines())
    value = json.loads(lines["text"])
    assert set(value) >= {"name", "age", "email", "role"}
    assert int(lines["tokens"]) > 0
    assert "mean" in lines["mask"]
    assert (
        run("demo", "--tokenizer", "byte", "--seed", str(seed))[1].splitlines()[2]
        == (out.splitlines()[2])
    )


def test_demo_with_recursive_schema(run, tmp_path):
    schema = tmp_path / "tree.json"
    schema.write_text(
        json.dumps(
            {
                "$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
                "$ref": "#/$defs/n",
            }
        ),
        encoding="utf-8",
    )
    for seed in range(5):
        arguments = ("demo", "--tokenizer", "byte", "--seed", str(seed), "--schema", str(schema))
        assert run(*arguments)[0] == 0


@pytest.mark.hf
@pytest.mark.parametrize("name", ["deepseek", "qwen", "tekken", "tiktoken"])
def test_demo_with_real_tokenizers(run, name):
    status, out, err = run("demo", "--tokenizer", name, "--seed", "1")
    if status == 2 and "needs the package" in err:
        pytest.skip(err.strip())
    assert status == 0
    assert "text" in out


def test_tokenizer_json_file(run, tmp_path):
    path = tmp_path / "tokenizer.json"
    value = {
        "model": {"vocab": {"a": 0, "Ġb": 1}},
        "decoder": {"type": "ByteLevel"},
        "added_tokens": [{"id": 2, "content": "</s>", "special": True}],
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    status, out, _ = run("compile", "--json", "--tokenizer", str(path), "a b")
    assert status == 0
    assert json.loads(out)["vocab_size"] == 3
    path.write_text("{}", encoding="utf-8")
    assert run("compile", "--tokenizer", str(path), "a b")[0] == 2
