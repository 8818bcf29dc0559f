"""A parsed Python file: its kernels, functions, constants and imports; the file is not run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr

from loom.dialects.facts.loop_attributes import STYLE
from loom.errors import MOST_BITS, LoomError, Place
from loom.frontend.python.diagnostics import locate_node, make_depth_error
from loom.frontend.python.directives import find_styles

KERNEL = "loom.kernel"


@dataclass(frozen=True)
class Source:
    """A parsed Python file; the names in `reassigned` have no single value.

    `styles` are those that comments say of loops, by the first line of the loop.
    """

    text: str
    file: str
    tree: ast.Module
    functions: dict[str, ast.FunctionDef]
    imports: dict[str, str]
    constants: dict[str, ast.expr]
    reassigned: frozenset[str]
    styles: Mapping[int, str]

    def qualify(self, node: ast.expr) -> str | None:
        """The full name that a name or an attribute of an imported module stands for."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id)
        if isinstance(node, ast.Attribute):
            module = self.qualify(node.value)
            return None if module is None else f"{module}.{node.attr}"
        return None

    def is_kernel(self, function: ast.FunctionDef) -> bool:
        """True if the function stands under @loom.kernel."""
        return any(map(self.is_kernel_decorator, function.decorator_list))

    def is_kernel_decorator(self, node: ast.expr) -> bool:
        """True for @loom.kernel, and for it with arguments."""
        return self.qualify(node.func if isinstance(node, ast.Call) else node) == KERNEL

    def style_of(self, function: ast.FunctionDef) -> str | None:
        """The style that @loom.kernel(style="..") names."""
        calls = [each for each in function.decorator_list if isinstance(each, ast.Call)]
        return next((style for call in calls if (style := read_style(call))), None)

    @property
    def kernels(self) -> list[ast.FunctionDef]:
        """The functions under @loom.kernel."""
        return [each for each in self.functions.values() if self.is_kernel(each)]


def read_style(call: ast.Call) -> str | None:
    """The style in a call of @loom.kernel; None if it has another argument, or another value."""
    if call.args or [each.arg for each in call.keywords] != ["style"]:
        return None
    (given,) = call.keywords
    value = given.value.value if isinstance(given.value, ast.Constant) else None
    return value if isinstance(value, str) and STYLE.accepts(StringAttr(value)) else None


def parse_source(text: str, file: str) -> Source:
    """The parsed file; refused where it is no Python (PY_SYNTAX)."""
    tree = parse_tree(text, file)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    constants: dict[str, ast.expr] = {}
    for each in tree.body:
        if isinstance(each, ast.Assign):
            for target in each.targets:
                constants |= dict(pair_targets(target, each.value))
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value:
            constants[each.target.id] = each.value
    reassigned = find_reassigned_names(tree, functions)
    styles = find_styles(text, tree, file)
    return Source(text, file, tree, functions, find_imports(tree), constants, reassigned, styles)


def parse_tree(text: str, file: str) -> ast.Module:
    """The tree of a text that Python compiles; refused for others (PY_SYNTAX, PY_TOO_DEEP)."""
    accepted = "Python that compiles"
    try:
        with warnings.catch_warnings(action="ignore"):  # a run of the file shows them
            tree = ast.parse(text, file)
            compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        where = Place(file, error.lineno or 1, error.offset or 1)
        if "integer string conversion" in error.msg:
            what, accepted = "a decimal of too many digits", f"integers of up to {MOST_BITS} bits"
            raise LoomError("PY_CONSTANT", where, what, accepted) from None
        raise LoomError("PY_SYNTAX", where, error.msg, accepted) from None
    except ValueError as error:
        raise LoomError("PY_SYNTAX", Place(file, 1, 1), str(error), accepted) from None
    except (RecursionError, MemoryError):
        raise make_depth_error(Place(file, 1, 1)) from None
    refuse_long_integers(tree, file)
    return tree


def refuse_long_integers(tree: ast.Module, file: str) -> None:
    """Return if Python prints every integer of the file (PY_CONSTANT)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            bits = node.value.bit_length()
            if bits > MOST_BITS:
                what, accepted = f"an integer of {bits} bits", f"integers of up to {MOST_BITS} bits"
                raise LoomError("PY_CONSTANT", locate_node(node, file), what, accepted)


def find_reassigned_names(
    tree: ast.Module, functions: dict[str, ast.FunctionDef]
) -> frozenset[str]:
    """The names on the file's own level that have no single value: bound twice, or written."""
    nodes = find_import_time_nodes(tree)
    bound = [each.name for each in tree.body if isinstance(each, ast.FunctionDef)]
    bound += [node.id for node in nodes if isinstance(node, ast.Name)
              and isinstance(node.ctx, ast.Store)]  # fmt: skip
    bound += [(alias.asname or alias.name).split(".")[0] for node in nodes
              if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]  # fmt: skip
    declared_global = {name for node in ast.walk(tree) if isinstance(node, ast.Global)
                       for name in node.names}  # fmt: skip
    found = {name for name in bound if bound.count(name) > 1} | declared_global
    found |= find_stored_arrays(nodes)
    for function in functions.values():
        found |= find_stored_arrays(ast.walk(function)) - find_local_names(function)
    return frozenset(found)


def pair_targets(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment binds, each with its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for each, part in zip(target.elts, value.elts, strict=False):
            yield from pair_targets(each, part)


def find_stored_arrays(nodes: Iterable[ast.AST]) -> set[str]:
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


def find_assigned_names(function: ast.FunctionDef) -> frozenset[str]:
    """The names that the function's statements assign."""
    return frozenset(
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )


def list_parameters(function: ast.FunctionDef) -> list[str]:
    """The names of the function's parameters."""
    of = function.args
    return [each.arg for each in (*of.posonlyargs, *of.args, *of.kwonlyargs)]


def find_local_names(function: ast.FunctionDef) -> frozenset[str]:
    """The names that the function assigns, and its parameters."""
    return find_assigned_names(function) | {*list_parameters(function)}


def find_import_time_nodes(node: ast.AST) -> list[ast.AST]:
    """The nodes that run when the module is imported."""
    found: list[ast.AST] = []
    for child in ast.iter_child_nodes(node):
        found.append(child)
        inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        if not isinstance(child, (*inner, ast.comprehension)):
            found += find_import_time_nodes(child)
    return found


def find_imports(tree: ast.Module) -> dict[str, str]:
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


def find_kernel(source: Source, top: str | None) -> ast.FunctionDef:
    """The kernel to compile: `top`, or the only one of the file."""
    kernels = source.kernels
    names = ", ".join(each.name for each in kernels) or "none"
    start = Place(source.file, 1, 1)
    if top is not None:
        for each in kernels:
            if each.name == top:
                return each
        found = source.functions.get(top)
        where = start if found is None else locate_node(found, source.file)
        what = f"no function {top}" if found is None else f"{top}, which is not under @loom.kernel"
        raise LoomError("PY_NO_KERNEL", where, what, f"a kernel of the file: {names}")
    if not kernels:
        accepted = "a file with a function under @loom.kernel"
        raise LoomError("PY_NO_KERNEL", start, "no kernel", accepted)
    if len(kernels) > 1:
        where = locate_node(kernels[1], source.file)
        what = f"several kernels: {names}"
        raise LoomError("PY_SEVERAL_KERNELS", where, what, "the kernel's name (--top)")
    return kernels[0]
