// Serialized form of a compiled grammar: JSON with a version, the grammar as EBNF text (linear in
// the source, readable, and read back by the same checked parser as any other grammar), the
// tokenizer's metadata and the fingerprint of its vocabulary. States and masks are not stored: they
// are rebuilt as a parse reaches them.
#include <string>
#include <utility>

#include "compiler/compiled_grammar.h"
#include "frontend/ebnf/parser.h"
#include "grammar/printer.h"
#include "json/parser.h"
#include "json/writer.h"
#include "support/error.h"

namespace xgrammar {

namespace {

void AppendMember(const char* name, std::string_view text, std::string* out) {
  *out += ",\"";
  *out += name;
  *out += "\":";
  AppendJsonString(text, out);
}

[[noreturn]] void ThrowFormat(const std::string& what) {
  Error error(ErrorKind::kDeserializeFormat,
              "The serialized compiled grammar is not valid: " + what);
  error.Hint("serialize it again with this version of the library");
  throw error;
}

std::string_view TextMember(const JsonDocument& document, JsonId object, std::string_view name) {
  const JsonId member = document.Find(object, name);
  if (member == kNoJson || document.kind(member) != JsonKind::kString) {
    ThrowFormat("missing or invalid '" + std::string(name) + "'");
  }
  return document.text(member);
}

std::vector<JsonSchemaReportRecord> ReadReport(const JsonDocument& document, JsonId root) {
  const JsonId list = document.Find(root, "report");
  if (list == kNoJson || document.kind(list) != JsonKind::kArray)
    ThrowFormat("missing or invalid 'report'");
  std::vector<JsonSchemaReportRecord> report;
  for (JsonId record : document.items(list)) {
    if (document.kind(record) != JsonKind::kObject) ThrowFormat("a report record is not an object");
    report.push_back({std::string(TextMember(document, record, "pointer")),
                      std::string(TextMember(document, record, "keyword")),
                      std::string(TextMember(document, record, "reason")),
                      std::string(TextMember(document, record, "effect"))});
  }
  return report;
}

}  // namespace

std::string CompiledGrammar::SerializeJson() const {
  std::string out = "{\"__VERSION__\":";
  AppendJsonString(kSerializationVersion, &out);
  AppendMember("grammar", GrammarToString(*grammar_), &out);
  out += ",\"report\":[";
  for (size_t i = 0; i < report_.size(); ++i) {
    out += i == 0 ? "{\"pointer\":" : ",{\"pointer\":";
    AppendJsonString(report_[i].pointer, &out);
    AppendMember("keyword", report_[i].keyword, &out);
    AppendMember("reason", report_[i].reason, &out);
    AppendMember("effect", report_[i].effect, &out);
    out += "}";
  }
  out += "],\"tokenizer_metadata\":" + tokenizer_info_->DumpMetadata();
  AppendMember("vocabulary_fingerprint", tokenizer_info_->fingerprint(), &out);
  return out + "}";
}

std::shared_ptr<const CompiledGrammar> CompiledGrammar::DeserializeJson(
    std::string_view text, TokenizerInfoPtr tokenizer_info, const Limits& limits) {
  const JsonDocument document = ParseJson(text, limits);
  const JsonId root = document.root();
  if (document.kind(root) != JsonKind::kObject) ThrowFormat("the top value is not an object");
  const JsonId version = document.Find(root, "__VERSION__");
  if (version == kNoJson || document.kind(version) != JsonKind::kString ||
      document.text(version) != kSerializationVersion) {
    Error error(ErrorKind::kDeserializeVersion,
                "The serialized compiled grammar has another version");
    error.Hint("this library reads version " + std::string(kSerializationVersion));
    throw error;
  }
  const JsonId metadata = document.Find(root, "tokenizer_metadata");
  if (metadata == kNoJson || WriteJson(document, metadata) != tokenizer_info->DumpMetadata() ||
      TextMember(document, root, "vocabulary_fingerprint") != tokenizer_info->fingerprint()) {
    Error error(ErrorKind::kDeserializeFormat,
                "The compiled grammar was made for another tokenizer");
    error.Hint("pass the TokenizerInfo of the same vocabulary, size and stop tokens");
    throw error;
  }
  GrammarPtr grammar;
  try {
    grammar = ParseEbnf(TextMember(document, root, "grammar"), "root", limits);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kLimit || error.kind() == ErrorKind::kBudget) throw;
    ThrowFormat(std::string("'grammar' does not parse: ") + error.what());
  }
  auto local_masks = std::make_shared<LocalMaskCache>(tokenizer_info);
  return Make(std::move(grammar), std::move(tokenizer_info), std::move(local_masks), limits,
              ReadReport(document, root));
}

}  // namespace xgrammar
