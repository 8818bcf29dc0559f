"""The one door to xDSL's dialects: a context in which each dialect loads on first use."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute

from loom.dialects.ops.added_dialect import AddedDialect
from loom.entry_points import DIALECTS, list_additions


class LoomContext(Context):
    """A context that looks for dialects it does not know among those that packages add.

    `added` are those that were found, by name.
    """

    def __init__(self) -> None:
        super().__init__(allow_unregistered=True)
        self.added: dict[str, AddedDialect] = {}
        self.looked_for: set[str] = set()

    def look_for(self, name: str) -> None:
        """The dialect of this operation, type or attribute is known, if a package adds it.

        Refused (EXTEND_BROKEN): one that is no `AddedDialect` of its name.
        """
        dialect, dot, _ = name.partition(".")
        if not dot or dialect in self.looked_for or dialect in self.registered_dialect_names:
            return
        self.looked_for.add(dialect)
        addition = list_additions(DIALECTS).get(dialect)
        if addition is None:
            return
        found = addition.load()
        if not isinstance(found, AddedDialect) or found.dialect.name != dialect:
            accepted = f"a loom.AddedDialect whose dialect is called {dialect}"
            raise addition.broken(f"it is {found!r}", accepted)
        self.added[dialect] = found
        self.register_dialect(dialect, lambda: found.dialect)

    def get_optional_op(
        self, name: str, *, dialect_stack: Sequence[str] = ()
    ) -> type[Operation] | None:
        """The class of an operation."""
        self.look_for(name)
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def get_optional_type(self, name: str) -> type[TypeAttribute] | None:
        """The class of a type."""
        self.look_for(name)
        return super().get_optional_type(name)

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        """The class of an attribute."""
        self.look_for(name)
        return super().get_optional_attr(name)


def make_context() -> LoomContext:
    """A context that knows every dialect LOOM reads; none but builtin is imported yet.

    Attributes of dialects that LOOM does not know (data layouts, linkage) are kept as text;
    the reader refuses operations and types of such dialects.
    """
    from xdsl.dialects.builtin import Builtin

    context = LoomContext()
    context.load_dialect(Builtin)
    for name, load in LOADERS.items():
        context.register_dialect(name, load)
    return context


def _with(dialect: Dialect, operations: list[type[Operation]]) -> Dialect:
    """The dialect with operations more, or in place of those of the same name."""
    names = {operation.name for operation in operations}
    kept = [operation for operation in dialect.operations if operation.name not in names]
    return Dialect(dialect.name, [*kept, *operations], [*dialect.attributes])


def _func() -> Dialect:
    from xdsl.dialects.func import Func

    return Func


def _scf() -> Dialect:
    from xdsl.dialects.scf import Scf

    from loom.dialects.ops.scf_more import OPERATIONS

    return _with(Scf, OPERATIONS)


def _cf() -> Dialect:
    from xdsl.dialects.cf import Cf

    return Cf


def _arith() -> Dialect:
    from xdsl.dialects.arith import Arith

    from loom.dialects.ops import float_ops
    from loom.dialects.ops.index import IndexCastUIOp

    operations: list[type[Operation]] = [*Arith.operations, IndexCastUIOp, float_ops.RemFOp]
    return Dialect("arith", operations, [*Arith.attributes])


def _memref() -> Dialect:
    from xdsl.dialects.memref import MemRef

    from loom.dialects.ops.memref_more import OPERATIONS

    return _with(MemRef, OPERATIONS)


def _affine() -> Dialect:
    from xdsl.dialects.affine import Affine

    from loom.dialects.ops.affine_more import OPERATIONS

    return _with(Affine, OPERATIONS)


def _llvm() -> Dialect:
    from loom.dialects.ops.llvm_intrinsics import LLVM

    return LLVM


def _math() -> Dialect:
    from xdsl.dialects.math import Math

    from loom.dialects.ops import float_ops

    return Dialect("math", [*Math.operations, *float_ops.TESTS], [*Math.attributes])


def _index() -> Dialect:
    from loom.dialects.ops.index import Index

    return Index


def _ub() -> Dialect:
    from xdsl.dialects.ub import UB

    return UB


def _dataflow() -> Dialect:
    from loom.dialects.ops.dataflow import Dataflow

    return Dataflow


def _handshake() -> Dialect:
    from loom.dialects.ops.handshake_function import Handshake

    return Handshake


def _order() -> Dialect:
    from loom.dialects.ops.order import Order

    return Order


def _staticlogic() -> Dialect:
    from loom.dialects.ops.staticlogic import StaticLogic

    return StaticLogic


def _loopschedule() -> Dialect:
    from loom.dialects.ops.staticlogic.loopschedule import LoopSchedule

    return LoopSchedule


def _loom() -> Dialect:
    from loom.dialects.ops.partition_attribute import Loom

    return Loom


LOADERS = {
    "func": _func,
    "scf": _scf,
    "cf": _cf,
    "arith": _arith,
    "memref": _memref,
    "affine": _affine,
    "math": _math,
    "llvm": _llvm,
    "index": _index,
    "ub": _ub,
    "dataflow": _dataflow,
    "handshake": _handshake,
    "order": _order,
    "staticlogic": _staticlogic,
    "loopschedule": _loopschedule,
    "loom": _loom,
}
"""Dialects by name, as functions that import them."""
