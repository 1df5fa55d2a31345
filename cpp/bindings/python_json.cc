// The walks over Python containers. Other threads cannot change them meanwhile as long as there is
// an interpreter lock; without one everything is left to the caller. A garbage collection that an
// allocation starts may run code that does: what is walked is held by references, and sizes are
// read again at each step.
//
// The recursion is bounded: what is deeper than kMaxDepth is left to the caller.
#include "bindings/python_json.h"

#include <charconv>
#include <memory>
#include <utility>
#include <vector>

#include "json/writer.h"

namespace xgrammar::bindings {

namespace {

constexpr int kMaxDepth = 128;

bool IsExactly(nb::handle value, PyTypeObject& type) { return Py_TYPE(value.ptr()) == &type; }

class Writer {
 public:
  Writer(nb::handle model_class, std::string* out) : model_class_(model_class), out_(*out) {}

  bool Write(nb::handle value, int depth) {
    if (IsExactly(value, PyUnicode_Type)) return WriteText(value);
    if (depth == kMaxDepth) return false;
    if (IsExactly(value, PyDict_Type)) return WriteDict(value, depth);
    if (IsExactly(value, PyList_Type)) return WriteList(value, depth);
    if (value.is_none()) return WriteWord("null");
    if (value.is(Py_True)) return WriteWord("true");
    if (value.is(Py_False)) return WriteWord("false");
    if (IsExactly(value, PyLong_Type)) return WriteInteger(value);
    if (IsExactly(value, PyFloat_Type)) return WriteFloat(value);
    return WriteModel(value, depth);
  }

 private:
  bool WriteWord(std::string_view word) {
    out_ += word;
    return true;
  }

  bool WriteText(nb::handle text) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) {
      PyErr_Clear();
      return false;
    }
    AppendJsonString({bytes, static_cast<size_t>(size)}, &out_);
    return true;
  }

  bool WriteDict(nb::handle dict, int depth) {
    const nb::object held = nb::borrow(dict);
    out_.push_back('{');
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    bool is_first = true;
    while (PyDict_Next(dict.ptr(), &position, &key, &value) != 0) {
      if (!std::exchange(is_first, false)) out_.push_back(',');
      if (!IsExactly(key, PyUnicode_Type) || !WriteText(key)) return false;
      out_.push_back(':');
      if (!Write(value, depth + 1)) return false;
    }
    out_.push_back('}');
    return true;
  }

  bool WriteList(nb::handle list, int depth) {
    const nb::object held = nb::borrow(list);
    out_.push_back('[');
    for (Py_ssize_t i = 0; i < PyList_Size(list.ptr()); ++i) {
      if (i > 0) out_.push_back(',');
      if (!Write(PyList_GetItem(list.ptr(), i), depth + 1)) return false;
    }
    out_.push_back(']');
    return true;
  }

  bool WriteInteger(nb::handle integer) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
    if (overflow != 0) return false;
    char digits[24];
    out_.append(digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr);
    return true;
  }

  bool WriteFloat(nb::handle number) {
    // As `repr` does, but for what JSON has no numbers for.
    const double value = PyFloat_AsDouble(number.ptr());
    if (value - value != 0) return false;
    const std::unique_ptr<char, decltype(&PyMem_Free)> text(
        PyOS_double_to_string(value, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr), &PyMem_Free);
    if (text == nullptr) throw nb::python_error();
    out_ += text.get();
    return true;
  }

  bool WriteModel(nb::handle object, int depth) {
    if (model_class_.is_none()) return false;
    const nb::object held = nb::borrow(object);
    if (PyType_IsSubtype(Py_TYPE(object.ptr()),
                         reinterpret_cast<PyTypeObject*>(model_class_.ptr())) == 0)
      return false;
    const nb::object values = nb::steal(PyObject_GenericGetDict(object.ptr(), nullptr));
    if (!values.is_valid()) throw nb::python_error();
    return HasAllFields(object.type(), values) && WriteDict(values, depth);
  }

  /// Whether the names in the object are those that its class declares.
  bool HasAllFields(nb::handle type, nb::handle values) {
    const nb::object fields = nb::getattr(type, "__pydantic_fields__", nb::none());
    if (!IsExactly(fields, PyDict_Type) || !IsExactly(values, PyDict_Type) ||
        PyDict_Size(fields.ptr()) != PyDict_Size(values.ptr()))
      return false;
    PyObject* key = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(values.ptr(), &position, &key, nullptr) != 0) {
      if (!IsExactly(key, PyUnicode_Type) || PyDict_Contains(fields.ptr(), key) != 1) return false;
    }
    return true;
  }

  const nb::handle model_class_;
  std::string& out_;
};

