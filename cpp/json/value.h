// JsonDocument: a parsed JSON text (RFC 8259) as flat arrays of nodes, the input form of every JSON
// front end.
//
// Nodes are named by ids into the document, so that deep texts need no recursion to build, copy or
// destroy. Numbers keep their source text (no digit is lost), objects keep the order of their keys,
// and every node knows the byte where it starts. A key that occurs twice keeps the place of the
// first occurrence and the value of the last one. Immutable after parsing: `const JsonDocument&` is
// safe to share between threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xgrammar {

enum class JsonKind : uint8_t { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

/// White space between the tokens of a JSON text (RFC 8259, section 2).
inline bool IsJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Index of a value in its JsonDocument.
using JsonId = int32_t;
constexpr JsonId kNoJson = -1;

class JsonDocument {
 public:
  /// One member of an object. The key is decoded and lives in the document.
  struct Member {
    int32_t key_offset = 0;
    int32_t key_size = 0;
    JsonId value = kNoJson;
  };

  JsonId root() const { return root_; }
  int32_t size() const { return static_cast<int32_t>(nodes_.size()); }
  JsonKind kind(JsonId id) const { return node(id).kind; }
  bool IsObject(JsonId id) const { return kind(id) == JsonKind::kObject; }
  bool IsArray(JsonId id) const { return kind(id) == JsonKind::kArray; }
  bool IsString(JsonId id) const { return kind(id) == JsonKind::kString; }
  bool IsNumber(JsonId id) const { return kind(id) == JsonKind::kNumber; }
  bool IsBool(JsonId id) const {
    return kind(id) == JsonKind::kTrue || kind(id) == JsonKind::kFalse;
  }
  /// Byte offset of the first character of the value in the source text.
  int64_t offset(JsonId id) const { return node(id).source_offset; }
  /// kString: the decoded text. kNumber: the characters of the source. Valid as long as the
  /// document.
  std::string_view text(JsonId id) const {
    return std::string_view(text_).substr(static_cast<size_t>(node(id).first),
                                          static_cast<size_t>(node(id).count));
  }
  /// kArray only.
  std::span<const JsonId> items(JsonId id) const {
    return std::span(items_).subspan(static_cast<size_t>(node(id).first),
                                     static_cast<size_t>(node(id).count));
  }
  /// kObject only: members with distinct keys.
  std::span<const Member> members(JsonId id) const {
    return std::span(members_).subspan(static_cast<size_t>(node(id).first),
                                       static_cast<size_t>(node(id).count));
  }
  std::string_view key(const Member& member) const {
    return std::string_view(text_).substr(static_cast<size_t>(member.key_offset),
                                          static_cast<size_t>(member.key_size));
  }
  /// kObject only: the value of a key, or kNoJson. Linear in the number of members.
  JsonId Find(JsonId object, std::string_view key) const;
  /// A value as a document of its own, as if its text had been parsed alone; offsets stay those of
  /// the whole text. Linear in the size of the value.
  JsonDocument Part(JsonId id) const;
  /// Appends bytes that are the same for documents made by Part of equal values, with members in
  /// the same order, and for no others.
  void AppendContent(std::string* out) const;

 private:
  friend class JsonParser;

  struct Node {
    JsonKind kind = JsonKind::kNull;
    int32_t source_offset = 0;
    int32_t first = 0;  ///< Start in text_, items_ or members_, by kind.
    int32_t count = 0;
  };
  const Node& node(JsonId id) const { return nodes_[static_cast<size_t>(id)]; }

  std::vector<Node> nodes_;
  std::vector<JsonId> items_;
  std::vector<Member> members_;
  std::string text_;
  JsonId root_ = kNoJson;
};

}  // namespace xgrammar
