"""Large schemas: counted lengths, long runs of optional properties, long lists of conditions.

Guards that they compile in a bounded time with room for slow machines, and that what they accept is
still exact at the bounds. Speed as such is tests/bench.
"""

import json
import random
import re
import time

import pytest

import xgrammar as xgr

BYTES = [bytes([byte]) for byte in range(256)]


@pytest.fixture(scope="module")
def compiler():
    info = xgr.TokenizerInfo([*BYTES, b"</s>"], xgr.VocabType.RAW, stop_token_ids=[256])
    return xgr.GrammarCompiler(info, max_threads=1)


@pytest.fixture
def judge(compiler):
    def judge_schema(schema, **options):
        compiled = compiler.compile_json_schema(schema, strict_mode=False, **options)

        def accepts(text):
            matcher = xgr.GrammarMatcher(compiled)
            return matcher.accept_string(text) and matcher.is_completed()

        return accepts

    return judge_schema


def seconds(call):
    start = time.process_time()
    call()
    return time.process_time() - start


def test_an_escape_is_one_character_of_a_counted_length(judge):
    accepts = judge({"type": "string", "pattern": "^(ab\\n)*$", "minLength": 5, "maxLength": 3000})
    assert not accepts(json.dumps("ab\n"))
    assert accepts(json.dumps("ab\n" * 2))
    assert accepts(json.dumps("ab\n" * 1000))
    assert not accepts(json.dumps("ab\n" * 1001))
    assert not accepts(json.dumps("ab\n" * 999 + "ab"))


def test_no_string_is_begun_that_has_no_room_to_end(judge):
    accepts = judge({"type": "string", "pattern": "^x(abcdefg\\u0001)*$", "maxLength": 4100})
    assert accepts(json.dumps("x" + "abcdefg\u0001" * 512))
    assert not accepts(json.dumps("x" + "abcdefg\u0001" * 513))


def chained(make, base, levels=40):
    """`make` applied to a reference to the next schema, level by level."""
    definitions = {f"d{i}": make({"$ref": f"#/$defs/d{i + 1}"}, i) for i in range(levels)}
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": base}}


@pytest.mark.parametrize(
    "make",
    [
        lambda inner, _: {"allOf": [inner, inner]},
        lambda inner, _: {"allOf": [{"not": {"not": inner}}, {"not": {"not": inner}}]},
        lambda inner, _: {"not": {"not": {"allOf": [inner, inner]}}},
        lambda inner, _: {"not": {"anyOf": [{"not": inner}, {"not": inner}]}},
        lambda inner, _: {"not": {"not": inner}, "allOf": [{"not": {"not": inner}}]},
    ],
)
def test_doubling_references_are_one_schema(judge, make):
    base = {"properties": {"a": {"type": "string"}}, "required": ["a"], "maxProperties": 2}
    schema = chained(make, {**base, "type": "object"})
    assert seconds(lambda: judge(schema)) < 1
    accepts = judge(schema)
    assert accepts('{"a": "x", "b": 1}')
    assert not accepts('{"a": 1}')
    assert not accepts('{"b": "x"}')
    assert not accepts('{"a": "x", "b": 1, "c": 1}')
    assert not accepts("1")


@pytest.mark.parametrize(
    "make",
    [
        lambda inner, _: {"not": {"allOf": [{"not": inner}, {"not": inner}]}},
        lambda inner, _: {"anyOf": [{"not": {"not": inner}}, {"not": {"not": inner}}]},
        lambda inner, _: {"oneOf": [inner, {"not": inner}]},
        lambda _inner, _: {
            "allOf": [{"anyOf": [{"minLength": j}, {"pattern": f"a{j}"}]} for j in range(24)]
        },
    ],
)
def test_doubling_alternatives_are_refused_soon(compiler, make):
    schema = json.dumps(chained(make, {"type": "string"}))

    def refuse():
        with pytest.raises(xgr.GrammarLimitError, match="max_schema_expansion"):
            compiler.compile_json_schema(schema)

    assert seconds(refuse) < 1


def test_chains_of_unevaluated_properties(judge):
    def make(inner, i):
        return {
            "not": {"not": inner},
            "properties": {f"a{i}": True},
            "unevaluatedProperties": inner,
        }

    schema = chained(make, {"type": ["object", "integer"], "required": ["b"]}, 20)
    assert seconds(lambda: judge(schema)) < 2
    accepts = judge(chained(make, {"type": ["object", "integer"], "required": ["b"]}, 2))
    assert accepts('{"b": 1}')
    assert accepts('{"a1": 1, "b": 1}')
    assert accepts('{"a0": 1, "b": 1}')
    assert not accepts('{"a0": "x", "b": 1}')  # To the level below, "a0" is unevaluated.
    assert not accepts('{"a0": 1}')
    assert not accepts('{"b": "x"}')


