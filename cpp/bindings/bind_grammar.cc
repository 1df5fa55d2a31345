// _core.Grammar: the front ends and the algebra of grammars.
//
// Sources come as UTF-8 bytes, encoded by the facade, so that all of the work runs without the
// interpreter lock.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/handles.h"
#include "bindings/json_schema_options.h"
#include "frontend/ebnf/parser.h"
#include "frontend/regex/regex.h"
#include "grammar/algebra.h"
#include "grammar/printer.h"

namespace xgrammar::bindings {

nb::list ReportToPython(const std::vector<JsonSchemaReportRecord>& report) {
  nb::list out;
  for (const JsonSchemaReportRecord& record : report) {
    out.append(nb::make_tuple(record.pointer, record.keyword, record.reason, record.effect));
  }
  return out;
}

std::vector<JsonSchemaReportRecord> ReportFromPython(const nb::list& report) {
  std::vector<JsonSchemaReportRecord> out;
  for (nb::handle item : report) {
    const nb::tuple fields = nb::cast<nb::tuple>(item);
    out.push_back({nb::cast<std::string>(fields[0]), nb::cast<std::string>(fields[1]),
                   nb::cast<std::string>(fields[2]), nb::cast<std::string>(fields[3])});
  }
  return out;
}

namespace {

GrammarHandle FromEbnf(const nb::bytes& text, const nb::bytes& root_rule_name,
                       const Limits& limits) {
  return RunMetered(limits, nullptr, [&] {
    return GrammarHandle{ParseEbnf(ViewOf(text), ViewOf(root_rule_name), limits), {}};
  });
}

GrammarHandle FromRegex(const nb::bytes& pattern, const Limits& limits) {
  return RunMetered(limits, nullptr, [&] {
    return GrammarHandle{RegexToGrammar(ViewOf(pattern), {}, limits), {}};
  });
}

GrammarHandle FromJsonSchema(const nb::bytes& schema, const JsonSchemaOptions& options,
                             const Limits& limits) {
  return RunMetered(limits, nullptr, [&] {
    JsonSchemaResult result = JsonSchemaToGrammar(ViewOf(schema), options, limits);
    return GrammarHandle{std::move(result.grammar), std::move(result.report)};
  });
}

GrammarHandle BuiltinJson() {
  const nb::gil_scoped_release release;
  return {BuiltinJsonGrammar(), {}};
}

using Combine = GrammarPtr (*)(std::span<const GrammarPtr>, const Limits&);

template <Combine kCombine>
GrammarHandle CombineGrammars(const nb::list& grammars, const Limits& limits) {
  std::vector<GrammarPtr> parts;
  GrammarHandle combined;
  for (nb::handle part : grammars) {
    const auto& handle = nb::cast<const GrammarHandle&>(part);
    parts.push_back(handle.grammar);
    combined.report.insert(combined.report.end(), handle.report.begin(), handle.report.end());
  }
  return RunMetered(limits, nullptr, [&] {
    combined.grammar = kCombine(parts, limits);
    return std::move(combined);
  });
}

std::string ToText(const GrammarHandle& handle) {
  const nb::gil_scoped_release release;
  return GrammarToString(*handle.grammar);
}

}  // namespace

void BindGrammar(nb::module_& m) {
  nb::class_<JsonSchemaOptions>(
      m, "JsonSchemaOptions", "Options of the JSON Schema front end, as its facade documents them.")
      .def("__init__", &InitJsonSchemaOptions, nb::kw_only(), nb::arg("any_whitespace"),
           nb::arg("indent").none(), nb::arg("separators").none(), nb::arg("strict_mode"),
           nb::arg("max_whitespace_cnt").none(), nb::arg("any_order"), nb::arg("lenient"));
  nb::class_<GrammarHandle>(m, "Grammar", "An immutable grammar.")
      .def_static("from_ebnf", &FromEbnf, nb::arg("text"), nb::arg("root_rule_name"),
                  nb::arg("limits"), "Parse EBNF.")
      .def_static("from_regex", &FromRegex, nb::arg("pattern"), nb::arg("limits"),
                  "Translate a regular expression; the whole text must match.")
      .def_static("from_json_schema", &FromJsonSchema, nb::arg("schema"), nb::arg("options"),
                  nb::arg("limits"), "Translate the text of a JSON Schema.")
      .def_static("builtin_json", &BuiltinJson, "JSON with an object or array on top.")
      .def_static("union", &CombineGrammars<&UnionGrammars>, nb::arg("grammars"), nb::arg("limits"),
                  nb::sig("def union(grammars: list[Grammar], limits: Limits) -> Grammar"),
                  "Any of the grammars.")
      .def_static("concat", &CombineGrammars<&ConcatGrammars>, nb::arg("grammars"),
                  nb::arg("limits"),
                  nb::sig("def concat(grammars: list[Grammar], limits: Limits) -> Grammar"),
                  "The grammars in order.")
      .def(
          "with_report",
          [](const GrammarHandle& self, const nb::list& report) {
            return GrammarHandle{self.grammar, ReportFromPython(report)};
          },
          nb::arg("report"),
          nb::sig("def with_report(self, report: list[tuple[str, str, str, str]]) -> Grammar"),
          "The same grammar with another JSON Schema report.")
      .def("to_ebnf", &ToText, "The grammar as EBNF text.")
      .def_prop_ro(
          "report", [](const GrammarHandle& self) { return ReportToPython(self.report); },
          nb::sig("def report(self) -> list[tuple[str, str, str, str]]"),
          "Keywords of the schema that are not enforced.")
      .def_prop_ro(
          "num_rules", [](const GrammarHandle& self) { return self.grammar->num_rules(); },
          "Number of rules.")
      .def_prop_ro(
          "memory_size_bytes",
          [](const GrammarHandle& self) { return self.grammar->MemorySizeBytes(); }, "Bytes held.")
      .def_prop_ro(
          "identity",
          [](const GrammarHandle& self) { return reinterpret_cast<uintptr_t>(self.grammar.get()); },
          "Equal for two wrappers of the same grammar.");
}

}  // namespace xgrammar::bindings
