"""The public surface that clients rely on, as data: signatures, properties, models, errors.

A signature is written as in Python, without annotations. The library may have more keyword-only
parameters with defaults, and no other difference.
"""

from __future__ import annotations

# Names that must be importable from the package itself.
ROOT_NAMES = [
    "Grammar",
    "GrammarCompiler",
    "CompiledGrammar",
    "GrammarMatcher",
    "BatchGrammarMatcher",
    "TokenizerInfo",
    "VocabType",
    "StructuralTag",
    "StructuralTagItem",
    "allocate_token_bitmask",
    "get_bitmask_shape",
    "bitmask_dtype",
    "reset_token_bitmask",
    "apply_token_bitmask_inplace",
    "get_model_structural_tag",
    "get_builtin_structural_tag",
    "normalize_tool_choice",
    "register_model_structural_tag",
    "get_max_recursion_depth",
    "set_max_recursion_depth",
    "max_recursion_depth",
    "get_serialization_version",
    "InvalidJSONError",
    "InvalidStructuralTagError",
    "DeserializeFormatError",
    "DeserializeVersionError",
    "exception",
    "structural_tag",
    "testing",
]

MODULE_NAMES = {
    "tokenizer_info": "TokenizerInfo VocabType",
    "grammar": "Grammar StructuralTagItem",
    "compiler": "GrammarCompiler CompiledGrammar",
    "matcher": "GrammarMatcher BatchGrammarMatcher allocate_token_bitmask get_bitmask_shape "
    "reset_token_bitmask apply_token_bitmask_inplace bitmask_dtype",
    "config": "get_max_recursion_depth set_max_recursion_depth max_recursion_depth "
    "get_serialization_version",
    "exception": "InvalidJSONError InvalidStructuralTagError DeserializeFormatError "
    "DeserializeVersionError",
    "builtin_structural_tag": "get_model_structural_tag get_builtin_structural_tag "
    "register_model_structural_tag",
    "openai_tool_call_schema": "FunctionDefinition FunctionToolParam BuiltinToolParam ToolParam "
    "NamedToolChoiceFunction NamedToolChoiceParam BuiltinToolChoiceParam AllowedToolRef "
    "AllowedToolsParam AllowedToolChoiceParam ToolChoiceOptionParam",
    "structural_tag": "Format StructuralTag StructuralTagItem ConstStringFormat JSONSchemaFormat "
    "AnyTextFormat TokenFormat ExcludeTokenFormat AnyTokensFormat GrammarFormat RegexFormat "
    "SequenceFormat OrFormat TagFormat TriggeredTagsFormat TokenTriggeredTagsFormat "
    "TagsWithSeparatorFormat OptionalFormat PlusFormat StarFormat RepeatFormat DispatchFormat "
    "TokenDispatchFormat QwenXMLParameterFormat",
}

