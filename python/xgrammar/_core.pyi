"""Native part of xgrammar; use the classes of the package instead."""

from collections.abc import Sequence
from typing import Any, SupportsIndex, overload


class Limits:
    """Bounds on work and size; xgrammar.Limits documents the fields."""

    def __init__(self) -> None:
        """All fields at their defaults."""

    @property
    def max_source_bytes(self) -> int: ...

    @max_source_bytes.setter
    def max_source_bytes(self, arg: int, /) -> None: ...

    @property
    def max_nesting(self) -> int: ...

    @max_nesting.setter
    def max_nesting(self, arg: int, /) -> None: ...

    @property
    def max_rules(self) -> int: ...

    @max_rules.setter
    def max_rules(self, arg: int, /) -> None: ...

    @property
    def max_repeat(self) -> int: ...

    @max_repeat.setter
    def max_repeat(self, arg: int, /) -> None: ...

    @property
    def max_grammar_size(self) -> int: ...

    @max_grammar_size.setter
    def max_grammar_size(self, arg: int, /) -> None: ...

    @property
    def max_dfa_states(self) -> int: ...

    @max_dfa_states.setter
    def max_dfa_states(self, arg: int, /) -> None: ...

    @property
    def max_schema_expansion(self) -> int: ...

    @max_schema_expansion.setter
    def max_schema_expansion(self, arg: int, /) -> None: ...

    @property
    def max_compile_ms(self) -> int: ...

    @max_compile_ms.setter
    def max_compile_ms(self, arg: int, /) -> None: ...

    @property
    def max_compile_work(self) -> int: ...

    @max_compile_work.setter
    def max_compile_work(self, arg: int, /) -> None: ...

    @property
    def max_state_bytes(self) -> int: ...

    @max_state_bytes.setter
    def max_state_bytes(self, arg: int, /) -> None: ...

    @property
    def max_items(self) -> int: ...

    @max_items.setter
    def max_items(self, arg: int, /) -> None: ...

    @property
    def max_mask_bytes(self) -> int: ...

    @max_mask_bytes.setter
    def max_mask_bytes(self, arg: int, /) -> None: ...

class CompileControl:
    """Bounds one call and gives it up when asked."""

    def __init__(self, max_ms: int) -> None: ...

    def cancel(self) -> None:
        """Let the call that runs with this object end with an error soon."""

def set_max_json_depth(depth: int) -> None:
    """Set how deep JSON text may be nested in this process."""

class JsonSchemaOptions:
    """Options of the JSON Schema front end, as its facade documents them."""

    def __init__(self, *, any_whitespace: bool, indent: int | None, separators: tuple[str, str] | None, strict_mode: bool, max_whitespace_cnt: int | None, any_order: bool, lenient: bool) -> None: ...

class Grammar:
    """An immutable grammar."""

    @staticmethod
    def from_ebnf(text: bytes, root_rule_name: bytes, limits: Limits) -> Grammar:
        """Parse EBNF."""

    @staticmethod
    def from_regex(pattern: bytes, limits: Limits) -> Grammar:
        """Translate a regular expression; the whole text must match."""

    @staticmethod
    def from_json_schema(schema: bytes, options: JsonSchemaOptions, limits: Limits) -> Grammar:
        """Translate the text of a JSON Schema."""

    @staticmethod
    def builtin_json() -> Grammar:
        """JSON with an object or array on top."""

    @staticmethod
    def union(grammars: list[Grammar], limits: Limits) -> Grammar:
        """Any of the grammars."""

    @staticmethod
    def concat(grammars: list[Grammar], limits: Limits) -> Grammar:
        """The grammars in order."""

    def with_report(self, report: list[tuple[str, str, str, str]]) -> Grammar:
        """The same grammar with another JSON Schema report."""

    def to_ebnf(self) -> str:
        """The grammar as EBNF text."""

    @property
    def report(self) -> list[tuple[str, str, str, str]]:
        """Keywords of the schema that are not enforced."""

    @property
    def num_rules(self) -> int:
        """Number of rules."""

    @property
    def memory_size_bytes(self) -> int:
        """Bytes held."""

    @property
    def identity(self) -> int:
        """Equal for two wrappers of the same grammar."""

SERIALIZATION_VERSION: str = 'xg0.3-1'

def kind_of_vocabulary(encoded_vocab: list[str | bytes]) -> int | None:
    """
    The kind that the spellings of a vocabulary show by themselves: 1 byte fallback, 2 byte level.
    """

