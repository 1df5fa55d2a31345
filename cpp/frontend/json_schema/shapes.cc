// Schemas that are written the same way, titles and descriptions aside: hash-consing from the
// leaves up, of the whole document or of what is below the schemas that are asked about.
//
// Part of SchemaReader. Values are numbered when they are opened, so what is below a value are the
// numbers that follow its own.
#include <algorithm>

#include "frontend/json_schema/reader.h"

namespace xgrammar::json_schema {

namespace {

bool IsAnnotation(std::string_view keyword) {
  return keyword == "title" || keyword == "description" || keyword == "$comment";
}

}  // namespace

JsonId SchemaReader::CanonicalId(JsonId schema) {
  if (scopes_.IsPlaced(schema)) return schema;
  if (canonical_ids_.empty()) FindCanonicalIds();
  return canonical_ids_[static_cast<size_t>(schema)];
}

// The first one of equal ones stands for all, as errors show where it is.
void SchemaReader::FindCanonicalIds() {
  const auto size = static_cast<size_t>(document_.size());
  canonical_ids_.resize(size);
  for (size_t i = 0; i < size; ++i) canonical_ids_[i] = static_cast<JsonId>(i);
  // The same reference means different things in different resources.
  if (references_.NumResources() > 1) return;
  FindShapes(document_.root(), document_.size() - 1);
  std::vector<JsonId> firsts(known_shapes_.size(), kNoJson);
  for (size_t i = 0; i < size; ++i) {
    const int32_t shape = shapes_[1][i] >= 0 ? shapes_[1][i] : shapes_[0][i];
    JsonId& first = firsts[static_cast<size_t>(shape)];
    if (first == kNoJson) first = static_cast<JsonId>(i);
    canonical_ids_[i] = first;
  }
}

int32_t SchemaReader::ShapeOf(JsonId schema) {
  if (scopes_.IsPlaced(schema) || references_.NumResources() > 1) return schema;
  const auto index = static_cast<size_t>(schema);
  if (shapes_[0].empty() || shapes_[0][index] < 0) FindShapes(schema, LastBelow(schema));
  return shapes_[0][index];
}

JsonId SchemaReader::LastBelow(JsonId id) const {
  while (true) {
    JsonId last = id;
    if (document_.IsObject(id)) {
      for (const Member& member : document_.members(id)) last = std::max(last, member.value);
    } else if (document_.IsArray(id) && !document_.items(id).empty()) {
      last = document_.items(id).back();
    }
    if (last == id) return id;
    id = last;
  }
}

void SchemaReader::FindShapes(JsonId first, JsonId last) {
  for (auto& shapes : shapes_) shapes.resize(static_cast<size_t>(document_.size()), -1);
  std::vector<bool> is_value(static_cast<size_t>(last - first) + 1, false);
  const auto at = [first](JsonId id) { return static_cast<size_t>(id - first); };
  for (JsonId id = first; id <= last; ++id) {
    if (document_.IsObject(id)) {
      for (const Member& member : document_.members(id)) {
        const std::string_view name = document_.key(member);
        is_value[at(member.value)] = is_value[at(id)] || name == "enum" || name == "const";
      }
    } else if (document_.IsArray(id)) {
      for (const JsonId item : document_.items(id)) is_value[at(item)] = is_value[at(id)];
    }
  }
  for (JsonId id = last; id >= first; --id) {
    int32_t& shape = shapes_[is_value[at(id)] ? 1 : 0][static_cast<size_t>(id)];
    if (shape < 0) shape = FindShape(id, is_value[at(id)]);
  }
}

// What is below has been found.
int32_t SchemaReader::FindShape(JsonId id, bool is_value) {
  std::string key(1, static_cast<char>('0' + static_cast<int>(document_.kind(id))));
  const auto append_number = [&key](int32_t number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  if (document_.IsObject(id)) {
    for (const Member& member : document_.members(id)) {
      const std::string_view name = document_.key(member);
      if (!is_value && IsAnnotation(name) && document_.IsString(member.value)) continue;
      const bool in_value = is_value || name == "enum" || name == "const";
      append_number(static_cast<int32_t>(name.size()));
      key += name;
      append_number(shapes_[in_value ? 1 : 0][static_cast<size_t>(member.value)]);
    }
  } else if (document_.IsArray(id)) {
    for (const JsonId item : document_.items(id))
      append_number(shapes_[is_value ? 1 : 0][static_cast<size_t>(item)]);
  } else if (document_.IsString(id) || document_.IsNumber(id)) {
    key += document_.text(id);
  }
  const auto next = static_cast<int32_t>(known_shapes_.size());
  return known_shapes_.try_emplace(std::move(key), next).first->second;
}

}  // namespace xgrammar::json_schema
