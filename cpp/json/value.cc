// JsonDocument: looking up a key, and copying a part.
//
// A part is copied in the order of its nodes, with an explicit stack, so that the copy is numbered
// like a document that was parsed: a container before what is in it.
#include "json/value.h"

#include <algorithm>

namespace xgrammar {

JsonId JsonDocument::Find(JsonId object, std::string_view wanted) const {
  for (const Member& member : members(object)) {
    if (key(member) == wanted) return member.value;
  }
  return kNoJson;
}

JsonDocument JsonDocument::Part(JsonId id) const {
  JsonDocument part;
  const auto copy_text = [&](std::string_view text) {
    part.text_.append(text);
    return static_cast<int32_t>(part.text_.size() - text.size());
  };
  // A value to copy, and the member or item of the copy that is to name it.
  struct Place {
    JsonId value;
    bool is_member;
    size_t index;
  };
  part.items_.push_back(kNoJson);  // Of the root; nothing else names it.
  std::vector<Place> todo{{id, false, 0}};
  while (!todo.empty()) {
    const Place place = todo.back();
    todo.pop_back();
    const JsonId copied = part.size();
    (place.is_member ? part.members_[place.index].value : part.items_[place.index]) = copied;
    Node copy = node(place.value);
    const size_t below = todo.size();
    switch (copy.kind) {
      case JsonKind::kNumber:
      case JsonKind::kString:
        copy.first = copy_text(text(place.value));
        break;
      case JsonKind::kArray:
        copy.first = static_cast<int32_t>(part.items_.size());
        for (JsonId item : items(place.value)) {
          todo.push_back({item, false, part.items_.size()});
          part.items_.push_back(kNoJson);
        }
        break;
      case JsonKind::kObject:
        copy.first = static_cast<int32_t>(part.members_.size());
        for (const Member& member : members(place.value)) {
          todo.push_back({member.value, true, part.members_.size()});
          part.members_.push_back({copy_text(key(member)), member.key_size, kNoJson});
        }
        break;
      default:
        break;
    }
    part.nodes_.push_back(copy);
    std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(below), todo.end());
  }
  part.root_ = 0;
  return part;
}

void JsonDocument::AppendContent(std::string* out) const {
  const auto append = [out](int32_t number) {
    out->append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  // Nodes come in a fixed order, and say how many there are; so sizes tell texts and keys apart.
  for (const Node& node : nodes_) {
    out->push_back(static_cast<char>(node.kind));
    append(node.count);
  }
  for (const Member& member : members_) append(member.key_size);
  out->append(text_);
}

}  // namespace xgrammar
