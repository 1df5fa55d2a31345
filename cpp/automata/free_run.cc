// FreeRun: construction of the Aho-Corasick machine and the automata read off it.
//
// Nodes are the distinct prefixes of all patterns and excluded strings. A run that passed over a
// pattern is bound to complete one that starts no later. How far back that start lies is a property
// of the node alone: the pattern passed over must lie inside the longest pending prefix, or the run
// could not go on. So the automata have one state for each node, plus one for "ended".
#include "automata/free_run.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/error.h"
#include "support/utf8.h"
#include "support/work_meter.h"

namespace xgrammar {

namespace {

using State = CodePointDfa::State;

constexpr int32_t kRoot = 0;
constexpr int32_t kNone = -1;

/// Edges that differ from "back to the root" over all nodes; past this the machine is refused.
constexpr size_t kMaxSteps = size_t{1} << 25;

struct Text {
  std::string_view text;
  int32_t pattern = kNone;  ///< kNone for an excluded string.
};

std::vector<Text> SortedTexts(const FreeRunOptions& options) {
  std::vector<Text> texts;
  texts.reserve(options.patterns.size() + options.excludes.size());
  for (size_t i = 0; i < options.patterns.size(); ++i) {
    texts.push_back({options.patterns[i], static_cast<int32_t>(i)});
  }
  for (const std::string& text : options.excludes) texts.push_back({text, kNone});
  for (const Text& entry : texts) {
    const char* what = entry.pattern == kNone ? "An excluded string" : "A pattern of free text";
    if (entry.text.empty()) {
      throw Error(ErrorKind::kValue, std::string(what) + " must not be empty");
    }
    if (!IsValidUtf8(entry.text)) {
      throw Error(ErrorKind::kValue, std::string(what) + " must be well-formed UTF-8");
    }
  }
  // Bytes of UTF-8 sort as code points do.
  std::sort(texts.begin(), texts.end(),
            [](const Text& a, const Text& b) { return a.text < b.text; });
  return texts;
}

}  // namespace

class FreeRun::Machine {
 public:
  Machine(const FreeRunOptions& options, int64_t max_states, const char* limit_name);

  CodePointDfa End() const;
  CodePointDfa To(std::span<const int32_t> patterns) const;
  bool IsSeparable(int32_t pattern) const;

 private:
  struct Step {
    uint32_t code_point = 0;
    int32_t target = kRoot;
  };
  struct Node {
    int32_t parent = kNone;
    int32_t depth = 0;
    int32_t fail = kRoot;            ///< The longest proper suffix that is a node.
    int32_t pattern_suffix = kNone;  ///< The longest suffix (or itself) that is a whole pattern.
    int32_t pending = kRoot;         ///< The longest suffix that is a proper prefix of a pattern.
    int32_t bound = 0;  ///< If not 0: a pattern must be completed that starts at least so
                        ///< many code points back.
    bool is_pattern = false;
    bool extends_to_pattern = false;  ///< A proper prefix of a pattern.
    bool is_suffix = false;           ///< A proper suffix of a pattern or excluded string.
    bool excluded = false;            ///< Ends with an excluded string.
    bool reachable = false;           ///< No excluded string anywhere.
  };
  struct Outcome {
    int32_t found = kNone;  ///< The pattern's node with which the run may end here.
    bool goes_on = false;
  };

  const Node& node(int32_t id) const { return nodes_[static_cast<size_t>(id)]; }
  Node& node(int32_t id) { return nodes_[static_cast<size_t>(id)]; }
  int32_t DepthOf(int32_t id) const { return id == kNone ? 0 : node(id).depth; }
  std::span<const Step> steps(int32_t id) const {
    return std::span(steps_).subspan(first_step_[static_cast<size_t>(id)],
                                     step_count_[static_cast<size_t>(id)]);
  }

