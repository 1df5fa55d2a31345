// _core.described_method: a method of a native class that `inspect.signature` can read.
//
// nanobind's methods have no attribute that `inspect` looks at, and their type takes none. A Python
// method around each would cost a frame in every call of a decoding loop. The object made here
// stands in the method's place: the interpreter calls it as it calls any unbound method (vectorcall
// with the instance first, PEP 590), it passes the arguments on, which takes 2 ns, and it answers
// `__signature__` through a Python function that is called when asked. Limited to the stable ABI.
#include "bindings/handles.h"

// Names that Python 3.12 has moved and renamed.
#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

#include <cstddef>
#include <utility>

namespace xgrammar::bindings {

namespace {

// All references are owned and set once.
struct DescribedMethod {
  PyObject_HEAD vectorcallfunc vectorcall;
  PyObject* method;       // Of nanobind.
  PyObject* describe;     // Makes the signature of `method`.
  PyObject* bound_class;  // types.MethodType.
};

DescribedMethod* AsDescribed(PyObject* self) { return reinterpret_cast<DescribedMethod*>(self); }

PyObject* Call(PyObject* self, PyObject* const* arguments, size_t count, PyObject* names) {
  return PyObject_Vectorcall(AsDescribed(self)->method, arguments, count, names);
}

PyObject* Bind(PyObject* self, PyObject* instance, PyObject* /*type*/) {
  if (instance == nullptr || instance == Py_None) return Py_NewRef(self);
  return PyObject_CallFunctionObjArgs(AsDescribed(self)->bound_class, self, instance, nullptr);
}

PyObject* GetSignature(PyObject* self, void* /*closure*/) {
  const DescribedMethod* described = AsDescribed(self);
  return PyObject_CallFunctionObjArgs(described->describe, described->method, nullptr);
}

PyObject* GetOfMethod(PyObject* self, void* name) {
  return PyObject_GetAttrString(AsDescribed(self)->method, static_cast<const char*>(name));
}

PyObject* Represent(PyObject* self) { return PyObject_Repr(AsDescribed(self)->method); }

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(AsDescribed(self)->method);
  Py_VISIT(AsDescribed(self)->describe);
  Py_VISIT(AsDescribed(self)->bound_class);
  return 0;
}

// There is no tp_clear, so that a call in the middle of a collection finds the method: cycles go
// through the dictionary of a class, which is cleared.
void Deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_XDECREF(AsDescribed(self)->method);
  Py_XDECREF(AsDescribed(self)->describe);
  Py_XDECREF(AsDescribed(self)->bound_class);
  const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
  release(self);
  Py_DECREF(type);
}

nb::object MakeType() {
  const auto attribute = [](const char* name) {
    return PyGetSetDef{name, GetOfMethod, nullptr, nullptr, const_cast<char*>(name)};
  };
  // Copied by PyType_FromSpec, but for the two tables, which the type refers to.
  static const std::array<PyMemberDef, 2> kMembers{
      PyMemberDef{"__vectorcalloffset__", Py_T_PYSSIZET,
                  static_cast<Py_ssize_t>(offsetof(DescribedMethod, vectorcall)), Py_READONLY,
                  nullptr},
      PyMemberDef{}};
  static const std::array<PyGetSetDef, 7> kAttributes{
      PyGetSetDef{"__signature__", GetSignature, nullptr, nullptr, nullptr},
      attribute("__doc__"),
      attribute("__name__"),
      attribute("__qualname__"),
      attribute("__module__"),
      attribute("__nb_signature__"),
      PyGetSetDef{}};
  std::array<PyType_Slot, 8> slots{{
      {Py_tp_members, const_cast<PyMemberDef*>(kMembers.data())},
      {Py_tp_getset, const_cast<PyGetSetDef*>(kAttributes.data())},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_descr_get, reinterpret_cast<void*>(Bind)},
      {Py_tp_repr, reinterpret_cast<void*>(Represent)},
      {Py_tp_traverse, reinterpret_cast<void*>(Traverse)},
      {Py_tp_dealloc, reinterpret_cast<void*>(Deallocate)},
      {0, nullptr},
  }};
  PyType_Spec spec{"xgrammar._core.DescribedMethod", static_cast<int>(sizeof(DescribedMethod)), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                       Py_TPFLAGS_METHOD_DESCRIPTOR | Py_TPFLAGS_DISALLOW_INSTANTIATION |
                       Py_TPFLAGS_IMMUTABLETYPE,
                   slots.data()};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return nb::steal(type);
}

}  // namespace

void BindDescribedMethod(nb::module_& m) {
  nb::object bound_class = nb::module_::import_("types").attr("MethodType");
  m.def(
      "described_method",
      [type = MakeType(), bound_class](nb::handle method, nb::handle describe) {
        auto* object_type = reinterpret_cast<PyTypeObject*>(type.ptr());
        PyObject* made = PyType_GenericAlloc(object_type, 0);
        if (made == nullptr) throw nb::python_error();
        AsDescribed(made)->vectorcall = Call;
        AsDescribed(made)->method = Py_NewRef(method.ptr());
        AsDescribed(made)->describe = Py_NewRef(describe.ptr());
        AsDescribed(made)->bound_class = Py_NewRef(bound_class.ptr());
        return nb::steal(made);
      },
      nb::arg("method"), nb::arg("describe"),
      nb::sig("def described_method(method: typing.Any, describe: typing.Any) -> typing.Any"),
      "The method of a native class, to be put into a subclass: `describe(method)` is its "
      "`__signature__`.");
}

}  // namespace xgrammar::bindings
