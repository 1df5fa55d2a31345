"""Writes the inputs of the conformance cases as seed files for the fuzz targets.

Usage: python tests/fuzz/make_corpus.py FOLDER. Makes `FOLDER/<language>/<hash>` for each language;
files that are there already (what earlier runs found) stay.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data"
LANGUAGES = {
    "ebnf": "ebnf",
    "gbnf": "ebnf",
    "regex": "regex",
    "lark": "lark",
    "json_schema": "json_schema",
    "structural_tag": "structural_tag",
}
MAX_SEED_BYTES = 8192


def seeds(folder: Path) -> list[str]:
    """The short inputs of one folder of cases, and its example grammars."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            case = json.loads(line) if line.strip() else {}
            source = case.get("input")
            if source is not None:
                found.append(source if isinstance(source, str) else json.dumps(source))
    language = LANGUAGES[folder.name]
    grammars = sorted(DATA.glob(f"grammars/*/grammar.{language}"))
    found += [path.read_text(encoding="utf-8") for path in grammars]
    return [text for text in found if len(text.encode(errors="ignore")) <= MAX_SEED_BYTES]


def main() -> None:
    """Write the seeds of all languages."""
    out = Path(sys.argv[1])
    for folder, language in LANGUAGES.items():
        corpus = out / language
        corpus.mkdir(parents=True, exist_ok=True)
        for text in seeds(DATA / folder):
            data = text.encode(errors="ignore")
            (corpus / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)


if __name__ == "__main__":
    main()
