// _core.CompiledGrammar: what compiling returns, its parts, figures about what has grown inside it,
// and its form as JSON.
//
// Deserializing and serializing run without the interpreter lock. The short binary form of the
// facade is made of this JSON in Python.
#include <nanobind/stl/string.h>

#include "bindings/handles.h"

namespace xgrammar::bindings {

namespace {

std::string SerializeJson(const CompiledGrammarHandle& self) {
  const nb::gil_scoped_release release;
  return self.compiled->SerializeJson();
}

CompiledGrammarHandle DeserializeJson(const nb::bytes& text, const TokenizerInfoHandle& tokenizer,
                                      const Limits& limits) {
  return {RunMetered(limits, nullptr, [&] {
    return CompiledGrammar::DeserializeJson(ViewOf(text), tokenizer.info, limits);
  })};
}

nb::dict StatisticsOf(const CompiledGrammarHandle& self) {
  const CompiledGrammar::Statistics statistics = self.compiled->statistics();
  nb::dict out;
  out["num_rules"] = statistics.num_rules;
  out["num_automaton_states"] = statistics.num_automaton_states;
  out["num_sets"] = statistics.num_sets;
  out["num_edges"] = statistics.num_edges;
  out["num_masks"] = statistics.num_masks;
  return out;
}

}  // namespace

void BindCompiledGrammar(nb::module_& m) {
  nb::class_<CompiledGrammarHandle>(m, "CompiledGrammar", "A grammar bound to a vocabulary.")
      .def_static("deserialize_json", &DeserializeJson, nb::arg("text"), nb::arg("tokenizer_info"),
                  nb::arg("limits"), "Read the serialized form back.")
      .def("serialize_json", &SerializeJson,
           "The grammar and the identity of the vocabulary as JSON.")
      .def("statistics", &StatisticsOf, nb::sig("def statistics(self) -> dict[str, int]"),
           "Figures about what has been built so far.")
      .def_prop_ro(
          "grammar",
          [](const CompiledGrammarHandle& self) {
            return GrammarHandle{self.compiled->grammar(), self.compiled->report()};
          },
          "The grammar.")
      .def_prop_ro(
          "tokenizer_info",
          [](const CompiledGrammarHandle& self) {
            return TokenizerInfoHandle{self.compiled->tokenizer_info()};
          },
          "The vocabulary.")
      .def_prop_ro(
          "memory_size_bytes",
          [](const CompiledGrammarHandle& self) { return self.compiled->MemorySizeBytes(); },
          "Bytes held now.")
      .def_prop_ro(
          "identity",
          [](const CompiledGrammarHandle& self) {
            return reinterpret_cast<uintptr_t>(self.compiled.get());
          },
          "Equal for two wrappers of the same compiled grammar.");
}

}  // namespace xgrammar::bindings
