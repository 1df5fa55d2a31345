// _core.apply_token_bitmask: masking logits of numpy arrays and torch tensors in CPU memory.
//
// Stage: bindings. Reads shape, stride and type, picks the kernel for the type and runs it without
// the interpreter lock. The Python layer has the checks that do not depend on memory; what would
// write outside the arrays is checked again here.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>

#include "bindings/array_view.h"
#include "bindings/bitmask_kernel.h"
#include "bindings/handles.h"

namespace xgrammar::bindings {

namespace {

// The bits of minus infinity in each type.
constexpr uint16_t kMinusInfinityHalf = 0xFC00;
constexpr uint16_t kMinusInfinityBFloat = 0xFF80;
constexpr uint32_t kMinusInfinityFloat = 0xFF800000;
constexpr uint64_t kMinusInfinityDouble = 0xFFF0000000000000;

struct Layout {
  void* data;
  int64_t num_rows;
  int64_t width;
  int64_t row_stride;
  int64_t column_stride;
};

// One- and two-dimensional arrays alike as rows.
Layout LayoutOf(const ArrayView& array) {
  if (array.ndim() == 1) return {array.data(), 1, array.shape(0), 0, array.stride(0)};
  if (array.ndim() == 2) {
    return {array.data(), array.shape(0), array.shape(1), array.stride(0), array.stride(1)};
  }
  throw Error(ErrorKind::kValue, std::string(array.name()) + " must have 1 or 2 dimensions, not " +
                                     std::to_string(array.ndim()));
}

// The rows to mask: all that both arrays have, or some of them.
using Rows = std::optional<std::vector<int64_t>>;

template <typename Element>
void ApplyRows(const Layout& logits, const Layout& bitmask, const Rows& rows, int64_t width,
               Element masked) {
  const VectorSet vectors = BestVectorSet();
  const auto apply = [&](int64_t row) {
    const BitmaskRow<Element> arrays{
        static_cast<Element*>(logits.data) + row * logits.row_stride, logits.column_stride,
        static_cast<const int32_t*>(bitmask.data) + row * bitmask.row_stride,
        bitmask.column_stride};
    ApplyBitmaskToRow(arrays, width, masked, vectors);
  };
  if (rows.has_value()) {
    std::for_each(rows->begin(), rows->end(), apply);
  } else {
    for (int64_t row = 0; row < std::min(logits.num_rows, bitmask.num_rows); ++row) apply(row);
  }
}

void CheckRows(const Layout& logits, const Layout& bitmask, const Rows& rows) {
  if (!rows.has_value()) return;
  const int64_t num_rows = std::min(logits.num_rows, bitmask.num_rows);
  for (int64_t row : *rows) {
    if (row >= 0 && row < num_rows) continue;
    throw Error(ErrorKind::kUsage, "indices holds row " + std::to_string(row) +
                                       ", but logits and bitmask share " +
                                       std::to_string(num_rows) + " rows");
  }
}

void ApplyTokenBitmask(nb::handle logits, nb::handle bitmask, int64_t width, const Rows& rows) {
  const ArrayView logits_view(logits, "logits", true);
  const ArrayView bitmask_view(bitmask, "bitmask", false);
  if (bitmask_view.type() != ElementType::kInt32) {
    throw Error(ErrorKind::kValue, "bitmask must have dtype int32");
  }
  const Layout out = LayoutOf(logits_view);
  const Layout mask = LayoutOf(bitmask_view);
  if (width < 0 || width > out.width || width > mask.width * 32) {
    throw Error(ErrorKind::kUsage, "vocab_size " + std::to_string(width) +
                                       " is more than logits (" + std::to_string(out.width) +
                                       ") or bitmask (" + std::to_string(mask.width * 32) +
                                       ") have");
  }
  CheckRows(out, mask, rows);
  const nb::gil_scoped_release release;
  switch (logits_view.type()) {
    case ElementType::kFloat16:
      return ApplyRows<uint16_t>(out, mask, rows, width, kMinusInfinityHalf);
    case ElementType::kBFloat16:
    case ElementType::kUInt16:  // The bits of a bfloat16, which numpy itself does not have.
      return ApplyRows<uint16_t>(out, mask, rows, width, kMinusInfinityBFloat);
    case ElementType::kFloat32:
      return ApplyRows<uint32_t>(out, mask, rows, width, kMinusInfinityFloat);
    case ElementType::kFloat64:
      return ApplyRows<uint64_t>(out, mask, rows, width, kMinusInfinityDouble);
    default:
      throw Error(ErrorKind::kValue,
                  "logits must have dtype float32, float16, bfloat16 or float64");
  }
}

}  // namespace

void BindBitmask(nb::module_& m) {
  m.def("apply_token_bitmask", &ApplyTokenBitmask, nb::arg("logits").none(),
        nb::arg("bitmask").none(), nb::arg("width"), nb::arg("rows").none(),
        nb::sig("def apply_token_bitmask(logits: typing.Any, bitmask: typing.Any, width: int, "
                "rows: list[int] | None) -> None"),
        "Set to minus infinity the logits below `width` whose bit is 0, in the given rows or, for "
        "None, in all that both arrays have. uint16 logits are the bits of bfloat16.");
}

}  // namespace xgrammar::bindings
