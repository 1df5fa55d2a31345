// Applying token bitmasks to logits in GPU memory.
//
// A thread takes 16 bytes of a row of logits: 2, 4 or 8 columns, whose bits lie in one word of the
// bitmask, which the threads of a warp read together. Logits are never read. Where all columns of a
// thread are blocked, which is what nearly all words of a mask mean, they are one store of 16
// bytes; where none is, nothing happens. Only the size of an element matters, so three kernels
// serve four types. Strides are in elements and may have any value; rows may be named by a vector
// on the device, and numbers outside the arrays are skipped, since nobody could be told.
//
// Compiled at run time by _cuda_compiler.py, so no header is included. The layout of MaskArguments
// is mirrored by LaunchArguments in _cuda_driver.py.

struct MaskArguments {
  void* logits;
  long long logits_row_stride;
  long long logits_column_stride;
  const int* bitmask;
  long long bitmask_row_stride;
  long long bitmask_column_stride;
  const void* rows;  // Null for all rows.
  long long rows_stride;
  long long row_number_bytes;  // 4 or 8.
  long long num_selected;      // Length of `rows`, or number of rows.
  long long num_rows;          // Rows that both arrays have.
  long long width;
  unsigned long long fill;  // Minus infinity, repeated to 64 bits.
};

__device__ long long RowOfSlot(const MaskArguments& call, long long slot) {
  if (call.rows == nullptr) return slot;
  const long long at = slot * call.rows_stride;
  if (call.row_number_bytes == 4) return static_cast<const int*>(call.rows)[at];
  return static_cast<const long long*>(call.rows)[at];
}

template <typename Element>
__device__ void MaskRun(const MaskArguments& call, long long row, long long first) {
  constexpr int kColumns = 16 / sizeof(Element);
  constexpr unsigned kAllColumns = (1u << kColumns) - 1;
  const int word =
      call.bitmask[row * call.bitmask_row_stride + first / 32 * call.bitmask_column_stride];
  const unsigned blocked = ~static_cast<unsigned>(word) >> (first % 32) & kAllColumns;
  if (blocked == 0) return;
  Element* logits = static_cast<Element*>(call.logits) + row * call.logits_row_stride +
                    first * call.logits_column_stride;
  const bool is_one_store = blocked == kAllColumns && first + kColumns <= call.width &&
                            call.logits_column_stride == 1 &&
                            reinterpret_cast<unsigned long long>(logits) % 16 == 0;
  if (is_one_store) {
    *reinterpret_cast<ulonglong2*>(logits) = ulonglong2{call.fill, call.fill};
    return;
  }
  for (int i = 0; i < kColumns; ++i) {
    if ((blocked >> i & 1u) != 0 && first + i < call.width) {
      logits[i * call.logits_column_stride] = static_cast<Element>(call.fill);
    }
  }
}

template <typename Element>
__device__ void MaskRows(const MaskArguments& call) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long first = thread * static_cast<long long>(16 / sizeof(Element));
  if (first >= call.width) return;
  for (long long slot = blockIdx.y; slot < call.num_selected; slot += gridDim.y) {
    const long long row = RowOfSlot(call, slot);
    if (row >= 0 && row < call.num_rows) MaskRun<Element>(call, row, first);
  }
}

extern "C" {

__global__ void mask_logits_2(MaskArguments call) { MaskRows<unsigned short>(call); }
__global__ void mask_logits_4(MaskArguments call) { MaskRows<unsigned int>(call); }
__global__ void mask_logits_8(MaskArguments call) { MaskRows<unsigned long long>(call); }

}  // extern "C"
