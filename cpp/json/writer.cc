// Writing JSON with an explicit stack, so that the depth of a document costs no native stack.
//
// Numbers are written as they were read. Strings get the shortest escapes that RFC 8259 asks for;
// everything else stays UTF-8.
#include "json/writer.h"

#include <vector>

namespace xgrammar {

void AppendJsonStringBody(std::string_view text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  size_t written = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && c != '"' && c != '\\') continue;
    out->append(text, written, i - written);
    written = i + 1;
    out->push_back('\\');
    switch (c) {
      case '"':
      case '\\':
        out->push_back(c);
        break;
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
  out->append(text, written);
}

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  AppendJsonStringBody(text, out);
  out->push_back('"');
}

namespace {

// Writes a value, of a container only the bracket that opens it. True if it is a container.
bool WriteStart(const JsonDocument& document, JsonId id, std::string* out) {
  switch (document.kind(id)) {
    case JsonKind::kNull:
      *out += "null";
      return false;
    case JsonKind::kTrue:
      *out += "true";
      return false;
    case JsonKind::kFalse:
      *out += "false";
      return false;
    case JsonKind::kNumber:
      *out += document.text(id);
      return false;
    case JsonKind::kString:
      AppendJsonString(document.text(id), out);
      return false;
    case JsonKind::kArray:
      out->push_back('[');
      return true;
    case JsonKind::kObject:
      out->push_back('{');
      return true;
  }
  return false;
}

}  // namespace

std::string WriteJson(const JsonDocument& document, JsonId root, const JsonSeparators& separators) {
  struct Frame {
    JsonId id;
    size_t next;
  };
  std::string out;
  std::vector<Frame> stack;
  if (WriteStart(document, root, &out)) stack.push_back({root, 0});
  while (!stack.empty()) {
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
    JsonId child;
    if (is_object) {
      const JsonDocument::Member& member = document.members(frame.id)[frame.next];
      AppendJsonString(document.key(member), &out);
      out += separators.key;
      child = member.value;
    } else {
      child = document.items(frame.id)[frame.next];
    }
    ++frame.next;  // Before the stack grows and moves the frame.
    if (WriteStart(document, child, &out)) stack.push_back({child, 0});
  }
  return out;
}

}  // namespace xgrammar