  void BuildTrie(const std::vector<Text>& sorted, int64_t max_states, const char* limit_name);
  void SortChildren(const std::vector<uint32_t>& labels);
  void LinkSuffixes();
  void LinkNode(int32_t id, uint32_t label);
  void MergeSteps(int32_t id);
  void MarkSuffixes();
  int32_t Next(int32_t id, uint32_t code_point) const;
  Outcome Enter(int32_t from, int32_t to) const;
  CodePointDfa Build(const std::vector<bool>* ends_run) const;
  std::vector<CodePointDfa::Edge> EdgesOf(int32_t id, const std::vector<bool>* ends_run) const;

  std::vector<Node> nodes_;
  std::vector<int32_t> node_of_pattern_;
  std::vector<Step> children_;  ///< Of all nodes, by node and then by code point.
  std::vector<size_t> first_child_;
  std::vector<Step> steps_;  ///< Transitions that do not lead to the root, of all nodes.
  std::vector<size_t> first_step_;
  std::vector<size_t> step_count_;
};

FreeRun::Machine::Machine(const FreeRunOptions& options, int64_t max_states,
                          const char* limit_name) {
  node_of_pattern_.resize(options.patterns.size());
  BuildTrie(SortedTexts(options), max_states, limit_name);
  LinkSuffixes();
  MarkSuffixes();
}

void FreeRun::Machine::BuildTrie(const std::vector<Text>& sorted, int64_t max_states,
                                 const char* limit_name) {
  nodes_.resize(1);
  node(kRoot).reachable = true;
  std::vector<uint32_t> labels(1);
  std::vector<int32_t> path = {kRoot};  // Of the text before, so shared prefixes are found at once.
  for (const Text& entry : sorted) {
    size_t depth = 0;
    for (size_t i = 0; i < entry.text.size(); ++depth) {
      const DecodedCodePoint decoded = DecodeUtf8(entry.text, i);
      i += decoded.size;
      if (entry.pattern != kNone) node(path[depth]).extends_to_pattern = true;
      if (depth + 1 < path.size() &&
          labels[static_cast<size_t>(path[depth + 1])] == decoded.code_point) {
        continue;
      }
      path.resize(depth + 1);
      path.push_back(static_cast<int32_t>(nodes_.size()));
      labels.push_back(decoded.code_point);
      nodes_.push_back({.parent = path[depth], .depth = static_cast<int32_t>(depth) + 1});
      const auto size = static_cast<int64_t>(nodes_.size());
      if (size > max_states) ThrowLimitError(limit_name, size, max_states, "free text");
    }
    CountWork("building free text", 1 + static_cast<int64_t>(entry.text.size()) / 2);
    path.resize(depth + 1);
    if (entry.pattern == kNone) {
      node(path.back()).excluded = true;
    } else {
      node(path.back()).is_pattern = true;
      node_of_pattern_[static_cast<size_t>(entry.pattern)] = path.back();
    }
  }
  SortChildren(labels);
}

/// Counting sort by parent; ids of siblings grow with their code points.
void FreeRun::Machine::SortChildren(const std::vector<uint32_t>& labels) {
  first_child_.assign(nodes_.size() + 1, 0);
  for (size_t id = 1; id < nodes_.size(); ++id) {
    ++first_child_[static_cast<size_t>(nodes_[id].parent) + 1];
  }
  for (size_t id = 0; id < nodes_.size(); ++id) first_child_[id + 1] += first_child_[id];
  children_.resize(nodes_.size() - 1);
  std::vector<size_t> next(first_child_.begin(), first_child_.end() - 1);
  for (size_t id = 1; id < nodes_.size(); ++id) {
    children_[next[static_cast<size_t>(nodes_[id].parent)]++] = {labels[id],
                                                                 static_cast<int32_t>(id)};
  }
}

/// Breadth first, so everything about shorter suffixes is known.
void FreeRun::Machine::LinkSuffixes() {
  first_step_.assign(nodes_.size(), 0);
  step_count_.assign(nodes_.size(), 0);
  std::vector<Step> queue = {{0, kRoot}};
  for (size_t k = 0; k < queue.size(); ++k) {
    const int32_t id = queue[k].target;
    if (id != kRoot) LinkNode(id, queue[k].code_point);
    // Nothing behind an excluded string is ever read.
    if (!node(id).reachable) continue;
    MergeSteps(id);
    const auto begin = children_.begin();
    queue.insert(queue.end(), begin + static_cast<ptrdiff_t>(first_child_[static_cast<size_t>(id)]),
                 begin + static_cast<ptrdiff_t>(first_child_[static_cast<size_t>(id) + 1]));
  }
}

void FreeRun::Machine::LinkNode(int32_t id, uint32_t label) {
  Node& n = node(id);
  n.fail = n.parent == kRoot ? kRoot : Next(node(n.parent).fail, label);
  const Node& fail = node(n.fail);
  n.excluded = n.excluded || fail.excluded;
  n.reachable = !n.excluded;
  n.pattern_suffix = n.is_pattern ? id : fail.pattern_suffix;
  if (!n.extends_to_pattern) {
    n.pending = fail.pending;
    n.bound = node(n.pending).bound;
    return;
  }
  n.pending = id;
  const int32_t before = node(n.parent).bound;
  n.bound = before > 0 ? before + 1 : 0;
  // A pattern that starts earlier than the one passed over makes the bound tighter.
  if (n.pattern_suffix != kNone) n.bound = std::max(n.bound, DepthOf(n.pattern_suffix));
}

/// Transitions of the longest proper suffix, overridden by the node's own children.
void FreeRun::Machine::MergeSteps(int32_t id) {
  const auto index = static_cast<size_t>(id);
  const size_t begin = steps_.size();
  size_t child = first_child_[index];
  const size_t child_end = first_child_[index + 1];
  if (id != kRoot) {
    const auto fail = static_cast<size_t>(node(id).fail);
    for (size_t k = first_step_[fail]; k < first_step_[fail] + step_count_[fail]; ++k) {
      const Step step = steps_[k];
      while (child < child_end && children_[child].code_point < step.code_point) {
        steps_.push_back(children_[child++]);
      }
      const bool own = child < child_end && children_[child].code_point == step.code_point;
      steps_.push_back(own ? children_[child++] : step);
    }
  }
  while (child < child_end) steps_.push_back(children_[child++]);
  first_step_[index] = begin;
  step_count_[index] = steps_.size() - begin;
  CountWork("building free text", 1 + static_cast<int64_t>(step_count_[index]) / 16);
  if (steps_.size() > kMaxSteps) {
    ThrowFixedLimitError("free text with too many strings that begin with different characters",
                         static_cast<int64_t>(steps_.size()), static_cast<int64_t>(kMaxSteps));
  }
}

void FreeRun::Machine::MarkSuffixes() {
  for (const Node& n : nodes_) {
    if (!n.is_pattern && !n.excluded) continue;
    for (int32_t s = n.fail; s != kRoot && !node(s).is_suffix; s = node(s).fail) {
      node(s).is_suffix = true;
    }
  }
}

int32_t FreeRun::Machine::Next(int32_t id, uint32_t code_point) const {
  const std::span<const Step> range = steps(id);
  const auto step = std::ranges::lower_bound(range, code_point, {}, &Step::code_point);
  return step != range.end() && step->code_point == code_point ? step->target : kRoot;
}

/// What a run that is at `from` and not dead meets when it moves to `to`.
FreeRun::Machine::Outcome FreeRun::Machine::Enter(int32_t from, int32_t to) const {
  const Node& target = node(to);
  if (target.excluded) return {};
  const int32_t bound = node(from).bound;
  const int32_t needed = bound > 0 ? bound + 1 : 0;
  const int32_t pending = DepthOf(target.pending);
  const int32_t found = DepthOf(target.pattern_suffix);
  if (found > 0 && found >= needed) return {target.pattern_suffix, pending >= found};
  return {kNone, pending >= needed};
}

/// `ends_run` holds for each node whether completing that pattern ends the run; null asks for the
/// runs without a pattern.
CodePointDfa FreeRun::Machine::Build(const std::vector<bool>* ends_run) const {
  std::vector<State> states(nodes_.size() + 1);  // The last one: ended, nothing may follow.
  states.back().accept = true;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    const Node& n = nodes_[id];
    if (!n.reachable) continue;
    states[id].edges = EdgesOf(static_cast<int32_t>(id), ends_run);
    if (ends_run == nullptr) {
      states[id].accept = n.bound == 0;
    } else {
      states[id].accept = n.pattern_suffix != kNone && n.bound == DepthOf(n.pattern_suffix) &&
                          (*ends_run)[static_cast<size_t>(n.pattern_suffix)];
    }
  }
  return CodePointDfa(std::move(states));
}

