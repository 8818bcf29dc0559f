"""Arrays of a random program that lie inside its circuit, with two read ports."""

from __future__ import annotations

from random import Random

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.dialects.func import ReturnOp

from loom.dialects.facts.arrays import PORTS, arrays_of
from loom.frontend.functions import top_function

WITH_PORTS = 0.5
"""How probable it is that an array made in a program has two read ports."""


def draw_ports(module: ModuleOp, seed: int) -> None:
    """About half of the arrays made in the program have two read ports."""
    random = Random(f"ports of {seed}")
    for array in arrays_of(module):
        if array.argument is None and random.random() < WITH_PORTS:
            array.say(PORTS, IntegerAttr(2, 64))


def move_inside(module: ModuleOp) -> None:
    """The circuit's function works on arrays of its own, which it loads first and stores last."""
    function = top_function(module)
    block = function.body.blocks[0]
    first = block.first_op
    assert first is not None
    ends = [op for op in function.walk() if isinstance(op, ReturnOp)]
    for argument in function.args:
        if not isinstance(argument.type, MemRefType):
            continue
        own = memref.AllocOp([], [], argument.type)
        own.memref.name_hint = f"{argument.name_hint or 'array'}_inside"
        argument.replace_all_uses_with(own.memref)
        block.insert_ops_before([own, memref.CopyOp(argument, own.memref)], first)
        for end in ends:
            holder = end.parent
            assert holder is not None
            holder.insert_op_before(memref.CopyOp(own.memref, argument), end)
