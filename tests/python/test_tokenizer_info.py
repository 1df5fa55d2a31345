"""TokenizerInfo: decoding of vocabularies, sizes, stop and special tokens, metadata and stored
forms.

Guards that metadata is exact, that wrong metadata names its key, and that huge and repeated tokens
are no problem. Reading tokenizers of Hugging Face is test_huggingface.py; decoding in full is
tests/cpp/tokenizer.
"""

import copy
import json
import pickle
import warnings

import pytest

import xgrammar as xgr
from xgrammar import VocabType

MARKER = "<｜end▁of▁sentence｜>"  # noqa: RUF001 - the characters of the model's marker.


def test_vocab_type_values():
    assert [(kind.name, kind.value) for kind in VocabType] == [
        ("RAW", 0),
        ("BYTE_FALLBACK", 1),
        ("BYTE_LEVEL", 2),
    ]


@pytest.mark.parametrize(
    ("vocab_type", "encoded", "decoded"),
    [
        (
            VocabType.RAW,
            ["é", b"\xff", "<0x0A>", "▁"],
            ["é".encode(), b"\xff", b"<0x0A>", b"\xe2\x96\x81"],
        ),
        (
            VocabType.BYTE_FALLBACK,
            ["<0x0A>", "<0x0a>", "<0xZZ>", "<0x0>", "<0x0A>b", "▁▁a", b"\xff", b"<0xFF>"],
            [b"\n", b"\n", b"<0xZZ>", b"<0x0>", b"<0x0A>b", b"  a", b"\xff", b"\xff"],
        ),
        (
            VocabType.BYTE_LEVEL,
            ["Ġa", "Ċ", "é", MARKER, b"\xff", "a b"],
            [b" a", b"\n", b"\xe9", MARKER.encode(), b"\xff", b"a b"],
        ),
    ],
)
def test_decoding(vocab_type, encoded, decoded):
    info = xgr.TokenizerInfo(encoded, vocab_type)
    assert info.decoded_vocab == decoded
    assert info.decoded_vocab is info.decoded_vocab
    assert info.vocab_type is vocab_type
    assert xgr.TokenizerInfo(tuple(encoded), vocab_type.value).decoded_vocab == decoded


@pytest.mark.parametrize("vocab", ["abc", {"a": 1}, None, iter(["a"]), 3])
def test_vocabulary_must_be_a_list(vocab):
    with pytest.raises(TypeError):
        xgr.TokenizerInfo(vocab)


def test_elements_must_be_text_or_bytes():
    with pytest.raises(TypeError, match=r"encoded_vocab\[1\].*int"):
        xgr.TokenizerInfo(["a", 3])
    with pytest.raises(UnicodeEncodeError):
        xgr.TokenizerInfo(["\ud800"])


def test_bad_vocab_type():
    with pytest.raises(ValueError, match="3"):
        xgr.TokenizerInfo(["a"], 3)


def test_vocab_size_and_padding():
    info = xgr.TokenizerInfo(["a", ""], vocab_size=4)
    assert info.vocab_size == 4
    assert info.special_token_ids == [1, 2, 3]
    assert len(info.decoded_vocab) == 2
    assert xgr.TokenizerInfo([]).vocab_size == 0
    for size in (1, 0, -1):
        with pytest.raises(RuntimeError, match=rf"{size}\D.*2"):
            xgr.TokenizerInfo(["a", "b"], vocab_size=size)
    with pytest.raises(RuntimeError):
        xgr.TokenizerInfo(["a"], vocab_size=2**27 + 1)
    with pytest.raises(RuntimeError):
        xgr.TokenizerInfo(["a"], vocab_size=2**80)


def test_stop_tokens_given():
    assert xgr.TokenizerInfo(["a", "b", "c"], stop_token_ids=1).stop_token_ids == [1]
    assert xgr.TokenizerInfo(["a", "b", "c"], stop_token_ids=(2, 0, 2)).stop_token_ids == [0, 2]
    assert xgr.TokenizerInfo(["a", "b", "c"], stop_token_ids={2}).stop_token_ids == [2]
    assert xgr.TokenizerInfo(["</s>"], stop_token_ids=[]).stop_token_ids == []
    padded = xgr.TokenizerInfo(["a"], vocab_size=4, stop_token_ids=[3])
    assert padded.stop_token_ids == [3]
    assert padded.special_token_ids == [1, 2]
    with pytest.raises(TypeError):
        xgr.TokenizerInfo(["a"], stop_token_ids="a")
    with pytest.raises(TypeError):
        xgr.TokenizerInfo(["a"], stop_token_ids=[0.5])


@pytest.mark.parametrize("dropped", [-1, 3, 2**80])
def test_stop_tokens_outside_are_dropped_with_a_warning(dropped):
    with pytest.warns(UserWarning, match=str(dropped)):
        info = xgr.TokenizerInfo(["a", "b", "c"], stop_token_ids=[1, dropped])
    assert info.stop_token_ids == [1]


def test_stop_tokens_by_text():
    found = ["</s>", "<eos>", "<|eos|>", "<|eot_id|>", "<|end_of_text|>", "<end_of_turn>"]
    found += ["<|endoftext|>", MARKER]
    not_found = ["<|im_end|>", "<|end|>", "[EOS]", "</s> ", "<s>"]
    for kind in VocabType:
        info = xgr.TokenizerInfo([*not_found, *found], kind)
        assert info.stop_token_ids == list(range(len(not_found), len(not_found) + len(found)))
        assert info.special_token_ids == []


