"""The readers of the single styles, on top of `values.Reader`: one function per notation.

Each is written from the page of its style (docs/reference/styles.md), not from the grammar that the
library makes. They answer where a value may end; the tests compare that with the engine.
"""

from __future__ import annotations

import json

from tests.python.models import python_reader
from tests.python.models.values import (
    GEMMA_QUOTE,
    JSON_STRING,
    MINIMAX_NS,
    NAME,
    XML_MARKUP,
    json_text,
)


def json_value(r, schema, start):
    """JSON text; literals also with JSON's usual blanks."""
    for kind, part in r.alternatives(schema):
        if kind == "literal":
            for spelling in {json_text(part), json.dumps(part), json.dumps(part, indent=None)}:
                yield from r.after(spelling, start)
        elif kind == "string":
            match = JSON_STRING.match(r.text, start)
            if match and r.is_allowed(json.loads(match[0]), part):
                yield match.end()
        elif kind == "object":
            yield from r.members(part, start, json_member(r), ",", "{", "}")
        elif kind == "array":
            yield from r.items(part, start, lambda s, b: set(json_value(r, s, b)), ",", "[", "]")
        else:
            yield from r.scalar(kind, part, start)


def json_member(r):
    def read(name, schema, begin):
        match = JSON_STRING.match(r.text, begin)
        if not match or (name is not None and json.loads(match[0]) != name):
            return
        for colon in r.after("\0:\0", match.end()):
            for end in json_value(r, schema, colon):
                yield end if name is not None else (json.loads(match[0]), end)

    return read


def gemma_value(r, schema, start):
    """JSON with bare keys and its own quotes."""
    for kind, part in r.alternatives(schema):
        if kind == "literal":
            if isinstance(part, str):
                yield from r.after(GEMMA_QUOTE + part + GEMMA_QUOTE, start)
            else:
                yield from r.after(json_text(part), start)
        elif kind == "string":
            begin = start + len(GEMMA_QUOTE)
            end = r.text.find(GEMMA_QUOTE, begin)
            is_quoted = r.text.startswith(GEMMA_QUOTE, start) and end >= 0
            if is_quoted and r.is_allowed(r.text[begin:end], part):
                yield end + len(GEMMA_QUOTE)
        elif kind == "object":
            yield from r.members(part, start, gemma_member(r), ",", "{", "}")
        elif kind == "array":
            yield from r.items(part, start, lambda s, b: set(gemma_value(r, s, b)), ",", "[", "]")
        else:
            yield from r.scalar(kind, part, start)


def gemma_member(r):
    def read(name, schema, begin):
        match = NAME.match(r.text, begin) if name is None else None
        key = name if name is not None else match and match[0]
        for key_end in r.after(key, begin) if key else ():
            for colon in r.after("\0:\0", key_end):
                for end in gemma_value(r, schema, colon):
                    yield end if name is not None else (key, end)

    return read


def xml_value(r, kind, part, start, close):
    """The value of one argument: ends before its closing tag, with padding where it is allowed."""
    found = set()
    if kind == "string" and not {"pattern", "minLength", "maxLength"} & set(part):
        end = r.text.find(close, start)
        return {end} if end >= 0 and r.is_allowed(r.text[start:end], part) else found
    padded = not ("DSML" in close and (kind == "string" or isinstance(part, str)))
    for begin in set(r.space(start)) if padded else {start}:
        if kind == "literal":
            found |= r.after(part if isinstance(part, str) else json_text(part), begin)
        elif kind == "string":
            limit = r.text.find(close, begin)
            found |= {
                end for end in range(begin, limit + 1) if r.is_allowed(r.text[begin:end], part)
            }
        else:
            schema = part if part and "type" in part else {**part, "type": kind}
            if kind in ("array", "object"):
                schema = {**schema, "type": kind}
                found |= set(json_value(r, schema, begin))
            else:
                found |= set(r.scalar(kind, part, begin))
    return {e for f in found for e in (r.space(f) if padded else (f,))}


def json_type(kind, part):
    if kind == "literal":
        kinds = {str: "string", bool: "boolean", type(None): "null", list: "array", dict: "object"}
        return kinds.get(type(part), "number")
    return "number" if kind == "integer" else kind


