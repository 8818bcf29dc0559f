"""The addresses of a program as they were before its subscripts and casts were made simple.

The dependence test sees in ``a[i][j]`` and ``a[j][i]`` with i < j that they never meet. Later
passes leave one number of few bits of each. So the accesses are numbered while their subscripts are
there, and what is known of each is asked when it is scheduled.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from loom.analysis.program.memory_accesses import Accesses
from loom.dialects.facts.program_facts import ACCESS
from loom.lower.options import Options
from loom.lower.static.build_pipeline import loops_around


class KnownAddresses:
    """A copy of a module as it was then; empty before `analyse` has run."""

    def __init__(self) -> None:
        self.functions: dict[str, FuncOp] = {}

    def analyse(self, module: ModuleOp, options: Options) -> None:
        """Number all accesses, and keep a copy of their functions."""
        del options
        for function in functions_of(module):
            for number, operation in enumerate(accesses_in(function)):
                ACCESS.put(operation, number)
        copy = module.clone()
        self.functions = {each.sym_name.data: each for each in functions_of(copy)}

    def accesses_of(self, function: FuncOp, index_width: int) -> Accesses:
        """The accesses of a function as they were.

        Where the function has others by now, as after inlining, they are those that it has.
        """
        early = self.functions.get(function.sym_name.data) if len(self.functions) == 1 else None
        pairs = list(self.pairs(function, early)) if early is not None else []
        for operation in accesses_in(function):
            ACCESS.drop(operation)
        if early is None or not all(
            was is not None and loops_around(was) == loops_around(now) for now, was in pairs
        ):
            return Accesses(function, index_width)
        found = Accesses(early, index_width)
        for now, was in pairs:
            assert was is not None
            found.add_copy(was, now)
        return found

    @staticmethod
    def pairs(function: FuncOp, early: FuncOp) -> Iterator[tuple[Operation, Operation | None]]:
        """Each access with the one that it was."""
        of = {ACCESS.of(operation): operation for operation in accesses_in(early)}
        for operation in accesses_in(function):
            number = ACCESS.of(operation)
            yield operation, None if number is None else of.get(number)


def functions_of(module: ModuleOp) -> list[FuncOp]:
    """The functions with a body."""
    return [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]


def accesses_in(function: FuncOp) -> list[Operation]:
    """The loads and stores, in the order of the text."""
    return [op for op in function.walk() if isinstance(op, memref.LoadOp | memref.StoreOp)]
