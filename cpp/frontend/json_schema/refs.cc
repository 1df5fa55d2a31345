// Scanning identifiers and resolving references. URI resolution follows RFC 3986 section 5.2,
// pointers RFC 6901.
//
// The scan follows keywords whose values are schemas and skips values that only look like them,
// such as members of `const`. Dynamic references begin here and are finished by dynamic_scope.cc.
#include "frontend/json_schema/refs.h"

#include <algorithm>
#include <unordered_set>

namespace xgrammar::json_schema {

namespace {

constexpr std::string_view kUnknownBase =
    "xgrammar-document:/";  // Makes relative identifiers comparable.

struct UriParts {
  std::string_view scheme, authority, path, query;
  bool has_scheme = false, has_authority = false, has_query = false;
};

UriParts SplitUri(std::string_view uri) {
  UriParts parts;
  uri = uri.substr(0, uri.find('#'));
  const size_t colon = uri.find_first_of(":/?");
  if (colon != std::string_view::npos && uri[colon] == ':' && colon > 0) {
    parts.has_scheme = true;
    parts.scheme = uri.substr(0, colon);
    uri.remove_prefix(colon + 1);
  }
  if (uri.substr(0, 2) == "//") {
    parts.has_authority = true;
    const size_t end = std::min(uri.find_first_of("/?", 2), uri.size());
    parts.authority = uri.substr(2, end - 2);
    uri.remove_prefix(end);
  }
  const size_t question = uri.find('?');
  parts.path = uri.substr(0, question);
  if (question != std::string_view::npos) {
    parts.has_query = true;
    parts.query = uri.substr(question + 1);
  }
  return parts;
}

std::string RemoveDotSegments(std::string_view path) {
  std::vector<std::string_view> segments;
  const bool absolute = !path.empty() && path[0] == '/';
  size_t start = absolute ? 1 : 0;
  bool trailing_slash = false;
  while (start <= path.size()) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    trailing_slash = segment == "." || segment == "..";
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (segment != ".") {
      segments.push_back(segment);
    }
    start = end + 1;
  }
  std::string out;
  for (size_t i = 0; i < segments.size(); ++i) {
    if (i > 0 || absolute) out += '/';
    out += segments[i];
  }
  if (trailing_slash) out += '/';
  return out;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && HexDigit(text[i + 1]) >= 0 &&
        HexDigit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(HexDigit(text[i + 1]) * 16 + HexDigit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string UnescapePointerToken(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      out.push_back(token[++i] == '0' ? '~' : '/');
    } else {
      out.push_back(token[i]);
    }
  }
  return out;
}

}  // namespace

std::string ResolveUri(std::string_view base_text, std::string_view reference_text) {
  const UriParts base = SplitUri(base_text);
  const UriParts reference = SplitUri(reference_text);
  UriParts result = reference;
  std::string path;
  if (reference.has_scheme || reference.has_authority) {
    path = RemoveDotSegments(reference.path);
    if (!reference.has_scheme) {
      result.has_scheme = base.has_scheme;
      result.scheme = base.scheme;
    }
  } else {
    result.has_scheme = base.has_scheme;
    result.scheme = base.scheme;
    result.has_authority = base.has_authority;
    result.authority = base.authority;
    if (reference.path.empty()) {
      path = base.path;
      if (!reference.has_query) {
        result.has_query = base.has_query;
        result.query = base.query;
      }
    } else if (reference.path[0] == '/') {
      path = RemoveDotSegments(reference.path);
    } else {
      const size_t slash = base.path.rfind('/');
      std::string merged = slash == std::string_view::npos
                               ? (base.has_authority ? "/" : "")
                               : std::string(base.path.substr(0, slash + 1));
      merged += reference.path;
      path = RemoveDotSegments(merged);
    }
  }
  std::string out;
  if (result.has_scheme) out += std::string(result.scheme) + ":";
  if (result.has_authority) out += "//" + std::string(result.authority);
  out += path;
  if (result.has_query) out.append(1, '?').append(result.query);
  return out;
}