def xml_member(r):
    opening, close = XML_MARKUP[r.style]

    def read(name, schema, begin):
        for kind, part in r.alternatives(schema):
            of_type = json_type(kind, part)
            string = "true" if of_type == "string" else "false"
            keys = [name] if name is not None else names_after(r, opening, begin)
            for key in keys:
                if any(text in key for text in r.excludes):
                    continue
                written = key
                if r.style == "kimi_k3_xml":
                    written = key.replace("&", "&amp;").replace('"', "&quot;")
                opened = opening.format(key=written, string=string, type=of_type)
                for body in r.after(opened, begin):
                    for value_end in xml_value(r, kind, part, body, close):
                        for end in r.after(close, value_end):
                            yield end if name is not None else (key, end)

    return read


def names_after(r, opening, begin):
    """The additional name that stands in an opening tag, if one does."""
    start = begin + opening.index("{key}")
    match = NAME.match(r.text, start)
    return [match[0]] if match else []


def xml_root(r, schema, start):
    for kind, part in r.alternatives(schema):
        if kind == "object":
            yield from r.members(part, start, xml_member(r), "", "", "")


def minimax_m3_value(r, schema, start):
    """Elements in a namespace; strings are raw text up to the next marker."""
    for kind, part in r.alternatives(schema):
        if kind == "literal":
            yield from r.after(part if isinstance(part, str) else json_text(part), start)
        elif kind == "string":
            end = r.text.find(MINIMAX_NS, start)
            if end >= 0:
                yield end
        elif kind == "object":
            yield from minimax_m3_object(r, part, start)
        elif kind == "array":

            def item(schema, begin):
                return minimax_m3_element(r, "item", schema, begin)

            yield from r.items(part, start, lambda s, b: set(item(s, b)), "", "", "")
        else:
            yield from r.scalar(kind, part, start)


def minimax_m3_element(r, name, schema, begin):
    close = f"{MINIMAX_NS}</{name}>"
    for body in r.after(f"{MINIMAX_NS}<{name}>", begin):
        for value_end in minimax_m3_value(r, schema, body):
            yield from r.after(close, value_end)


def minimax_m3_object(r, schema, start):
    schema = {**schema, "additionalProperties": False}
    yield from r.members(schema, start, lambda n, s, b: minimax_m3_element(r, n, s, b), "", "", "")


def minimax_m3_root(r, schema, start):
    for kind, part in r.alternatives(schema):
        if kind == "object":
            yield from minimax_m3_object(r, part, start)


def padded(r, start, read):
    """Ends of a value with white space around it."""
    return {e for begin in r.space(start) for end in read(begin) for e in r.space(end)}


def cohere_value(r, schema, start, name_attribute):
    """One typed value element."""
    for kind, part in r.alternatives(schema):
        of_type = json_type(kind, part)
        attribute = {"string": "raw", "object": "dict", "array": "list"}.get(of_type, "json")
        close = "</cofl:value>"
        for body in r.after(f'<cofl:value{name_attribute} type="{attribute}">', start):
            if of_type == "string":
                end = r.text.find(close, body)
                right = end >= 0 and (
                    r.text[body:end] == part
                    if kind == "literal"
                    else r.is_allowed(r.text[body:end], part)
                )
                inner = {end} if right else set()
            elif kind == "literal":
                inner = padded(r, body, lambda b: r.after(json_text(part), b))  # noqa: B023
            elif kind == "object":
                inner = r.members(part, body, cohere_member(r), "", "", "")
            elif kind == "array":
                inner = r.items(part, body, lambda s, b: set(cohere_value(r, s, b, "")), "", "", "")
            else:
                inner = padded(r, body, lambda b: r.scalar(kind, part, b))  # noqa: B023
            for end in inner:
                yield from r.after(close, end)


def cohere_member(r):
    escapes = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})

    def read(name, schema, begin):
        opening = '<cofl:value name="'
        keys = [name] if name is not None else names_after(r, opening + "{key}", begin)
        for key in keys:
            for end in cohere_value(r, schema, begin, f' name="{key.translate(escapes)}"'):
                yield end if name is not None else (key, end)

    return read


def cohere_root(r, schema, start):
    for kind, part in r.alternatives(schema):
        if kind == "object":
            yield from r.members(part, start, cohere_member(r), "", "", "")


ROOTS = {
    "json": lambda r, schema, start: set(json_value(r, schema, start)),
    "gemma": lambda r, schema, start: set(gemma_value(r, schema, start)),
    "minimax_m3_xml": lambda r, schema, start: set(minimax_m3_root(r, schema, start)),
    "pythonic": lambda r, schema, start: set(python_reader.root(r, schema, start)),
    "cohere_xml": lambda r, schema, start: set(cohere_root(r, schema, start)),
    **{style: lambda r, schema, start: set(xml_root(r, schema, start)) for style in XML_MARKUP},
}