std::vector<CodePointDfa::Edge> FreeRun::Machine::EdgesOf(int32_t id,
                                                          const std::vector<bool>* ends_run) const {
  std::vector<CodePointDfa::Edge> edges;
  const std::span<const Step> range = steps(id);
  edges.reserve(2 * range.size() + 2);
  CountWork("building free text", 1 + static_cast<int64_t>(range.size()) / 4);
  const bool may_restart = node(id).bound == 0;
  uint32_t next = 0;
  const auto restart_until = [&](uint32_t end) {  // Exclusive.
    if (!may_restart) return;
    if (next < kSurrogateFirst && next < end) {
      edges.push_back({next, std::min(end, kSurrogateFirst) - 1, kRoot});
    }
    next = std::max(next, kSurrogateLast + 1);
    if (next < end) edges.push_back({next, end - 1, kRoot});
  };
  for (const Step step : range) {
    restart_until(step.code_point);
    next = step.code_point + 1;
    const Outcome outcome = Enter(id, step.target);
    if (outcome.goes_on) {
      edges.push_back({step.code_point, step.code_point, step.target});
    } else if (ends_run != nullptr && outcome.found != kNone &&
               (*ends_run)[static_cast<size_t>(outcome.found)]) {
      edges.push_back({step.code_point, step.code_point, static_cast<int32_t>(nodes_.size())});
    }
  }
  restart_until(kMaxCodePoint + 1);
  return edges;
}

