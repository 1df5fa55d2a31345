"""Loads the cases of tests/data and builds what they describe.

The format stands in tests/data/README.md. Values too long or odd for JSON are Python expressions,
which is safe since the files are our own. How a case is judged is routes.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xgrammar as xgr

DATA = Path(__file__).resolve().parents[1] / "data"


@dataclass(frozen=True)
class Case:
    """One line of a data file."""

    fields: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.fields["id"])

    @property
    def features(self) -> list[str]:
        return list(self.fields.get("features", []))

    @property
    def expects_error(self) -> Any:
        return self.fields.get("error", False)

    def value(self, name: str) -> Any:
        """A field, or the value of its Python expression (the data files are our own)."""
        expression = self.fields.get(name + "_python")
        return self.fields.get(name) if expression is None else eval(expression)

    def texts(self, name: str) -> list[bytes]:
        """`accept` or `reject`, as bytes."""
        plain = [text.encode() for text in self.fields.get(name, [])]
        return plain + [bytes.fromhex(text) for text in self.fields.get(name + "_hex", [])]

    def tag(self) -> Any:
        """The structural tag of the kinds that are one: written out, a style, or a model's."""
        if self.fields["kind"] == "model":
            return xgr.get_model_structural_tag(self.fields["model"], **self.fields["kwargs"])
        source = self.value("input")
        if self.fields["kind"] == "structural_tag":
            return source
        options = {"style": self.fields["style"], **self.fields.get("options", {})}
        return {"format": {"type": "json_schema", "json_schema": source, **options}}

    def build(self) -> xgr.Grammar:
        """The grammar; raises what the library raises."""
        kind = self.fields["kind"]
        options = {
            key: value for key, value in self.fields.get("options", {}).items() if key != "vocab"
        }
        if isinstance(options.get("separators"), list):
            options["separators"] = tuple(options["separators"])
        source = self.value("input")
        if kind == "json_schema":
            text = source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)
            return xgr.Grammar.from_json_schema(text, **options)
        if kind in ("structural_tag", "json_schema_style", "model"):
            return xgr.Grammar.from_structural_tag(self.tag())
        constructor = {
            "ebnf": "from_ebnf",
            "gbnf": "from_ebnf",
            "regex": "from_regex",
            "lark": "from_lark",
        }[kind]
        grammar: xgr.Grammar = getattr(xgr.Grammar, constructor)(source, **options)
        return grammar

    def compile(self, compiler: xgr.GrammarCompiler) -> xgr.CompiledGrammar:
        """The grammar for a vocabulary, which may resolve names in it."""
        if self.fields["kind"] == "structural_tag":
            return compiler.compile_structural_tag(self.value("input"))
        if self.fields["kind"] == "lark":
            return compiler.compile_lark(self.value("input"))
        return compiler.compile_grammar(self.build())


def load_cases() -> list[Case]:
    """All cases of all files, in a fixed order; ids are unique."""
    cases = []
    for path in sorted(DATA.glob("*/*.jsonl")):
        if path.parent.name == "client_calls":
            continue  # Recorded calls, no cases.
        with path.open(encoding="utf-8") as lines:  # not splitlines(): texts hold other line ends
            cases += [Case(json.loads(line)) for line in lines]
    return cases
