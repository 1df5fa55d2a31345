"""Random schemas: what the library accepts is what a validator calls valid.

The judge is the `jsonschema` package. A value counts as accepted if one order of its members is,
for the order of declared properties is a rule of texts, not of values; with `any_order` all orders
have to be. Each verdict is asked for as text, and with the masks of tokens of several bytes.
"""

from __future__ import annotations

import itertools
import json
import random

import pytest

import xgrammar as xgr
from tests.conformance.routes import compiler_for, token_judge
from tests.json_schema_suite.suite import accepts, compiler
from tests.json_schema_suite.texts import MAX_ORDERS, Number, orders, text_of
from tests.property.json_schemas import SchemaMaker, instances

jsonschema = pytest.importorskip("jsonschema")

PIECES = [b'"a"', b'":', b'{"', b"[1", b", ", b",1", b'"a', b"null", b"tru", b'b":', b"]}", b"1."]


MOST_ORDERS = 24


def numbers_as_written(value):
    """The value with its numbers as text, for the writer of texts."""
    return json.loads(json.dumps(value), parse_int=Number, parse_float=Number)


def longest_first(data: bytes):
    """Tokens of a text: the longest piece that fits, else a byte."""
    pieces = sorted(range(len(PIECES)), key=lambda i: -len(PIECES[i]))
    at = 0
    while at < len(data):
        found = next((i for i in pieces if data.startswith(PIECES[i], at)), None)
        yield data[at] if found is None else 256 + found
        at += 1 if found is None else len(PIECES[found])


def compile_in_any_order(schema) -> xgr.CompiledGrammar | None:
    try:
        grammar = xgr.Grammar.from_json_schema(
            json.dumps(schema), strict_mode=False, any_order=True
        )
    except xgr.exception.UnsupportedFeatureError:
        return None
    return compiler().compile_grammar(grammar)


def check_schema(seed: int) -> str:
    """Compare verdicts on one random schema; returns what became of it."""
    rng = random.Random(seed)
    schema = SchemaMaker(rng).document()
    samples = instances(rng, schema, 40)
    validator = jsonschema.Draft202012Validator(schema)
    try:
        grammar = xgr.Grammar.from_json_schema(json.dumps(schema), strict_mode=False)
        compiled = compiler().compile_grammar(grammar)
    except xgr.exception.UnsatisfiableGrammarError:
        wrong = [sample for sample in samples if validator.is_valid(sample)]
        assert not wrong, f"seed {seed}: {json.dumps(schema)} was refused; valid: {wrong[0]!r}"
        return "unsatisfiable"
    except (xgr.exception.UnsupportedFeatureError, xgr.exception.GrammarLimitError):
        return "refused"
    # Texts that are left out are reported; nothing invalid is accepted in their stead.
    is_narrowed = any(record["effect"] == "narrowed" for record in grammar.json_schema_report)
    by_token = free_order = None
    if seed % 3 == 0 and not is_narrowed:
        free_order = compile_in_any_order(schema)
    if seed % 4 == 0:
        tokens, stop = compiler_for([bytes([byte]) for byte in range(256)] + PIECES)
        by_token = token_judge(tokens.compile_grammar(grammar), stop, longest_first)
    for sample in samples:
        variants = list(itertools.islice(orders(numbers_as_written(sample)), MAX_ORDERS))
        if len(variants) == MAX_ORDERS:
            continue  # The order that the schema wants may not be among them.
        texts = {text_of(variant) for variant in variants}
        accepted = [text for text in texts if accepts(compiled, text)]
        valid = validator.is_valid(sample)
        if is_narrowed and valid:
            continue
        assert bool(accepted) == valid, (
            f"seed {seed}: {json.dumps(schema)}: {json.dumps(sample)} is"
            f" {'valid' if valid else 'invalid'}"
        )
        if free_order:
            in_any_order = [accepts(free_order, text) for text in sorted(texts)[:MOST_ORDERS]]
            assert in_any_order.count(valid) == len(in_any_order), (
                f"seed {seed}: any order of {json.dumps(sample)} under {json.dumps(schema)}"
            )
        if by_token:
            text = min(accepted or texts)
            assert by_token(text.encode()) == bool(accepted), f"seed {seed}: tokens of {text}"
    return "compared"


@pytest.mark.parametrize("start", range(0, 400, 100))
def test_verdicts(start):
    outcomes = [check_schema(seed) for seed in range(start, start + 100)]
    assert outcomes.count("compared") > 50


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("start", range(1000, 21000, 2000))
def test_many_verdicts(start):
    for seed in range(start, start + 2000):
        check_schema(seed)
