"""What a Python file holds: its kernels, functions, constants and imports, without running it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.frontend.python.values import place_in

KERNEL = "loom.kernel"


@dataclass(frozen=True)
class Source:
    """A Python file that has been parsed; names that are bound more than once are `changing`."""

    text: str
    file: str
    tree: ast.Module
    functions: dict[str, ast.FunctionDef]
    imports: dict[str, str]
    constants: dict[str, ast.expr]
    changing: frozenset[str]

    def qualified(self, node: ast.expr) -> str | None:
        """The full name of what a name or attribute of an imported module stands for."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id)
        if isinstance(node, ast.Attribute):
            module = self.qualified(node.value)
            return None if module is None else f"{module}.{node.attr}"
        return None

    def is_kernel(self, function: ast.FunctionDef) -> bool:
        """True if the function stands under @loom.kernel."""
        return any(self.qualified(each) == KERNEL for each in function.decorator_list)

    @property
    def kernels(self) -> list[ast.FunctionDef]:
        """The functions under @loom.kernel."""
        return [each for each in self.functions.values() if self.is_kernel(each)]


def parse(text: str, file: str) -> Source:
    """The parsed file; refused where it is no Python (PY_SYNTAX)."""
    accepted = "Python that compiles"
    try:
        tree = ast.parse(text, file)
        with warnings.catch_warnings(action="ignore"):  # who runs the file is told of them
            compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = Place(file, error.lineno or 1, error.offset or 1)
        raise LoomError("PY_SYNTAX", where, error.msg, accepted) from None
    except ValueError as error:
        raise LoomError("PY_SYNTAX", Place(file, 1, 1), str(error), accepted) from None
    except (RecursionError, MemoryError):
        raise too_deep(Place(file, 1, 1)) from None
    functions: dict[str, ast.FunctionDef] = {}
    constants: dict[str, ast.expr] = {}
    bound: list[str] = []
    for each in tree.body:
        if isinstance(each, ast.FunctionDef):
            functions[each.name] = each
            bound.append(each.name)
        elif isinstance(each, ast.Assign):
            for target in each.targets:
                constants |= dict(pairs_of(target, each.value))
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value:
            constants[each.target.id] = each.value
    inside = of_module(tree)
    bound += [node.id for node in inside if isinstance(node, ast.Name)
              and isinstance(node.ctx, ast.Store)]  # fmt: skip
    bound += [(alias.asname or alias.name).split(".")[0] for node in inside
              if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]  # fmt: skip
    everywhere = [name for node in ast.walk(tree) if isinstance(node, ast.Global)
                  for name in node.names]  # fmt: skip
    changing = {name for name in bound if bound.count(name) > 1} | {*everywhere}
    changing |= written_in(inside)
    for function in functions.values():
        changing |= written_in([*ast.walk(function)]) - locals_of(function)
    return Source(text, file, tree, functions, imports_of(tree), constants, frozenset(changing))


def pairs_of(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for each, part in zip(target.elts, value.elts, strict=False):
            yield from pairs_of(each, part)


def written_in(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of arrays whose elements are assigned."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            base: ast.expr = node
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                found.add(base.id)
    return found


def assigned_in(function: ast.FunctionDef) -> frozenset[str]:
    """The names that the function's statements assign."""
    return frozenset(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def parameters_of(function: ast.FunctionDef) -> list[str]:
    """The names of the function's parameters."""
    of = function.args
    return [each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs)]


def locals_of(function: ast.FunctionDef) -> frozenset[str]:
    """The names that the function assigns, and its parameters."""
    return assigned_in(function) | {*parameters_of(function)}


def of_module(node: ast.AST) -> list[ast.AST]:
    """The nodes that run when the module is imported."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        found.append(child)
        inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        if not isinstance(child, (*inner, ast.comprehension)):
            found += of_module(child)
    return found


def imports_of(tree: ast.Module) -> dict[str, str]:
    """The full names of what the file imports, by the names that it gives them."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.split(".")[0]
                found[alias.asname or name] = name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def kernel_of(source: Source, top: str | None) -> ast.FunctionDef:
    """The kernel to compile: `top`, or the only one of the file."""
    kernels = source.kernels
    names = ", ".join(each.name for each in kernels) or "none"
    start = Place(source.file, 1, 1)
    if top is not None:
        for each in kernels:
            if each.name == top:
                return each
        found = source.functions.get(top)
        where = start if found is None else place_in(found, source.file)
        what = f"no function {top}" if found is None else f"{top}, which is not under @loom.kernel"
        raise LoomError("PY_NO_KERNEL", where, what, f"a kernel of the file: {names}")
    if not kernels:
        accepted = "a file with a function under @loom.kernel"
        raise LoomError("PY_NO_KERNEL", start, "no kernel", accepted)
    if len(kernels) > 1:
        where = place_in(kernels[1], source.file)
        what = f"several kernels: {names}"
        raise LoomError("PY_SEVERAL_KERNELS", where, what, "the kernel's name (--top)")
    return kernels[0]


def too_deep(place: Place) -> LoomError:
    """The refusal of a text that nests deeper than Python's recursion can follow."""
    what = "statements, expressions or calls nested too deep"
    accepted = "nests as deep as Python's recursion limit lets LOOM follow"
    return LoomError("PY_TOO_DEEP", place, what, accepted)
