// JSON of Python objects: writing their text, and copying them.
//
// Both deal with what `json.loads` makes (dicts, lists, texts, numbers, truth values, None), and
// writing with objects of data classes that keep their fields in `__dict__`. Anything else is left
// to the caller, who has a slower way that knows every case: other types, subclasses, keys that are
// no texts, texts that are no UTF-8, and what is deep or contains itself.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace xgrammar::bindings {

namespace nb = nanobind;

/// Appends the value as JSON in UTF-8. False, with `out` in any state, if it is left to the caller.
/// `model_class`: of objects that are written as the object of their fields, or None.
bool AppendPythonJson(nb::handle value, nb::handle model_class, std::string* out);

/// A copy that shares no container with the value; one that stands at several places is copied
/// once. An invalid object if it is left to the caller.
nb::object CopyPythonJson(nb::handle value);

void BindPythonJson(nb::module_& m);

}  // namespace xgrammar::bindings