LETTERS = "[^\\W\\d_]"


@pytest.mark.parametrize("unions", ["", "[.!]?", "( \\d{3})?", "(x{0,40}|-[ab]+)"])
@pytest.mark.parametrize(("least", "most"), [(600, 2000), (600, 600), (600, 603), (600, None)])
def test_least_lengths_beside_wide_classes(compiler, unions, least, most):
    pattern = "\\p{L}+(  \\p{L}+)*" + unions
    schema = {"type": "string", "pattern": f"^{pattern}$", "minLength": least}
    if most is not None:
        schema["maxLength"] = most
    compiled = compiler.compile_json_schema(schema)
    oracle = re.compile(pattern.replace("\\p{L}", LETTERS))
    tail = {"": ["a"], "[.!]?": ["a", "a."], "( \\d{3})?": ["a", "a 123"]}.get(
        unions, ["a", "axx", "a-ab", "a" + "x" * 39]
    )
    rng = random.Random(least)
    row = xgr.allocate_token_bitmask(1, 257)
    tops = {} if most is None else {most - 1, most, most + 1}
    for length in sorted({least - 2, least - 1, least, least + 1, *tops}):
        for end in tail:
            body = "".join(rng.choice("abé") for _ in range(length - len(end)))
            cut = rng.randrange(1, 20)
            text = body[:cut] + "  " + body[cut + 2 :] + end
            right = len(text) >= least and (most is None or len(text) <= most)
            assert oracle.fullmatch(text)
            matcher = xgr.GrammarMatcher(compiled)
            spelled = json.dumps(text, ensure_ascii=False).encode()
            accepted = matcher.accept_string(spelled)
            assert (accepted and matcher.is_completed()) == right, (length, end)
            # From fewer than the longest token to the end on, masks say what can be accepted.
            matcher = xgr.GrammarMatcher(compiled)
            assert matcher.accept_string(spelled[: min(least, len(spelled)) - 60])
            for byte in spelled[min(least, len(spelled)) - 60 :]:
                matcher.fill_next_token_bitmask(row)
                words = [int(word) & 0xFFFFFFFF for word in row[0]]
                for other in (byte, *b'"ax .-1\\\xc3'):
                    allowed = bool(words[other // 32] >> (other % 32) & 1)
                    assert allowed == matcher.fork().accept_token(other), (length, end, other)
                if not matcher.accept_token(byte):
                    assert not right
                    break


@pytest.mark.parametrize("copies", [900, 3000])
def test_texts_too_large_to_count_beside_are_refused_when_compiling(compiler, copies):
    schema = {"type": "string", "pattern": f"^(\\p{{L}}{{{copies}}})+$", "maxLength": 100_000}
    with pytest.raises(xgr.GrammarLimitError, match="too many states") as caught:
        compiler.compile_json_schema({"properties": {"a/b": schema}})
    assert caught.value.pointer == "/properties/a~1b"
    # No field of Limits would help.
    assert caught.value.limit is None
    assert caught.value.value is not None
    assert caught.value.maximum is not None
    assert caught.value.hint == "send a smaller input"


ARN = r"arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[a-zA-Z0-9/_+=.@-]+"


@pytest.mark.parametrize(
    ("keywords", "least", "most"),
    [
        ({}, 60, 2048),
        ({"minLength": 100}, 100, 2048),
        ({"minLength": 3, "maxLength": 1000}, 60, 1000),
        ({"allOf": [{"pattern": "^(?=.{70,}$)(?=[^]{0,1500}$)a"}]}, 70, 1500),
    ],
)
def test_lengths_that_a_pattern_looks_ahead_for(judge, keywords, least, most):
    accepts = judge({"type": "string", "pattern": f"^(?=.{{60,2048}}$){ARN}$", **keywords})
    start = "arn:aws:secretsmanager:us-east-1:123456789012:secret:"
    for length in (least - 1, least, least + 1, most - 1, most, most + 1):
        text = start + "x" * (length - len(start))
        assert accepts(f'"{text}"') == (least <= length <= most), length
    assert not accepts('"' + "x" * least + '"')


def test_copies_that_a_text_may_be_split_into_in_many_ways(compiler, judge):
    schema = {"type": "string", "pattern": r"^https://([.\-_a-zA-Z0-9]+/?){3,1016}$"}
    accepts = judge(schema)
    for part, count, expected in (("a/", 1016, True), ("a/", 1017, False), ("aaaa", 999, True)):
        assert accepts(f'"https://{part * count}"') == expected
    assert not accepts('"https://ab"')
    assert seconds(lambda: compiler.compile_json_schema({**schema, "title": "again"})) < 2


def test_lengths_that_no_text_has_are_refused_when_compiling(compiler):
    schema = {"pattern": "^(\\p{L}{7}|\\p{N}{7})+$", "minLength": 701, "maxLength": 706}
    with pytest.raises(xgr.UnsatisfiableGrammarError):
        compiler.compile_json_schema({"type": "string", **schema})
    schema["maxLength"] = 707
    compiler.compile_json_schema({"type": "string", **schema})


def test_least_lengths_beside_wide_classes_are_fast(compiler):
    schema = {"type": "string", "pattern": "^\\p{L}+( \\p{L}+)*$", "minLength": 600}
    for most in (2000, 100_000):
        bounded = {**schema, "maxLength": most}
        assert seconds(lambda bounded=bounded: compiler.compile_json_schema(bounded)) < 0.5
    compiled = compiler.compile_json_schema(schema)

    def walk():
        matcher = xgr.GrammarMatcher(compiled)
        row = xgr.allocate_token_bitmask(1, 257)
        for byte in json.dumps("word " * 200 + "end").encode():
            matcher.fill_next_token_bitmask(row)
            assert matcher.accept_token(byte)

    walk()
    assert seconds(walk) < 0.5


def test_masks_stop_in_time(compiler):
    schema = {"type": "string", "pattern": "^x(abcdefg\\u0001)*$", "maxLength": 4100}
    compiled = compiler.compile_json_schema(schema)
    matcher = xgr.GrammarMatcher(compiled)
    assert matcher.accept_string(json.dumps("x" + "abcdefg\u0001" * 511)[:-1])
    row = xgr.allocate_token_bitmask(1, 257)

    def allowed():
        matcher.fill_next_token_bitmask(row)
        words = [int(word) & 0xFFFFFFFF for word in row[0]]
        return bytes(byte for byte in range(256) if words[byte // 32] >> (byte % 32) & 1)

    assert allowed() == b'"a'
    assert matcher.accept_string("abcdefg\\u0001")
    assert allowed() == b'"'


@pytest.mark.parametrize("maximum", [2**31 - 1, 2**29])
def test_very_large_lengths(judge, maximum):
    accepts = judge({"type": "string", "format": "uri", "maxLength": maximum})
    assert accepts('"a:' + "b" * 10000 + '"')
    assert not accepts('"a b"')


def test_excluded_texts_and_long_strings_in_structural_tags(compiler):
    schema = {"type": "object", "properties": {"s": {"type": "string", "maxLength": 5000}}}
    content = {"type": "json_schema", "json_schema": schema, "excludes": ["STOP"]}
    tag = {"type": "structural_tag", "format": content}
    compiled = compiler.compile_structural_tag(json.dumps(tag))

    def accepts(value):
        matcher = xgr.GrammarMatcher(compiled)
        return matcher.accept_string(json.dumps({"s": value})) and matcher.is_completed()

    assert accepts("\n" * 5000)
    assert accepts("\x1f" * 5000)
    assert not accepts("\n" * 5001)
    assert not accepts("a" * 5001)
    assert not accepts("xSTOPx")


def optional_properties(count, **keywords):
    properties = {f"p{i}": {"type": "integer"} for i in range(count)}
    return {"type": "object", "properties": properties, **keywords}


def test_optional_properties_before_and_after_a_required_one(judge):
    schema = optional_properties(300, required=["p150"], additionalProperties={"type": "null"})
    accepts = judge(schema)
    assert accepts('{"p150": 1}')
    assert accepts('{"p0": 1, "p149": 1, "p150": 1, "p299": 1, "q": null}')
    assert accepts('{"p15": 1, "p150": 1, "p151": 1}')
    for text in ('{"p0": 1}', '{"p150": 1, "p0": 1}', '{"p150": 1, "p30": null}', "{}"):
        assert not accepts(text)
    assert not accepts('{"p150": 1, "p151": 1, "p151": 1}')
    assert not accepts('{"p150": 1, "q": 1}')


def test_only_optional_properties(judge):
    accepts = judge(optional_properties(300, additionalProperties={"type": "null"}))
    for text in ("{}", '{"p0": 1, "p299": 1, "q": null, "r": null}', '{"q": null}'):
        assert accepts(text)
    assert accepts('{"p29": 1, "p290": 1}')
    for text in ('{"p1": 1, "p0": 1}', '{"q": null, "p0": 1}', '{"p299": null}', '{"p1": 1, }'):
        assert not accepts(text)


def test_twenty_thousand_optional_properties(judge):
    count = 20000
    schema = optional_properties(count, additionalProperties=False)
    assert seconds(lambda: judge(schema)) < 5, "0.5 s on one free core"
    accepts = judge(schema)
    every_third = {f"p{i}": i for i in range(0, count, 3)}
    assert accepts(json.dumps(every_third))
    assert accepts(f'{{"p{count - 1}": 1}}')
    assert not accepts(f'{{"p{count - 1}": 1, "p0": 1}}')
    assert not accepts(f'{{"p{count}": 1}}')


@pytest.mark.parametrize("count", [300, 6_000])
def test_free_keys_beside_thousands_of_names(judge, count):
    names = [f"name_{i * 7919 % 100003:06d}" for i in range(count)]
    accepts = judge(
        {
            "properties": {name: {"type": "null"} for name in names},
            "additionalProperties": {"const": 1},
        }
    )
    for name in random.Random(1).sample(names, 20):
        escaped = f"\\u{ord(name[0]):04X}{name[1:-1]}\\u{ord(name[-1]):04x}"
        for declared in (name, escaped):
            assert not accepts(f'{{"{declared}": 1}}')
        assert accepts(f'{{"{name}": null}}')
        for free in (name[:-1], name + "0", escaped + "\\n", "N" + name[1:]):
            assert accepts(f'{{"{free}": 1}}')
            assert not accepts(f'{{"{free}": null}}')


def test_free_keys_beside_megabytes_of_names_are_refused_when_compiling(compiler):
    properties = {f"{'x' * 600_000}{i}": True for i in range(3)}
    with pytest.raises(xgr.GrammarLimitError, match="keys that are no name"):
        compiler.compile_json_schema({"properties": properties}, strict_mode=False)
    closed = {"properties": properties, "additionalProperties": False}
    assert compiler.compile_json_schema(closed, strict_mode=False)


def test_hundreds_of_conditions_on_one_property(judge):
    count = 300
    schema = {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"type": "string"}, "value": {}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": f"k{i}"}}},
                "then": {"properties": {"value": {"const": i}}},
            }
            for i in range(count)
        ],
    }
    assert seconds(lambda: judge(schema)) < 5, "0.2 s on one free core"
    accepts = judge(schema)
    assert accepts('{"kind": "k0", "value": 0}')
    assert accepts(f'{{"kind": "k{count - 1}", "value": {count - 1}}}')
    assert accepts('{"kind": "k7"}')
    assert accepts('{"kind": "other", "value": []}')
    assert not accepts('{"kind": "k7", "value": 8}')
    assert not accepts('{"value": 7}')


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf"])
@pytest.mark.parametrize("listing", [lambda n: {"const": n}, lambda n: {"enum": [n, n + 0.5]}])
def test_alternatives_with_a_value_each_take_time_in_proportion_to_their_number(
    judge, keyword, listing
):
    schema = {keyword: [listing(n) for n in range(30_000)]}
    accepts = None

    def make():
        nonlocal accepts
        accepts = judge(schema)

    assert seconds(make) < 1  # By pairs, several seconds.
    assert accepts("29999")
    assert not accepts("30000")


@pytest.mark.parametrize(("keyword", "is_valid"), [("anyOf", True), ("oneOf", False)])
def test_a_value_that_several_alternatives_list(judge, keyword, is_valid):
    accepts = judge({keyword: [{"enum": [1, 1.0, "a"]}, {"const": 1}, {"enum": ["b", "a"]}]})
    assert accepts("1") == is_valid
    assert accepts('"a"') == is_valid
    assert accepts('"b"')


def test_many_reports_are_in_document_order():
    """They are found level by level: those of inner objects after all outer ones."""
    objects = {
        f"o{i:03}": {"properties": {f"x{j:03}": {"format": f"in{i}.{j}"} for j in range(100)}}
        for i in range(100)
    }
    outer = {f"o{i:03}s": {"format": f"outer{i}"} for i in range(100)}
    schema = {"properties": dict(sorted({**objects, **outer}.items()))}
    report = None

    def make():
        nonlocal report
        report = xgr.Grammar.from_json_schema(schema, strict_mode=False).json_schema_report

    assert seconds(make) < 2  # By comparing all pairs, several seconds.
    pointers = [record["pointer"] for record in report]
    assert len(pointers) == len(set(pointers)) == 100 * 100 + 100
    assert pointers == sorted(pointers)
