// Reading token ids and strings from Python arguments.
#include "bindings/token_id.h"

#include <string>

namespace xgrammar::bindings {

namespace {

[[noreturn]] void ThrowTypeError(const char* expected, nb::handle value) {
  const std::string type = nb::cast<const char*>(value.type().attr("__name__"));
  throw nb::type_error((std::string(expected) + ", not " + type).c_str());
}

int64_t FromPythonInt(PyObject* value) {
  int overflow = 0;
  const long long id = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow != 0) return -1;
  if (id == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return id;
}

}  // namespace

int64_t TokenIdFrom(nb::handle value) {
  if (PyLong_Check(value.ptr())) return FromPythonInt(value.ptr());
  // One-element arrays and tensors convert to integers too, but passing one is a mistake.
  if (!PyIndex_Check(value.ptr()) || nb::hasattr(value.type(), "__dlpack__")) {
    ThrowTypeError("token_id must be an integer", value);
  }
  const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) throw nb::python_error();
  return FromPythonInt(index.ptr());
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
