// _core.GrammarMatcher: the calls of a decoding loop. xgrammar.GrammarMatcher inherits them as they
// are, so that a step costs no Python frame.
//
// accept_token and filling a mask that is known keep the interpreter lock: they are shorter than
// handing the lock over. Computing a mask, feeding a string and walking a draft tree release it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/array_view.h"
#include "bindings/draft_tree.h"
#include "bindings/handles.h"
#include "bindings/token_id.h"

namespace xgrammar::bindings {

namespace {

void Init(MatcherHandle* self, const CompiledGrammarHandle& compiled,
          std::optional<std::vector<int64_t>> override_stop_tokens,
          bool terminate_without_stop_token) {
  new (self) MatcherHandle(compiled.compiled,
                           {std::move(override_stop_tokens), terminate_without_stop_token});
}

void InitAsFork(MatcherHandle* self, MatcherHandle& other) {
  const MatcherGuard guard(&other);
  new (self) MatcherHandle(other.matcher);
}

void PrintDebug(const char* call, const GrammarMatcher& matcher) {
  PySys_FormatStderr("%s %s\n", call, matcher.DebugString().c_str());
}

bool AcceptToken(MatcherHandle& self, nb::handle token_id, nb::handle debug_print) {
  const int64_t id = TokenIdFrom(token_id);
  const MatcherGuard matcher(&self);
  const bool accepted = matcher->AcceptToken(id);
  if (TruthOf(debug_print)) PrintDebug(accepted ? "accepted token:" : "rejected token:", *matcher);
  return accepted;
}

bool AcceptString(MatcherHandle& self, nb::handle input_str, nb::handle debug_print) {
  const StringArgument text(input_str);
  const MatcherGuard matcher(&self);
  bool accepted = false;
  {
    const nb::gil_scoped_release release;
    accepted = matcher->AcceptString(text.view());
  }
  if (TruthOf(debug_print))
    PrintDebug(accepted ? "accepted string:" : "rejected string:", *matcher);
  return accepted;
}

bool FillNextTokenBitmask(MatcherHandle& self, nb::handle bitmask, nb::handle index,
                          nb::handle debug_print) {
  const MatcherGuard matcher(&self);
  const BitmaskView view(bitmask, "bitmask", matcher.tokenizer().vocab_size());
  const std::span<int32_t> row = view.Row(IntegerFrom(index, "index"));
  bool need_apply = false;
  if (matcher->FillOnlyCopies()) {
    need_apply = matcher->FillNextTokenBitmask(row);
  } else {
    const nb::gil_scoped_release release;
    need_apply = matcher->FillNextTokenBitmask(row);
  }
  if (TruthOf(debug_print)) PrintDebug("filled mask:", *matcher);
  return need_apply;
}

size_t MatchPrefix(MatcherHandle& self, nb::handle input_str) {
  const StringArgument text(input_str);
  const MatcherGuard matcher(&self);
  const nb::gil_scoped_release release;
  return matcher->MatchPrefix(text.view());
}

nb::bytes NextBytes(MatcherHandle& self) {
  const MatcherGuard matcher(&self);
  const std::vector<uint8_t> bytes = matcher->NextBytes();
  return nb::bytes(bytes.data(), bytes.size());
}

nb::list GetCaptures(MatcherHandle& self, bool deduplicate) {
  const MatcherGuard matcher(&self);
  std::vector<Capture> captures;
  {
    const nb::gil_scoped_release release;
    captures = matcher->Captures(deduplicate);
  }
  nb::list result;
  for (const Capture& capture : captures) {
    result.append(nb::make_tuple(nb::str(capture.name.data(), capture.name.size()),
                                 nb::bytes(capture.text.data(), capture.text.size())));
  }
  return result;
}

template <typename Result, Result (GrammarMatcher::*kMethod)() const>
Result Read(MatcherHandle& self) {
  const MatcherGuard matcher(&self);
  return (matcher.operator->()->*kMethod)();
}

template <typename Class>
void DefineSteps(Class* cls) {
  cls->def("accept_token", &AcceptToken, nb::arg("token_id").none(), nb::kw_only(),
           nb::arg("debug_print").none() = false,
           nb::sig("def accept_token(self, token_id: typing.SupportsIndex, *, "
                   "debug_print: bool = False) -> bool"),
           "Accept one token if the grammar allows it.\n\n"
           "Parameters\n----------\n"
           "token_id : int\n    Any integer; one outside the vocabulary is rejected.\n"
           "debug_print : bool\n    Write the outcome to stderr.\n\n"
           "Returns\n-------\nbool\n    False, with the state unchanged, if it is not allowed.\n\n"
           "Raises\n------\nTypeError\n    If token_id is not an integer.")
      .def("accept_string", &AcceptString, nb::arg("input_str").none(), nb::kw_only(),
           nb::arg("debug_print").none() = false,
           nb::sig("def accept_string(self, input_str: str | bytes | bytearray | memoryview, *, "
                   "debug_print: bool = False) -> bool"),
           "Accept a string as one step, all or nothing; it may end inside a character.\n\n"
           "Parameters\n----------\n"
           "input_str : str or bytes\n    Text, or its UTF-8 bytes.\n"
           "debug_print : bool\n    Write the outcome to stderr.\n\n"
           "Returns\n-------\nbool\n    False, with the state unchanged, if it does not match.")
      .def("fill_next_token_bitmask", &FillNextTokenBitmask, nb::arg("bitmask").none(),
           nb::arg("index").none() = 0, nb::kw_only(), nb::arg("debug_print").none() = false,
           nb::sig("def fill_next_token_bitmask(self, bitmask: typing.Any, index: int = 0, *, "
                   "debug_print: bool = False) -> bool"),
           "Write the mask of allowed tokens into one row of a bitmask.\n\n"
           "Parameters\n----------\n"
           "bitmask : array\n    int32 in CPU memory, (rows, ceil(vocab_size / 32)) or one row.\n"
           "index : int\n    The row to write; others stay untouched.\n"
           "debug_print : bool\n    Write the state to stderr.\n\n"
           "Returns\n-------\nbool\n    Whether the mask must be applied: False if all tokens are "
           "allowed.\n\n"
           "Raises\n------\nUsageError\n    Wrong dtype, shape, place or row, or the matcher has "
           "terminated by a stop token.\nBufferError\n    The array is read-only.\nTypeError\n    "
           "Not an array.")
      .def("_traverse_draft_tree", &TraverseDraftTree, nb::arg("retrieve_next_token").none(),
           nb::arg("retrieve_next_sibling").none(), nb::arg("draft_tokens").none(),
           nb::arg("token_bitmask").none(), nb::arg("time_threshold"),
           nb::arg("temperatures").none(), nb::arg("default_temperature").none());
}

template <typename Class>
void DefineHistory(Class* cls) {
  cls->def("is_terminated", &Read<bool, &GrammarMatcher::IsTerminated>,
           "Whether a stop token was accepted or, with terminate_without_stop_token, the input is "
           "a complete match.")
      .def("is_completed", &Read<bool, &GrammarMatcher::IsCompleted>,
           "Whether the input so far is a complete match, stop token or not.")
      .def(
          "rollback",
          [](MatcherHandle& self, nb::handle num_tokens) {
            const int64_t count = IntegerFrom(num_tokens, "num_tokens");
            const MatcherGuard matcher(&self);
            matcher->Rollback(count);
          },
          nb::arg("num_tokens").none() = 1,
          nb::sig("def rollback(self, num_tokens: typing.SupportsIndex = 1) -> None"),
          "Undo steps, an accepted stop token included.\n\n"
          "Parameters\n----------\nnum_tokens : int\n    How many.\n\n"
          "Raises\n------\nUsageError\n    There are fewer steps.\nValueError\n    It is negative.")
      .def(
          "reset",
          [](MatcherHandle& self) {
            const MatcherGuard matcher(&self);
            matcher->Reset();
          },
          "Go back to the start and forget the history.");
}

template <typename Class>
void DefineQuestions(Class* cls) {
  cls->def("find_jump_forward_string", &Read<std::string, &GrammarMatcher::FindJumpForwardString>,
           "The longest text that every continuation starts with.\n\n"
           "Raises\n------\nUsageError\n    A stop token was accepted.")
      .def("find_jump_forward_tokens",
           &Read<std::vector<int32_t>, &GrammarMatcher::FindJumpForwardTokens>,
           "Tokens that spell the forced text greedily; the last one cannot grow.")
      .def("get_captures", &GetCaptures, nb::kw_only(), nb::arg("deduplicate") = true,
           nb::sig("def get_captures(self, *, deduplicate: bool = True) -> "
                   "list[tuple[str, bytes]]"),
           "The parts of the accepted text that rules with `capture` have matched.\n\n"
           "Parameters\n----------\n"
           "deduplicate : bool\n    Only the longest of those that one rule begins at one "
           "place.\n\n"
           "Returns\n-------\nlist of (str, bytes)\n    Names and texts by where they end, inner "
           "before outer; only parts of derivations of the whole text so far.\n\n"
           "Raises\n------\nGrammarLimitError\n    The record would pass "
           "`Limits.max_state_bytes`.")
      .def(
          "_temperature",
          [](MatcherHandle& self) {
            const MatcherGuard matcher(&self);
            return matcher->Temperature();
          },
          "The temperature that the grammar asks for here, or None.")
      .def("_match_prefix", &MatchPrefix, nb::arg("input_str").none(),
           nb::sig("def _match_prefix(self, input_str: str | bytes) -> int"),
           "How many leading bytes match from here.")
      .def("_next_bytes", &NextBytes, "The bytes that may come next, sorted.")
      .def("_debug_print_internal_state", &Read<std::string, &GrammarMatcher::DebugString>,
           "The state as free text.");
}

template <typename Class>
void DefineProperties(Class* cls) {
  cls->def_prop_ro(
         "_tokenizer_info",
         [](const MatcherHandle& self) {
           return TokenizerInfoHandle{self.matcher.compiled()->tokenizer_info()};
         },
         "The tokenizer.")
      .def_prop_ro(
          "stop_token_ids", [](const MatcherHandle& self) { return self.matcher.stop_token_ids(); },
          "Sorted ids that end the output of this matcher.")
      .def_prop_ro(
          "num_steps",
          [](MatcherHandle& self) {
            const MatcherGuard matcher(&self);
            return matcher->num_steps();
          },
          "How many steps rollback can undo.")
      .def_prop_ro(
          "limit_error",
          [](MatcherHandle& self) -> std::optional<std::string> {
            const MatcherGuard matcher(&self);
            if (matcher->limit_error().empty()) return std::nullopt;
            return matcher->limit_error();
          },
          "Why the matcher has failed by a limit, or None.");
}

}  // namespace

void BindGrammarMatcher(nb::module_& m) {
  auto matcher = nb::class_<MatcherHandle>(m, "GrammarMatcher", "The state of one generation.");
  matcher
      .def("__init__", &Init, nb::arg("compiled_grammar"), nb::arg("override_stop_tokens").none(),
           nb::arg("terminate_without_stop_token"))
      .def("__init__", &InitAsFork, nb::arg("other"));
  DefineSteps(&matcher);
  DefineHistory(&matcher);
  DefineQuestions(&matcher);
  DefineProperties(&matcher);
}

}  // namespace xgrammar::bindings
