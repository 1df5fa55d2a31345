// Arena: bump allocation of trivially destructible arrays that live as long as the arena. Owned by
// one thread at a time; what was handed out may be read by any thread.
//
// Holds items of interned sets and continuations, which are many, small and never freed one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace xgrammar {

class Arena {
 public:
  /// A copy of the values at a stable address.
  template <typename T>
  std::span<const T> Copy(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (values.empty()) return {};
    void* place = Allocate(values.size_bytes(), alignof(T));
    std::memcpy(place, values.data(), values.size_bytes());
    return {static_cast<const T*>(place), values.size()};
  }

  int64_t size_bytes() const { return size_bytes_; }

 private:
  static constexpr size_t kBlockBytes = 64 << 10;

  void* Allocate(size_t size, size_t alignment) {
    size_t begin = (used_ + alignment - 1) / alignment * alignment;
    if (blocks_.empty() || begin + size > capacity_) {
      // The first block is small: most grammars never fill it.
      capacity_ = size > NextBlockBytes() ? size : NextBlockBytes();
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(capacity_));
      size_bytes_ += static_cast<int64_t>(capacity_);
      begin = 0;
    }
    used_ = begin + size;
    return blocks_.back().get() + begin;
  }
  size_t NextBlockBytes() const { return blocks_.empty() ? kBlockBytes / 16 : kBlockBytes; }

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
  int64_t size_bytes_ = 0;
};

}  // namespace xgrammar
