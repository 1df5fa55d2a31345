// The kind of a format that does not say its type: the first kind whose own fields are all there.
//
// The order settles formats whose fields fit several kinds: a tag may also have a `value`, and
// triggered tags a `separator`, as fields that are not theirs and so mean nothing.
#include <initializer_list>

#include "frontend/structural_tag/reader.h"
#include "support/fork_safety.h"

namespace xgrammar::structural_tag {

namespace {

struct Signature {
  std::string_view type;
  std::initializer_list<std::string_view> fields;
};

/// Token patterns make `rules` the rules of a token dispatch.
std::string_view DispatchType(const JsonDocument& document, JsonId rules) {
  if (!document.IsArray(rules) || document.items(rules).empty()) return "dispatch";
  const JsonId rule = document.items(rules)[0];
  if (!document.IsArray(rule) || document.items(rule).empty()) return "dispatch";
  return document.IsNumber(document.items(rule)[0]) ? "token_dispatch" : "dispatch";
}

}  // namespace

std::string_view InferType(const JsonDocument& document, JsonId object) {
  const ForkSection made_whole;
  static const Signature kSignatures[] = {
      {"tag", {"begin", "content", "end"}},
      {"const_string", {"value"}},
      {"json_schema", {"json_schema"}},
      {"sequence", {"elements"}},
      {"triggered_tags", {"triggers", "tags"}},
      {"tags_with_separator", {"tags", "separator"}},
      {"dispatch", {"rules"}},
      {"any_text", {"excludes"}},
      {"optional", {"content"}},
  };
  for (const Signature& signature : kSignatures) {
    bool fits = true;
    for (std::string_view field : signature.fields) {
      fits = fits && document.Find(object, field) != kNoJson;
    }
    if (!fits) continue;
    if (signature.type == "dispatch") return DispatchType(document, document.Find(object, "rules"));
    return signature.type;
  }
  return "";
}

}  // namespace xgrammar::structural_tag
