// ArrayView: a borrowed look at a Python array, made without copying and in well under a
// microsecond.
//
// Stage: bindings. Three ways in, in this order: the buffer protocol (numpy, array, memoryview),
// the C exchange table of DLPack 1.2 that torch publishes on its tensor type, and the `__dlpack__`
// method for everything else. Checks of dtype, shape and place raise kUsage, as the API promises.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace xgrammar::bindings {

namespace nb = nanobind;

enum class ElementType : uint8_t {
  kInt32,
  kInt64,
  kUInt16,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
  kOther
};

/// A buffer export that is released at the end of its life, also if a constructor throws.
struct BufferExport {
  BufferExport() = default;
  ~BufferExport() {
    if (held) PyBuffer_Release(&buffer);
  }
  BufferExport(const BufferExport&) = delete;
  BufferExport& operator=(const BufferExport&) = delete;
  Py_buffer buffer{};
  bool held = false;
};

/// Owned by one call; holds the export of the array until destroyed. The interpreter lock must be
/// held to make and destroy one, not to read or write the data.
class ArrayView {
 public:
  /// `name` is the parameter's name for messages. Raises TypeError if `array` is not array-like,
  /// BufferError if `writable` is asked of a read-only one, kUsage if it is not in CPU memory.
  ArrayView(nb::handle array, const char* name, bool writable);
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  void* data() const { return data_; }
  int ndim() const { return ndim_; }
  int64_t shape(int axis) const { return shape_[static_cast<size_t>(axis)]; }
  /// In elements; may be negative.
  int64_t stride(int axis) const { return strides_[static_cast<size_t>(axis)]; }
  ElementType type() const { return type_; }
  const char* name() const { return name_; }

  /// Raises kUsage unless the elements are of that type.
  void RequireType(ElementType type) const;
  /// Raises kUsage unless neighbours in the last dimension are neighbours in memory.
  void RequireContiguousRows() const;
  /// Raises kUsage unless this is a contiguous int64 vector; returns its elements.
  std::span<const int64_t> AsInt64Vector() const;

 private:
  static constexpr int kMaxDimensions = 8;

  bool LoadBuffer(PyObject* array);
  bool LoadExchangeTable(PyObject* array);
  bool LoadDlpackMethod(nb::handle array);
  void SetDlpack(const nb::dlpack::dltensor& tensor);
  void SetDimensions(int ndim);

  const char* name_;
  void* data_ = nullptr;
  int ndim_ = 0;
  ElementType type_ = ElementType::kOther;
  bool read_only_ = false;
  bool on_cpu_ = true;
  std::array<int64_t, kMaxDimensions> shape_{};
  std::array<int64_t, kMaxDimensions> strides_{};
  BufferExport export_;
  nb::object keep_alive_;
};

/// The rows of a token bitmask: int32, one or two dimensions, any row stride.
class BitmaskView {
 public:
  /// Raises as ArrayView does, and kUsage for another dtype, width or number of dimensions.
  BitmaskView(nb::handle array, const char* name, int64_t vocab_size);

  int64_t num_rows() const { return num_rows_; }
  int64_t row_stride() const { return row_stride_; }
  int32_t* data() const { return static_cast<int32_t*>(array_.data()); }
  bool is_vector() const { return array_.ndim() == 1; }
  /// Raises kUsage for a row that the array does not have.
  std::span<int32_t> Row(int64_t index) const;

 private:
  ArrayView array_;
  int64_t num_rows_ = 1;
  int64_t row_stride_ = 0;
  int64_t num_words_ = 0;
};

}  // namespace xgrammar::bindings
