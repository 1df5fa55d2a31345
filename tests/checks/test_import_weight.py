"""`import xgrammar` is light: it loads none of the packages that only some calls need.

Guards lists of modules after an import and after compiling and matching with numpy, in processes of
their own, and the list of lazy names. How long an import takes is tests/python/test_package.py.
"""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = (
    "torch",
    "transformers",
    "triton",
    "mlx",
    "numpy",
    "pydantic",
    "tokenizers",
    "tiktoken",
    "sentencepiece",
    "asyncio",
)
MAX_MODULES = 120  # beyond those of the bare interpreter


def modules_after(statement):
    code = (
        f"import json, sys; before = set(sys.modules); {statement}; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return json.loads(result.stdout)


def test_import_loads_nothing_heavy():
    loaded = modules_after("import xgrammar")
    assert not [name for name in loaded if name.split(".")[0] in HEAVY]
    assert len(loaded) <= MAX_MODULES, loaded


def test_compiling_and_matching_need_no_torch():
    loaded = modules_after(
        "import xgrammar as x; "
        "compiler = x.GrammarCompiler(x.TokenizerInfo([b'a', b'</s>'])); "
        "m = x.GrammarMatcher(compiler.compile_grammar('root ::= \"a\"')); "
        "assert m.accept_token(0) and m.accept_token(1) and m.is_terminated()"
    )
    assert not [
        name for name in loaded if name.split(".")[0] in ("torch", "transformers", "pydantic")
    ]


def test_lazy_names_are_listed():
    import xgrammar

    assert set(xgrammar.__all__) <= set(dir(xgrammar))
