"""The machine of a static loop, from the text of its schedule."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

from loom.dialects.operators.island_operator import ports_of_island
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.context import make_context
from loom.netlist.fsmd.build import build_fsmd
from loom.netlist.fsmd.fsmd import Fsmd
from loom.netlist.names import Names, module_name


def function_of(schedule: str) -> FuncOp:
    """The function that the text of a schedule is."""
    (function,) = Parser(make_context(), schedule).parse_module().ops
    assert isinstance(function, FuncOp)
    return function


@lru_cache(maxsize=64)
def island_machine(schedule: str, index_width: int) -> Fsmd:
    """The machine of a schedule; `array_names` are those of its memories."""
    function = function_of(schedule)
    arrays = [each for each in function.args if isinstance(each.type, MemRefType)]
    return build_fsmd(function, dict(zip(arrays, array_names(function), strict=True)), index_width)


def array_names(function: FuncOp) -> list[str]:
    """The names of the arrays of a schedule, in the order of its arguments."""
    names = Names()
    return [
        names.new(module_name(each.name_hint or f"array{each.index}"))
        for each in function.args
        if isinstance(each.type, MemRefType)
    ]


def machine_of(shape: Shape) -> Fsmd:
    """The machine of an instance."""
    return island_machine(shape.text("schedule"), ports_of_island(shape).index_width)