class TokenizerInfo:
    """An immutable vocabulary."""

    @staticmethod
    def make(encoded_vocab: list[str | bytes], vocab_type: int, vocab_size: int | None, stop_token_ids: list[int] | None, add_prefix_space: bool, special_token_ids: list[int], decoded: bool) -> TokenizerInfo:
        """
        Decode a vocabulary and sort its tokens into ordinary, stop and special ones.
        """

    def decoded_vocab(self) -> list[bytes]:
        """Token bytes by id, as a new list."""

    def token_bytes(self, token_ids: Sequence[int]) -> bytes:
        """The bytes of tokens, joined."""

    def settled_size(self, text: bytes) -> int:
        """How many leading bytes of a text no longer token may cover."""

    def dump_metadata(self) -> str:
        """Kind, size, prefix flag and stop tokens as JSON."""

    def serialize_json(self) -> str:
        """Everything as JSON in ASCII."""

    def fingerprint(self) -> str:
        """Hash of everything that masks depend on."""

    @property
    def vocab_type(self) -> int:
        """0 raw, 1 byte fallback, 2 byte level."""

    @property
    def vocab_size(self) -> int:
        """Number of ids, padding included."""

    @property
    def add_prefix_space(self) -> bool:
        """Whether the tokenizer puts a space before the text."""

    @property
    def stop_token_ids(self) -> list[int]:
        """Sorted ids that end the output."""

    @property
    def special_token_ids(self) -> list[int]:
        """Sorted ids that text never matches."""

    @property
    def memory_size_bytes(self) -> int:
        """Bytes held, prefix tree included."""

    @property
    def identity(self) -> int:
        """Equal for two wrappers of the same vocabulary."""

class CompiledGrammar:
    """A grammar bound to a vocabulary."""

    @staticmethod
    def deserialize_json(text: bytes, tokenizer_info: TokenizerInfo, limits: Limits) -> CompiledGrammar:
        """Read the serialized form back."""

    def serialize_json(self) -> str:
        """The grammar and the identity of the vocabulary as JSON."""

    def statistics(self) -> dict[str, int]:
        """Figures about what has been built so far."""

    @property
    def grammar(self) -> Grammar:
        """The grammar."""

    @property
    def tokenizer_info(self) -> TokenizerInfo:
        """The vocabulary."""

    @property
    def memory_size_bytes(self) -> int:
        """Bytes held now."""

    @property
    def identity(self) -> int:
        """Equal for two wrappers of the same compiled grammar."""

class GrammarCompiler:
    """Compiles grammars for one vocabulary."""

    def __init__(self, tokenizer_info: TokenizerInfo, cache_enabled: bool, cache_limit_bytes: int, limits: Limits) -> None: ...

    def compile_json_schema(self, schema: bytes, options: JsonSchemaOptions, control: CompileControl | None) -> CompiledGrammar:
        """Compile the text of a JSON Schema."""

    def compile_builtin_json(self, control: CompileControl | None) -> CompiledGrammar:
        """Compile the grammar of JSON."""

    def compile_regex(self, pattern: bytes, control: CompileControl | None) -> CompiledGrammar:
        """Compile a regular expression."""

    def compile_ebnf(self, text: bytes, root_rule_name: bytes, control: CompileControl | None) -> CompiledGrammar:
        """Compile EBNF text."""

    def compile_grammar(self, grammar: Grammar, control: CompileControl | None) -> CompiledGrammar:
        """Compile a grammar."""

    def clear_cache(self) -> None:
        """Forget all compiled grammars."""

    def cache_size_bytes(self) -> int:
        """Bytes held by the cache."""

    def cache_statistics(self) -> dict[str, int]:
        """Counts of requests and what is held now."""

def structural_tag_to_grammar(text: bytes, limits: Limits) -> Grammar:
    """
    Translate the JSON text of a structural tag; tokens can be named by id only.
    """

def compile_structural_tag(compiler: GrammarCompiler, text: bytes, control: CompileControl | None) -> CompiledGrammar:
    """Compile the JSON text of a structural tag."""

def lark_to_grammar(text: bytes, named_grammars: list[tuple[bytes, bytes | Grammar]], tokenizer_info: TokenizerInfo | None, limits: Limits) -> Grammar:
    """Translate a Lark grammar."""

def compile_lark(compiler: GrammarCompiler, text: bytes, named_grammars: list[tuple[bytes, bytes | Grammar]], control: CompileControl | None) -> CompiledGrammar:
    """Compile a Lark grammar."""