References::Position References::PositionOf(std::string_view keyword) {
  constexpr std::pair<std::string_view, Position> kPositions[] = {
      {"properties", Position::kSchemaMap},
      {"items", Position::kSchemaOrArray},
      {"allOf", Position::kSchemaArray},
      {"anyOf", Position::kSchemaArray},
      {"oneOf", Position::kSchemaArray},
      {"additionalProperties", Position::kSchema},
      {"patternProperties", Position::kSchemaMap},
      {"definitions", Position::kSchemaMap},
      {"$defs", Position::kSchemaMap},
      {"if", Position::kSchema},
      {"then", Position::kSchema},
      {"else", Position::kSchema},
      {"not", Position::kSchema},
      {"prefixItems", Position::kSchemaArray},
      {"additionalItems", Position::kSchema},
      {"unevaluatedItems", Position::kSchema},
      {"unevaluatedProperties", Position::kSchema},
      {"contains", Position::kSchema},
      {"propertyNames", Position::kSchema},
      {"dependentSchemas", Position::kSchemaMap},
      {"dependencies", Position::kSchemaMap},
      {"contentSchema", Position::kSchema},
  };
  for (const auto& [name, position] : kPositions) {
    if (name == keyword) return position;
  }
  return Position::kOther;
}

void References::Scan() {
  if (scanned_) return;
  scanned_ = true;
  resource_of_.assign(static_cast<size_t>(document_.size()), 0);
  resources_.push_back({std::string(kUnknownBase), document_.root(), "", {}});
  targets_[resources_[0].uri] = document_.root();
  std::vector<Visit> stack = {{document_.root(), 0, Position::kSchema}};
  while (!stack.empty()) {
    Visit visit = stack.back();
    stack.pop_back();
    if (visit.position == Position::kSchemaOrArray) {
      visit.position = document_.IsArray(visit.id) ? Position::kSchemaArray : Position::kSchema;
    }
    if (visit.position == Position::kSchema && document_.IsObject(visit.id)) {
      visit.resource = EnterSchema(visit.id, visit.resource);
    }
    resource_of_[static_cast<size_t>(visit.id)] = visit.resource;
    PushChildren(visit, &stack);
  }
}

// Registers the identifiers of a schema object; returns the resource it belongs to.
int32_t References::EnterSchema(JsonId id, int32_t resource) {
  const auto may_identify = [&](const JsonDocument::Member& member) {
    const std::string_view keyword = document_.key(member);
    return keyword == "id" || (!keyword.empty() && keyword[0] == '$');
  };
  if (std::ranges::none_of(document_.members(id), may_identify)) return resource;
  const JsonId dialect = document_.Find(id, "$schema");
  const auto string_of = [&](std::string_view key) {
    const JsonId value = document_.Find(id, key);
    return value != kNoJson && document_.IsString(value) ? document_.text(value)
                                                         : std::string_view();
  };
  std::string_view own_dialect = resources_[static_cast<size_t>(resource)].dialect;
  if (dialect != kNoJson && document_.IsString(dialect)) own_dialect = document_.text(dialect);
  std::string_view identifier = string_of("$id");
  // `id` was the keyword up to draft 4. Without a dialect it is too often an ordinary annotation.
  if (identifier.empty() && own_dialect.find("draft-04") != std::string_view::npos)
    identifier = string_of("id");
  const bool old_reference = document_.Find(id, "$ref") != kNoJson &&
                             (own_dialect.find("draft-0") != std::string_view::npos);
  if (old_reference && id != document_.root()) identifier = "";
  const size_t hash = identifier.find('#');
  if (!identifier.empty() && hash != 0) {
    const std::string uri = ResolveUri(resources_[static_cast<size_t>(resource)].uri, identifier);
    if (id == document_.root()) {
      resources_[0].uri = uri;
      resources_[0].dialect = own_dialect;
    } else {
      resource = static_cast<int32_t>(resources_.size());
      resources_.push_back({uri, id, own_dialect, {}});
    }
    targets_.try_emplace(uri, id);
  } else if (id == document_.root()) {
    resources_[0].dialect = own_dialect;
  }
  const std::string& base = resources_[static_cast<size_t>(resource)].uri;
  if (hash != std::string_view::npos &&
      hash + 1 < identifier.size()) {  // Anchors of drafts 4 to 7.
    targets_.try_emplace(base + std::string(identifier.substr(hash)), id);
  }
  if (const std::string_view anchor = string_of("$anchor"); !anchor.empty()) {
    targets_.try_emplace(base + "#" + std::string(anchor), id);
  }
  if (const std::string_view anchor = string_of("$dynamicAnchor"); !anchor.empty()) {
    targets_.try_emplace(base + "#" + std::string(anchor), id);
    resources_[static_cast<size_t>(resource)].dynamic_anchors.emplace_back(anchor, id);
  }
  const JsonId recursive = document_.Find(id, "$recursiveAnchor");
  if (recursive != kNoJson && document_.kind(recursive) == JsonKind::kTrue &&
      id == resources_[static_cast<size_t>(resource)].root) {
    resources_[static_cast<size_t>(resource)].dynamic_anchors.emplace_back("", id);
  }
  return resource;
}

