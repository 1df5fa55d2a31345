// ChunkedArray: an append-only array whose elements never move, so that readers need no lock.
//
// One thread at a time appends (under its owner's lock); an index may be read by any thread that
// learned it through a release/acquire pair after the append.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xgrammar {

template <typename T>
class ChunkedArray {
 public:
  ChunkedArray() = default;
  ChunkedArray(const ChunkedArray&) = delete;
  ChunkedArray& operator=(const ChunkedArray&) = delete;
  ~ChunkedArray() {
    for (auto& chunk : chunks_) delete[] chunk.load(std::memory_order_relaxed);
  }

  uint32_t size() const { return size_.load(std::memory_order_acquire); }
  T& operator[](uint32_t index) {
    const Place p = PlaceOf(index);
    return chunks_[p.chunk].load(std::memory_order_acquire)[p.offset];
  }
  const T& operator[](uint32_t index) const {
    const Place p = PlaceOf(index);
    return chunks_[p.chunk].load(std::memory_order_acquire)[p.offset];
  }

  /// Adds a default element and returns its index.
  uint32_t Append() {
    const uint32_t index = size_.load(std::memory_order_relaxed);
    const Place p = PlaceOf(index);
    if (p.offset == 0) chunks_[p.chunk].store(new T[ChunkSize(p.chunk)], std::memory_order_release);
    size_.store(index + 1, std::memory_order_release);
    return index;
  }

 private:
  // Chunk k holds 2^(k + kFirstBits) elements, so that small grammars stay small.
  static constexpr uint32_t kFirstBits = 4;
  struct Place {
    uint32_t chunk;
    uint32_t offset;
  };
  static uint32_t ChunkSize(uint32_t chunk) { return 1u << (chunk + kFirstBits); }
  static Place PlaceOf(uint32_t index) {
    const uint32_t shifted = index + (1u << kFirstBits);
    const uint32_t top = 31u - static_cast<uint32_t>(__builtin_clz(shifted));
    return {top - kFirstBits, shifted - (1u << top)};
  }

  std::array<std::atomic<T*>, 28> chunks_{};
  std::atomic<uint32_t> size_{0};
};

}  // namespace xgrammar
