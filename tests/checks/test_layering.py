"""Dependencies point one way: C++ by the level table, Python without cycles and without heavy
module-level imports.
"""

from __future__ import annotations

import ast

from tests.checks.sources import (
    CPP,
    EXTRA_EDGES,
    LEVELS,
    PYTHON,
    cpp_files,
    folder_of,
    includes,
    python_files,
    relative,
)

# Imported inside the functions that need them, so that `import xgrammar` stays light.
HEAVY = {
    "torch",
    "transformers",
    "triton",
    "mlx",
    "mlx_lm",
    "numpy",
    "pydantic",
    "tokenizers",
    "tiktoken",
    "sentencepiece",
}
# Modules that exist for one of these packages and are imported only by who uses it.
HEAVY_ALLOWED = {
    "xgrammar.contrib._hf_logits_processor": {"torch", "transformers"},
    "xgrammar.contrib.mlxlm": {"mlx"},
    "xgrammar.kernels.apply_token_bitmask_mlx": {"mlx"},
    "xgrammar.kernels.apply_token_bitmask_inplace_triton": {"torch", "triton"},
    "xgrammar.kernels.apply_token_bitmask_inplace_torch_compile": {"torch"},
    "xgrammar.structural_tag": {"pydantic"},
    "xgrammar.openai_tool_call_schema": {"pydantic"},
}


def test_every_folder_has_a_level():
    folders = {path.name for path in CPP.iterdir() if path.is_dir()}
    assert folders == set(LEVELS)


def allowed(source: str, target: str) -> bool:
    if source == target or (source, target) in EXTRA_EDGES:
        return True
    return LEVELS[target.split("/", maxsplit=1)[0]] < LEVELS[source.split("/", maxsplit=1)[0]]


def test_includes_point_down():
    wrong = []
    for path in cpp_files():
        for include in includes(path):
            target = CPP / include
            if not target.exists():
                wrong.append(f"{relative(path)}: {include} is not relative to cpp/")
            elif not allowed(folder_of(path), folder_of(target)):
                wrong.append(f"{relative(path)} includes {include}")
    assert not wrong, "\n".join(wrong)


def module_name(path):
    parts = ("xgrammar", *path.relative_to(PYTHON).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_statements(body):
    """Statements that run on import: not those in functions, not those under TYPE_CHECKING."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from import_statements(node.orelse)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.ClassDef):
            yield from import_statements(node.body)
            yield from import_statements(getattr(node, "orelse", []))


def is_module(name):
    path = PYTHON.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def imported_modules(path):
    name = module_name(path)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in import_statements(ast.parse(path.read_text(encoding="utf-8")).body):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
            continue
        base = node.module or ""
        if node.level:
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *([base] if base else [])])
        for alias in node.names:  # a submodule is the edge, not the package that it is taken from
            name_in_base = f"{base}.{alias.name}"
            yield name_in_base if is_module(name_in_base) else base


def test_no_heavy_imports_at_module_level():
    wrong = []
    for path in python_files():
        allowed_here = HEAVY_ALLOWED.get(module_name(path), set())
        roots = {imported.split(".")[0] for imported in imported_modules(path)}
        wrong += [
            f"{relative(path)} imports {root}" for root in sorted(roots & HEAVY - allowed_here)
        ]
    assert not wrong, "\n".join(wrong)


def test_python_modules_do_not_import_in_a_circle():
    names = {module_name(path): path for path in python_files()}
    edges = {
        name: {i for i in imported_modules(path) if i in names and i != name}
        for name, path in names.items()
    }
    edges["xgrammar"] = set()  # the root re-exports all of them and is imported by none
    done: set[str] = set()
    while True:
        free = {
            name
            for name, targets in edges.items()
            if name not in done and targets <= done | {"xgrammar"}
        }
        if not free:
            break
        done |= free
    assert set(edges) == done, f"in or behind a circle: {sorted(set(edges) - done)}"
