// The one place where a C++ Error becomes a Python exception.
#pragma once

namespace xgrammar::bindings {

/// Registers the translator of xgrammar::Error for the module being initialised.
void RegisterErrorTranslator();

}  // namespace xgrammar::bindings
