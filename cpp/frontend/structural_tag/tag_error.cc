// Errors of structural tags, with a JSON pointer to the faulty format.
//
// Values do not know their parents, so a pointer is found by looking for who holds the value,
// upwards from it. This is linear in the document for each step and happens once, when an error is
// raised.
#include "frontend/structural_tag/tag_error.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace xgrammar::structural_tag {

namespace {

std::string Escaped(std::string_view key) {
  std::string out;
  for (char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

/// The holder of a value and the step from it to the value; kNoJson for the root.
std::pair<JsonId, std::string> HolderOf(const JsonDocument& document, JsonId id) {
  for (JsonId holder = 0; holder < document.size(); ++holder) {
    if (document.IsArray(holder)) {
      const auto items = document.items(holder);
      const auto it = std::find(items.begin(), items.end(), id);
      if (it != items.end()) return {holder, std::to_string(it - items.begin())};
    } else if (document.IsObject(holder)) {
      for (const JsonDocument::Member& member : document.members(holder)) {
        if (member.value == id) return {holder, Escaped(document.key(member))};
      }
    }
  }
  return {kNoJson, ""};
}

}  // namespace

std::string PointerTo(const JsonDocument& document, JsonId id) {
  std::string pointer;
  while (id != document.root() && id != kNoJson) {
    auto [holder, step] = HolderOf(document, id);
    if (holder != kNoJson) pointer.insert(0, "/" + step);
    id = holder;
  }
  return pointer;
}

Error TagError(const JsonDocument& document, JsonId format, const std::string& message) {
  Error error(ErrorKind::kStructuralTag, "Invalid structural tag error: " + message);
  std::string pointer = PointerTo(document, format);
  if (!pointer.empty()) error.AtPointer(std::move(pointer));
  return error;
}

}  // namespace xgrammar::structural_tag