// Children are pushed in reverse, so that they are visited in document order.
void References::PushChildren(const Visit& visit, std::vector<Visit>* stack) const {
  if (document_.IsArray(visit.id)) {
    const auto items = document_.items(visit.id);
    const Position position =
        visit.position == Position::kSchemaArray ? Position::kSchema : Position::kOther;
    for (size_t i = items.size(); i-- > 0;) stack->push_back({items[i], visit.resource, position});
  } else if (document_.IsObject(visit.id)) {
    const auto members = document_.members(visit.id);
    for (size_t i = members.size(); i-- > 0;) {
      Position position = Position::kOther;
      if (visit.position == Position::kSchema) position = PositionOf(document_.key(members[i]));
      if (visit.position == Position::kSchemaMap) position = Position::kSchema;
      stack->push_back({members[i].value, visit.resource, position});
    }
  }
}

// Many references lead through one object of definitions.
JsonId References::Find(JsonId object, std::string_view key) {
  constexpr size_t kManyMembers = 32;
  const auto members = document_.members(object);
  if (members.size() < kManyMembers) return document_.Find(object, key);
  auto& index = members_[object];
  if (index.empty()) {
    for (const JsonDocument::Member& member : members)
      index.emplace(document_.key(member), member.value);
  }
  const auto found = index.find(key);
  return found == index.end() ? kNoJson : found->second;
}

JsonId References::FollowPointer(JsonId from, std::string_view pointer) {
  JsonId current = from;
  while (!pointer.empty()) {
    if (pointer[0] != '/') return kNoJson;
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    const std::string token = UnescapePointerToken(pointer.substr(1, end - 1));
    pointer.remove_prefix(end);
    if (document_.IsObject(current)) {
      current = Find(current, token);
      if (current == kNoJson) return kNoJson;
    } else if (document_.IsArray(current)) {
      const auto items = document_.items(current);
      if (token.empty() || token.size() > 9 ||
          token.find_first_not_of("0123456789") != std::string::npos)
        return kNoJson;
      if (token.size() > 1 && token[0] == '0') return kNoJson;
      const auto index = static_cast<size_t>(std::stol(token));
      if (index >= items.size()) return kNoJson;
      current = items[index];
    } else {
      return kNoJson;
    }
  }
  return current;
}

JsonId References::Resolve(JsonId from, std::string_view reference) {
  const size_t hash = reference.find('#');
  const std::string fragment =
      hash == std::string_view::npos ? "" : PercentDecode(reference.substr(hash + 1));
  const bool is_pointer = fragment.empty() || fragment[0] == '/';
  Scan();
  const Resource& here = resources_[static_cast<size_t>(resource_of_[static_cast<size_t>(from)])];
  JsonId resource_root = here.root;
  std::string uri = here.uri;
  if (hash != 0) {
    uri = ResolveUri(here.uri, reference);
    const auto found = targets_.find(uri);
    if (found == targets_.end()) return kNoJson;
    resource_root = found->second;
  }
  if (is_pointer) {
    const JsonId target = FollowPointer(resource_root, fragment);
    // Real schemas carry identifiers inside definitions and still point from the top of the file.
    return target == kNoJson && hash == 0 ? FollowPointer(document_.root(), fragment) : target;
  }
  const auto found = targets_.find(uri + "#" + fragment);
  return found == targets_.end() ? kNoJson : found->second;
}

const std::vector<References::DynamicAnchor>& References::DynamicAnchorsOf(JsonId schema) {
  Scan();
  return resources_[static_cast<size_t>(resource_of_[static_cast<size_t>(schema)])].dynamic_anchors;
}

bool References::IsDynamicAnchor(JsonId schema, std::string_view name) {
  const auto& anchors = DynamicAnchorsOf(schema);
  return std::find(anchors.begin(), anchors.end(), DynamicAnchor{name, schema}) != anchors.end();
}

bool References::HasCompetingAnchors() {
  Scan();
  std::unordered_set<std::string_view> names;
  for (const Resource& resource : resources_) {
    for (const auto& [name, schema] : resource.dynamic_anchors) {
      if (!names.insert(name).second) return true;
    }
  }
  return false;
}

JsonId References::ResourceRoot(JsonId schema) {
  Scan();
  return resources_[static_cast<size_t>(resource_of_[static_cast<size_t>(schema)])].root;
}

std::string_view References::Dialect(JsonId schema) {
  Scan();
  return resources_[static_cast<size_t>(resource_of_[static_cast<size_t>(schema)])].dialect;
}

}  // namespace xgrammar::json_schema
