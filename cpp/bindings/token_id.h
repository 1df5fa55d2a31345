// Reading token ids and strings from Python arguments.
//
// Used in place of the casters of nanobind where its rules differ from the documented ones:
// integers of any type and size, text and bytes-like objects without a copy.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string_view>

namespace xgrammar::bindings {

namespace nb = nanobind;

/// Any Python integer (numpy scalars and bool too); -1, which no vocabulary has, for one beyond 64
/// bits. Raises TypeError for anything else, arrays and tensors included.
int64_t TokenIdFrom(nb::handle value);

/// Any Python integer as above; one beyond 64 bits becomes the largest or smallest. Raises
/// TypeError that names the argument for anything else.
int64_t IntegerFrom(nb::handle value, const char* name);

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
