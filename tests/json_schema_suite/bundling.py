"""Remote schemas of the suite, put into the document that refers to them.

The library fetches nothing; its advice for remote references is to put the referenced schemas
into the document. This does so: documents whose file name occurs in the text, those of the suite's
`remotes` folder and the meta-schemas, become definitions with their address as identifier.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from tests.json_schema_suite.suite import DIALECTS, Group
from tests.json_schema_suite.texts import load, text_of

SERVER = "http://localhost:1234/"


@lru_cache(maxsize=1)
def remote_documents(remotes: Path) -> dict[str, Any]:
    """The documents of the folder by address."""
    found = {
        SERVER + path.relative_to(remotes).as_posix(): load(path)
        for path in sorted(remotes.rglob("*.json"))
    }
    return {**found, **dict(meta_schemas())}


def meta_schemas() -> Iterator[tuple[str, Any]]:
    try:
        from jsonschema_specifications import REGISTRY
    except ImportError:
        return
    for address in REGISTRY:
        yield address, json.loads(json.dumps(REGISTRY[address].contents))


def is_mentioned(address: str, text: str) -> bool:
    """By its file name; meta-schemas by a whole reference, which may be relative."""
    if address.startswith(SERVER):
        return address.rsplit("/", 1)[1] in text
    relative = "/".join(address.rsplit("/", 2)[1:])
    return f'"$ref":"{address}' in text or f'"$ref":"{relative}"' in text


def bundled(group: Group, remotes: Path) -> Group:
    """The group with all schemas that its own one may reach."""
    documents = remote_documents(remotes)
    needed: dict[str, Any] = {}
    texts = [group.schema_text()]
    while texts:
        text = texts.pop()
        for address, document in documents.items():
            if address not in needed and is_mentioned(address, text):
                needed[address] = document
                texts.append(text_of(document))
    identifier = "id" if group.draft == "draft4" else "$id"
    keyword = "$defs" if group.draft.startswith("draft20") else "definitions"
    definitions = {**group.schema.get(keyword, {})}
    for address, document in needed.items():
        if not isinstance(document, dict):
            continue
        own = urljoin(address, document.get(identifier, ""))
        definitions[address] = {**document, identifier: own}
        if own.rstrip("#") != address.rstrip("#"):
            definitions[address + " "] = {identifier: address, "allOf": [{"$ref": own}]}
    schema = {"$schema": DIALECTS[group.draft], **group.schema, keyword: definitions}
    return Group(group.draft, group.file, group.description, schema, group.tests)
