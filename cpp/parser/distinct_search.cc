// Distinct items: the search for a text that becomes another value than those of a list.
//
// Follows the bytes that still spell one of the values, in the parse cut off at the comparison, up
// to the first byte that does not. Places with equal sets and readings are followed once. Spellings
// of numbers have no end, but there are only so many values: where a set was reached with more
// readings that cannot become equal ones, one of them becomes another value (pigeonholes), and more
// zeros than values show nothing that fewer did not. Members in any order are too many places to
// see them all, so after the first thousand whole ways are tried from the start, each of which puts
// one byte off. What takes more steps than `max_items` is a limit error: nothing is refused unseen.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "parser/parser.h"
#include "support/error.h"

namespace xgrammar {

namespace {

// Lists inside lists that are searched at once.
constexpr int32_t kMaxNestedSearches = 8;
// Places that are followed before anything is tried.
constexpr int64_t kMinFollowed = 1024;
/// Counts a search as long as it lives.
class NestedSearch {
 public:
  explicit NestedSearch(int32_t* count) : count_(*count) { ++count_; }
  ~NestedSearch() { --count_; }
  NestedSearch(const NestedSearch&) = delete;
  NestedSearch& operator=(const NestedSearch&) = delete;

 private:
  int32_t& count_;
};

/// What a part of a search has taken.
struct Effort {
  int64_t num_places = 0;
  int64_t num_comparisons = 0;

  void Add(size_t num_near) {
    ++num_places;
    num_comparisons += static_cast<int64_t>(num_near);
  }
  /// Comparisons count where they cost more than a place does otherwise.
  int64_t Steps() const {
    constexpr int64_t kComparisonsOfStep = 64;
    return num_places + num_comparisons / kComparisonsOfStep;
  }
  bool IsMoreThan(const Effort& other) const {
    return num_places + num_comparisons > other.num_places + other.num_comparisons;
  }
};

/// The places that are known, by set and reading.
class KnownPlaces {
 public:
  enum class Kind : uint8_t { kNew, kKnown, kOneTooMany };

  /// `num_nodes`: of all values that may be met.
  explicit KnownPlaces(size_t num_nodes) : num_nodes_(num_nodes) {}

  Kind Add(const SearchPlace& place, const ValuePrefix::Reading& reading) {
    const std::string form = std::to_string(place.set) + "," + reading.form;
    const auto [known, is_new] =
        zeros_.try_emplace(form + "," + reading.read, Zeros{place.near.size(), {}});
    auto& [num_values, zeros] = known->second;
    if (is_new) {
      const size_t most = reading.in_exponent ? num_values : num_nodes_;
      if (++num_read_[form] > most) return Kind::kOneTooMany;
    }
    const bool is_known = std::find(zeros.begin(), zeros.end(), reading.zeros) != zeros.end();
    if (is_known || zeros.size() > num_values) return Kind::kKnown;
    zeros.push_back(reading.zeros);
    return Kind::kNew;
  }

 private:
  struct Zeros {
    size_t num_values;  ///< That may still be met.
    std::vector<size_t> counts;
  };
  const size_t num_nodes_;
  std::unordered_map<std::string, Zeros> zeros_;
  std::unordered_map<std::string, size_t> num_read_;
};

/// Where tries go on: anywhere, but each leaves out a byte as long as there are others, so that one
/// member after the other comes last.
class Tries {
 public:
  void Begin() { avoided_ = branches_.empty() ? -1 : branches_[num_tries_++ % branches_.size()]; }

  /// `next` is not empty. White space is left out likewise.
  const SearchPlace& Choose(const SearchPlace& at, const std::vector<SearchPlace>& next) {
    choices_.clear();
    for (const SearchPlace& place : next) {
      if (place.text.size() > at.text.size()) choices_.push_back(&place);
    }
    if (choices_.empty()) return next.front();
    if (choices_.size() == 1) return *choices_.front();
    for (const SearchPlace* place : choices_) {
      if (is_branch_.Contains(LastByte(*place))) continue;
      is_branch_.Add(LastByte(*place));
      branches_.push_back(LastByte(*place));
    }
    std::erase_if(choices_,
                  [this](const SearchPlace* place) { return int{LastByte(*place)} == avoided_; });
    // Knuth, MMIX: the same each time.
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return *choices_[(random_ >> 33) % choices_.size()];
  }

 private:
  static uint8_t LastByte(const SearchPlace& place) {
    return static_cast<uint8_t>(place.text.back());
  }

