"""The command line, as a process and in this one."""

import json
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
    status, out, _ = run("compile", "--tokenizer", "byte", "--ebnf", "a+")
    assert "root ::=" in out
    assert "compile_ms" in out
    status, out, _ = run(
        "compile", "--tokenizer", "byte", '{"type": "string", "format": "no-such-format"}'
    )
    assert "not enforced: format" in out


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