_SCHEMA_OPTIONS = (
    "any_whitespace=True, indent=None, separators=None, strict_mode=True, max_whitespace_cnt=None"
)
SIGNATURES = {
    "TokenizerInfo": "(encoded_vocab, vocab_type=VocabType.RAW, *, vocab_size=None, "
    "stop_token_ids=None, add_prefix_space=False)",
    "TokenizerInfo.from_huggingface": "(tokenizer, *, vocab_size=None, stop_token_ids=None)",
    "TokenizerInfo.from_vocab_and_metadata": "(encoded_vocab, metadata)",
    "TokenizerInfo.dump_metadata": "(self)",
    "TokenizerInfo.serialize_json": "(self)",
    "TokenizerInfo.deserialize_json": "(json_string)",
    "Grammar.from_ebnf": "(ebnf_string, *, root_rule_name='root')",
    "Grammar.from_json_schema": f"(schema, *, {_SCHEMA_OPTIONS}, print_converted_ebnf=False, "
    "any_order=False)",
    "Grammar.from_regex": "(regex_string, *, print_converted_ebnf=False)",
    "Grammar.from_lark": "(lark_string, *, tokenizer_info=None, named_grammars=None)",
    "Grammar.builtin_json_grammar": "()",
    "Grammar.concat": "(*grammars)",
    "Grammar.union": "(*grammars)",
    "Grammar.serialize_json": "(self)",
    "Grammar.deserialize_json": "(json_string)",
    "GrammarCompiler": "(tokenizer_info, *, max_threads=8, cache_enabled=True, "
    "cache_limit_bytes=-1, enable_dynamic_compilation=False)",
    "GrammarCompiler.compile_json_schema": f"(self, schema, *, {_SCHEMA_OPTIONS}, any_order=False)",
    "GrammarCompiler.compile_builtin_json_grammar": "(self)",
    "GrammarCompiler.compile_regex": "(self, regex)",
    "GrammarCompiler.compile_lark": "(self, lark_string, *, named_grammars=None)",
    "GrammarCompiler.compile_grammar": "(self, grammar, *, root_rule_name='root')",
    "GrammarCompiler.clear_cache": "(self)",
    "GrammarCompiler.get_cache_size_bytes": "(self)",
    "CompiledGrammar.serialize_json": "(self)",
    "CompiledGrammar.deserialize_json": "(json_str, tokenizer_info)",
    "GrammarMatcher": "(compiled_grammar, *, override_stop_tokens=None, "
    "terminate_without_stop_token=False, max_rollback_tokens=-1, default_temperature=None)",
    "GrammarMatcher.traverse_draft_tree": "(self, retrieve_next_token, retrieve_next_sibling, "
    "draft_tokens, token_bitmask, time_threshold=-1.0, temperatures=None)",
    "GrammarMatcher.fork": "(self)",
    "GrammarMatcher.get_captures": "(self, *, deduplicate=True)",
    "BatchGrammarMatcher": "(max_threads='auto')",
    "BatchGrammarMatcher.batch_fill_next_token_bitmask": "(self, matchers, bitmask, indices=None, "
    "debug_print=False)",
    "BatchGrammarMatcher.batch_accept_token": "(matchers, tokens, debug_print=False)",
    "BatchGrammarMatcher.batch_accept_string": "(matchers, strings, debug_print=False)",
    "BatchGrammarMatcher.batch_rollback": "(matchers, num_tokens=1)",
    "BatchGrammarMatcher.batch_fill_temperature": "(matchers, temperatures, indices=None)",
    "allocate_token_bitmask": "(batch_size, vocab_size)",
    "get_bitmask_shape": "(batch_size, vocab_size)",
    "reset_token_bitmask": "(bitmask)",
    "apply_token_bitmask_inplace": "(logits, bitmask, *, vocab_size=None, indices=None, "
    "backend='auto')",
    "set_max_recursion_depth": "(max_recursion_depth)",
    "max_recursion_depth": "(temp_depth)",
    "get_max_recursion_depth": "()",
    "get_serialization_version": "()",
    "normalize_tool_choice": "(tools=None, tool_choice='auto')",
    "register_model_structural_tag": "(name, *, marker_tokens=None)",
    "get_model_structural_tag": "(model, tools=None, tool_choice='auto', reasoning='enabled', "
    "force_reasoning=False, any_order=False, exclude_special_tokens=True, max_whitespace_cnt=None, "
    "parallel_tool_calls=True, token_markers=False)",
    "StructuralTag.from_legacy_structural_tag": "(tags, triggers)",
    "testing._json_schema_to_ebnf": "(schema, *, any_whitespace=True, indent=None, "
    "separators=None, max_whitespace_cnt=None, strict_mode=True, json_format='json', "
    "any_order=False)",
    "testing._regex_to_ebnf": "(regex, with_rule_name=True)",
    "testing._ebnf_to_grammar_no_normalization": "(ebnf_string, root_rule_name='root')",
    "testing._get_matcher_from_grammar": "(grammar, **kwargs)",
    "testing._get_matcher_from_grammar_and_tokenizer_info": "(grammar, tokenizer_info=None, "
    "**kwargs)",
    "testing._is_grammar_accept_string": "(grammar, input_str, *, debug_print=False, "
    "print_time=False, require_termination=True)",
    "testing._get_masked_tokens_from_bitmask": "(bitmask, vocab_size, index=0)",
    "testing._is_single_token_bitmask": "(bitmask, vocab_size, index=0)",
    "testing.bool_mask_to_bitmask": "(bool_mask)",
    "testing.bitmask_to_bool_mask": "(bit_mask, vocab_size=None)",
    "testing._traverse_draft_tree": "(retrieve_next_token, retrieve_next_sibling, draft_tokens, "
    "matcher, allocate_token_bitmask, time_threshold=-1.0)",
}

