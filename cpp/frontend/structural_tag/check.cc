// The check for empty ends, and the assignment of tags to triggers.
//
// Whether content is bounded is one sweep over the formats, children first. The trigger of a tag is
// found by looking up the prefixes of its begin that have the length of some trigger, so the cost
// does not grow with the number of triggers. Fields by themselves are checked by field_reader.cc.
#include "frontend/structural_tag/check.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "frontend/structural_tag/tag_error.h"

namespace xgrammar::structural_tag {

namespace {

/// Which formats have no bound, by id; only the check for empty ends asks this. Children have
/// smaller ids, so one sweep upwards suffices.
class Boundless {
 public:
  explicit Boundless(const StructuralTag& tag) : known_(tag.formats.size(), false) {
    for (size_t i = 0; i < tag.formats.size(); ++i) {
      known_[i] = std::visit([this](const auto& value) { return Is(value); }, tag.formats[i].value);
    }
  }
  bool Contains(FormatId id) const { return known_[static_cast<size_t>(id)]; }

 private:
  bool Is(const AnyText& text) const { return text.excludes.empty(); }
  bool Is(const TriggeredTags& tags) const { return tags.excludes.empty(); }
  bool Is(const Dispatch& dispatch) const { return dispatch.excludes.empty(); }
  bool Is(const AnyTokens& tokens) const { return tokens.excludes.empty(); }
  bool Is(const TokenTriggeredTags& tags) const { return tags.excludes.empty(); }
  bool Is(const TokenDispatch& dispatch) const { return dispatch.excludes.empty(); }
  bool Is(const TagsWithSeparator&) const { return true; }
  bool Is(const Sequence& sequence) const { return AnyOf(sequence.elements); }
  bool Is(const Or& alternatives) const { return AnyOf(alternatives.elements); }
  bool Is(const Repeat& repeat) const {
    return repeat.max == kNoBound || (repeat.max > 0 && Contains(repeat.content));
  }
  template <typename Bounded>
  bool Is(const Bounded&) const {
    return false;
  }
  bool AnyOf(const std::vector<FormatId>& ids) const {
    return std::any_of(ids.begin(), ids.end(), [this](FormatId id) { return Contains(id); });
  }

  std::vector<bool> known_;
};

}  // namespace

void CheckEmptyEnds(const StructuralTag& tag) {
  const Boundless boundless(tag);
  for (const Format& format : tag.formats) {
    const Tag* value = std::get_if<Tag>(&format.value);
    if (value == nullptr) continue;
    const auto* ends = std::get_if<std::vector<std::string>>(&value->end);
    if (ends == nullptr) continue;
    const bool all_empty =
        std::all_of(ends->begin(), ends->end(), [](const std::string& end) { return end.empty(); });
    if (all_empty && boundless.Contains(value->content)) {
      throw TagError(tag.document, format.source,
                     "Tag format: the content is unlimited, so at least one end string must be "
                     "non-empty");
    }
  }
}

std::vector<int32_t> TriggersOfTags(const StructuralTag& tag, const Format& format,
                                    const TriggeredTags& triggered) {
  std::unordered_map<std::string_view, int32_t> by_text;
  std::set<size_t> sizes;
  std::vector<bool> is_repeated(triggered.triggers.size(), false);
  for (size_t i = 0; i < triggered.triggers.size(); ++i) {
    const auto [it, is_new] = by_text.emplace(triggered.triggers[i], static_cast<int32_t>(i));
    if (!is_new) is_repeated[static_cast<size_t>(it->second)] = true;
    sizes.insert(triggered.triggers[i].size());
  }
  std::vector<int32_t> out;
  std::vector<bool> is_used(triggered.triggers.size(), false);
  for (FormatId id : triggered.tags) {
    const JsonId source = tag.format(id).source;
    const std::string* begin = std::get_if<std::string>(&std::get<Tag>(tag.format(id).value).begin);
    if (begin == nullptr) {
      throw TagError(tag.document, source, "A tag of TriggeredTags must have a string begin");
    }
    int32_t found = -1;
    bool is_ambiguous = false;
    for (size_t size : sizes) {
      if (size > begin->size()) break;
      const auto it = by_text.find(std::string_view(*begin).substr(0, size));
      if (it == by_text.end()) continue;
      is_ambiguous = is_ambiguous || found >= 0 || is_repeated[static_cast<size_t>(it->second)];
      found = it->second;
    }
    if (is_ambiguous || found < 0) {
      throw TagError(
          tag.document, source,
          "The begin \"" + QuoteForMessage(*begin) + "\" of a tag " +
              (is_ambiguous ? "matches multiple triggers" : "does not match any trigger"));
    }
    is_used[static_cast<size_t>(found)] = true;
    out.push_back(found);
  }
  for (size_t i = 0; i < is_used.size(); ++i) {
    if (is_used[i]) continue;
    throw TagError(tag.document, format.source,
                   "The trigger \"" + QuoteForMessage(triggered.triggers[i]) +
                       "\" is not the begin of any tag");
  }
  return out;
}

}  // namespace xgrammar::structural_tag
