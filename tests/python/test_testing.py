"""The functions of xgrammar.testing, which clients use in tests of their own.

Guards their names and what they return on small grammars; their results are those of the public
calls below them, which have tests of their own.
"""

import pytest

import xgrammar as xgr
from xgrammar import testing

np = pytest.importorskip("numpy", reason="numpy is not installed")


def test_conversions():
    assert testing._regex_to_ebnf("a+b").startswith("root ::= ")
    assert testing._regex_to_ebnf("a+b").endswith("\n")
    body = testing._regex_to_ebnf("a+b", with_rule_name=False)
    assert not body.startswith("root")
    assert testing._is_grammar_accept_string(f"root ::= {body}", "aab")
    text = testing._json_schema_to_ebnf({"type": "integer"}, any_whitespace=False)
    assert testing._is_grammar_accept_string(text, "12")
    with pytest.raises(ValueError, match="json_format"):
        testing._json_schema_to_ebnf({}, json_format="xml")
    grammar = testing._ebnf_to_grammar_no_normalization('start ::= "a"', "start")
    assert isinstance(grammar, xgr.Grammar)


def test_accept_string(capsys):
    accepts = testing._is_grammar_accept_string
    assert accepts('root ::= "abc"', "abc")
    assert not accepts('root ::= "abc"', "ab")
    assert accepts('root ::= "abc"', "ab", require_termination=False, print_time=True)
    assert "us" in capsys.readouterr().err
    assert not accepts('root ::= "a" root', "a")


def test_matchers():
    matcher = testing._get_matcher_from_grammar('root ::= "a"')
    assert matcher.accept_string("a")
    assert matcher.is_terminated()
    info = xgr.TokenizerInfo(["a", "</s>"])
    matcher = testing._get_matcher_from_grammar_and_tokenizer_info('root ::= "a"', info)
    assert matcher.accept_token(0)
    assert not matcher.is_terminated()


def test_reading_bitmasks():
    mask = np.array([[-1, -1], [0b1010, 0], [0b1000, 0]], np.int32)
    assert testing._get_masked_tokens_from_bitmask(mask, 40) == []
    assert testing._get_masked_tokens_from_bitmask(mask, 5, 1) == [0, 2, 4]
    assert testing._is_single_token_bitmask(mask, 40, 2) == (True, 3)
    assert testing._is_single_token_bitmask(mask, 40, 1) == (False, -1)
    with pytest.raises(ValueError, match="int32"):
        testing._get_masked_tokens_from_bitmask(mask.astype(np.int64), 5)
    with pytest.raises(ValueError, match="64"):
        testing._get_masked_tokens_from_bitmask(mask, 65)


@pytest.mark.torch
def test_boolean_masks():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    generator = torch.Generator().manual_seed(1)
    mask = torch.rand((3, 70), generator=generator) < 0.5
    words = testing.bool_mask_to_bitmask(mask)
    assert words.dtype == torch.int32
    assert tuple(words.shape) == (3, 3)
    assert torch.equal(testing.bitmask_to_bool_mask(words, 70), mask)
    assert testing.bitmask_to_bool_mask(words)[:, 70:].all()
    for bad, size in ((words.to(torch.int64), 70), (words, 97), (words.to("meta"), 70)):
        with pytest.raises(ValueError):
            testing.bitmask_to_bool_mask(bad, size)


def test_draft_tree_wrapper():
    matcher = testing._get_matcher_from_grammar_and_tokenizer_info(
        'root ::= "a"', xgr.TokenizerInfo(["a", "</s>"])
    )
    none = np.array([-1], np.int64)
    mask = np.zeros((1, 1), np.int32)
    assert testing._traverse_draft_tree(none, none, none, matcher, mask)
    assert mask[0, 0] == 1
