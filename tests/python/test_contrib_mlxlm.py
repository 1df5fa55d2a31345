"""The logits processor for mlx-lm; the CPU build of mlx for Linux is enough.

By hand with arrays, and in mlx-lm's own generation with a tiny random model: tokens taken back,
another generation with the same processor, widths and stop tokens. Skipped without mlx.
"""

import json

import pytest

import xgrammar as xgr
from tests.python.test_contrib import AB, COLUMNS, SCHEMA, VOCAB, A, B

np = pytest.importorskip("numpy", reason="numpy is not installed")
mx = pytest.importorskip("mlx.core", reason="mlx is not installed")


@pytest.fixture(scope="module")
def compiler():
    return xgr.GrammarCompiler(xgr.TokenizerInfo(VOCAB, stop_token_ids=[0]))


@pytest.fixture
def make(compiler):
    def make(source):
        return xgr.contrib.mlxlm.XGrammarLogitsProcessor(compiler.compile_grammar(source))

    return make


def allowed(processor, tokens, columns=COLUMNS):
    masked = processor(mx.array(tokens), mx.zeros((1, columns)))
    assert masked.shape == (1, min(len(VOCAB), columns))
    return np.isfinite(np.array(masked))[0].nonzero()[0].tolist()


def test_order_of_masks_and_attributes(make):
    processor = make('root ::= "a" "b"')
    assert processor.vocab_size == len(VOCAB)
    assert processor.bitmask.shape == (1, 2)
    assert processor.bitmask.dtype == np.int32
    assert isinstance(processor.matcher, xgr.GrammarMatcher)
    assert allowed(processor, [5, 6]) == [A, AB]  # The prompt is not matched.
    assert allowed(processor, [5, 6, A]) == [B]
    assert allowed(processor, [5, 6, A, B]) == [0]
    assert allowed(processor, [5, 6, A, B, 0]) == list(range(len(VOCAB)))
    assert processor.matcher.is_terminated()
    logits = mx.zeros((1, len(VOCAB)))
    assert processor(mx.array([5, 6, A, B, 0, 9]), logits) is logits


def test_prompt_that_ends_in_a_token_of_the_grammar(make):
    assert allowed(make('root ::= "a" "b"'), [A]) == [A, AB]


def test_refused_token_is_an_error(make):
    processor = make('root ::= "a" "b"')
    allowed(processor, [5])
    with pytest.raises(xgr.UsageError, match=r"token 9 \(b'h'\) after 0 generated tokens"):
        allowed(processor, [5, 9])
    assert allowed(processor, [5, A]) == [B]  # Taken back, as after a rejected draft.


def test_tokens_are_taken_back(make):
    processor = make("root ::= [a-d]* [xyz]")
    a, d, x = A, A + 3, VOCAB.index("x")
    for tokens in ([5], [5, a], [5, a, d], [5, a, d, x], [5, a, d, x, 0], [5, a, a]):
        masks = allowed(processor, tokens)
    assert masks == allowed(make("root ::= [a-d]* [xyz]"), [7])
    assert processor.matcher.num_steps == 2


def test_another_generation_starts_again(make):
    for second in ([7, 8], [5], [5, 6, A, B, 0, 9, 9], [6, 6]):
        processor = make('root ::= "a" "b"')
        for tokens in ([5, 6], [5, 6, A], [5, 6, A, B], [5, 6, A, B, 0]):
            allowed(processor, tokens)
        assert allowed(processor, second) == [A, AB]
    processor.reset()
    assert allowed(processor, [*second, A]) == [A, AB]


def test_widths_and_shapes(make):
    assert allowed(make('root ::= "a"'), [5], columns=A + 1) == [A]
    vector = make('root ::= "a"')(mx.array([5]), mx.zeros(COLUMNS))
    assert vector.shape == (len(VOCAB),)
    with pytest.raises(xgr.UsageError, match="1 row, not 2"):
        make('root ::= "a"')(mx.array([5]), mx.zeros((2, COLUMNS)))
    for wrong in (mx.zeros((1, 2), dtype=mx.int32), mx.zeros(2)):
        with pytest.raises(ValueError, match="tokens must"):
            make('root ::= "a"')(wrong, mx.zeros((1, COLUMNS)))
    with pytest.raises(TypeError, match="CompiledGrammar"):
        xgr.contrib.mlxlm.XGrammarLogitsProcessor('root ::= "a"')


