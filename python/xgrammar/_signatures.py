"""Signatures of native methods, for `inspect.signature`, `help` and editors.

The extension writes the signature of each of its functions as the line that would define it in
Python. That line is read when somebody asks, since `ast` and `inspect` take longer to import than
all of this package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from . import _core

if TYPE_CHECKING:
    import ast
    import inspect

__all__ = ["described"]

T = TypeVar("T")


def described(method: T) -> T:
    """Return a method of a native class with a signature that `inspect` can read.

    Calls cost no Python frame.
    """
    return cast("T", _core.described_method(method, _signature_of))


def _signature_of(method: Any) -> inspect.Signature:
    import ast

    [(line, _, _)] = method.__nb_signature__
    return _signature_from(cast("ast.FunctionDef", ast.parse(f"{line}: ...").body[0]))


def _signature_from(definition: ast.FunctionDef) -> inspect.Signature:
    import ast
    import inspect

    def parameter(argument: ast.arg, default: ast.expr | None, kind: Any) -> inspect.Parameter:
        return inspect.Parameter(
            argument.arg,
            kind,
            default=inspect.Parameter.empty if default is None else ast.literal_eval(default),
            annotation=annotation(argument.annotation),
        )

    def annotation(expression: ast.expr | None) -> Any:
        return inspect.Parameter.empty if expression is None else ast.unparse(expression)

    arguments = definition.args
    required = len(arguments.args) - len(arguments.defaults)
    defaults = [None] * required + arguments.defaults
    kinds = inspect.Parameter
    parameters = [
        *(
            parameter(argument, default, kinds.POSITIONAL_OR_KEYWORD)
            for argument, default in zip(arguments.args, defaults, strict=True)
        ),
        *(
            parameter(argument, default, kinds.KEYWORD_ONLY)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ),
    ]
    return inspect.Signature(parameters, return_annotation=annotation(definition.returns))
