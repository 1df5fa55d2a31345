"""CompiledGrammar as clients hold it: where its class is found, copies, and both stored forms.

Guards that text and binary forms come back with the same masks and that damage or another
vocabulary is a typed error. The native format is tests/cpp/compiler/serialize_test.cc; other
processes are tests/integration/test_serialized_elsewhere.py.
"""

import copy
import pickle

import pytest

import xgrammar as xgr
from xgrammar import compiler


@pytest.fixture
def compiled(compiler):
    return compiler.compile_json_schema({"type": "array", "items": {"enum": ["a", 1]}})


def masks(compiled):
    matcher = xgr.GrammarMatcher(compiled)
    out = []
    for byte in '["a"':
        out.append(bytes(matcher._next_bytes()))
        if not matcher.accept_string(byte):
            break
    return out


def test_it_is_reached_where_clients_look_for_it():
    assert compiler.CompiledGrammar is xgr.CompiledGrammar


def test_both_forms_come_back(compiled):
    info = compiled.tokenizer_info
    for again in (
        xgr.CompiledGrammar.deserialize(compiled.serialize(), info),
        xgr.CompiledGrammar.deserialize(bytearray(compiled.serialize()), info),
        xgr.CompiledGrammar.deserialize_json(compiled.serialize_json(), info),
        pickle.loads(pickle.dumps(compiled)),
    ):
        assert again != compiled
        assert str(again.grammar) == str(compiled.grammar)
        assert masks(again) == masks(compiled)


def test_copies_are_the_same_object(compiled):
    assert copy.copy(compiled) is compiled
    assert copy.deepcopy([compiled])[0] is compiled


def test_another_vocabulary_is_refused(compiled):
    other = xgr.TokenizerInfo([f"x{i}" for i in range(compiled.tokenizer_info.vocab_size)])
    for read, data in (
        (xgr.CompiledGrammar.deserialize, compiled.serialize()),
        (xgr.CompiledGrammar.deserialize_json, compiled.serialize_json()),
    ):
        with pytest.raises(xgr.DeserializeFormatError, match="tokenizer"):
            read(data, other)
        with pytest.raises(TypeError, match="tokenizer_info"):
            read(data, "other")


def test_the_binary_form_is_checked_from_the_outside_in(compiled):
    info = compiled.tokenizer_info
    data = compiled.serialize()
    with pytest.raises(TypeError, match="bytes"):
        xgr.CompiledGrammar.deserialize(compiled.serialize_json(), info)
    with pytest.raises(xgr.DeserializeVersionError, match="version 9"):
        xgr.CompiledGrammar.deserialize(data[:4] + b"\x09" + data[5:], info)
    for broken in (b"", b"x", data[:4], data[:12], data[:-1], data + b"x", b"\x00" + data[1:]):
        with pytest.raises(xgr.DeserializeFormatError):
            xgr.CompiledGrammar.deserialize(broken, info)
    grammar = compiled.grammar
    with pytest.raises(xgr.DeserializeFormatError):
        xgr.CompiledGrammar.deserialize(grammar.serialize(), info)
    assert str(xgr.Grammar.deserialize(grammar.serialize())) == str(grammar)
    assert xgr.TokenizerInfo.deserialize(info.serialize()).decoded_vocab == info.decoded_vocab
