// NameTable: distinct names of one object, numbered in the order in which they come.
//
// Most objects have few names, for which a scan beats hashing; from some number on they are looked
// up by open addressing. Borrows the texts; nothing is ever taken out.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace xgrammar::json_schema {

class NameTable {
 public:
  /// The number of a name, the next free one if it is new.
  int32_t Add(std::string_view name) {
    const int32_t known = Find(name);
    if (known >= 0) return known;
    names_.push_back(name);
    if (names_.size() > kFewNames) Insert();
    return static_cast<int32_t>(names_.size()) - 1;
  }

  /// The number of a name, or -1.
  int32_t Find(std::string_view name) const {
    if (slots_.empty()) {
      for (size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) return static_cast<int32_t>(i);
      }
      return -1;
    }
    return slots_[SlotOf(name)];
  }

  const std::vector<std::string_view>& names() const { return names_; }

 private:
  static constexpr size_t kFewNames = 8;

  // The slot that holds the name, or the free one where it belongs.
  size_t SlotOf(std::string_view name) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = std::hash<std::string_view>()(name) & mask;
    while (slots_[slot] >= 0 && names_[static_cast<size_t>(slots_[slot])] != name)
      slot = (slot + 1) & mask;
    return slot;
  }

  // Puts the last name into the slots, of which at most half are taken.
  void Insert() {
    if (names_.size() * 2 <= slots_.size()) {
      slots_[SlotOf(names_.back())] = static_cast<int32_t>(names_.size()) - 1;
      return;
    }
    slots_.assign(slots_.empty() ? kFewNames * 8 : slots_.size() * 2, -1);
    for (size_t i = 0; i < names_.size(); ++i) slots_[SlotOf(names_[i])] = static_cast<int32_t>(i);
  }

  std::vector<std::string_view> names_;
  std::vector<int32_t> slots_;  ///< A power of two of them, or none; -1 is free.
};

}  // namespace xgrammar::json_schema
