// ArrayView: reading shape, strides and element type out of a Python array.
//
// The layout of DLPack's exchange table is the published one (DLPack 1.2, dlpack.h,
// DLPackExchangeAPI); it is looked up on the type of the object as the standard demands, so no
// state is kept between calls.
#include "bindings/array_view.h"

#include <cstdlib>
#include <cstring>

#include "support/error.h"

namespace xgrammar::bindings {

namespace {

constexpr int32_t kDlpackCpu = 1;
constexpr int32_t kDlpackCudaHost = 3;  // Pinned host memory: readable and writable as any other.
constexpr uint8_t kDlpackInt = 0;
constexpr uint8_t kDlpackFloat = 2;
constexpr uint8_t kDlpackBFloat = 4;
constexpr uint32_t kDlpackMajorVersion = 1;

struct DlpackVersion {
  uint32_t major;
  uint32_t minor;
};

// The leading members of DLPackExchangeAPI; only the non-owning export is called.
struct DlpackExchangeTable {
  DlpackVersion version;
  void* previous;
  void* allocate;
  void* managed_from_object;
  void* managed_to_object;
  int (*tensor_from_object)(void* object, nb::dlpack::dltensor* out);
  void* current_work_stream;
};

ElementType TypeOfDlpack(const nb::dlpack::dtype& dtype) {
  if (dtype.lanes != 1) return ElementType::kOther;
  if (dtype.code == kDlpackInt && dtype.bits == 32) return ElementType::kInt32;
  if (dtype.code == kDlpackInt && dtype.bits == 64) return ElementType::kInt64;
  if (dtype.code == kDlpackFloat && dtype.bits == 16) return ElementType::kFloat16;
  if (dtype.code == kDlpackFloat && dtype.bits == 32) return ElementType::kFloat32;
  if (dtype.code == kDlpackFloat && dtype.bits == 64) return ElementType::kFloat64;
  if (dtype.code == kDlpackBFloat && dtype.bits == 16) return ElementType::kBFloat16;
  return ElementType::kOther;
}

// A struct-module format: one letter, possibly behind a byte order that means this machine's own.
ElementType TypeOfFormat(const char* format, Py_ssize_t item_size) {
  if (format == nullptr) return ElementType::kOther;
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  if (format[0] == '\0' || format[1] != '\0') return ElementType::kOther;
  switch (format[0]) {
    case 'i':
    case 'l':
    case 'q':
      if (item_size == 4) return ElementType::kInt32;
      if (item_size == 8) return ElementType::kInt64;
      return ElementType::kOther;
    case 'H':
      return ElementType::kUInt16;
    case 'e':
      return ElementType::kFloat16;
    case 'f':
      return ElementType::kFloat32;
    case 'd':
      return ElementType::kFloat64;
    default:
      return ElementType::kOther;
  }
}

const char* NameOf(ElementType type) {
  switch (type) {
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kUInt16:
      return "uint16";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kBFloat16:
      return "bfloat16";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kOther:
      break;
  }
  return "another dtype";
}

[[noreturn]] void ThrowUsage(std::string message) {
  throw Error(ErrorKind::kUsage, std::move(message));
}

}  // namespace

ArrayView::ArrayView(nb::handle array, const char* name, bool writable) : name_(name) {
  if (!LoadBuffer(array.ptr()) && !LoadExchangeTable(array.ptr()) && !LoadDlpackMethod(array)) {
    const std::string type = nb::cast<const char*>(array.type().attr("__name__"));
    throw nb::type_error((std::string(name) +
                          " must be an array (torch, numpy, or anything with a "
                          "buffer or DLPack), not " +
                          type)
                             .c_str());
  }
  if (!on_cpu_) ThrowUsage(std::string(name) + " must be in CPU memory");
  if (writable && read_only_) {
    PyErr_Format(PyExc_BufferError, "%s is read-only", name);
    throw nb::python_error();
  }
}

void ArrayView::SetDimensions(int ndim) {
  if (ndim > kMaxDimensions) {
    ThrowUsage(std::string(name_) + " has " + std::to_string(ndim) + " dimensions");
  }
  ndim_ = ndim;
}

bool ArrayView::LoadBuffer(PyObject* array) {
  if (!PyObject_CheckBuffer(array)) return false;
  Py_buffer& buffer = export_.buffer;
  if (PyObject_GetBuffer(array, &buffer, PyBUF_RECORDS_RO) != 0) throw nb::python_error();
  export_.held = true;
  SetDimensions(buffer.ndim);
  data_ = buffer.buf;
  read_only_ = buffer.readonly != 0;
  type_ = TypeOfFormat(buffer.format, buffer.itemsize);
  int64_t contiguous = 1;
  for (int axis = ndim_ - 1; axis >= 0; --axis) {
    const size_t i = static_cast<size_t>(axis);
    shape_[i] = buffer.shape != nullptr ? buffer.shape[axis] : 0;
    strides_[i] = contiguous;
    contiguous *= shape_[i];
    // Arrays of ctypes leave strides out, although they are asked for. Elements of numpy's empty
    // types have no size to divide by; no such type is accepted anywhere.
    if (buffer.strides == nullptr || buffer.itemsize == 0) continue;
    strides_[i] = buffer.strides[axis] / buffer.itemsize;
    // Fields of records may lie at odd distances, which element strides cannot express.
    if (buffer.strides[axis] % buffer.itemsize != 0) type_ = ElementType::kOther;
  }
  return true;
}

bool ArrayView::LoadExchangeTable(PyObject* array) {
  // One object for the name, because the interpreter remembers by it where attributes of types are.
  static const nb::handle kName = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(array));
  PyObject* capsule = kName.is_valid() ? PyObject_GetAttr(type, kName.ptr()) : nullptr;
  if (capsule == nullptr) {
    PyErr_Clear();
    return false;
  }
  const auto* table =
      static_cast<DlpackExchangeTable*>(PyCapsule_GetPointer(capsule, "dlpack_exchange_api"));
  Py_DECREF(capsule);  // The table lives as long as the process, says the standard.
  if (table == nullptr) {
    PyErr_Clear();
    return false;
  }
  if (table->version.major != kDlpackMajorVersion || table->tensor_from_object == nullptr)
    return false;
  nb::dlpack::dltensor tensor;
  if (table->tensor_from_object(array, &tensor) != 0) throw nb::python_error();
  SetDlpack(tensor);
  return true;
}

