// Reading token ids and strings from Python arguments.
//
// Used in place of the casters of nanobind where its rules differ from the documented ones:
// integers of any type and size, text and bytes-like objects without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace xgrammar::bindings {

namespace nb = nanobind;

/// Calls `read(element)` with a reference for each element of a list, by the size that it has then:
/// the call before may have run Python code, and without an interpreter lock other threads write.
template <typename Read>
void ForEachOf(const nb::list& values, const Read& read) {
  for (size_t i = 0; i < values.size(); ++i) {
    nb::object value = values[i];
    if (!value.is_valid()) {
      if (PyErr_ExceptionMatches(PyExc_IndexError) == 0) throw nb::python_error();
      PyErr_Clear();  // It has just become shorter.
      return;
    }
    read(std::move(value));
  }
}

/// Any Python integer (numpy scalars and bool too); -1, which no vocabulary has, for one beyond 64
/// bits. Raises TypeError for anything else, arrays and tensors included.
int64_t TokenIdFrom(nb::handle value);

/// Any Python integer as above; one beyond 64 bits becomes the largest or smallest. Raises
/// TypeError that names the argument for anything else.
int64_t IntegerFrom(nb::handle value, const char* name);

/// The elements of a list by `TokenIdFrom`; other code may change the list meanwhile.
std::vector<int64_t> TokenIdsFrom(const nb::list& values);

/// The same as `operator.index` has them, tensors of one element included; one beyond
/// 64 bits becomes the largest or smallest. Raises TypeError that names the argument and the
/// position for anything else.
std::vector<int64_t> IntegersFrom(const nb::list& values, const char* name);

/// What `bool(value)` is.
bool TruthOf(nb::handle value);

/// str as UTF-8, or any contiguous bytes-like object, for the time of a call. Raises TypeError for
/// another type, UnicodeEncodeError for text without UTF-8 form.
class StringArgument {
 public:
  explicit StringArgument(nb::handle value);
  ~StringArgument();
  StringArgument(const StringArgument&) = delete;
  StringArgument& operator=(const StringArgument&) = delete;
  std::string_view view() const { return view_; }

 private:
  std::string_view view_;
  Py_buffer buffer_{};
  bool has_buffer_ = false;
};

}  // namespace xgrammar::bindings
