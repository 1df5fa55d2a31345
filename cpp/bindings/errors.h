// The one place where a C++ Error becomes a Python exception.
//
// Each ErrorKind has one class in xgrammar.exception, whose fields (line, column, pointer, hint and
// so on) are set from the error. No other file of the bindings knows these classes.
#pragma once

namespace xgrammar::bindings {

/// Registers the translator of xgrammar::Error for the module being initialised.
void RegisterErrorTranslator();

}  // namespace xgrammar::bindings