class GrammarMatcher:
    """The state of one generation."""

    @overload
    def __init__(self, compiled_grammar: CompiledGrammar, override_stop_tokens: Sequence[int] | None, terminate_without_stop_token: bool) -> None: ...

    @overload
    def __init__(self, other: GrammarMatcher) -> None: ...

    def accept_token(self, token_id: SupportsIndex, *, debug_print: bool = False) -> bool:
        """
        Accept one token if the grammar allows it.

        Parameters
        ----------
        token_id : int
            Any integer; one outside the vocabulary is rejected.
        debug_print : bool
            Write the outcome to stderr.

        Returns
        -------
        bool
            False, with the state unchanged, if it is not allowed.

        Raises
        ------
        TypeError
            If token_id is not an integer.
        """

    def accept_string(self, input_str: str | bytes | bytearray | memoryview, *, debug_print: bool = False) -> bool:
        """
        Accept a string as one step, all or nothing; it may end inside a character.

        Parameters
        ----------
        input_str : str or bytes
            Text, or its UTF-8 bytes.
        debug_print : bool
            Write the outcome to stderr.

        Returns
        -------
        bool
            False, with the state unchanged, if it does not match.
        """

    def fill_next_token_bitmask(self, bitmask: Any, index: int = 0, *, debug_print: bool = False) -> bool:
        """
        Write the mask of allowed tokens into one row of a bitmask.

        Parameters
        ----------
        bitmask : array
            int32 in CPU memory, (rows, ceil(vocab_size / 32)) or one row.
        index : int
            The row to write; others stay untouched.
        debug_print : bool
            Write the state to stderr.

        Returns
        -------
        bool
            Whether the mask must be applied: False if all tokens are allowed.

        Raises
        ------
        UsageError
            Wrong dtype, shape, place or row, or the matcher has terminated by a stop token.
        BufferError
            The array is read-only.
        TypeError
            Not an array.
        """

    def _traverse_draft_tree(self, retrieve_next_token: object | None, retrieve_next_sibling: object | None, draft_tokens: object | None, token_bitmask: object | None, time_threshold: float, temperatures: object | None, default_temperature: float | None) -> bool: ...

    def is_terminated(self) -> bool:
        """
        Whether a stop token was accepted or, with terminate_without_stop_token, the input is a complete match.
        """

    def is_completed(self) -> bool:
        """Whether the input so far is a complete match, stop token or not."""

    def rollback(self, num_tokens: SupportsIndex = 1) -> None:
        """
        Undo steps, an accepted stop token included.

        Parameters
        ----------
        num_tokens : int
            How many.

        Raises
        ------
        UsageError
            There are fewer steps.
        ValueError
            It is negative.
        """

    def reset(self) -> None:
        """Go back to the start and forget the history."""

    def find_jump_forward_string(self) -> str:
        """
        The longest text that every continuation starts with.

        Raises
        ------
        UsageError
            A stop token was accepted.
        """

    def find_jump_forward_tokens(self) -> list[int]:
        """Tokens that spell the forced text greedily; the last one cannot grow."""

    def get_captures(self, *, deduplicate: bool = True) -> list[tuple[str, bytes]]:
        """
        The parts of the accepted text that rules with `capture` have matched.

        Parameters
        ----------
        deduplicate : bool
            Only the longest of those that one rule begins at one place.

        Returns
        -------
        list of (str, bytes)
            Names and texts by where they end, inner before outer; only parts of derivations of the whole text so far.

        Raises
        ------
        GrammarLimitError
            The record would pass `Limits.max_state_bytes`.
        """

    def _temperature(self) -> float | None:
        """The temperature that the grammar asks for here, or None."""

    def _match_prefix(self, input_str: str | bytes) -> int:
        """How many leading bytes match from here."""

    def _next_bytes(self) -> bytes:
        """The bytes that may come next, sorted."""

    def _debug_print_internal_state(self) -> str:
        """The state as free text."""

    @property
    def _tokenizer_info(self) -> TokenizerInfo:
        """The tokenizer."""

    @property
    def stop_token_ids(self) -> list[int]:
        """Sorted ids that end the output of this matcher."""

    @property
    def num_steps(self) -> int:
        """How many steps rollback can undo."""

    @property
    def limit_error(self) -> str | None:
        """Why the matcher has failed by a limit, or None."""

class ThreadPool:
    """Threads that fill masks; started when first needed."""

    def __init__(self, num_threads: int) -> None: ...

def batch_fill_next_token_bitmask(matchers: list[GrammarMatcher], bitmask: Any, indices: list[int] | None, pool: ThreadPool) -> None:
    """Fill one row for each matcher on several threads."""

def batch_accept_token(matchers: list[GrammarMatcher], tokens: list[int], pool: ThreadPool | None) -> list[bool]:
    """
    Accept one token in each matcher; without a pool, on the calling thread.
    """

def batch_accept_string(matchers: list[GrammarMatcher], strings: list[str | bytes], pool: ThreadPool | None) -> list[bool]:
    """
    Accept one string in each matcher; without a pool, on the calling thread.
    """

def batch_rollback(matchers: list[GrammarMatcher], num_tokens: list[int]) -> None:
    """Undo steps in each matcher; all or none."""

def write_temperatures(temperatures: Any, rows: list[int], values: list[float]) -> None:
    """Store values in elements of a float32 vector."""

def apply_token_bitmask(logits: Any, bitmask: Any, width: int, rows: list[int] | None) -> None:
    """
    Set to minus infinity the logits below `width` whose bit is 0, in the given rows or, for None, in all that both arrays have. uint16 logits are the bits of bfloat16.
    """

def json_text(value: object | None, model_class: object | None) -> object:
    """
    The JSON text of a value as bytes, objects of the class as that of their fields; None for what `json.dumps` has to judge.
    """

def copy_json(value: object | None) -> object:
    """
    A copy of a JSON value with containers of its own; None for what has to be copied otherwise.
    """

def described_method(method: Any, describe: Any) -> Any:
    """
    The method of a native class, to be put into a subclass: `describe(method)` is its `__signature__`.
    """
