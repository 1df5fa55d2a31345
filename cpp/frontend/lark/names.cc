// Names: an index of the definitions, then one pass over the nodes of each, then an order of the
// terminals by depth-first search with a stack of its own.
//
// The order is topological (Tarjan 1972), so a terminal is compiled after those it contains; a
// cycle is an error. Rules may be recursive. Terminals of `%import` are patterns by then
// (imports.h).
#include "frontend/lark/names.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "support/error.h"

namespace xgrammar::lark {

namespace {

/// The spellings of any text that llguidance documents for heads of tools.
constexpr std::array<std::string_view, 6> kAnyText = {R"((.|\n)*)",   R"((\n|.)*)", R"((?:.|\n)*)",
                                                      R"((?:\n|.)*)", R"([\s\S]*)", R"((?s:.*))"};

bool IsAnyTextPattern(const Literal& literal) {
  if (literal.text == ".*" && literal.flags == "s") return true;
  const bool is_listed =
      std::find(kAnyText.begin(), kAnyText.end(), literal.text) != kAnyText.end();
  return is_listed && (literal.flags.empty() || literal.flags == "s");
}

/// What a node is called in a message, if it cannot stand in a terminal.
const char* NotInTerminals(NodeKind kind) {
  switch (kind) {
    case NodeKind::kJson:
      return "%json";
    case NodeKind::kNested:
      return "%lark";
    case NodeKind::kNamedGrammar:
      return "a named grammar";
    case NodeKind::kTokenIds:
    case NodeKind::kTokenText:
      return "a special token";
    default:
      return nullptr;
  }
}

}  // namespace

Names::Names(const Document& document, const Source& source)
    : document_(document), source_(source), is_unit_(document.definitions.size()) {
  Index();
  FindHeads();
  for (size_t i = 0; i < document.definitions.size(); ++i) {
    CheckDefinition(static_cast<DefinitionId>(i));
  }
  for (const Ignore& ignore : document.ignores) {
    Definition unit;
    unit.name = "%ignore";
    unit.is_terminal = true;
    for (NodeId id = ignore.first_node; id <= ignore.body; ++id) CheckNode(id, &unit);
  }
  OrderTerminals();
}

void Names::Index() {
  for (size_t i = 0; i < document_.definitions.size(); ++i) {
    const Definition& entry = document_.definitions[i];
    const auto [it, is_new] = index_.emplace(entry.name, static_cast<DefinitionId>(i));
    if (!is_new) {
      source_.Fail(entry.offset,
                   "duplicate rule or terminal '" + QuoteForMessage(entry.name) + "'");
    }
    is_unit_[i] =
        entry.is_terminal || entry.attributes.lazy || entry.attributes.marker() != kNoNode;
  }
  const auto start = index_.find("start");
  if (start == index_.end()) source_.Fail(document_.begin, "no start rule found");
  start_ = start->second;
}

/// Terminals that only name another one, or a pattern.
NodeId Names::Dealias(NodeId node) const {
  for (size_t i = 0; i <= document_.definitions.size(); ++i) {
    if (document_.kind(node) != NodeKind::kName) break;
    const auto it = index_.find(document_.literal(node).text);
    if (it == index_.end() || !definition(it->second).is_terminal) break;
    node = definition(it->second).body;
  }
  return node;
}

bool Names::IsAnyText(NodeId node) const {
  node = Dealias(node);
  return document_.kind(node) == NodeKind::kRegex && IsAnyTextPattern(document_.literal(node));
}

void Names::FindHeads() {
  for (size_t i = 0; i < document_.definitions.size(); ++i) {
    const Definition& entry = document_.definitions[i];
    const Attributes& attributes = entry.attributes;
    const bool can_be_head =
        attributes.lazy && attributes.marker() == kNoNode && !attributes.has_limits();
    if (!can_be_head || document_.kind(entry.body) != NodeKind::kSequence) continue;
    const auto parts = document_.children_of(entry.body);
    if (parts.size() != 2 || !IsAnyText(parts[0])) continue;
    const NodeKind kind = document_.kind(parts[1]);
    const bool is_string = kind == NodeKind::kString && !document_.literal(parts[1]).text.empty() &&
                           document_.literal(parts[1]).flags.empty();
    if (is_string || kind == NodeKind::kTokenIds || kind == NodeKind::kTokenText) {
      heads_[static_cast<DefinitionId>(i)] = {parts[1]};
    }
  }
}

const Head* Names::HeadOf(DefinitionId id) const {
  const auto it = heads_.find(id);
  return it == heads_.end() ? nullptr : &it->second;
}

void Names::CheckNode(NodeId id, const Definition* unit) const {
  const Node& node = document_.node(id);
  if (unit == nullptr) {
    if (node.kind == NodeKind::kAnd || node.kind == NodeKind::kNot) {
      source_.Fail(node.offset, std::string(node.kind == NodeKind::kAnd ? "'&'" : "'~'") +
                                    " is only supported in terminals");
    }
  } else if (const char* what = NotInTerminals(node.kind)) {
    source_.Fail(node.offset, std::string(what) + " cannot stand in a terminal");
  }
  if (node.kind != NodeKind::kName) return;
  const std::string& name = document_.literal(id).text;
  const auto it = index_.find(name);
  if (it == index_.end()) {
    source_.Fail(node.offset, "unknown name '" + QuoteForMessage(name) + "'");
  }
  if (unit == nullptr || definition(it->second).is_terminal) return;
  const std::string subject =
      unit->is_terminal ? "terminal '" + QuoteForMessage(unit->name, 60) + "'" : "terminal";
  source_.Fail(node.offset,
               subject + " cannot reference rule '" + QuoteForMessage(name, 60) + "'" +
                   (unit->is_terminal ? ""
                                      : ": lazy, suffix and stop make rule '" +
                                            QuoteForMessage(unit->name, 60) + "' one terminal"));
}

void Names::CheckDefinition(DefinitionId id) {
  const Definition& entry = definition(id);
  const Definition* unit = IsUnit(id) ? &entry : nullptr;
  const Head* head = HeadOf(id);
  for (NodeId node = entry.first_node; node <= entry.body; ++node) {
    if (head != nullptr && node == head->marker) continue;
    CheckNode(node, unit);
  }
  if (entry.attributes.marker() != kNoNode) {
    Definition marker;
    marker.name = entry.name;
    CheckNode(entry.attributes.marker(), &marker);
  }
  CheckTemperature(entry);
}

/// A temperature belongs to what is sampled as one unit.
void Names::CheckTemperature(const Definition& entry) const {
  for (const Attributes::Note& note : entry.attributes.notes) {
    if (note.name != "temperature") continue;
    const NodeKind kind = document_.kind(entry.body);
    if (kind == NodeKind::kJson || kind == NodeKind::kNested || kind == NodeKind::kNamedGrammar) {
      return;
    }
    for (NodeId id = entry.first_node; id <= entry.body; ++id) {
      const bool is_rule = document_.kind(id) == NodeKind::kName && !definition(Of(id)).is_terminal;
      if (!is_rule && NotInTerminals(document_.kind(id)) == nullptr) continue;
      source_.Fail(note.offset,
                   "temperature is only supported on rules of terminals, %json, %lark and @name");
    }
  }
}

void Names::OrderTerminals() {
  enum class Mark : uint8_t { kNew, kOpen, kDone };
  struct Visit {
    DefinitionId id;
    NodeId next;
  };
  std::vector<Mark> marks(document_.definitions.size(), Mark::kNew);
  std::vector<Visit> stack;
  const auto open = [&](DefinitionId id) {
    marks[static_cast<size_t>(id)] = Mark::kOpen;
    stack.push_back({id, definition(id).first_node});
  };
  for (size_t i = 0; i < marks.size(); ++i) {
    if (!document_.definitions[i].is_terminal || marks[i] != Mark::kNew) continue;
    open(static_cast<DefinitionId>(i));
    while (!stack.empty()) {
      const DefinitionId id = stack.back().id;
      if (stack.back().next > definition(id).body) {
        marks[static_cast<size_t>(id)] = Mark::kDone;
        terminals_.push_back(id);
        stack.pop_back();
        continue;
      }
      const NodeId node = stack.back().next++;
      if (document_.kind(node) != NodeKind::kName) continue;
      const DefinitionId target = Of(node);
      if (marks[static_cast<size_t>(target)] == Mark::kOpen) {
        source_.Fail(document_.node(node).offset, "circular reference in terminal");
      }
      if (marks[static_cast<size_t>(target)] == Mark::kNew) open(target);
    }
  }
}

}  // namespace xgrammar::lark
