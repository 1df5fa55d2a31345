"""The sample grammars of tests/data/grammars: EBNF for this library and XGrammar, Lark for
llguidance, and regular expressions for all.

A look at single states, and Lark in this library: `python -m tests.bench.grammars`.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from tests.bench.tokenizers import ROOT

DATA = ROOT / "tests" / "data" / "grammars"
LANGUAGES = {"ours": "ebnf", "peer": "ebnf", "llguidance": "lark"}
WORDS = "Alpha Beta Gamma Delta Epsilon Zeta Omega Sigma Lambda Kappa Theta Rho Tau Phi "
REGEXES = {
    "words": ("([A-Z][a-z]{1,12} ){3,40}", [WORDS, WORDS * 2]),
    "date-time": (
        r"\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z",
        ["2026-11-30T23:59:59Z", "1999-01-01T00:00:00.123456Z"],
    ),
    "e-mail": (
        r"[A-Za-z0-9._%+-]{1,64}@([A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}",
        ["ada.lovelace+notes@mail.example.org", "x@a-b.c-d.example"],
    ),
    "log-lines": (
        r"(\[(INFO|WARN|ERROR)\] [a-z_]{1,20}(\.[a-z_]{1,20}){0,5}: [^\n]{0,200}\n){1,50}",
        ["[INFO] server.start: listening on port 8080\n[ERROR] disk.io: no space left, 97 %\n" * 4],
    ),
    "choice": (
        "|".join(f"option {number} of {number % 7}" for number in range(500)),
        ["option 17 of 3", "option 499 of 2"],
    ),
}


def cases(args: argparse.Namespace) -> list[dict[str, Any]]:
    """One case per grammar and per regular expression."""
    del args
    found: list[dict[str, Any]] = []
    for folder in sorted(DATA.iterdir()) if DATA.exists() else []:
        if not folder.is_dir():
            continue
        sources = {
            engine: {
                "kind": language,
                "text": (folder / f"grammar.{language}").read_text(encoding="utf-8"),
            }
            for engine, language in LANGUAGES.items()
        }
        lines = (folder / "texts.jsonl").read_text(encoding="utf-8").splitlines()
        tests = [json.loads(line) for line in lines]
        found.append(
            {
                "id": folder.name,
                "group": f"grammar {folder.name}",
                "sources": sources,
                "tests": tests,
            }
        )
    for name, (pattern, texts) in REGEXES.items():
        found.append(
            {
                "id": f"regex-{name}",
                "group": "regular expressions",
                "source": {"kind": "regex", "text": pattern},
                "tests": [{"text": text, "valid": True} for text in texts],
            }
        )
    return found
