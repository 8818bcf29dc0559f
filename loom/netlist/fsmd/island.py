"""The machine of a static loop, from the text of its schedule."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.parser import Parser

from loom.dialects.facts.arrays import memory_behind, partition_behind
from loom.dialects.operators.island_operator import IslandPorts, ports_of_island
from loom.dialects.operators.operator import Shape
from loom.dialects.operators.partitions import Partition
from loom.dialects.ops.context import make_context
from loom.netlist.banks import bank_names
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
    memories: dict[SSAValue | str, str] = dict(zip(arrays, array_names(function), strict=True))
    return build_fsmd(function, memories, index_width, is_island=True)


def array_names(function: FuncOp) -> list[str]:
    """The names of the arrays of a schedule, in the order of its arguments.

    Those of all banks are different, too.
    """
    names, taken, found = Names(), set[str](), list[str]()
    for each in function.args:
        if not isinstance(each.type, MemRefType):
            continue
        hint, partition = module_name(each.name_hint or f"array{each.index}"), said_of(each)
        name = names.new(hint)
        while not taken.isdisjoint([name, *bank_names(name, partition)]):
            name = names.new(hint)
        taken |= {name, *bank_names(name, partition)}
        found.append(name)
    return found


def said_of(array: BlockArgument) -> Partition | None:
    """The partition of an array of a schedule."""
    function = array.block.parent_op()
    assert function is not None
    return partition_behind(array, function, function)


def memories_of(function: FuncOp) -> dict[str, tuple[int, int]]:
    """By the name of a memory of the machine: the number of its array, and its bank."""
    arrays = [each for each in function.args if isinstance(each.type, MemRefType)]
    return {
        own: (number, bank)
        for number, (array, name) in enumerate(zip(arrays, array_names(function), strict=True))
        for bank, own in enumerate(bank_names(name, said_of(array)))
    }


def ports_behind_channels(schedule: str, fsmd: Fsmd) -> tuple[tuple[str, int], ...]:
    """The ports of its machine to arrays behind channels: name and latency [cycles] of each."""
    function = function_of(schedule)
    arrays = [each for each in function.args if isinstance(each.type, MemRefType)]
    behind = [memory_behind(each, function).kind.answers for each in arrays]
    numbers = memories_of(function)
    reads = [(f"ld{k}", port.memory, port.latency) for k, port in enumerate(fsmd.reads)]
    writes = [(f"st{k}", port.memory, port.latency) for k, port in enumerate(fsmd.writes)]
    return tuple(
        (name, latency) for name, memory, latency in (*reads, *writes) if behind[numbers[memory][0]]
    )


def waiting_memories(fsmd: Fsmd, ports: IslandPorts) -> frozenset[str]:
    """The memories of a machine that are behind channels."""
    memories = [*(port.memory for port in fsmd.reads), *(port.memory for port in fsmd.writes)]
    waiting = dict(ports.channels)
    pairs = zip(ports.accesses, memories, strict=True)
    return frozenset(memory for name, memory in pairs if name in waiting)


def machine_of(shape: Shape) -> Fsmd:
    """The machine of an instance."""
    return island_machine(shape.text("schedule"), ports_of_island(shape).index_width)
