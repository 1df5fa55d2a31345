"""The names, signatures, defaults, fields and error classes of `client_surface`.

That module lists what clients of XGrammar 0.2.9 use; here each entry is looked up and compared.
What calls do is tested with each module.
"""

from __future__ import annotations

import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xgrammar as xgr
from tests.integration.client_surface import (
    ERRORS,
    MODELS,
    MODULE_NAMES,
    PROPERTIES,
    ROOT_NAMES,
    SIGNATURES,
)


def needs_torch(name):
    if name == "bitmask_dtype":
        pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.parametrize("name", ROOT_NAMES)
def test_root_names(name):
    needs_torch(name)
    assert getattr(xgr, name) is not None
    assert name in xgr.__all__
    namespace: dict[str, Any] = {}
    exec(f"from xgrammar import {name}", namespace)
    assert namespace[name] is getattr(xgr, name)


@pytest.mark.parametrize("module", MODULE_NAMES)
def test_module_names(module):
    loaded = importlib.import_module(f"xgrammar.{module}")
    assert getattr(xgr, module) is loaded
    for name in MODULE_NAMES[module].split():
        needs_torch(name)
        value = getattr(loaded, name)
        if name in ROOT_NAMES:
            assert value is getattr(xgr, name)


def resolve(path):
    value: Any = xgr
    for name in path.split("."):
        value = getattr(value, name)
    return value


def parameters_of(text):
    """The parameters of a signature written as text."""
    names: dict[str, Any] = {"VocabType": xgr.VocabType}
    exec(f"def function{text}: pass", names)
    return list(inspect.signature(names["function"]).parameters.values())


@pytest.mark.parametrize("path", SIGNATURES)
def test_signatures(path):
    wanted = {p.name: p for p in parameters_of(SIGNATURES[path])}
    found = inspect.signature(resolve(path)).parameters
    assert [n for n in found if n in wanted] == list(wanted)
    for name, parameter in wanted.items():
        assert (found[name].kind, found[name].default) == (parameter.kind, parameter.default), name
    for name, parameter in found.items():
        if name not in wanted:
            assert parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD), name
            assert parameter.default is not parameter.empty or parameter.kind is (
                parameter.VAR_KEYWORD
            )


NATIVE_CALLS: dict[str, list[Callable[[Any, Any], Any]]] = {
    "accept_token": [
        lambda m, _: m.accept_token(0),
        lambda m, _: m.accept_token(token_id=0, debug_print=False),
    ],
    "accept_string": [
        lambda m, _: m.accept_string("a"),
        lambda m, _: m.accept_string(input_str=b"a", debug_print=False),
    ],
    "fill_next_token_bitmask": [
        lambda m, row: m.fill_next_token_bitmask(row),
        lambda m, row: m.fill_next_token_bitmask(row, 0),
        lambda m, row: m.fill_next_token_bitmask(bitmask=row, index=0, debug_print=False),
    ],
    "rollback": [
        lambda m, _: m.accept_token(0) and m.rollback(),
        lambda m, _: m.accept_token(0) and m.rollback(num_tokens=1),
    ],
    "rest": [
        lambda m, _: m.is_terminated(),
        lambda m, _: m.is_completed(),
        lambda m, _: m.reset(),
        lambda m, _: m.find_jump_forward_string(),
        lambda m, _: m.find_jump_forward_tokens(),
        lambda m, _: m._debug_print_internal_state(),
    ],
}


@pytest.mark.parametrize("name", NATIVE_CALLS)
def test_calls_of_the_decoding_loop(name):
    """Inherited from the extension, which has no signatures to inspect: called in every way."""
    for call in NATIVE_CALLS[name]:
        call(xgr.GrammarMatcher(make()["compiled"]), np.zeros((1, 1), np.int32))


@pytest.mark.parametrize("name", PROPERTIES)
def test_properties_are_read_only(name):
    objects = make()
    value = {
        "TokenizerInfo": objects["info"],
        "GrammarCompiler": objects["compiler"],
        "CompiledGrammar": objects["compiled"],
        "GrammarMatcher": objects["m"],
    }[name]
    for attribute in PROPERTIES[name].split():
        if attribute.startswith("prepend"):
            with pytest.warns(UserWarning, match="add_prefix_space"):
                getattr(value, attribute)
            continue
        getattr(value, attribute)
        with pytest.raises(AttributeError):
            setattr(value, attribute, None)


@pytest.mark.parametrize("name", MODELS)
def test_model_fields(name):
    model = getattr(xgr.structural_tag, name, None)
    model = model or getattr(xgr.openai_tool_call_schema, name)
    found = {
        field: ... if info.is_required() else info.get_default(call_default_factory=True)
        for field, info in model.model_fields.items()
    }
    assert found == MODELS[name]


def make():
    info = xgr.TokenizerInfo(["a", "b", "</s>"])
    compiler = xgr.GrammarCompiler(info)
    compiled = compiler.compile_grammar('root ::= "a" "b"')
    done = xgr.GrammarMatcher(compiled)
    for token in range(3):
        assert done.accept_token(token)
    matcher = xgr.GrammarMatcher(compiled)
    return {"info": info, "compiler": compiler, "compiled": compiled, "m": matcher, "done": done}


class Lazy(dict[str, Any]):
    """Names of the package, found when they are used."""

    def __missing__(self, name: str) -> Any:
        try:
            return getattr(xgr, name)
        except AttributeError as error:
            raise KeyError(name) from error


@pytest.mark.parametrize(("call", "kind"), ERRORS, ids=[call for call, _ in ERRORS])
def test_errors(call, kind):
    wanted = (
        getattr(xgr.exception, kind, None)
        or {error.__name__: error for error in (RuntimeError, ValueError, TypeError)}[kind]
    )
    with pytest.raises(wanted) as caught:
        eval(call, {"np": np}, Lazy(make()))
    text = str(caught.value)
    assert text
    assert not text.endswith("\n")
    assert len(text) < 1000
    assert not any(trace in text for trace in (".cc:", ".h:", "Check failed", "/cpp/"))


def test_every_error_of_the_library_is_a_runtime_error():
    for name in xgr.exception.__all__:
        assert issubclass(getattr(xgr.exception, name), RuntimeError)


def test_a_lazy_proxy_reaches_everything():
    """One engine copies the module's dictionary and falls back to getattr."""
    proxy = types.ModuleType("proxy")
    proxy.__dict__.update(importlib.import_module("xgrammar").__dict__)
    for name in ("GrammarMatcher", "CompiledGrammar", "StructuralTagItem", "TokenizerInfo"):
        value = proxy.__dict__.get(name) or getattr(importlib.import_module("xgrammar"), name)
        assert value is getattr(xgr, name)
