"""The checks that all serialized forms share, in their order: JSON, version, content.

Every reader is given the same damaged texts. What comes back from undamaged ones is tested with
each class.
"""

import json

import pytest

import xgrammar as xgr

VERSION = xgr.get_serialization_version()


def readers():
    info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[1])
    return [
        xgr.Grammar.deserialize_json,
        xgr.TokenizerInfo.deserialize_json,
        lambda text: xgr.CompiledGrammar.deserialize_json(text, info),
    ]


@pytest.mark.parametrize("read", readers())
def test_order_of_checks(read):
    for value in (None, 3, b"{}"):
        with pytest.raises(TypeError):
            read(value)
    for text in ("", "{", "nothing"):
        with pytest.raises(xgr.InvalidJSONError):
            read(text)
    with pytest.raises((xgr.InvalidJSONError, xgr.GrammarLimitError)):
        read("[" * 100_000)
    for text in ("[]", "3", '"a"'):
        with pytest.raises(xgr.DeserializeFormatError):
            read(text)
    for text in ("{}", '{"__VERSION__": "v18"}', '{"__VERSION__": 3}'):
        with pytest.raises(xgr.DeserializeVersionError):
            read(text)
    with pytest.raises(xgr.DeserializeFormatError):
        read(json.dumps({"__VERSION__": VERSION}))


@pytest.mark.parametrize("read", readers())
def test_wrong_content_is_refused(read):
    good = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[1])
    grammar = xgr.Grammar.from_ebnf('root ::= "a" | "b"')
    compiled = xgr.GrammarCompiler(good).compile_grammar(grammar)
    texts = [good.serialize_json(), grammar.serialize_json(), compiled.serialize_json()]
    for text in texts:
        value = json.loads(text)
        for key in value:
            if key == "__VERSION__":
                continue
            for wrong in (None, -1, 1 << 80, "x", [None], [[]], {"a": 1}, 0.5):
                changed = json.dumps({**value, key: wrong})
                try:
                    read(changed)
                except xgr.XGrammarError as error:
                    assert isinstance(  # noqa: PT017 - some changes leave a valid text.
                        error, (xgr.DeserializeFormatError, xgr.GrammarLimitError)
                    )


def test_a_lone_surrogate_is_no_json():
    """Text that cannot be encoded: for JSON of Python's own reader it is a name like any other."""
    *others, compiled = readers()
    with pytest.raises(xgr.InvalidJSONError):
        compiled('{"\ud800": 1}')
    for read in others:
        with pytest.raises(xgr.DeserializeVersionError):
            read('{"\ud800": 1}')


@pytest.fixture
def small_limits():
    before = xgr.get_default_limits()
    xgr.set_default_limits(xgr.Limits(max_source_bytes=10_000))
    yield
    xgr.set_default_limits(before)


def readers_and_writers():
    info = xgr.TokenizerInfo(["a", "b", "\\"], stop_token_ids=[1])
    compiler = xgr.GrammarCompiler(info)
    return [
        (lambda grammar: grammar, xgr.Grammar.deserialize_json, xgr.Grammar.deserialize),
        (
            compiler.compile_grammar,
            lambda text: xgr.CompiledGrammar.deserialize_json(text, info),
            lambda data: xgr.CompiledGrammar.deserialize(data, info),
        ),
    ]


@pytest.mark.parametrize(("make", "read", "read_binary"), readers_and_writers())
def test_what_is_longer_than_a_source_is_read_back(small_limits, make, read, read_binary):
    """A grammar is printed, and what it prints is written as JSON: each escapes backslashes."""
    del small_limits
    schema = json.dumps({"const": "\\" * 4_900})
    assert len(schema) < 10_000
    made = make(xgr.Grammar.from_json_schema(schema))
    text = made.serialize_json()
    assert len(text) > 30_000
    assert read(text).serialize_json() == text
    assert read_binary(made.serialize()).serialize_json() == text


@pytest.mark.parametrize(("make", "read", "read_binary"), readers_and_writers())
def test_what_could_not_be_read_back_is_not_written(small_limits, make, read, read_binary):
    del small_limits
    wide = xgr.Limits(max_source_bytes=1 << 20)
    made = make(xgr.Grammar.from_ebnf('root ::= "' + "a" * 200_000 + '"', limits=wide))
    for write in (made.serialize_json, made.serialize):
        with pytest.raises(xgr.GrammarLimitError, match="max_source_bytes") as caught:
            write()
        assert caught.value.limit == "max_source_bytes"
        assert caught.value.maximum == 160_000
    xgr.set_default_limits(wide)
    text, data = made.serialize_json(), made.serialize()
    assert read(text).serialize_json() == text
    xgr.set_default_limits(xgr.Limits(max_source_bytes=10_000))
    with pytest.raises(xgr.GrammarLimitError):
        read(text)
    with pytest.raises(xgr.DeserializeFormatError, match="max_source_bytes"):
        read_binary(data)