PROPERTIES = {
    "TokenizerInfo": "vocab_type vocab_size add_prefix_space prepend_space_in_tokenization "
    "decoded_vocab stop_token_ids special_token_ids",
    "GrammarCompiler": "cache_limit_bytes",
    "CompiledGrammar": "grammar tokenizer_info memory_size_bytes",
    "GrammarMatcher": "temperature stop_token_ids max_rollback_tokens",
}

# Fields of the pydantic models with their defaults; `...` is required.
MODELS = {
    "ConstStringFormat": {"type": "const_string", "value": ...},
    "JSONSchemaFormat": {
        "type": "json_schema",
        "json_schema": ...,
        "style": "json",
        "any_order": False,
        "max_whitespace_cnt": None,
        "excludes": [],
    },
    "AnyTextFormat": {"type": "any_text", "excludes": [], "max_tokens": None, "max_chars": None},
    "TokenFormat": {"type": "token", "token": ...},
    "ExcludeTokenFormat": {"type": "exclude_token", "exclude_tokens": []},
    "AnyTokensFormat": {"type": "any_tokens", "exclude_tokens": [], "max_tokens": None},
    "GrammarFormat": {"type": "grammar", "grammar": ..., "syntax": "ebnf"},
    "RegexFormat": {"type": "regex", "pattern": ...},
    "SequenceFormat": {"type": "sequence", "elements": ...},
    "OrFormat": {"type": "or", "elements": ...},
    "TagFormat": {"type": "tag", "begin": ..., "content": ..., "end": ...},
    "TriggeredTagsFormat": {
        "type": "triggered_tags",
        "triggers": ...,
        "tags": ...,
        "at_least_one": False,
        "stop_after_first": False,
        "excludes": [],
    },
    "TokenTriggeredTagsFormat": {
        "type": "token_triggered_tags",
        "trigger_tokens": ...,
        "tags": ...,
        "exclude_tokens": [],
        "at_least_one": False,
        "stop_after_first": False,
    },
    "TagsWithSeparatorFormat": {
        "type": "tags_with_separator",
        "tags": ...,
        "separator": ...,
        "at_least_one": False,
        "stop_after_first": False,
    },
    "OptionalFormat": {"type": "optional", "content": ...},
    "PlusFormat": {"type": "plus", "content": ...},
    "StarFormat": {"type": "star", "content": ...},
    "RepeatFormat": {"type": "repeat", "min": ..., "max": ..., "content": ...},
    "DispatchFormat": {"type": "dispatch", "rules": ..., "loop": True, "excludes": []},
    "TokenDispatchFormat": {
        "type": "token_dispatch",
        "rules": ...,
        "loop": True,
        "exclude_tokens": [],
    },
    "QwenXMLParameterFormat": {"type": "qwen_xml_parameter", "json_schema": ...},
    "StructuralTagItem": {"begin": ..., "schema_": ..., "end": ...},
    "StructuralTag": {"type": "structural_tag", "format": ...},
    "FunctionDefinition": {"name": ..., "description": None, "parameters": None, "strict": None},
    "FunctionToolParam": {"type": "function", "function": ...},
    "BuiltinToolParam": {"type": ..., "name": None, "parameters": None},
    "NamedToolChoiceFunction": {"name": ...},
    "NamedToolChoiceParam": {"type": "function", "function": ...},
    "BuiltinToolChoiceParam": {"type": ..., "name": None},
    "AllowedToolRef": {"type": ..., "function": None, "name": None},
    "AllowedToolsParam": {"mode": ..., "tools": ...},
    "AllowedToolChoiceParam": {"type": "allowed_tools", "allowed_tools": ...},
}

