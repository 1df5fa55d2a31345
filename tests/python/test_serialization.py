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
