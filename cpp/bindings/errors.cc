// The one table from ErrorKind to the Python class, and the attributes that the classes carry.
//
// The classes are defined in Python (xgrammar/exception.py), where users read about them; they are
// looked up when an error is raised, so that this module keeps no state of its own.
#include "bindings/errors.h"

#include <nanobind/nanobind.h>

#include "support/error.h"

namespace xgrammar::bindings {

namespace nb = nanobind;

namespace {

const char* PythonClassOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kGrammarSyntax:
      return "GrammarSyntaxError";
    case ErrorKind::kInvalidJson:
      return "InvalidJSONError";
    case ErrorKind::kJsonSchema:
      return "JSONSchemaError";
    case ErrorKind::kUnsatisfiable:
      return "UnsatisfiableGrammarError";
    case ErrorKind::kUnsupported:
      return "UnsupportedFeatureError";
    case ErrorKind::kStructuralTag:
      return "InvalidStructuralTagError";
    case ErrorKind::kDeserializeFormat:
      return "DeserializeFormatError";
    case ErrorKind::kDeserializeVersion:
      return "DeserializeVersionError";
    case ErrorKind::kBudget:
      return "CompileBudgetError";
    case ErrorKind::kLimit:
      return "GrammarLimitError";
    case ErrorKind::kUsage:
      return "UsageError";
    case ErrorKind::kValue:
      return nullptr;  // The builtin ValueError.
    case ErrorKind::kInternal:
      break;
  }
  return "InternalError";
}

nb::str Text(const std::string& text) {
  // Error texts quote user input through QuoteForMessage; "replace" is for what escaped it.
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

void SetAttributes(const Error& error, nb::object* instance) {
  const auto set_number = [instance](const char* name, int64_t value) {
    if (value > 0) nb::setattr(*instance, name, nb::int_(value));
  };
  set_number("line", error.line());
  set_number("column", error.column());
  set_number("position", error.position());
  if (error.has_pointer()) nb::setattr(*instance, "pointer", Text(error.pointer()));
  if (!error.feature().empty()) nb::setattr(*instance, "feature", Text(error.feature()));
  if (!error.stage().empty()) nb::setattr(*instance, "stage", Text(error.stage()));
  if (!error.hint().empty()) nb::setattr(*instance, "hint", Text(error.hint()));
  if (!error.limit_name().empty()) nb::setattr(*instance, "limit", Text(error.limit_name()));
  if (!error.limit_name().empty() || error.limit_maximum() > 0) {
    nb::setattr(*instance, "value", nb::int_(error.limit_value()));
    nb::setattr(*instance, "maximum", nb::int_(error.limit_maximum()));
  }
}

void RaiseInPython(const Error& error) {
  const char* class_name = PythonClassOf(error.kind());
  if (class_name == nullptr) {
    PyErr_SetObject(PyExc_ValueError, Text(error.what()).ptr());
    return;
  }
  nb::object type = nb::module_::import_("xgrammar.exception").attr(class_name);
  nb::object instance = type(Text(error.what()));
  SetAttributes(error, &instance);
  PyErr_SetObject(type.ptr(), instance.ptr());
}

}  // namespace

void RegisterErrorTranslator() {
  nb::register_exception_translator([](const std::exception_ptr& pending, void*) {
    try {
      std::rethrow_exception(pending);
    } catch (const Error& error) {
      try {
        RaiseInPython(error);
      } catch (nb::python_error& failure) {
        failure.restore();
      }
    }
  });
}

}  // namespace xgrammar::bindings