# A call, and the built-in class by which clients catch what it raises. `m` is a new matcher of
# `"a" "b"`, `done` one that has accepted a stop token; `info`, `compiler`, `compiled` are theirs.
ERRORS = [
    ("TokenizerInfo(None)", "TypeError"),
    ("TokenizerInfo('ab')", "TypeError"),
    ("TokenizerInfo([1])", "TypeError"),
    ("TokenizerInfo(['a'], vocab_type='raw')", "ValueError"),
    ("TokenizerInfo(['a', 'b'], vocab_size=1)", "RuntimeError"),
    ("TokenizerInfo.from_vocab_and_metadata(['a'], '{}')", "RuntimeError"),
    ("TokenizerInfo.from_vocab_and_metadata(['a'], '')", "RuntimeError"),
    ("TokenizerInfo.from_vocab_and_metadata(['a'], None)", "TypeError"),
    ("TokenizerInfo.from_huggingface(object())", "ValueError"),
    ("Grammar()", "TypeError"),
    ("CompiledGrammar()", "TypeError"),
    ("Grammar.from_ebnf('root ::= missing')", "RuntimeError"),
    ("Grammar.from_ebnf('')", "RuntimeError"),
    ("Grammar.from_ebnf(b'root ::= \"a\"')", "TypeError"),
    ("Grammar.from_ebnf('\\ud800')", "ValueError"),
    ("Grammar.from_regex('(')", "RuntimeError"),
    ("Grammar.from_regex('a\\0b')", "RuntimeError"),
    ("Grammar.from_regex(None)", "TypeError"),
    ("Grammar.from_ebnf('root ::= \"a\\0b\"')", "RuntimeError"),
    ("Grammar.from_lark('start: \"a\\0b\"')", "RuntimeError"),
    ("Grammar.from_json_schema({'type': 'string', 'pattern': 'a\\0b'})", "RuntimeError"),
    ("Grammar.from_lark('start: missing')", "RuntimeError"),
    ("Grammar.from_lark('start: \"a\"', named_grammars=[])", "TypeError"),
    ("Grammar.from_json_schema([])", "ValueError"),
    ("Grammar.from_json_schema(None)", "ValueError"),
    ("Grammar.from_json_schema({'a': object()})", "TypeError"),
    ("Grammar.from_json_schema('{')", "RuntimeError"),
    ("Grammar.from_json_schema('1')", "RuntimeError"),
    ("Grammar.from_json_schema('false')", "RuntimeError"),
    ("Grammar.from_json_schema({'type': 'strin'})", "RuntimeError"),
    ("Grammar.from_json_schema({'$ref': '#/nowhere'})", "RuntimeError"),
    ("Grammar.from_json_schema({'enum': []})", "RuntimeError"),
    ("Grammar.from_json_schema({}, separators=(',',))", "ValueError"),
    ("Grammar.from_json_schema({}, max_whitespace_cnt=0)", "RuntimeError"),
    ("Grammar.from_structural_tag('{')", "InvalidJSONError"),
    ("Grammar.from_structural_tag('{}')", "InvalidStructuralTagError"),
    ("Grammar.from_structural_tag(1)", "TypeError"),
    ("Grammar.from_structural_tag(structural_tag=1)", "ValueError"),
    ("Grammar.from_structural_tag((), ())", "TypeError"),
    ("Grammar.concat([])", "TypeError"),
    ("Grammar.union()", "ValueError"),
    ("Grammar.deserialize_json('{')", "InvalidJSONError"),
    ("Grammar.deserialize_json('{}')", "DeserializeVersionError"),
    ("Grammar.deserialize_json('[]')", "DeserializeFormatError"),
    ("Grammar.deserialize_json(b'')", "TypeError"),
    ("GrammarCompiler(None)", "ValueError"),
    ("GrammarCompiler(info, cache_limit_bytes=-2)", "RuntimeError"),
    ("compiler.compile_grammar(1)", "ValueError"),
    ("compiler.compile_grammar('root ::= (')", "RuntimeError"),
    ("compiler.compile_regex('(')", "RuntimeError"),
    ("compiler.compile_lark('start: (')", "RuntimeError"),
    ("compiler.compile_json_schema('{\"type\": 1}')", "RuntimeError"),
    (
        (
            "compiler.compile_structural_tag({'type': 'structural_tag', "
            "'format': {'type': 'token', 'token': 'missing'}})"
        ),
        "InvalidStructuralTagError",
    ),
    (
        (
            "compiler.compile_structural_tag({'type': 'structural_tag', "
            "'format': {'type': 'token', 'token': 99}})"
        ),
        "InvalidStructuralTagError",
    ),
    ("CompiledGrammar.deserialize_json(compiled.serialize_json(), None)", "TypeError"),
    (
        (
            "CompiledGrammar.deserialize_json(compiled.serialize_json(), TokenizerInfo(['x', 'b', "
            "'</s>']))"
        ),
        "DeserializeFormatError",
    ),
    ("GrammarMatcher(None)", "ValueError"),
    ("GrammarMatcher(compiled, override_stop_tokens=[])", "RuntimeError"),
    ("GrammarMatcher(compiled, override_stop_tokens=[3])", "RuntimeError"),
    ("GrammarMatcher(compiled, default_temperature=-1.0)", "RuntimeError"),
    ("m.accept_token(1.0)", "TypeError"),
    ("m.accept_token('a')", "TypeError"),
    ("m.accept_string(1)", "TypeError"),
    ("m.rollback(1)", "RuntimeError"),
    ("m.rollback(-1)", "ValueError"),
    ("m.fill_next_token_bitmask([0])", "TypeError"),
    ("m.fill_next_token_bitmask(np.zeros((1, 1), np.int64))", "RuntimeError"),
    ("m.fill_next_token_bitmask(np.zeros((1, 2), np.int32))", "RuntimeError"),
    ("m.fill_next_token_bitmask(np.zeros((1, 1), np.int32), 1)", "RuntimeError"),
    ("m.fill_next_token_bitmask(np.zeros((1, 1), np.int32), -1)", "RuntimeError"),
    ("done.fill_next_token_bitmask(np.zeros((1, 1), np.int32))", "RuntimeError"),
    ("done.find_jump_forward_string()", "RuntimeError"),
    ("BatchGrammarMatcher(0)", "RuntimeError"),
    ("BatchGrammarMatcher.batch_accept_token([m], [])", "RuntimeError"),
    ("allocate_token_bitmask(-1, 3)", "RuntimeError"),
    ("apply_token_bitmask_inplace(np.zeros(3, np.float32), np.zeros(1, np.int64))", "ValueError"),
    (
        "apply_token_bitmask_inplace(np.zeros((2, 3), np.float32), np.zeros((1, 1), np.int32))",
        "RuntimeError",
    ),
    (
        (
            "apply_token_bitmask_inplace(np.zeros((1, 3), np.float32), np.zeros((1, 1), np.int32), "
            "indices=[1])"
        ),
        "RuntimeError",
    ),
    (
        "apply_token_bitmask_inplace(np.zeros(3, np.float32), np.zeros(1, np.int32), backend='x')",
        "ValueError",
    ),
    ("set_max_recursion_depth(0)", "RuntimeError"),
    ("normalize_tool_choice(1)", "ValueError"),
    ("normalize_tool_choice([], 'required')", "ValueError"),
    ("get_model_structural_tag('nothing')", "ValueError"),
    ("get_model_structural_tag('llama', reasoning='maybe')", "ValueError"),
    ("StructuralTag.from_json(1)", "ValueError"),
    ("StructuralTag.from_json('{}')", "ValueError"),
]
