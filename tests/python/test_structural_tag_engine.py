"""Structural tags through the engine: entry points, tokens against text, budgets, errors.

Guards the two entry points with all forms of arguments, special and stop tokens beside text,
budgets of tokens and characters, and sizes that must stay linear. Single formats are data cases;
random tags are tests/property/test_structural_tags.py.
"""

from __future__ import annotations

import copy
import json
import time

import numpy as np
import pytest
from pydantic import ValidationError

import xgrammar as xgr
from tests.conformance.cases import load_cases
from xgrammar.exception import InvalidJSONError, InvalidStructuralTagError

VOCAB = ["a", "b", "ab", "<t>", "</t>", "<x>", "1", "<", "t>", "<eos>"]
STOP = 9
AT = {"type": "any_text"}


def const(value):
    return {"type": "const_string", "value": value}


def token(value):
    return {"type": "token", "token": value}


def tag(begin, content, end):
    return {"type": "tag", "begin": begin, "content": content, "end": end}


def compile_for(vocab, structural_format, **options):
    info = xgr.TokenizerInfo(vocab, stop_token_ids=[vocab.index("<eos>")], **options)
    compiler = xgr.GrammarCompiler(info, max_threads=1)
    return compiler.compile_structural_tag({"format": structural_format})


def allowed_ids(matcher, size):
    row = np.zeros((1, (size + 31) // 32), dtype=np.int32)
    matcher.fill_next_token_bitmask(row)
    return [i for i in range(size) if (int(row[0, i // 32]) >> (i % 32)) & 1]


def accepts_tokens(compiled, ids, stop=STOP):
    """Whether the ids and then the stop token are accepted; masks must agree on the way."""
    matcher = xgr.GrammarMatcher(compiled)
    size = compiled.tokenizer_info.vocab_size
    for token_id in [*ids, stop]:
        bit = token_id in allowed_ids(matcher, size)
        accepted = matcher.accept_token(token_id)
        assert accepted == bit, f"mask and accept_token disagree on {token_id} in {ids}"
        if not accepted:
            return False
    return matcher.is_terminated()


BODY = {"type": "structural_tag", "format": const("x")}
# A vocabulary whose markers are special tokens, and their pieces.
MARKERS = ["a", "b", "<think>", "</think>", "<think", ">", "</think", '"', "<eos>"]


class TestEntryPoints:
    def test_forms_of_one_argument(self, compiler):
        text = json.dumps(BODY)
        model = xgr.StructuralTag.model_validate(BODY)
        for value in (text, BODY, model):
            for grammar in (
                xgr.Grammar.from_structural_tag(value),
                xgr.Grammar.from_structural_tag(structural_tag=value),
                compiler.compile_structural_tag(value).grammar,
                compiler.compile_structural_tag(structural_tag=value).grammar,
            ):
                assert str(grammar) == 'root ::= "x"\n'

    def test_unknown_keys_of_dicts_are_ignored(self):
        value = {**BODY, "other": 1, "format": {**const("x"), "other": None}}
        assert str(xgr.Grammar.from_structural_tag(value)) == 'root ::= "x"\n'

    def test_legacy_form(self, compiler):
        item = xgr.StructuralTagItem(begin="<f>", schema='{"type":"integer"}', end="</f>")
        same = xgr.StructuralTag.from_legacy_structural_tag([item], ["<f"])
        wanted = str(xgr.Grammar.from_structural_tag(same))
        assert str(xgr.Grammar.from_structural_tag([item], ["<f"])) == wanted
        assert str(xgr.Grammar.from_structural_tag(tags=[item], triggers=["<f"])) == wanted
        assert str(compiler.compile_structural_tag([item], ["<f"]).grammar) == wanted
        accepts = xgr.testing._is_grammar_accept_string
        grammar = xgr.Grammar.from_structural_tag([item], ["<f"])
        assert accepts(grammar, "x<f>5</f>y")
        assert not accepts(grammar, "<f>{}</f>")

    def test_legacy_errors(self):
        item = xgr.StructuralTagItem(begin="<f>", schema="{", end="</f>")
        with pytest.raises(json.JSONDecodeError):
            xgr.Grammar.from_structural_tag([item], ["<f"])
        with pytest.raises(AttributeError):
            xgr.Grammar.from_structural_tag([{"begin": "", "schema": {}, "end": ""}], ["<f"])

    @pytest.mark.parametrize(
        ("args", "kwargs"),
        [
            ((), {}),
            ((3,), {}),
            ((None,), {}),
            (([],), {}),
            ((BODY, BODY), {}),
            (((), ()), {}),
            (([], [], []), {}),
            (([],), {"triggers": []}),
            ((), {"tags": []}),
            ((), {"structural_tag": BODY, "tags": []}),
        ],
    )
    def test_other_arguments(self, compiler, args, kwargs):
        for call in (xgr.Grammar.from_structural_tag, compiler.compile_structural_tag):
            with pytest.raises(TypeError, match="Invalid argument"):
                call(*args, **kwargs)

    def test_other_type_by_keyword(self, compiler):
        for call in (xgr.Grammar.from_structural_tag, compiler.compile_structural_tag):
            with pytest.raises(ValueError, match="Invalid argument"):
                call(structural_tag=3)

    def test_lone_surrogates(self):
        with pytest.raises(UnicodeEncodeError):
            xgr.Grammar.from_structural_tag('{"format": "\ud800"}')
        with pytest.raises(InvalidJSONError):
            xgr.Grammar.from_structural_tag({"format": const("\ud800")})


TAGS = [
    case for case in load_cases() if case.fields["kind"] in ("structural_tag", "json_schema_style")
]


def outcome(compiler, tag):
    """The grammar of a tag as text, or the class of its error."""
    try:
        return str(compiler.compile_structural_tag(tag).grammar)
    except (RuntimeError, ValueError) as error:
        return type(error)


def names_its_kinds(node):
    """Whether every format says its type: the classes need it, the reader can do without."""
    if isinstance(node, list):
        return all(map(names_its_kinds, node))
    if not isinstance(node, dict):
        return True
    parts = [node.get(name) for name in ("content", "elements", "tags", "rules", "format")]
    return ("type" in node or "format" in node) and all(map(names_its_kinds, parts))


@pytest.mark.parametrize("case", TAGS, ids=lambda case: case.id)
def test_classes_and_reader_agree(case):
    info = xgr.TokenizerInfo(case.fields.get("vocab", VOCAB), stop_token_ids=[])
    compiler = xgr.GrammarCompiler(info, max_threads=1, cache_enabled=False)
    tag = case.tag()
    direct = outcome(compiler, tag)
    try:
        model = xgr.StructuralTag.from_json(tag)
    except ValidationError:
        # What the classes refuse, the reader refuses, too, unless it can tell what is meant.
        assert isinstance(direct, type) or not names_its_kinds(tag)
        return
    if outcome(compiler, model) != direct:
        # The classes turn 1 into true, and the like, where the reader is strict.
        coerced = model.model_dump(mode="json", exclude_unset=True)
        assert isinstance(direct, type)
        assert json.dumps(coerced, sort_keys=True) != json.dumps(tag, sort_keys=True)


class TestErrors:
    def test_kinds_from_both_entry_points(self, compiler):
        for call in (xgr.Grammar.from_structural_tag, compiler.compile_structural_tag):
            with pytest.raises(
                InvalidJSONError, match=r"^Invalid JSON error: Failed to parse JSON"
            ):
                call('{"format": ')
            with pytest.raises(InvalidStructuralTagError) as caught:
                call({"format": {"elements": [const("x"), {"type": "y"}]}})
            assert str(caught.value).startswith("Invalid structural tag error:")
            assert caught.value.pointer == "/format/elements/1"

    def test_errors_of_parts(self, compiler):
        with pytest.raises(xgr.GrammarSyntaxError) as caught:
            compiler.compile_structural_tag({"format": {"type": "regex", "pattern": "a("}})
        assert caught.value.pointer == "/format/pattern"
        with pytest.raises(xgr.JSONSchemaError) as schema_error:
            xgr.Grammar.from_structural_tag({"format": {"json_schema": {"type": "strin"}}})
        assert schema_error.value.pointer.startswith("/format/json_schema")

    def test_tokens(self, compiler):
        with pytest.raises(InvalidStructuralTagError, match="requires tokenizer_info"):
            xgr.Grammar.from_structural_tag({"format": token("a")})
        with pytest.raises(InvalidStructuralTagError, match="not found in vocabulary"):
            compiler.compile_structural_tag({"format": token("no such token")})
        with pytest.raises(InvalidStructuralTagError, match="out of the vocabulary range"):
            compiler.compile_structural_tag({"format": token(64)})


class TestTokenNames:
    def test_decoded_text_and_lowest_id(self):
        vocab = ["x", "Ġa", "Ġa", "<eos>"]
        compiled = compile_for(vocab, token(" a"), vocab_type=xgr.VocabType.BYTE_LEVEL)
        assert accepts_tokens(compiled, [1], 3)
        assert not accepts_tokens(compiled, [2], 3)
        with pytest.raises(InvalidStructuralTagError):
            compile_for(vocab, token("Ġa"), vocab_type=xgr.VocabType.BYTE_LEVEL)

    def test_byte_fallback(self):
        compiled = compile_for(
            ["x", "<0x41>", "<eos>"], token("A"), vocab_type=xgr.VocabType.BYTE_FALLBACK
        )
        assert accepts_tokens(compiled, [1], 2)

    def test_tokens_named_in_embedded_grammars(self):
        grammar = {"type": "grammar", "grammar": 'root ::= <t> "a"'}
        assert accepts_tokens(compile_for(VOCAB, grammar), [3, 0])


class TestSpecialTokens:
    """Markers that the tokenizer flags as special are reached by marker strings only."""

    def compiled(self, structural_format):
        return compile_for(MARKERS, structural_format, special_token_ids=[2, 3])

    def accepts(self, structural_format, ids):
        return accepts_tokens(self.compiled(structural_format), ids, len(MARKERS) - 1)

    def test_tag_edges_take_the_token_or_its_text(self):
        thinking = tag("<think>", AT, "</think>")
        for begin in ([2], [4, 5]):
            for end in ([3], [6, 5]):
                assert self.accepts(thinking, [*begin, 0, *end])
        assert not self.accepts(thinking, [2, 2, 3])
        assert not self.accepts(thinking, [2, 3, 3])

    def test_free_text_and_json_strings_never_do(self):
        assert not self.accepts(AT, [2])
        assert self.accepts(AT, [4, 5])
        assert not self.accepts({"json_schema": {"type": "string"}}, [7, 2, 7])
        assert self.accepts({"json_schema": {"type": "string"}}, [7, 4, 5, 7])

    def test_triggers(self):
        calls = {"triggers": ["<th"], "tags": [tag("<think>", const("a"), "</think>")]}
        assert self.accepts(calls, [1, 2, 0, 3, 1])
        assert self.accepts(calls, [1, 4, 5, 0, 6, 5, 1])
        assert not self.accepts(calls, [3])
        assert self.accepts({**calls, "at_least_one": True}, [2, 0, 3, 2, 0, 3])
        assert not self.accepts({**calls, "at_least_one": True}, [0, 2, 0, 3])

    def test_overlapping_patterns(self):
        # "<think>" is separable from nothing here: an exclude ends with its first character.
        rules = {"rules": [["<think>", const("a")]], "excludes": ["b<"]}
        assert self.accepts(rules, [0, 2, 0])
        assert not self.accepts(rules, [1, 4, 5, 0])
        assert not self.accepts(rules, [1, 2, 0])

    def test_separators_and_constants(self):
        separated = {"tags": [tag("", const("a"), "")], "separator": "</think>"}
        assert self.accepts(separated, [0, 3, 0])
        assert self.accepts(const("a<think>b"), [0, 2, 1])


class TestStopTokens:
    def test_only_when_complete(self):
        compiled = compile_for(VOCAB, tag("a", AT, "</t>"))
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_token(0)
        assert STOP not in allowed_ids(matcher, len(VOCAB))
        assert matcher.accept_token(4)
        assert allowed_ids(matcher, len(VOCAB)) == [STOP]

    def test_named_in_the_tree(self):
        compiled = compile_for(VOCAB, tag("a", AT, "<eos>"))
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_token(0)
        assert matcher.accept_token(1)
        assert matcher.accept_token(STOP)
        assert matcher.is_terminated()

    def test_exclude_token_is_not_satisfied(self):
        assert not accepts_tokens(
            compile_for(VOCAB, {"type": "plus", "content": {"type": "exclude_token"}}), []
        )


class TestBudgets:
    def test_string_matching_ignores_tokens(self):
        grammar = xgr.Grammar.from_structural_tag({"format": {**AT, "max_tokens": 1}})
        assert xgr.testing._is_grammar_accept_string(grammar, "many more")

    def test_each_occurrence_starts_anew(self):
        limited = {**AT, "max_tokens": 1, "excludes": ["<"]}
        compiled = compile_for(VOCAB, {"elements": [limited, const("<t>"), limited]})
        assert accepts_tokens(compiled, [0, 3, 0])
        assert not accepts_tokens(compiled, [0, 0, 3])
        assert not accepts_tokens(compiled, [3, 0, 0])

    def test_both_budgets(self):
        both = {**AT, "max_tokens": 9, "max_chars": 400}
        compiled = compile_for(VOCAB, tag("<t>", both, ["</t>", "<|end_of_thinking|>"]))
        assert accepts_tokens(compiled, [3, *[0] * 9, 4])
        assert not accepts_tokens(compiled, [3, *[0] * 10, 4])
        matcher = xgr.GrammarMatcher(compiled)
        assert not matcher.accept_string("<t>" + "é" * 401)
        assert matcher.accept_string("<t>" + "é" * 400 + "</t>")
        implied = {**AT, "max_tokens": 2**31 - 1, "max_chars": 2**28}
        assert accepts_tokens(compile_for(VOCAB, implied), [0, 1])
        large = compile_for(VOCAB, {**AT, "max_tokens": 9, "max_chars": 20_000})
        assert accepts_tokens(large, [0] * 9)
        assert not accepts_tokens(large, [0] * 10)
        matcher = xgr.GrammarMatcher(large)
        assert matcher.accept_string("é" * 20_000)
        assert not matcher.accept_string("é")

    def test_large_budgets_cost_nothing(self):
        for name in ("max_tokens", "max_chars"):
            compiled = compile_for(VOCAB, tag("<t>", {**AT, name: 2**31 - 1}, "</t>"))
            assert accepts_tokens(compiled, [3, 0, 1, 4])

    def test_budget_of_tokens_formats(self):
        compiled = compile_for(
            VOCAB, tag(token(3), {"type": "any_tokens", "max_tokens": 99}, token(4))
        )
        assert accepts_tokens(compiled, [3, *[0] * 99, 4])
        assert not accepts_tokens(compiled, [3, *[0] * 100, 4])


class TestMatching:
    def test_jump_forward(self):
        compiled = compile_for(VOCAB, tag("<t>", const("ab"), "</t>"))
        assert xgr.GrammarMatcher(compiled).find_jump_forward_string() == "<t>ab</t>"
        compiled = compile_for(VOCAB, tag("<t>", AT, "</t>"))
        assert xgr.GrammarMatcher(compiled).find_jump_forward_string() == "<t>"
        compiled = compile_for(VOCAB, tag(token(3), const("ab"), "</t>"))
        assert xgr.GrammarMatcher(compiled).find_jump_forward_string() == ""

    def test_strings_never_satisfy_tokens(self):
        compiled = compile_for(VOCAB, token("<t>"))
        assert not xgr.GrammarMatcher(compiled).accept_string("<t>")

    def test_rollback_and_fork(self):
        compiled = compile_for(VOCAB, tag("<t>", {**AT, "max_tokens": 1}, "</t>"))
        matcher = xgr.GrammarMatcher(compiled)
        assert matcher.accept_token(3)
        fork = matcher.fork()
        assert matcher.accept_token(0)
        assert not matcher.accept_token(0)
        matcher.rollback(1)
        for each in (matcher, fork):
            assert each.accept_token(1)
            assert each.accept_token(4)

    def test_cache_tells_fields_apart(self, compiler):
        first = {"format": {**AT, "max_chars": 2}}
        second = {"format": {**AT, "max_chars": 3}}
        compiled = compiler.compile_structural_tag(first)
        assert compiler.compile_structural_tag(copy.deepcopy(first)) == compiled
        assert compiler.compile_structural_tag(second) != compiled

    def test_printed_form_is_the_same_language(self):
        source = tag("<t>", {**AT, "max_tokens": 1, "excludes": ["b"]}, "</t>")
        grammar = xgr.Grammar.from_structural_tag({"format": source})
        again = xgr.Grammar.from_ebnf(str(grammar))
        info = xgr.TokenizerInfo(VOCAB, stop_token_ids=[STOP])
        compiler = xgr.GrammarCompiler(info)
        for each in (grammar, again):
            compiled = compiler.compile_grammar(each)
            assert accepts_tokens(compiled, [3, 0, 4])
            assert not accepts_tokens(compiled, [3, 0, 0, 4])
            assert not accepts_tokens(compiled, [3, 1, 4])


class TestSize:
    """Generous bounds: these took seconds or did not end when something was copied."""

    def timed(self, structural_format, seconds):
        text = json.dumps({"format": structural_format})
        begin = time.process_time()
        compiled = xgr.GrammarCompiler(xgr.TokenizerInfo(VOCAB)).compile_structural_tag(text)
        assert time.process_time() - begin < seconds
        return compiled

    def test_many_tags_with_one_trigger(self):
        tags = [tag(f"<t>{i}", {"json_schema": {"type": "integer"}}, "</t>") for i in range(5000)]
        compiled = self.timed({"triggers": ["<t>"], "tags": tags}, 2)
        assert xgr.GrammarMatcher(compiled).accept_string("a<t>4321" + "7</t>b")

    def test_many_excludes(self):
        excludes = [f"{i * 7919 % 99991}x{i}" for i in range(20000)]
        self.timed({**AT, "excludes": excludes}, 3)

    def test_nested_repetitions(self):
        inner = token(3)
        for _ in range(98):
            inner = {"type": "repeat", "min": 3, "max": 4, "content": inner}
        compiled = self.timed(inner, 2)
        assert xgr.GrammarMatcher(compiled).accept_token(3)


@pytest.mark.parametrize("count", [3, 5000])
def test_token_names_mean_the_first_token_of_that_text(count):
    size = 10_000
    vocab = [f"<{i % (size // 2)}>" for i in range(size)] + ["<eos>"]
    names = [f"<{i}>" for i in range(count)]
    excluding = {"type": "any_tokens", "exclude_tokens": names}
    matcher = xgr.GrammarMatcher(compile_for(vocab, excluding))
    assert allowed_ids(matcher, size + 1) == list(range(count, size + 1))
    excluding["exclude_tokens"] = [*names, "<no>"]
    with pytest.raises(InvalidStructuralTagError, match=r"<no>.* is not found in vocabulary"):
        compile_for(vocab, excluding)


def test_a_long_trigger_that_overlaps_itself():
    trigger = "a" * 200_000
    grammar = xgr.Grammar.from_structural_tag(
        {
            "format": {
                "type": "triggered_tags",
                "triggers": [trigger],
                "tags": [tag(trigger, const("x"), "y")],
            }
        },
        limits=xgr.Limits(max_compile_ms=20_000),
    )
    assert str(grammar).count("::=") > 1


def test_what_parts_do_not_enforce_is_reported_with_its_place():
    schema = {"properties": {"a": {"type": "string", "format": "no-such-format"}}}
    value = {"type": "json_schema", "json_schema": schema}
    lark = {
        "type": "grammar",
        "syntax": "lark",
        "grammar": "start: x\nx[capture, stop=/#+;/]: /[a-z]*/",
    }
    text = {"format": {"type": "sequence", "elements": [value, lark, tag("<x>", value, "</x>")]}}
    compiler = xgr.GrammarCompiler(xgr.TokenizerInfo(["a"]))
    for report in (
        xgr.Grammar.from_structural_tag(text).json_schema_report,
        compiler.compile_structural_tag(text).json_schema_report,
    ):
        assert [(record["pointer"], record["keyword"]) for record in report] == [
            ("/format/elements/0/json_schema/properties/a", "format"),
            ("/format/elements/1/grammar/x", "stop"),
            ("/format/elements/2/content/json_schema/properties/a", "format"),
        ]