class Copier {
 public:
  /// An invalid object if the value is left to the caller.
  nb::object Copy(nb::handle value, int depth) {
    const nb::object held = nb::borrow(value);
    if (IsLeaf(value)) return held;
    const bool is_dict = IsExactly(value, PyDict_Type);
    if (depth == kMaxDepth || !(is_dict || IsExactly(value, PyList_Type))) return {};
    // The container around it has one, and this call.
    constexpr Py_ssize_t kOwnReferences = 2;
    const bool may_be_shared = Py_REFCNT(value.ptr()) > kOwnReferences;
    if (may_be_shared) {
      for (const auto& [original, copy] : shared_) {
        if (original.is(value)) return copy;
      }
      // More than these are looked up faster by the caller's way.
      constexpr size_t kMaxShared = 16;
      if (shared_.size() == kMaxShared) return {};
    }
    nb::object copy = is_dict ? nb::object(nb::dict()) : nb::object(nb::list());
    if (may_be_shared) shared_.emplace_back(held, copy);
    const bool is_done = is_dict ? CopyDict(value, copy, depth) : CopyList(value, copy, depth);
    return is_done ? std::move(copy) : nb::object();
  }

 private:
  static bool IsLeaf(nb::handle value) {
    return IsExactly(value, PyUnicode_Type) || IsExactly(value, PyLong_Type) ||
           IsExactly(value, PyFloat_Type) || IsExactly(value, PyBool_Type) || value.is_none();
  }

  bool CopyDict(nb::handle dict, nb::handle copy, int depth) {
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict.ptr(), &position, &key, &value) != 0) {
      if (!IsExactly(key, PyUnicode_Type)) return false;
      const nb::object name = nb::borrow(key);
      const nb::object copied = Copy(value, depth + 1);
      if (!copied.is_valid()) return false;
      if (PyDict_SetItem(copy.ptr(), name.ptr(), copied.ptr()) != 0) throw nb::python_error();
    }
    return true;
  }

  bool CopyList(nb::handle list, nb::handle copy, int depth) {
    for (Py_ssize_t i = 0; i < PyList_Size(list.ptr()); ++i) {
      const nb::object copied = Copy(PyList_GetItem(list.ptr(), i), depth + 1);
      if (!copied.is_valid()) return false;
      if (PyList_Append(copy.ptr(), copied.ptr()) != 0) throw nb::python_error();
    }
    return true;
  }

  std::vector<std::pair<nb::object, nb::object>> shared_;
};

nb::object JsonText(nb::handle value, nb::handle model_class) {
  std::string text;
  if (!AppendPythonJson(value, model_class, &text)) return nb::none();
  return nb::bytes(text.data(), text.size());
}

nb::object Copied(nb::handle value) {
  nb::object copy = CopyPythonJson(value);
  return copy.is_valid() ? copy : nb::none();
}

}  // namespace

#ifdef Py_GIL_DISABLED
bool AppendPythonJson(nb::handle, nb::handle, std::string*) { return false; }
nb::object CopyPythonJson(nb::handle) { return {}; }
#else
bool AppendPythonJson(nb::handle value, nb::handle model_class, std::string* out) {
  return Writer(model_class, out).Write(value, 0);
}
nb::object CopyPythonJson(nb::handle value) { return Copier().Copy(value, 0); }
#endif

void BindPythonJson(nb::module_& m) {
  m.def("json_text", &JsonText, nb::arg("value").none(), nb::arg("model_class").none(),
        "The JSON text of a value as bytes, objects of the class as that of their fields; None for "
        "what `json.dumps` has to judge.");
  m.def("copy_json", &Copied, nb::arg("value").none(),
        "A copy of a JSON value with containers of its own; None for what has to be copied "
        "otherwise.");
}

}  // namespace xgrammar::bindings