  uint64_t random_ = 1;
  size_t num_tries_ = 0;
  int avoided_ = -1;
  ByteSet is_branch_;
  std::vector<uint8_t> branches_;  ///< Bytes that there were others beside.
  std::vector<const SearchPlace*> choices_;
};

/// The bytes towards each of the values.
struct NearBytes {
  NearBytes(const std::vector<uint32_t>& near, const ValuePrefix& prefix,
            const DistinctValues& values) {
    for (uint32_t value : near)
      all.Merge(each.emplace_back(prefix.BytesTowards(values.value(value))));
  }
  std::vector<uint32_t> Spelled(const std::vector<uint32_t>& near, uint8_t byte) const {
    std::vector<uint32_t> spelled;
    for (size_t i = 0; i < near.size(); ++i) {
      if (each[i].Contains(byte)) spelled.push_back(near[i]);
    }
    return spelled;
  }

  std::vector<ByteSet> each;
  ByteSet all;
};

bool SpellsOneOf(const std::vector<uint32_t>& near, const ValuePrefix& prefix,
                 const DistinctValues& values) {
  if (!prefix.IsComplete()) return false;
  const std::string key = prefix.Key();
  return std::any_of(near.begin(), near.end(),
                     [&](uint32_t value) { return values.value(value).Key() == key; });
}

}  // namespace

bool Parser::SearchOtherValue(SetId from, std::string text, const std::vector<uint32_t>& near) {
  if (num_searches_ >= kMaxNestedSearches) return true;
  const NestedSearch nested(&num_searches_);
  size_t num_nodes = 0;
  for (uint32_t value : near) num_nodes += std::max<size_t>(1, values_.value(value).num_nodes());
  KnownPlaces known(num_nodes);
  Tries tries;
  Effort followed;
  Effort tried;
  const SearchPlace start{from, std::move(text), near};
  std::vector<SearchPlace> work{start};
  std::vector<SearchPlace> next;
  const auto step = [&](const SearchPlace& place, Effort* effort) {
    effort->Add(place.near.size());
    if (const int64_t steps = followed.Steps() + tried.Steps(); steps > limits_.max_items)
      ThrowLimitError("max_items", steps, limits_.max_items, "the search for another value");
    next.clear();
    return LeavesNear(place, &next);
  };
  while (!work.empty()) {
    const SearchPlace place = std::move(work.back());
    work.pop_back();
    const KnownPlaces::Kind kind = known.Add(place, ValuePrefix(place.text).reading());
    if (kind == KnownPlaces::Kind::kOneTooMany) return true;
    if (kind == KnownPlaces::Kind::kNew) {
      if (step(place, &followed)) return true;
      std::move(next.begin(), next.end(), std::back_inserter(work));
    }
    // All tries take about as long as all else.
    if (followed.num_places < kMinFollowed || tried.IsMoreThan(followed)) continue;
    const int64_t end = tried.num_places + followed.num_places;
    tries.Begin();
    for (SearchPlace at = start; tried.num_places < end;) {
      if (step(at, &tried)) return true;
      if (next.empty()) break;
      at = SearchPlace(tries.Choose(at, next));
    }
  }
  return false;
}

// A byte that spells none of the values decides; the others are to be followed.
bool Parser::LeavesNear(const SearchPlace& place, std::vector<SearchPlace>* next) {
  const ValuePrefix prefix(place.text);
  if (sets_[place.set].accepting && !SpellsOneOf(place.near, prefix, values_)) return true;
  const NearBytes near_bytes(place.near, prefix, values_);
  const auto is_space = [&](uint8_t byte) {
    return IsJsonSpace(static_cast<char>(byte)) && !prefix.IsInString();
  };
  const ByteSet first = sets_[place.set].first;
  SetId after_space = place.set;
  for (const bool is_followed : {false, true}) {
    for (uint32_t b = 0; b < 256; ++b) {
      const auto byte = static_cast<uint8_t>(b);
      if (!first.Contains(byte)) continue;
      if ((near_bytes.all.Contains(byte) || is_space(byte)) != is_followed) continue;
      const SetId after = NextLocked(place.set, byte);
      if (after == kDeadSet || (is_space(byte) && after == after_space)) continue;
      if (!is_followed) return true;
      if (is_space(byte)) after_space = after;
      next->push_back(is_space(byte) ? SearchPlace{after, place.text, place.near}
                                     : SearchPlace{after, place.text + static_cast<char>(byte),
                                                   near_bytes.Spelled(place.near, byte)});
    }
  }
  return false;
}

}  // namespace xgrammar