bool ArrayView::LoadDlpackMethod(nb::handle array) {
  if (!nb::hasattr(nb::handle(array).type(), "__dlpack__")) return false;
  nb::ndarray<nb::ro> view;
  try {
    view = nb::cast<nb::ndarray<nb::ro>>(array);
  } catch (const nb::cast_error&) {
    return false;
  }
  nb::dlpack::dltensor tensor;
  std::array<int64_t, kMaxDimensions> shape{};
  std::array<int64_t, kMaxDimensions> strides{};
  SetDimensions(static_cast<int>(view.ndim()));
  for (size_t i = 0; i < view.ndim(); ++i) {
    shape[i] = static_cast<int64_t>(view.shape(i));
    strides[i] = view.stride(i);
  }
  tensor.data = const_cast<void*>(static_cast<const void*>(view.data()));
  tensor.device.device_type = view.device_type();
  tensor.ndim = static_cast<int32_t>(view.ndim());
  tensor.dtype = view.dtype();
  tensor.shape = shape.data();
  tensor.strides = strides.data();
  SetDlpack(tensor);
  keep_alive_ = nb::cast(view);
  return true;
}

void ArrayView::SetDlpack(const nb::dlpack::dltensor& tensor) {
  SetDimensions(tensor.ndim);
  data_ = static_cast<char*>(tensor.data) + tensor.byte_offset;
  type_ = TypeOfDlpack(tensor.dtype);
  on_cpu_ = tensor.device.device_type == kDlpackCpu || tensor.device.device_type == kDlpackCudaHost;
  int64_t contiguous = 1;
  for (int axis = ndim_ - 1; axis >= 0; --axis) {
    const size_t i = static_cast<size_t>(axis);
    shape_[i] = tensor.shape[axis];
    // Producers before DLPack 1.2 may leave strides out for contiguous data.
    strides_[i] = tensor.strides != nullptr ? tensor.strides[axis] : contiguous;
    contiguous *= shape_[i];
  }
}

void ArrayView::RequireType(ElementType type) const {
  if (type_ == type) return;
  ThrowUsage(std::string(name_) + " must have dtype " + NameOf(type) + ", not " + NameOf(type_));
}

void ArrayView::RequireContiguousRows() const {
  if (ndim_ == 0 || shape(ndim_ - 1) <= 1 || stride(ndim_ - 1) == 1) return;
  ThrowUsage(std::string(name_) +
             " must be contiguous in its last dimension; its stride there is " +
             std::to_string(stride(ndim_ - 1)));
}

std::span<const int64_t> ArrayView::AsInt64Vector() const {
  RequireType(ElementType::kInt64);
  if (ndim_ != 1) {
    ThrowUsage(std::string(name_) + " must have 1 dimension, not " + std::to_string(ndim_));
  }
  RequireContiguousRows();
  return {static_cast<const int64_t*>(data_), static_cast<size_t>(shape(0))};
}

BitmaskView::BitmaskView(nb::handle array, const char* name, int64_t vocab_size)
    : array_(array, name, /*writable=*/true), num_words_((vocab_size + 31) / 32) {
  array_.RequireType(ElementType::kInt32);
  if (array_.ndim() != 1 && array_.ndim() != 2) {
    ThrowUsage(std::string(name) + " must have 1 or 2 dimensions, not " +
               std::to_string(array_.ndim()));
  }
  const int64_t width = array_.shape(array_.ndim() - 1);
  if (width != num_words_) {
    ThrowUsage(std::string(name) + " must have rows of " + std::to_string(num_words_) +
               " words for a vocabulary of " + std::to_string(vocab_size) + " tokens, not " +
               std::to_string(width));
  }
  array_.RequireContiguousRows();
  if (array_.ndim() == 2) {
    num_rows_ = array_.shape(0);
    row_stride_ = array_.stride(0);
    if (num_rows_ > 1 && std::abs(row_stride_) < num_words_) {
      ThrowUsage(std::string(name) + " has rows that share memory (its row stride is " +
                 std::to_string(row_stride_) + " words); copy it first");
    }
  }
}

std::span<int32_t> BitmaskView::Row(int64_t index) const {
  if (index < 0 || index >= num_rows_) {
    ThrowUsage("row " + std::to_string(index) + " is outside " + array_.name() + ", which has " +
               std::to_string(num_rows_) + (num_rows_ == 1 ? " row" : " rows"));
  }
  return {data() + index * row_stride_, static_cast<size_t>(num_words_)};
}

}  // namespace xgrammar::bindings