def test_special_tokens():
    info = xgr.TokenizerInfo(
        ["<s>", "", "a", "</s>", "\0x"], vocab_size=6, special_token_ids=[0, 3]
    )
    assert info.special_token_ids == [0, 1, 5]
    assert info.stop_token_ids == [3]
    for wrong in (-1, 6, 2**70):
        with pytest.raises(ValueError, match=str(wrong)):
            xgr.TokenizerInfo(["a"], vocab_size=6, special_token_ids=[wrong])


def test_special_tokens_never_match_text():
    info = xgr.TokenizerInfo(["<s>", "a", "</s>", "<", "s", ">"], special_token_ids=[0])
    matcher = xgr.GrammarMatcher(xgr.GrammarCompiler(info).compile_grammar("root ::= [a-z<>]*"))
    assert not matcher.accept_token(0)
    assert all(matcher.accept_token(token) for token in (3, 4, 5))


def test_prefix_space_alias():
    info = xgr.TokenizerInfo(["a"], add_prefix_space=True)
    assert info.add_prefix_space is True
    with pytest.warns(UserWarning, match="add_prefix_space"):
        assert info.prepend_space_in_tokenization is True


def test_metadata_is_exact():
    info = xgr.TokenizerInfo(["a"] * 14, stop_token_ids=[13, 1])
    text = '{"vocab_type":0,"vocab_size":14,"add_prefix_space":false,"stop_token_ids":[1,13]}'
    assert info.dump_metadata() == text


def test_from_vocab_and_metadata():
    full = xgr.TokenizerInfo(["a", "</s>", "b"], VocabType.BYTE_LEVEL, vocab_size=5)
    info = xgr.TokenizerInfo.from_vocab_and_metadata(["a", "", "b"], full.dump_metadata())
    assert info.stop_token_ids == [1]
    assert info.vocab_size == 5
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert info.special_token_ids == [3, 4]


@pytest.mark.parametrize("key", ["vocab_type", "vocab_size", "add_prefix_space", "stop_token_ids"])
@pytest.mark.parametrize("wrong", [None, "x", 1.5, [[]], -7, True, ...])
def test_bad_metadata_names_the_key(key, wrong):
    value = json.loads(xgr.TokenizerInfo(["a"]).dump_metadata())
    if wrong is ...:
        del value[key]
    else:
        if key == "add_prefix_space" and wrong is True:
            return
        value[key] = wrong
    with pytest.raises(RuntimeError, match=key):
        xgr.TokenizerInfo.from_vocab_and_metadata(["a"], json.dumps(value))


def test_bad_metadata_texts():
    for text in ("", "{", "[]", "[" * 100_000):
        with pytest.raises(RuntimeError):
            xgr.TokenizerInfo.from_vocab_and_metadata(["a"], text)
    with pytest.raises(TypeError):
        xgr.TokenizerInfo.from_vocab_and_metadata(["a"], None)
    small = xgr.TokenizerInfo(["a"]).dump_metadata()
    with pytest.raises(RuntimeError):
        xgr.TokenizerInfo.from_vocab_and_metadata(["a", "b"], small)


def test_serialization_carries_bytes():
    vocab = [b"\xff", b"\xe2\x96", "é", "\0", '"\\', "<0x0A>", "</s>"]
    info = xgr.TokenizerInfo(vocab, VocabType.BYTE_FALLBACK, vocab_size=9, special_token_ids=[2])
    for copied in (
        xgr.TokenizerInfo.deserialize_json(info.serialize_json()),
        pickle.loads(pickle.dumps(info)),
    ):
        assert copied.decoded_vocab == info.decoded_vocab
        assert copied.dump_metadata() == info.dump_metadata()
        assert copied.special_token_ids == info.special_token_ids
        assert copied._handle.fingerprint() == info._handle.fingerprint()


def test_identity_and_copies():
    info = xgr.TokenizerInfo(["a"])
    compiled = xgr.GrammarCompiler(info).compile_regex("a")
    assert compiled.tokenizer_info == info
    assert hash(compiled.tokenizer_info) == hash(info)
    assert info != xgr.TokenizerInfo(["a"])
    assert info != "a"
    assert copy.copy(info) is info
    assert copy.deepcopy([info])[0] is info
    assert "1 tokens, RAW" in repr(info)


def test_huge_tokens_and_many_duplicates():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        info = xgr.TokenizerInfo(["x" * (1 << 20), *["x"] * 5000])
    matcher = xgr.GrammarMatcher(
        xgr.GrammarCompiler(info).compile_grammar("root ::= [x]+"),
        terminate_without_stop_token=True,
    )
    assert matcher.accept_token(0)
    assert matcher.accept_token(5000)


@pytest.mark.parametrize("token_id", [-1, 3, 10**15])
def test_a_serialized_stop_token_outside_the_vocabulary_is_refused(token_id):
    value = json.loads(xgr.TokenizerInfo(["a", "b", "c"], stop_token_ids=[2]).serialize_json())
    value["stop_token_ids"] = [2, token_id]
    with pytest.raises(xgr.DeserializeFormatError, match=f"the stop token {token_id}, outside"):
        xgr.TokenizerInfo.deserialize_json(json.dumps(value))
