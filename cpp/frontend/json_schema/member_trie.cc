// Adding a key: nodes on its way are copied, an edge that shares part of its label is split.
//
// Labels break between whole characters. Members that do not begin with a literal hang on the root,
// beside the trie. Rules are made only for the versions that are asked for, and once for each node.
#include "frontend/json_schema/member_trie.h"

#include <algorithm>
#include <tuple>

namespace xgrammar::json_schema {

namespace {

/// Bytes that both texts begin with, in whole characters.
size_t CommonPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t size = 0;
  while (size < most && a[size] == b[size]) ++size;
  const auto continues = [](char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; };
  while (size > 0 &&
         ((size < a.size() && continues(a[size])) || (size < b.size() && continues(b[size])))) {
    --size;
  }
  return size;
}

}  // namespace

int32_t MemberTrie::Copy(int32_t node) {
  Node copy;
  if (node != kEmpty) {
    copy.edges = At(node).edges;
    copy.ends = At(node).ends;
  }
  nodes_.push_back(std::move(copy));
  return static_cast<int32_t>(nodes_.size() - 1);
}

// The literal that a member begins with, and the rest of it; an empty text if it begins otherwise.
std::pair<std::string_view, ExprId> MemberTrie::SplitKey(ExprId member) {
  const Grammar& built = builder_.view();
  if (built.kind(member) != ExprKind::kSequence) return {{}, member};
  const auto parts = built.children(member);
  if (built.kind(parts[0]) != ExprKind::kByteString) return {{}, member};
  texts_.emplace_back(built.bytes(parts[0]));
  const std::vector<ExprId> others(parts.begin() + 1, parts.end());
  return {texts_.back(), builder_.AddSequence(others)};
}

int32_t MemberTrie::Add(int32_t version, ExprId member, ExprId rest) {
  std::string_view key;
  ExprId value = kNoExpr;
  std::tie(key, value) = SplitKey(member);
  const ExprId end = builder_.AddSequence({value, rest});
  const int32_t root = Copy(version);
  int32_t node = root;
  while (!key.empty()) {
    const auto shares = [&](const Edge& edge) { return CommonPrefix(edge.label, key) > 0; };
    const auto& edges = At(node).edges;
    const auto found = std::find_if(edges.begin(), edges.end(), shares);
    const auto index = static_cast<size_t>(found - edges.begin());
    if (found == edges.end()) {
      const int32_t leaf = Copy(kEmpty);
      At(node).edges.push_back({key, leaf});
      node = leaf;
      break;
    }
    const Edge old = *found;
    const size_t shared = CommonPrefix(old.label, key);
    const bool is_split = shared < old.label.size();
    const int32_t next = Copy(is_split ? kEmpty : old.child);
    if (is_split) At(next).edges.push_back({old.label.substr(shared), old.child});
    At(node).edges[index] = {old.label.substr(0, shared), next};
    key.remove_prefix(shared);
    node = next;
  }
  At(node).ends.push_back(end);
  return root;
}

ExprId MemberTrie::BodyOf(const Node& node) {
  std::vector<ExprId> alternatives = node.ends;
  for (const Edge& edge : node.edges) {
    alternatives.push_back(
        builder_.AddSequence({builder_.AddByteString(edge.label), At(edge.child).reference}));
  }
  return builder_.AddChoices(alternatives);
}

ExprId MemberTrie::Reference(int32_t version) {
  if (version == kEmpty) return builder_.AddNothing();
  // Depth first without recursion: keys may be long, and labels short.
  std::vector<int32_t> work{version};
  while (!work.empty()) {
    const int32_t index = work.back();
    bool is_ready = true;
    for (const Edge& edge : At(index).edges) {
      if (At(edge.child).reference != kNoExpr) continue;
      work.push_back(edge.child);
      is_ready = false;
    }
    if (!is_ready) continue;
    work.pop_back();
    Node& node = At(index);
    if (node.reference != kNoExpr) continue;
    const bool is_leaf = node.edges.empty() && node.ends.size() == 1;
    node.reference =
        is_leaf ? node.ends[0]
                : builder_.AddRuleRef(builder_.AddRuleWithHint("keys", BodyOf(node), kind_));
  }
  return At(version).reference;
}

}  // namespace xgrammar::json_schema
