"""A function of statements becomes a module of MLIR."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from loom.dialects.facts.argument_names import keep_argument_names
from loom.dialects.facts.arrays import ARRAY_NAME
from loom.dialects.floats.attributes import dense_of
from loom.frontend.imperative.effects import NOTHING, Effects, Ways, stores
from loom.frontend.imperative.expressions import location
from loom.frontend.imperative.flow import Blocks
from loom.frontend.imperative.statements import Builder
from loom.frontend.imperative.tree import (
    Body,
    Copy,
    Function,
    Jump,
    Kind,
    Load,
    Memory,
    Return,
    Statement,
    Store,
    Variable,
    expressions,
    inside,
    statements,
)
from loom.frontend.imperative.types import Int, mlir_type


def module_of(function: Function) -> ModuleOp:
    """The module with the function and the memories that it keeps, every place known."""
    effects = Effects()
    effects.need(function.body, NOTHING, Ways(NOTHING, NOTHING, NOTHING))
    builder = Builder(effects)
    globals_: list[Operation] = []
    region = Region()
    blocks = Blocks(builder, region)
    types = [type_of(parameter) for parameter in function.parameters]
    blocks.begin(Block(arg_types=types))
    for parameter, value in zip(function.parameters, region.block.args, strict=True):
        value.location = location(function.place)
        value.name_hint = parameter.name if not parameter.name[-1:].isdigit() else None
        if isinstance(parameter, Variable):
            builder.values[parameter] = value
        else:
            builder.memories[parameter] = value
    used, written = uses_of(function.body), stores(function.body)
    for memory in used:
        if memory not in builder.memories:
            globals_ += declare(builder, memory, len(globals_), memory in written)
        if used[memory] and len(memory.shape) > 1:
            flatten(builder, memory)
        elif used[memory]:
            builder.flat[memory] = builder.memories[memory]
    fill(builder, blocks, function)
    results = [mlir_type(result) for result in function.results]
    made = FuncOp(function.name, (types, results), region)
    keep_argument_names(made, function.names)
    made.location = location(function.place)
    module = ModuleOp([*globals_, made])
    module.location = location(function.place)
    return module


def fill(builder: Builder, blocks: Blocks, function: Function) -> None:
    """The function's body stands in its blocks."""

    def back(jump: Jump) -> None:
        assert isinstance(jump, Return)
        values = [builder.value(value) for value in jump.values]
        builder.put(ReturnOp(*values), jump.place)

    if blocks.body(function.body, {Return: back}):
        zeros = [builder.constant(0, result, function.place) for result in function.results]
        builder.put(ReturnOp(*zeros), function.place)


def type_of(parameter: Variable | Memory) -> Attribute:
    """The type of an argument."""
    if isinstance(parameter, Variable):
        return mlir_type(parameter.type)
    return memory_type(parameter)


def memory_type(memory: Memory) -> MemRefType:
    """The type of a memory."""
    return MemRefType(mlir_type(memory.type), memory.shape)


def uses_of(body: Body) -> dict[Memory, bool]:
    """The memories of the statements, and whether one is accessed by position."""
    found: dict[Memory, bool] = {}
    for statement in statements(body):
        for memory, by_position in accesses(statement):
            found[memory] = found.get(memory, False) or by_position
    return found


def accesses(statement: Statement) -> Iterator[tuple[Memory, bool]]:
    """The memories of the statement itself, and whether they are accessed by position."""
    if isinstance(statement, Copy):
        yield statement.source, False
        yield statement.target, False
    if isinstance(statement, Store):
        yield statement.memory, len(statement.indices) != len(statement.memory.shape)
    for expression in expressions(statement):
        for each in inside(expression):
            if isinstance(each, Load):
                yield each.memory, len(each.indices) != len(each.memory.shape)


def declare(builder: Builder, memory: Memory, number: int, is_written: bool) -> list[Operation]:
    """The memory is known in the function; its global, if it has one."""
    type_ = memory_type(memory)
    if memory.kind is Kind.LOCAL:
        made = memref.AllocaOp.get(type_.element_type, shape=memory.shape)
        made.attributes[ARRAY_NAME] = StringAttr(memory.name)
        builder.memories[memory] = builder.make(made, memory.place)
        return []
    assert memory.initial is not None
    name = f"{memory.name}_{number}"
    constant = None if is_written else UnitAttr()
    elements = dense_of(
        TensorType(mlir_type(memory.type), memory.shape),
        [signed(memory, w) for w in memory.initial],
    )
    found = memref.GlobalOp.get(StringAttr(name), type_, elements, constant=constant)
    found.attributes[ARRAY_NAME] = StringAttr(memory.name)
    found.location = location(memory.place)
    builder.memories[memory] = builder.make(memref.GetGlobalOp(name, type_), memory.place)
    return [found]


def signed(memory: Memory, pattern: int) -> int:
    """The pattern as attributes of the memory's type have it."""
    if isinstance(memory.type, Int) and memory.type.width > 1:
        return Int(memory.type.width, True).number(pattern)
    return pattern


def flatten(builder: Builder, memory: Memory) -> None:
    """The memory is known as a row of words, too."""
    type_ = memory_type(memory)
    words = 1
    for size in memory.shape:
        words *= size
    groups = ArrayAttr([ArrayAttr([IntegerAttr(k, i64) for k in range(len(memory.shape))])])
    made = memref.CollapseShapeOp.build(
        operands=[builder.memories[memory]],
        properties={"reassociation": groups},
        result_types=[MemRefType(type_.element_type, [words])],
    )
    builder.flat[memory] = builder.make(made, memory.place)
