"""A function of statements becomes a module of MLIR."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

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

from loom.dialects.facts.argument_names import set_argument_names
from loom.dialects.facts.arrays import ARRAY_NAME
from loom.dialects.facts.program_facts import SIGNS
from loom.dialects.floats.attributes import dense_of
from loom.frontend.imperative.effects import NOTHING, Effects, LiveTargets, find_stores
from loom.frontend.imperative.expressions import Emitter, make_location
from loom.frontend.imperative.flow import BlockEmitter
from loom.frontend.imperative.statements import StatementEmitter
from loom.frontend.imperative.tree import (
    PLAIN,
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
    list_expressions,
    walk_expression,
    walk_statements,
)
from loom.frontend.imperative.types import Int, Type, make_mlir_type


def build_module(function: Function) -> ModuleOp:
    """The module with the function and the memories that it keeps, every place known."""
    effects = Effects()
    effects.compute_liveness(function.body, NOTHING, LiveTargets(NOTHING, NOTHING, NOTHING))
    emitter = Emitter()
    globals_: list[Operation] = []
    region = Region()
    blocks = BlockEmitter(StatementEmitter(emitter, effects), region)
    types = [find_parameter_type(parameter) for parameter in function.parameters]
    blocks.begin_block(Block(arg_types=types))
    for parameter, value in zip(function.parameters, region.block.args, strict=True):
        value.location = make_location(function.place)
        value.name_hint = parameter.name if PLAIN.fullmatch(parameter.name) else None
        if isinstance(parameter, Variable):
            emitter.values[parameter] = value
        else:
            emitter.memories[parameter] = value
    used, written = find_uses(function.body), find_stores(function.body)
    for memory in used:
        if memory not in emitter.memories:
            globals_ += declare_memory(emitter, memory, len(globals_), memory in written)
        if used[memory] and len(memory.shape) > 1:
            flatten_memory(emitter, memory)
        elif used[memory]:
            emitter.flat[memory] = emitter.memories[memory]
    emit_function_body(blocks, function)
    results = [make_mlir_type(result) for result in function.results]
    made = FuncOp(function.name, (types, results), region)
    set_argument_names(made, function.names)
    typed = [*(parameter.type for parameter in function.parameters), *function.results]
    SIGNS.put(made, "".join(map(sign_of, typed)))
    made.location = make_location(function.place)
    module = ModuleOp([*globals_, made])
    module.location = make_location(function.place)
    return module


def emit_function_body(blocks: BlockEmitter, function: Function) -> None:
    """The function's body stands in its blocks."""
    emitter = blocks.emitter

    def emit_return(jump: Jump) -> None:
        assert isinstance(jump, Return)
        values = [emitter.emit_expression(value) for value in jump.values]
        emitter.insert(ReturnOp(*values), jump.place)

    if blocks.emit_body(function.body, {Return: emit_return}):
        zeros = [emitter.emit_constant(0, result, function.place) for result in function.results]
        emitter.insert(ReturnOp(*zeros), function.place)


def sign_of(type_: Type) -> str:
    """Whether values of the type are signed, as a letter of the fact `SIGNS`."""
    if not isinstance(type_, Int):
        return "-"
    return "s" if type_.signed else "u"


def find_parameter_type(parameter: Variable | Memory) -> Attribute:
    """The type of an argument."""
    if isinstance(parameter, Variable):
        return make_mlir_type(parameter.type)
    return make_memref_type(parameter)


def make_memref_type(memory: Memory) -> MemRefType:
    """The type of a memory."""
    return MemRefType(make_mlir_type(memory.type), memory.shape)


def find_uses(body: Body) -> dict[Memory, bool]:
    """The memories of the statements, and whether one is accessed by position."""
    found: dict[Memory, bool] = {}
    for statement in walk_statements(body):
        for memory, by_position in list_accesses(statement):
            found[memory] = found.get(memory, False) or by_position
    return found


def list_accesses(statement: Statement) -> Iterator[tuple[Memory, bool]]:
    """The memories of the statement itself, and whether they are accessed by position."""
    if isinstance(statement, Copy):
        yield statement.source, False
        yield statement.target, False
    if isinstance(statement, Store):
        yield statement.memory, len(statement.indices) != len(statement.memory.shape)
    for expression in list_expressions(statement):
        for each in walk_expression(expression):
            if isinstance(each, Load):
                yield each.memory, len(each.indices) != len(each.memory.shape)


def declare_memory(
    emitter: Emitter, memory: Memory, number: int, is_written: bool
) -> list[Operation]:
    """The memory is known in the function; its global, if it has one."""
    type_ = make_memref_type(memory)
    if memory.kind is Kind.LOCAL:
        made = memref.AllocaOp.get(type_.element_type, shape=memory.shape)
        made.attributes[ARRAY_NAME] = StringAttr(memory.name)
        emitter.memories[memory] = emitter.insert_value(made, memory.place)
        return []
    assert memory.initial is not None
    name = f"{memory.name}_{number}"
    constant = None if is_written else UnitAttr()
    elements = dense_of(
        TensorType(make_mlir_type(memory.type), memory.shape),
        memory.initial.map(partial(to_signed, memory)),
    )
    found = memref.GlobalOp.get(StringAttr(name), type_, elements, constant=constant)
    found.attributes[ARRAY_NAME] = StringAttr(memory.name)
    found.location = make_location(memory.place)
    emitter.memories[memory] = emitter.insert_value(memref.GetGlobalOp(name, type_), memory.place)
    return [found]


def to_signed(memory: Memory, pattern: int) -> int:
    """The pattern as attributes of the memory's type have it."""
    if isinstance(memory.type, Int) and memory.type.width > 1:
        return Int(memory.type.width, True).decode(pattern)
    return pattern


def flatten_memory(emitter: Emitter, memory: Memory) -> None:
    """The memory is known as an array of one dimension, too."""
    type_ = make_memref_type(memory)
    count = 1
    for size in memory.shape:
        count *= size
    groups = ArrayAttr([ArrayAttr([IntegerAttr(k, i64) for k in range(len(memory.shape))])])
    made = memref.CollapseShapeOp.build(
        operands=[emitter.memories[memory]],
        properties={"reassociation": groups},
        result_types=[MemRefType(type_.element_type, [count])],
    )
    emitter.flat[memory] = emitter.insert_value(made, memory.place)
