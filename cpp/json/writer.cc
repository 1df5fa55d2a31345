// Writing JSON with an explicit stack, so that the depth of a document costs no native stack.
//
// Numbers are written as they were read. Strings get the shortest escapes that RFC 8259 asks for;
// everything else stays UTF-8.
#include "json/writer.h"

#include <vector>

namespace xgrammar {

void AppendJsonStringBody(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20) {
      if (c == '"' || c == '\\') out->push_back('\\');
      out->push_back(c);
      continue;
    }
    out->push_back('\\');
    switch (c) {
      case '\b':
        out->push_back('b');
        break;
      case '\t':
        out->push_back('t');
        break;
      case '\n':
        out->push_back('n');
        break;
      case '\f':
        out->push_back('f');
        break;
      case '\r':
        out->push_back('r');
        break;
      default:
        out->append("u00");
        out->push_back(kHex[byte >> 4]);
        out->push_back(kHex[byte & 15]);
    }
  }
}

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonStringBody(text, out);
  out->push_back('"');
}

std::string WriteJson(const JsonDocument& document, JsonId root, const JsonSeparators& separators) {
  struct Frame {
    JsonId id;
    size_t next;
  };
  std::string out;
  std::vector<Frame> stack;
  JsonId current = root;
  while (true) {
    // Write what `current` starts with; containers stay on the stack.
    switch (document.kind(current)) {
      case JsonKind::kNull:
        out += "null";
        break;
      case JsonKind::kTrue:
        out += "true";
        break;
      case JsonKind::kFalse:
        out += "false";
        break;
      case JsonKind::kNumber:
        out += document.text(current);
        break;
      case JsonKind::kString:
        AppendJsonString(document.text(current), &out);
        break;
      case JsonKind::kArray:
        out.push_back('[');
        stack.push_back({current, 0});
        break;
      case JsonKind::kObject:
        out.push_back('{');
        stack.push_back({current, 0});
        break;
    }
    // Close finished containers, then step to the next child.
    while (true) {
      if (stack.empty()) return out;
      Frame& frame = stack.back();
      const bool is_object = document.IsObject(frame.id);
      const size_t count =
          is_object ? document.members(frame.id).size() : document.items(frame.id).size();
      if (frame.next == count) {
        out.push_back(is_object ? '}' : ']');
        stack.pop_back();
        continue;
      }
      if (frame.next > 0) out += separators.item;
      if (is_object) {
        const JsonDocument::Member& member = document.members(frame.id)[frame.next];
        AppendJsonString(document.key(member), &out);
        out += separators.key;
        current = member.value;
      } else {
        current = document.items(frame.id)[frame.next];
      }
      ++frame.next;
      break;
    }
  }
}

}  // namespace xgrammar
