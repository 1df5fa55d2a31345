// _core.TokenizerInfo: a vocabulary from Python strings or bytes, its decoded tokens, its form as
// JSON and its fingerprint.
//
// Spellings are read in place from the Python objects, without a copy: the list is made a tuple
// first, so that no other thread can change it while the interpreter lock is given up. What the
// spellings mean is decoded by tokenizer/vocab.h.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/handles.h"
#include "tokenizer/settled_text.h"
#include "tokenizer/vocab.h"

namespace xgrammar::bindings {

namespace {

// A list may be changed by another thread while the interpreter lock is released, a tuple not.
nb::tuple TupleOf(const nb::list& list) {
  PyObject* tuple = PyList_AsTuple(list.ptr());
  if (tuple == nullptr) throw nb::python_error();
  return nb::steal<nb::tuple>(tuple);
}

// The spellings of the tokens, which the tuple keeps alive. Reads str and bytes in place; text
// that has no UTF-8 form raises UnicodeEncodeError.
std::vector<std::string_view> SpellingsOf(const nb::tuple& encoded_vocab) {
  std::vector<std::string_view> spellings;
  spellings.reserve(encoded_vocab.size());
  for (nb::handle token : encoded_vocab) {
    if (PyUnicode_Check(token.ptr())) {
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(token.ptr(), &size);
      if (text == nullptr) throw nb::python_error();
      spellings.emplace_back(text, static_cast<size_t>(size));
    } else if (PyBytes_Check(token.ptr())) {
      spellings.emplace_back(ViewOf(nb::borrow<nb::bytes>(token)));
    } else {
      const std::string type = nb::cast<std::string>(nb::str(token.type().attr("__name__")));
      throw nb::type_error(("encoded_vocab[" + std::to_string(spellings.size()) +
                            "] must be str or bytes, not " + type)
                               .c_str());
    }
  }
  return spellings;
}

TokenizerInfoHandle Make(const nb::list& encoded_vocab, int vocab_type,
                         std::optional<int64_t> vocab_size,
                         std::optional<std::vector<int64_t>> stop_token_ids, bool add_prefix_space,
                         std::vector<int64_t> special_token_ids, bool decoded) {
  if (vocab_type < 0 || vocab_type > static_cast<int>(VocabType::kByteLevel)) {
    throw Error(ErrorKind::kValue,
                "vocab_type must be 0, 1 or 2, not " + std::to_string(vocab_type));
  }
  const nb::tuple kept = TupleOf(encoded_vocab);
  const std::vector<std::string_view> spellings = SpellingsOf(kept);
  TokenizerOptions options;
  options.vocab_type = static_cast<VocabType>(vocab_type);
  options.vocab_size = vocab_size;
  options.stop_token_ids = std::move(stop_token_ids);
  options.add_prefix_space = add_prefix_space;
  options.special_token_ids = std::move(special_token_ids);
  options.decoded = decoded;
  const nb::gil_scoped_release release;
  return {TokenizerInfo::MakeFromViews(spellings, options)};
}

std::optional<int> KindOfSpellings(const nb::list& encoded_vocab) {
  const nb::tuple kept = TupleOf(encoded_vocab);
  const std::vector<std::string_view> spellings = SpellingsOf(kept);
  const nb::gil_scoped_release release;
  const std::optional<VocabType> kind = KindOfVocabulary(spellings);
  return kind ? std::optional<int>(static_cast<int>(*kind)) : std::nullopt;
}

nb::list DecodedVocab(const TokenizerInfoHandle& self) {
  nb::list out;
  for (const std::string& token : self.info->decoded_vocab()) {
    out.append(nb::bytes(token.data(), token.size()));
  }
  return out;
}

nb::bytes TokenBytes(const TokenizerInfoHandle& self, const std::vector<int64_t>& token_ids) {
  const std::vector<std::string>& vocab = self.info->decoded_vocab();
  std::string bytes;
  for (const int64_t id : token_ids) {
    if (id < 0 || id >= static_cast<int64_t>(vocab.size())) {
      throw Error(ErrorKind::kValue, "Token " + std::to_string(id) +
                                         " is outside the vocabulary of " +
                                         std::to_string(vocab.size()) + " tokens");
    }
    bytes += vocab[static_cast<size_t>(id)];
  }
  return nb::bytes(bytes.data(), bytes.size());
}

std::string SerializeJson(const TokenizerInfoHandle& self) {
  const nb::gil_scoped_release release;
  return self.info->SerializeJson();
}

std::string Fingerprint(const TokenizerInfoHandle& self) {
  const nb::gil_scoped_release release;
  return self.info->fingerprint();
}

template <typename Class>
void DefineProperties(Class* cls) {
  cls->def_prop_ro(
         "vocab_type",
         [](const TokenizerInfoHandle& self) { return static_cast<int>(self.info->vocab_type()); },
         "0 raw, 1 byte fallback, 2 byte level.")
      .def_prop_ro(
          "vocab_size", [](const TokenizerInfoHandle& self) { return self.info->vocab_size(); },
          "Number of ids, padding included.")
      .def_prop_ro(
          "add_prefix_space",
          [](const TokenizerInfoHandle& self) { return self.info->add_prefix_space(); },
          "Whether the tokenizer puts a space before the text.")
      .def_prop_ro(
          "stop_token_ids",
          [](const TokenizerInfoHandle& self) { return self.info->stop_token_ids(); },
          "Sorted ids that end the output.")
      .def_prop_ro(
          "special_token_ids",
          [](const TokenizerInfoHandle& self) { return self.info->special_token_ids(); },
          "Sorted ids that text never matches.")
      .def_prop_ro(
          "memory_size_bytes",
          [](const TokenizerInfoHandle& self) { return self.info->MemorySizeBytes(); },
          "Bytes held, prefix tree included.")
      .def_prop_ro(
          "identity",
          [](const TokenizerInfoHandle& self) {
            return reinterpret_cast<uintptr_t>(self.info.get());
          },
          "Equal for two wrappers of the same vocabulary.");
}

}  // namespace

void BindTokenizerInfo(nb::module_& m) {
  m.attr("SERIALIZATION_VERSION") =
      nb::str(kSerializationVersion.data(), kSerializationVersion.size());
  m.def("kind_of_vocabulary", &KindOfSpellings, nb::arg("encoded_vocab"),
        nb::sig("def kind_of_vocabulary(encoded_vocab: list[str | bytes]) -> int | None"),
        "The kind that the spellings of a vocabulary show by themselves: 1 byte fallback, 2 byte "
        "level.");
  auto info = nb::class_<TokenizerInfoHandle>(m, "TokenizerInfo", "An immutable vocabulary.");
  info.def_static("make", &Make, nb::arg("encoded_vocab"), nb::arg("vocab_type"),
                  nb::arg("vocab_size").none(), nb::arg("stop_token_ids").none(),
                  nb::arg("add_prefix_space"), nb::arg("special_token_ids"), nb::arg("decoded"),
                  nb::sig("def make(encoded_vocab: list[str | bytes], vocab_type: int, "
                          "vocab_size: int | None, stop_token_ids: list[int] | None, "
                          "add_prefix_space: bool, special_token_ids: list[int], decoded: bool) "
                          "-> TokenizerInfo"),
                  "Decode a vocabulary and sort its tokens into ordinary, stop and special ones.")
      .def("decoded_vocab", &DecodedVocab, nb::sig("def decoded_vocab(self) -> list[bytes]"),
           "Token bytes by id, as a new list.")
      .def("token_bytes", &TokenBytes, nb::arg("token_ids"), "The bytes of tokens, joined.")
      .def(
          "settled_size",
          [](const TokenizerInfoHandle& self, const nb::bytes& text) {
            return SettledSize(self.info->trie(), ViewOf(text));
          },
          nb::arg("text"), "How many leading bytes of a text no longer token may cover.")
      .def(
          "dump_metadata",
          [](const TokenizerInfoHandle& self) { return self.info->DumpMetadata(); },
          "Kind, size, prefix flag and stop tokens as JSON.")
      .def("serialize_json", &SerializeJson, "Everything as JSON in ASCII.")
      .def("fingerprint", &Fingerprint, "Hash of everything that masks depend on.");
  DefineProperties(&info);
}

}  // namespace xgrammar::bindings
