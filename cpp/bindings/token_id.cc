// Reading token ids, flags and strings from Python arguments.
//
// Integers are taken by `__index__`, so numpy scalars work; arrays and tensors of one element are
// refused, since passing one is a mistake. Whether an id is in a vocabulary is not judged here.
#include "bindings/token_id.h"

#include <limits>
#include <string>

namespace xgrammar::bindings {

namespace {

[[noreturn]] void ThrowTypeError(const char* expected, nb::handle value) {
  const std::string type = nb::cast<const char*>(value.type().attr("__name__"));
  throw nb::type_error((std::string(expected) + ", not " + type).c_str());
}

/// `overflow` is 1, -1 or 0: too large, too small, or neither.
int64_t FromPythonInt(PyObject* value, int* overflow) {
  const long long number = PyLong_AsLongLongAndOverflow(value, overflow);
  if (number == -1 && *overflow == 0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return number;
}

/// What stands for an integer beyond 64 bits.
int64_t Bound(int overflow) {
  return overflow > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

int64_t FromIndex(nb::handle value, const char* expected, int* overflow) {
  if (PyLong_Check(value.ptr())) return FromPythonInt(value.ptr(), overflow);
  // One-element arrays and tensors convert to integers too, but passing one is a mistake.
  if (!PyIndex_Check(value.ptr()) || nb::hasattr(value.type(), "__dlpack__")) {
    ThrowTypeError(expected, value);
  }
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  return FromPythonInt(index.ptr(), overflow);
}

}  // namespace

int64_t TokenIdFrom(nb::handle value) {
  int overflow = 0;
  const int64_t id = FromIndex(value, "token_id must be an integer", &overflow);
  return overflow == 0 ? id : -1;
}

int64_t IntegerFrom(nb::handle value, const char* name) {
  int overflow = 0;
  if (PyLong_Check(value.ptr())) {
    const int64_t number = FromPythonInt(value.ptr(), &overflow);
    return overflow == 0 ? number : Bound(overflow);
  }
  const std::string expected = std::string(name) + " must be an integer";
  const int64_t number = FromIndex(value, expected.c_str(), &overflow);
  return overflow == 0 ? number : Bound(overflow);
}

std::vector<int64_t> TokenIdsFrom(const nb::list& values) {
  std::vector<int64_t> ids;
  ids.reserve(values.size());
  ForEachOf(values, [&](nb::handle value) { ids.push_back(TokenIdFrom(value)); });
  return ids;
}

std::vector<int64_t> IntegersFrom(const nb::list& values, const char* name) {
  std::vector<int64_t> numbers;
  numbers.reserve(values.size());
  ForEachOf(values, [&](nb::handle value) {
    const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) {
      if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
      PyErr_Clear();
      const std::string place = std::string(name) + "[" + std::to_string(numbers.size()) + "]";
      ThrowTypeError((place + " must be an integer").c_str(), value);
    }
    int overflow = 0;
    const int64_t number = FromPythonInt(index.ptr(), &overflow);
    numbers.push_back(overflow == 0 ? number : Bound(overflow));
  });
  return numbers;
}

bool TruthOf(nb::handle value) {
  if (value.ptr() == Py_False || value.ptr() == Py_True) return value.ptr() == Py_True;
  const int truth = PyObject_IsTrue(value.ptr());
  if (truth < 0) throw nb::python_error();
  return truth != 0;
}

StringArgument::StringArgument(nb::handle value) {
  PyObject* object = value.ptr();
  if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw nb::python_error();
    view_ = {text, static_cast<size_t>(size)};
  } else if (PyBytes_Check(object) || PyByteArray_Check(object) || PyMemoryView_Check(object)) {
    if (PyObject_GetBuffer(object, &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
    has_buffer_ = true;
    view_ = {static_cast<const char*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
  } else {
    ThrowTypeError("input_str must be str or bytes", value);
  }
}

StringArgument::~StringArgument() {
  if (has_buffer_) PyBuffer_Release(&buffer_);
}

}  // namespace xgrammar::bindings