CodePointDfa FreeRun::Machine::End() const { return Build(nullptr); }

CodePointDfa FreeRun::Machine::To(std::span<const int32_t> patterns) const {
  std::vector<bool> ends_run(nodes_.size(), false);
  for (int32_t pattern : patterns) {
    ends_run[static_cast<size_t>(node_of_pattern_[static_cast<size_t>(pattern)])] = true;
  }
  return Build(&ends_run);
}

bool FreeRun::Machine::IsSeparable(int32_t pattern) const {
  const int32_t whole = node_of_pattern_[static_cast<size_t>(pattern)];
  for (int32_t id = whole; id != kRoot; id = node(id).parent) {
    const Node& n = node(id);
    if (!n.reachable || n.is_suffix || (id != whole && n.bound > 0)) return false;
  }
  return true;
}

FreeRun::FreeRun(const FreeRunOptions& options, int64_t max_states, const char* limit_name)
    : machine_(std::make_unique<const Machine>(options, max_states, limit_name)) {}
FreeRun::~FreeRun() = default;
FreeRun::FreeRun(FreeRun&&) noexcept = default;
FreeRun& FreeRun::operator=(FreeRun&&) noexcept = default;

CodePointDfa FreeRun::End() const { return machine_->End(); }

CodePointDfa FreeRun::To(std::span<const int32_t> patterns) const { return machine_->To(patterns); }

bool FreeRun::IsSeparable(int32_t pattern) const { return machine_->IsSeparable(pattern); }

CodePointDfa ExcludingText(const std::vector<std::string>& excludes, int64_t max_states) {
  return FreeRun({{}, excludes}, max_states, "max_dfa_states").End();
}

}  // namespace xgrammar
