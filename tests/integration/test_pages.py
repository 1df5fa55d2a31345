"""What the pages for readers print is what happens: code, console sessions, tables and links.

Guards README.md and the pages of docs that no other test runs. Python blocks are executed in order;
console blocks are run command by command and their output compared (`...` stands for any text);
tables of limits, styles and formats are compared with the library; links lead somewhere; options
and targets that a command names exist. The references of EBNF, Lark and regular expressions, the
model families and the page on replacing XGrammar have tests of their own, beside their subject.
Not guarded: whether prose is true, and what commands print that take minutes or install packages.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import get_args

import pytest

import xgrammar as xgr
from tests.bench.__main__ import parse_arguments
from tests.integration.engine_tokenizers import fast_tokenizer
from tests.integration.test_replacing_page import small_model
from xgrammar.structural_tag import SchemaStyle
from xgrammar.testing import _is_grammar_accept_string

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "tests").rglob("README.md")),
]
FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def blocks(page, language):
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for _, name, body in FENCE.findall(text) if name == language]


def tables(page, header):
    """Cells of the rows of the tables whose header begins so; `\\|` is a bar in a cell."""
    rows = []
    for table in re.findall(
        r"(?:^\|.*\n)+", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE
    ):
        if table.startswith(header):
            lines = table.splitlines()[2:]
            cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
            rows += [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]
    assert rows, f"{page} has no table {header}"
    return rows


def code_spans(cell):
    return re.findall(r"`([^`]*)`", cell)


def anchors(text):
    """Heading anchors as Markdown renderers make them."""
    headings = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_readme_example():
    (code,) = blocks("README.md", "python")
    names = {}
    exec(compile(code, "README.md", "exec"), names)
    row = names["mask"][0]
    names["matcher"].fill_next_token_bitmask(names["mask"])
    allowed = [t for t in range(len(names["vocab"])) if row[0] >> t & 1]
    assert [names["vocab"][t] for t in allowed] == ['"', " "]


def run_blocks(page, names):
    """Run the Python blocks of a page in one namespace, those for MLX only as far as they parse."""
    code = blocks(page, "python")
    assert code
    for block in code:
        program = compile(block, page, "exec")
        if "mlx" not in block:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", module="transformers")
                exec(program, names)
    return names


@pytest.mark.torch
@pytest.mark.hf
@pytest.mark.timeout(240)
def test_masking_page():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tokenizer = fast_tokenizer()
    info = xgr.TokenizerInfo.from_huggingface(tokenizer)
    compiler = xgr.GrammarCompiler(info)
    matchers = [xgr.GrammarMatcher(compiler.compile_regex(text)) for text in ("[0-9]+", "a*")]
    schema = {"type": "object", "properties": {"a": {"type": "null"}}, "required": ["a"]}
    torch.manual_seed(2)
    model = small_model(len(tokenizer))
    model.generation_config.update(
        max_new_tokens=40, pad_token_id=tokenizer.eos_token_id, do_sample=True
    )
    names = {
        "matchers": matchers,
        "tokenizer_info": info,
        "logits": torch.zeros((2, info.vocab_size)),
        "schema": schema,
        "model": model,
        "inputs": tokenizer("JSON:", return_tensors="pt"),
    }
    names = run_blocks("docs/masking.md", names)
    one, a = (tokenizer.encode(text, add_special_tokens=False)[0] for text in ("1", "a"))
    assert torch.isfinite(names["logits"][:, [one, a]]).tolist() == [[True, False], [False, True]]
    assert names["processor"].matchers


def test_structural_tag_page():
    grammar = run_blocks("docs/reference/structural-tag.md", {})["grammar"]
    assert _is_grammar_accept_string(grammar, "<think>x</think>a<tool_call>{}</tool_call>b")
    names = {
        "any_text": {"type": "any_text"},
        "regex": lambda pattern: {"type": "regex", "pattern": pattern},
        "star": lambda content: {"type": "star", "content": content},
        "tag": lambda begin, content, end: {
            "type": "tag",
            "begin": begin,
            "content": content,
            "end": end,
        },
    }
    for cell, accepts, rejects in tables(
        "docs/reference/structural-tag.md", "| format | accepts |"
    ):
        grammar = xgr.Grammar.from_structural_tag(
            {"format": eval(code_spans(cell)[0], dict(names))}
        )
        for texts, wanted in ((accepts, True), (rejects, False)):
            for text in code_spans(texts):
                assert _is_grammar_accept_string(grammar, text) == wanted, (cell, text)


def test_formats_of_the_structural_tag_page():
    rows = tables("docs/reference/structural-tag.md", "| type | fields |")
    types = {name for types, *_ in rows for name in code_spans(types)}
    classes = [c for c in vars(xgr.structural_tag).values() if hasattr(c, "model_fields")]
    known = {
        get_args(c.model_fields["type"].annotation)[0]
        for c in classes
        if "type" in c.model_fields and get_args(c.model_fields["type"].annotation)
    }
    assert known - types == {"structural_tag", "qwen_xml_parameter"}
    assert types <= known


def test_styles_page():
    schema = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
    }
    texts = {}
    for style, _, spelled in tables("docs/reference/styles.md", "| style | families |"):
        texts[code_spans(style)[0]] = code_spans(spelled)[0]
    texts["deepseek_v4_1_xml"] = texts["deepseek_xml"].replace("｜DSML｜", "｜DSML｜ ")  # noqa: RUF001
    texts["minimax_m3_xml"] = re.sub(r"(?<!\w)N|N(?=<)", "]<]minimax[>[", texts["minimax_m3_xml"])
    assert sorted(texts) == sorted(get_args(SchemaStyle))
    for style, text in texts.items():
        tag = {"format": {"type": "json_schema", "json_schema": schema, "style": style}}
        grammar = xgr.Grammar.from_structural_tag(tag)
        assert _is_grammar_accept_string(grammar, text), (style, text)
        assert not _is_grammar_accept_string(grammar, text.replace("3", "x")), style


def test_limits_of_the_reliability_page():
    units = {"MiB": 1 << 20}
    defaults = {}
    for field, default, *_ in tables("docs/reliability.md", "| field | default |"):
        number, _, unit = default.replace(",", "").partition(" ")
        value = None if number == "none" else int(number) * units.get(unit, 1)
        defaults[code_spans(field)[0]] = value
    limits = xgr.Limits()
    assert defaults == {name: getattr(limits, name) for name in xgr.Limits.__slots__}


def test_formats_of_the_json_schema_page():
    ((_, enforced, _),) = (
        row for row in tables("docs/json-schema.md", "| keyword |") if row[0] == "`format`"
    )
    names = code_spans(enforced)
    assert "date-time" in names
    for name in names:
        schema = json.dumps({"type": "string", "format": name})
        assert xgr.Grammar.from_json_schema(schema).json_schema_report == [], name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_exist(page):
    """Modules, options of the benchmark, and targets of the Makefile that a page names."""
    text = page.read_text(encoding="utf-8")
    commands = [
        line.partition("#")[0] for block in blocks(page, "bash") for line in block.splitlines()
    ]
    commands += re.findall(r"`((?:python -m|make) [^`\n]+)`", text)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in commands:
        words = [word for word in shlex.split(command) if not word.startswith("XGRAMMAR_")]
        if words[:2] == ["python", "-m"]:
            assert importlib.util.find_spec(words[2]), command
            if words[2] == "tests.bench":
                parse_arguments(words[3:])
        elif words[:1] == ["make"]:
            target = words[1].rstrip(";")
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), command


def test_command_line_page():
    sessions = blocks("docs/command-line.md", "console")
    commands = 0
    for session in sessions:
        for entry in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            command, _, wanted = entry.partition("\n")
            words = shlex.split(command)
            assert words[:3] == ["python", "-m", "xgrammar"]
            done = subprocess.run(
                [sys.executable, *words[1:]],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                encoding="utf-8",
                check=False,
            )
            pattern = ".+?".join(re.escape(part) for part in wanted.split("..."))
            assert re.fullmatch(pattern, done.stdout, re.DOTALL), f"{command}\n{done.stdout}"
            commands += 1
    assert commands >= len(sessions) > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    wrong = []
    for link in LINK.findall(FENCE.sub("", text)):
        name, _, anchor = link.partition("#")
        if "://" in name:
            continue
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (
            anchor and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            wrong.append(link)
    assert not wrong
