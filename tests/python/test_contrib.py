"""The logits processors for transformers: by hand, and in `generate` with a tiny random model.

Guards rows that stop early, beams, drafts and their rejection, refused tokens, and that scores are
not changed in place. The model is random, so only that texts match is checked, never what they say.
Skipped without transformers.
"""

import importlib.util
import itertools
import json
import subprocess
import sys

import pytest

import xgrammar as xgr

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.torch

# Ids 50..63 are columns of the model that are no tokens.
VOCAB = ["</s>", "<pad>", *(chr(c) for c in range(ord("a"), ord("z") + 1))]
VOCAB += [*'{}[]":, 0123456789', "ab", "true", "false", "null"]
COLUMNS = 64
A, B, AB = VOCAB.index("a"), VOCAB.index("b"), VOCAB.index("ab")
SCHEMA = {
    "type": "object",
    "properties": {
        "a": {"type": "integer", "minimum": 0, "maximum": 999},
        "b": {"type": "boolean"},
    },
    "required": ["a", "b"],
}


@pytest.fixture(scope="module")
def compiler():
    return xgr.GrammarCompiler(xgr.TokenizerInfo(VOCAB, stop_token_ids=[0]))


def test_the_module_is_reached_without_transformers():
    code = (
        "import sys, xgrammar; xgrammar.hf; xgrammar.contrib.hf; import xgrammar.contrib.hf as hf\n"
        "assert 'LogitsProcessor' in dir(hf) and 'hf' in dir(xgrammar.contrib)\n"
        "print('transformers' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
    for module in (xgr.contrib, xgr.contrib.hf):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            _ = module.nothing


def test_mlx_module_needs_mlx():
    if importlib.util.find_spec("mlx") is not None:
        pytest.skip("mlx is installed")
    with pytest.raises(ModuleNotFoundError):
        _ = xgr.contrib.mlxlm


class TestByHand:
    @pytest.fixture(autouse=True)
    def _transformers(self):
        pytest.importorskip("transformers", reason="transformers is not installed")

    @pytest.fixture
    def make(self, compiler):
        def make(*sources, **options):
            grammars = [compiler.compile_grammar(source) for source in sources]
            return xgr.hf.LogitsProcessor(grammars if len(grammars) > 1 else grammars[0], **options)

        return make

    @staticmethod
    def allowed(processor, rows, scores=None):
        ids = torch.tensor(rows)
        scores = torch.zeros((len(rows), COLUMNS)) if scores is None else scores
        masked = processor(ids, scores)
        return [torch.isfinite(row).nonzero().flatten().tolist() for row in masked]

    def test_is_a_logits_processor(self, make):
        import transformers

        assert issubclass(xgr.contrib.hf.LogitsProcessor, transformers.LogitsProcessor)
        assert isinstance(make('root ::= "a"'), xgr.hf.LogitsProcessor)

    def test_order_of_masks_and_attributes(self, make):
        processor = make('root ::= "a" "b"')
        assert processor.token_bitmask is None
        assert (processor.prefilled, processor.batch_size, processor.matchers) == (False, 0, [])
        assert processor.full_vocab_size == len(VOCAB)
        assert len(processor.compiled_grammars) == 1
        prompts = [[5, 6, 7], [1, 8, 9]]
        assert self.allowed(processor, prompts) == [[A, AB], [A, AB]]
        assert processor.prefilled
        assert processor.batch_size == len(processor.matchers) == 2
        assert processor.token_bitmask.shape == (2, 2)
        rows = [[*prompts[0], AB], [*prompts[1], A]]
        assert self.allowed(processor, rows) == [[0], [B]]
        rows = [[*rows[0], 0], [*rows[1], B]]
        assert self.allowed(processor, rows) == [[0], [0]]
        rows = [[*rows[0], 1], [*rows[1], 0]]  # Padding behind the stop token is not matched.
        assert self.allowed(processor, rows) == [[0], [0]]
        assert [matcher.is_terminated() for matcher in processor.matchers] == [True, True]

    def test_row_that_stopped_early_allows_stop_tokens_alone(self, make):
        processor = make('root ::= "a"*')
        assert self.allowed(processor, [[1]]) == [[0, A]]
        assert self.allowed(processor, [[1, A]]) == [[0, A]]
        assert self.allowed(processor, [[1, A, 0]]) == [[0]]

    def test_stop_tokens_at_the_ends_of_words(self):
        info = xgr.TokenizerInfo(["a", *(f"x{i}" for i in range(69))], stop_token_ids=[31, 32, 69])
        grammar = xgr.GrammarCompiler(info).compile_grammar('root ::= "a"')
        processor = xgr.hf.LogitsProcessor(grammar)
        for rows in ([[1]], [[1, 0]], [[1, 0, 31]]):
            scores = processor(torch.tensor(rows), torch.zeros((1, 70)))
        assert torch.isfinite(scores[0]).nonzero().flatten().tolist() == [31, 32, 69]

    @pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
    def test_scores_are_values_of_any_type(self, make, dtype):
        scores = torch.randn((1, COLUMNS), generator=torch.Generator().manual_seed(0)).to(dtype)
        before = scores.clone()
        masked = make('root ::= "a"')(torch.tensor([[3]]), scores)
        assert torch.equal(scores, before)
        assert masked.dtype == dtype
        assert masked[0, A] == scores[0, A]
        assert torch.isinf(masked).sum() == COLUMNS - 1

    def test_narrow_head_and_empty_prompt(self, make):
        processor = make('root ::= "a" "b"')
        scores = torch.zeros((1, A + 1))
        masked = processor(torch.zeros((1, 0), dtype=torch.long), scores)
        assert torch.isfinite(masked).nonzero().tolist() == [[0, A]]
        assert self.allowed(processor, [[A]]) == [[B]]

    def test_one_grammar_for_each_row(self, make):
        processor = make('root ::= "a"', 'root ::= "b"', 'root ::= "c"')
        assert self.allowed(processor, [[1], [1], [1]]) == [[A], [B], [B + 1]]
        with pytest.raises(xgr.UsageError, match="3 grammars for 2 rows"):
            self.allowed(make('root ::= "a"', 'root ::= "b"', 'root ::= "c"'), [[1], [1]])
        only = xgr.hf.LogitsProcessor(processor.compiled_grammars[:1])
        assert self.allowed(only, [[1], [1]]) == [[A], [A]]

    def test_refused_token_names_row_token_and_text(self, make):
        processor = make('root ::= "a" "b"')
        self.allowed(processor, [[1], [1]])
        with pytest.raises(xgr.UsageError, match=rf"Row 1: .* token {AB + 2} \(b'false'\) after 0"):
            self.allowed(processor, [[1, A], [1, AB + 2]])
        processor = make('root ::= "a" "b"')
        self.allowed(processor, [[1]])
        with pytest.raises(xgr.UsageError, match=r"Row 0: .* token 60 after 0"):
            self.allowed(processor, [[1, 60]])

    def test_refused_row_can_end_instead(self, make):
        processor = make('root ::= "a" "b"', on_refused="stop")
        self.allowed(processor, [[1], [1]])
        assert self.allowed(processor, [[1, A], [1, 9]]) == [[B], [0]]
        assert self.allowed(processor, [[1, A, B], [1, 9, A]]) == [[0], [0]]
        assert self.allowed(processor, [[1, A, B], [1, A, B]]) == [[0], [0]]  # Taken back.

    def test_tokens_are_taken_back(self, make):
        processor = make("root ::= [a-d]* [xyz]")
        sequence = [1, *(VOCAB.index(c) for c in "abcx")]
        for length in range(1, 6):
            last = self.allowed(processor, [sequence[:length]])
        assert last == [[0]]
        for length in (3, 4, 5, 2):
            processor_again = make("root ::= [a-d]* [xyz]")
            again = [self.allowed(processor_again, [sequence[:n]]) for n in range(1, length + 1)]
            assert self.allowed(processor, [sequence[:length]]) == again[-1]
            if length == 2:
                other = [*sequence[:2], VOCAB.index("d")]
                assert self.allowed(processor, [other]) == self.allowed(processor_again, [other])

    def test_beams_are_followed(self, make):
        """All ways to swap three beams: the masks are those of the sequences, not of the rows."""
        texts = ["a", "b", "c"]
        for order in itertools.product(range(3), repeat=3):
            processor = make('root ::= "a" "d" | "b" "e" | "c" "f"')
            self.allowed(processor, [[1]] * 3)
            first = [[1, VOCAB.index(text)] for text in texts]
            self.allowed(processor, first)
            ends = [VOCAB.index("def"[i]) for i in order]
            swapped = [[*first[i], end] for i, end in zip(order, ends, strict=True)]
            assert self.allowed(processor, swapped) == [[0]] * 3

    def test_beams_of_another_grammar_are_not_taken(self, make):
        processor = make('root ::= [ab] "a"', 'root ::= [ab] "b"')
        self.allowed(processor, [[1], [1]])
        self.allowed(processor, [[1, A], [1, B]])
        with pytest.raises(xgr.UsageError, match="Row 0 does not continue"):
            self.allowed(processor, [[1, B, B], [1, B, B]])

    def test_second_use_is_refused(self, make):
        for second in ([[2, 3]], [[1]], [[1, 3]], [[1, 2, A, B, A, B]]):
            processor = make('root ::= "a" "b"')
            self.allowed(processor, [[1, 2]])
            self.allowed(processor, [[1, 2, A]])
            with pytest.raises(xgr.UsageError, match="new LogitsProcessor"):
                self.allowed(processor, second)

    def test_errors(self, make, compiler):
        processor = make('root ::= "a"')
        self.allowed(processor, [[1], [1]])
        with pytest.raises(RuntimeError, match="had 2 rows and has 1"):
            self.allowed(processor, [[1]])
        for arguments in (
            (torch.zeros(2, dtype=torch.long), torch.zeros((2, COLUMNS))),
            (torch.zeros((2, 1), dtype=torch.long), torch.zeros(COLUMNS)),
            (torch.zeros((2, 1), dtype=torch.long), torch.zeros((3, COLUMNS))),
            (torch.zeros((2, 1)), torch.zeros((2, COLUMNS))),
            (torch.zeros((2, 1), dtype=torch.long), torch.zeros((2, COLUMNS), dtype=torch.int32)),
        ):
            with pytest.raises(ValueError, match=r"must|but"):
                make('root ::= "a"')(*arguments)
        grammar = compiler.compile_grammar('root ::= "a"')
        small = xgr.GrammarCompiler(xgr.TokenizerInfo(["a", "</s>"]))
        other = small.compile_grammar('root ::= "a"')
        for error, wrong in (
            (TypeError, None),
            (TypeError, "grammar"),
            (TypeError, [grammar, None]),
            (ValueError, []),
            (ValueError, [grammar, other]),
        ):
            with pytest.raises(error):
                xgr.hf.LogitsProcessor(wrong)
        with pytest.raises(ValueError, match="on_refused"):
            xgr.hf.LogitsProcessor(grammar, on_refused="ignore")

    def test_nothing_can_follow(self):
        info = xgr.TokenizerInfo(["a", "b"], stop_token_ids=[])
        compiler = xgr.GrammarCompiler(info)
        for source, text in (('root ::= "a"', "no stop token"), ('root ::= "a" "x"', "continues")):
            processor = xgr.hf.LogitsProcessor(compiler.compile_grammar(source))
            processor(torch.tensor([[1]]), torch.zeros((1, 2)))
            with pytest.raises(xgr.UsageError, match=f"Row 0: .*{text}"):
                processor(torch.tensor([[1, 0]]), torch.zeros((1, 2)))


@pytest.mark.hf
class TestGenerate:
    @pytest.fixture(scope="class", autouse=True)
    @classmethod
    def quiet(cls):
        """One thread and no notices: the model is tiny."""
        transformers = pytest.importorskip("transformers", reason="transformers is not installed")
        level, threads = transformers.logging.get_verbosity(), torch.get_num_threads()
        torch.set_num_threads(1)
        transformers.logging.set_verbosity_error()
        yield
        transformers.logging.set_verbosity(level)
        torch.set_num_threads(threads)

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls):
        from transformers import LlamaConfig, LlamaForCausalLM

        torch.manual_seed(0)
        config = LlamaConfig(
            vocab_size=COLUMNS,
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=256,
            bos_token_id=1,
            eos_token_id=0,
            pad_token_id=1,
        )
        return LlamaForCausalLM(config).eval()

    @pytest.fixture(scope="class")
    @classmethod
    def grammar(cls):
        info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[0])
        return xgr.GrammarCompiler(info).compile_json_schema(
            json.dumps(SCHEMA), any_whitespace=False
        )

    @staticmethod
    def generate(model, processor, num_prompts=2, **options):
        torch.manual_seed(1)
        prompts = torch.tensor([[1, 6, 7], [8, 9, 10]])[:num_prompts]
        mask = torch.tensor([[0, 1, 1], [1, 1, 1]])[:num_prompts]
        ids = model.generate(
            prompts,
            attention_mask=mask,
            max_new_tokens=30,
            logits_processor=[processor],
            **options,
        )
        return ["".join(VOCAB[i] for i in row[3:].tolist() if i > 1) for row in ids]

    @staticmethod
    def check(texts):
        for text in texts:
            value = json.loads(text)
            assert list(value) == ["a", "b"]
            assert 0 <= value["a"] <= 999
            assert isinstance(value["b"], bool)

    @pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
    @pytest.mark.parametrize(
        ("on_refused", "options"),
        [
            ("raise", {"do_sample": True}),
            ("stop", {"num_beams": 4}),
            pytest.param("raise", {}, marks=pytest.mark.slow),
            pytest.param(
                "raise", {"do_sample": True, "num_return_sequences": 3}, marks=pytest.mark.slow
            ),
            pytest.param(
                "stop", {"num_beams": 4, "num_return_sequences": 4}, marks=pytest.mark.slow
            ),
            pytest.param("stop", {"num_beams": 3, "do_sample": True}, marks=pytest.mark.slow),
        ],
        ids=str,
    )
    def test_all_rows_are_valid(self, model, grammar, on_refused, options):
        processor = xgr.hf.LogitsProcessor(grammar, on_refused=on_refused)
        texts = self.generate(model, processor, **options)
        assert len(texts) == 2 * options.get("num_return_sequences", 1)
        self.check(texts)

    @pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
    @pytest.mark.parametrize(
        "kind", ["draft model", pytest.param("prompt lookup", marks=pytest.mark.slow)]
    )
    def test_assisted_decoding_writes_what_plain_decoding_does(self, model, grammar, kind):
        plain = self.generate(model, xgr.hf.LogitsProcessor(grammar), num_prompts=1)
        options = (
            {"assistant_model": model} if kind == "draft model" else {"prompt_lookup_num_tokens": 2}
        )
        processor = xgr.hf.LogitsProcessor(grammar, on_refused="stop")
        assert self.generate(model, processor, num_prompts=1, **options) == plain
        self.check(plain)

    def test_grammars_of_rows_differ(self, model):
        info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[0])
        compiler = xgr.GrammarCompiler(info)
        grammars = [compiler.compile_regex(pattern) for pattern in ("[a-f]{2}", "[0-9]{12}")]
        first, second = self.generate(model, xgr.hf.LogitsProcessor(grammars), do_sample=True)
        assert len(first) == 2
        assert set(first) <= set("abcdef")
        assert len(second) == 12
        assert second.isdigit()

    def test_raw_logits_are_not_masked(self, model, grammar):
        out = model.generate(
            torch.tensor([[6, 7]]),
            attention_mask=torch.ones((1, 2), dtype=torch.long),
            max_new_tokens=3,
            logits_processor=[xgr.hf.LogitsProcessor(grammar)],
            output_logits=True,
            output_scores=True,
            return_dict_in_generate=True,
        )
        assert all(torch.isfinite(logits).all() for logits in out.logits)
        assert all(torch.isinf(scores).any() for scores in out.scores)