def test_rollback_limit_is_deprecated(compiler):
    grammar = compiler.compile_grammar('root ::= "a"')
    xgr.contrib.mlxlm.XGrammarLogitsProcessor(grammar, max_rollback_tokens=16)
    with pytest.warns(DeprecationWarning, match="rollback has no limit"):
        xgr.contrib.mlxlm.XGrammarLogitsProcessor(grammar, 5)


def test_nothing_can_follow():
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a"], stop_token_ids=[]))
    for source, text in (('root ::= "a"', "no stop token"), ('root ::= "a" "x"', "continues")):
        processor = xgr.contrib.mlxlm.XGrammarLogitsProcessor(compiler.compile_grammar(source))
        processor(mx.array([0]), mx.zeros((1, 1)))
        with pytest.raises(xgr.UsageError, match=text):
            processor(mx.array([0, 0]), mx.zeros((1, 1)))


@pytest.mark.filterwarnings("ignore")
class TestMlxLm:
    @pytest.fixture(scope="class")
    @classmethod
    def models(cls):
        llama = pytest.importorskip("mlx_lm.models.llama", reason="mlx-lm is not installed")
        mx.random.seed(3)
        arguments = llama.ModelArgs(
            model_type="llama",
            hidden_size=32,
            num_hidden_layers=2,
            intermediate_size=48,
            num_attention_heads=4,
            num_key_value_heads=2,
            rms_norm_eps=1e-5,
            vocab_size=COLUMNS,
        )
        return llama.Model(arguments), llama.Model(arguments)

    @pytest.mark.parametrize("is_sampled", [False, True])
    @pytest.mark.parametrize("is_speculative", [False, True])
    def test_generations_are_valid(self, compiler, models, is_speculative, is_sampled):
        from mlx_lm.generate import generate_step, speculative_generate_step

        grammar = compiler.compile_json_schema(json.dumps(SCHEMA), any_whitespace=False)
        processor = xgr.contrib.mlxlm.XGrammarLogitsProcessor(grammar)
        step = speculative_generate_step if is_speculative else generate_step
        sampler = mx.random.categorical if is_sampled else None
        for _ in range(2):  # The second generation begins where the first ended.
            steps = step(
                mx.array([5, 6, 7]),
                *(models if is_speculative else models[:1]),
                max_tokens=30,
                sampler=sampler,
                logits_processors=[processor],
            )
            tokens = [int(made[0]) for made in steps]
            value = json.loads("".join(VOCAB[i] for i in tokens[: tokens.index(0)]))
            assert list(value) == ["a", "b"]

    @pytest.mark.slow
    def test_program(self, tmp_path, models, capsys):
        """A model in a folder, a tokenizer of transformers, and what the program writes."""
        tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed")
        transformers = pytest.importorskip("transformers", reason="transformers is not installed")
        from mlx.utils import tree_flatten

        vocab = {text: i for i, text in enumerate(VOCAB)}
        backend = tokenizers.Tokenizer(tokenizers.models.BPE(vocab, []))
        backend.decoder = tokenizers.decoders.Fuse()
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=backend, eos_token="</s>", pad_token="<pad>"
        ).save_pretrained(tmp_path)
        config = {k: v for k, v in vars(models[0].args).items() if v is not None}
        config |= {"eos_token_id": 0, "architectures": ["LlamaForCausalLM"]}
        (tmp_path / "config.json").write_text(json.dumps(config))
        weights = dict(tree_flatten(models[0].parameters()))
        mx.save_safetensors(str(tmp_path / "model.safetensors"), weights)
        arguments = ["--model", str(tmp_path), "--prompt", "abc", "--seed", "1"]
        assert xgr.contrib.mlxlm.main([*arguments, "--max-tokens", "2000"]) == 0
        text = capsys.readouterr().out.strip()
        assert text[0] in "[{"
