// _core.Limits, the struct of bounds field by field, _core.CompileControl, the budget of one call,
// and the depth of JSON text, which is a setting of the process.
//
// Defaults and their reasons are in support/limits.h. Values are not judged here: the facade checks
// them when they are set, and the stage that a bound belongs to enforces it.
#include "bindings/handles.h"
#include "json/parser.h"
#include "support/limits.h"

namespace xgrammar::bindings {

void BindLimits(nb::module_& m) {
  nb::class_<Limits>(m, "Limits", "Bounds on work and size; xgrammar.Limits documents the fields.")
      .def(nb::init<>(), "All fields at their defaults.")
      .def_rw("max_source_bytes", &Limits::max_source_bytes)
      .def_rw("max_nesting", &Limits::max_nesting)
      .def_rw("max_rules", &Limits::max_rules)
      .def_rw("max_repeat", &Limits::max_repeat)
      .def_rw("max_grammar_size", &Limits::max_grammar_size)
      .def_rw("max_dfa_states", &Limits::max_dfa_states)
      .def_rw("max_schema_expansion", &Limits::max_schema_expansion)
      .def_rw("max_compile_ms", &Limits::max_compile_ms)
      .def_rw("max_compile_work", &Limits::max_compile_work)
      .def_rw("max_state_bytes", &Limits::max_state_bytes)
      .def_rw("max_items", &Limits::max_items)
      .def_rw("max_mask_bytes", &Limits::max_mask_bytes);
  nb::class_<CompileControl>(m, "CompileControl", "Bounds one call and gives it up when asked.")
      .def(nb::init<int64_t>(), nb::arg("max_ms"))
      .def(
          "cancel",
          [](CompileControl& self) { self.cancelled.store(true, std::memory_order_relaxed); },
          "Let the call that runs with this object end with an error soon.");
  m.def("set_max_json_depth", &SetMaxJsonDepth, nb::arg("depth"),
        "Set how deep JSON text may be nested in this process.");
}

}  // namespace xgrammar::bindings
