// Parameters: the parts of items that do not fit into a count (sets of members seen; the counts of
// two limits, code points and then tokens as a word), interned, so that an item holds a number and
// equal values have equal numbers.
//
// Number 0 is the empty value. One thread at a time interns (under the parser's growth lock);
// values never move and may be read by any thread that learned their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "lowering/member_set.h"
#include "support/arena.h"
#include "support/chunked_array.h"
#include "support/id_table.h"

namespace xgrammar {

class Parameters {
 public:
  Parameters() { Intern({}); }

  const MemberSet& operator[](uint32_t number) const { return values_[number]; }

  /// The number of a value; its words are copied if it is new.
  uint32_t Intern(const MemberSet& value) {
    uint64_t hash = (value.count + 1) * 0x9E3779B97F4A7C15ull;
    for (uint64_t word : value.words) {
      hash = (hash ^ word) * 0xFF51AFD7ED558CCDull;
      hash ^= hash >> 29;
    }
    const uint32_t known = index_.Find(hash, [&](uint32_t number) {
      const MemberSet& other = values_[number];
      return other.count == value.count && std::equal(other.words.begin(), other.words.end(),
                                                      value.words.begin(), value.words.end());
    });
    if (known != IdTable::kNotFound) return known;
    const uint32_t number = values_.Append();
    values_[number] = {value.count, arena_.Copy(value.words)};
    index_.Insert(hash, number);
    return number;
  }

  int64_t MemorySizeBytes() const {
    return arena_.size_bytes() + index_.MemorySizeBytes() +
           int64_t{values_.size()} * static_cast<int64_t>(sizeof(MemberSet));
  }

 private:
  ChunkedArray<MemberSet> values_;
  IdTable index_;
  Arena arena_;
};

}  // namespace xgrammar
