"""Every public callable has a signature that `inspect` can read, native methods included.

Guards names, defaults and annotations of the calls of a decoding loop, unbound and bound, and that
these methods are otherwise as before: called with the instance, inherited, overridden, collected.
Which parameters there must be is tests/integration/client_surface.py.
"""

import gc
import importlib.util
import inspect
import pydoc
import weakref

import pytest

import xgrammar as xgr

METHODS = {
    "accept_string": "(self, input_str, *, debug_print=False)",
    "accept_token": "(self, token_id, *, debug_print=False)",
    "fill_next_token_bitmask": "(self, bitmask, index=0, *, debug_print=False)",
    "find_jump_forward_string": "(self)",
    "find_jump_forward_tokens": "(self)",
    "is_completed": "(self)",
    "is_terminated": "(self)",
    "reset": "(self)",
    "rollback": "(self, num_tokens=1)",
}


def without_annotations(signature):
    empty = inspect.Parameter.empty
    parameters = [one.replace(annotation=empty) for one in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=empty))


def public_callables():
    for name in xgr.__all__:
        if name == "bitmask_dtype" and importlib.util.find_spec("torch") is None:
            continue
        value = getattr(xgr, name)
        if inspect.isclass(value) and issubclass(value, BaseException):
            continue  # Made as the built-in ones are, which have none before Python 3.13.
        if callable(value):
            yield name, value
        if inspect.isclass(value):
            for attribute in dir(value):
                member = getattr(value, attribute)
                if not attribute.startswith("_") and callable(member):
                    yield f"{name}.{attribute}", member


def test_every_public_callable_has_a_signature():
    found = dict(public_callables())
    assert len(found) > 100
    for name, value in found.items():
        assert isinstance(inspect.signature(value), inspect.Signature), name


@pytest.mark.parametrize("name", METHODS)
def test_native_methods(make_matcher, name):
    matcher = make_matcher('root ::= "a"')
    method = getattr(xgr.GrammarMatcher, name)
    assert without_annotations(inspect.signature(method)) == METHODS[name]
    bound = inspect.signature(getattr(matcher, name))
    assert without_annotations(bound) == METHODS[name].replace("self, ", "").replace("self", "")
    assert method.__name__ == name
    assert method.__doc__ == getattr(xgr._core.GrammarMatcher, name).__doc__
    assert name in pydoc.plain(pydoc.render_doc(method))


def test_no_native_method_is_left_out():
    native = {name for name in dir(xgr._core.GrammarMatcher) if not name.startswith("_")}
    described = type(xgr.GrammarMatcher.accept_token)
    for name in native:
        member = getattr(xgr.GrammarMatcher, name)
        assert not callable(member) or isinstance(member, described) or inspect.isfunction(member)


def test_annotations():
    signature = inspect.signature(xgr.GrammarMatcher.rollback)
    assert signature.parameters["num_tokens"].annotation == "typing.SupportsIndex"
    assert signature.return_annotation == "None"


def test_calls(make_matcher):
    matcher = make_matcher("root ::= [a]*")
    assert xgr.GrammarMatcher.accept_string(matcher, "a", debug_print=False)
    accept = matcher.accept_string
    assert accept("aa") is True
    assert accept.__self__ is matcher
    xgr.GrammarMatcher.rollback(matcher, num_tokens=1)
    assert matcher.num_steps == 1
    with pytest.raises(TypeError, match="accept_string"):
        accept()
    with pytest.raises(TypeError, match="accept_string"):
        xgr.GrammarMatcher.accept_string("not a matcher", "a")


def test_overridden(compiler):
    class Loud(xgr.GrammarMatcher):
        def accept_string(self, input_str, *, debug_print=False):
            return [super().accept_string(input_str, debug_print=debug_print)]

    matcher = Loud(compiler.compile_grammar('root ::= "a"'))
    assert matcher.accept_string("a") == [True]
    assert matcher.is_completed()


def test_methods_are_collected():
    class Holder:
        pass

    holder = Holder()
    describe = [holder].append
    holder.method = xgr._core.described_method(xgr._core.GrammarMatcher.reset, describe)
    alive = weakref.ref(holder)
    del holder, describe
    gc.collect()
    assert alive() is None
