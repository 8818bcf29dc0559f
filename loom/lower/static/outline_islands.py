"""Loops that ask for a static schedule become one operation each: an island in the dynamic circuit.

A loop becomes a function of what it reads; this is scheduled as a static function is, and stands as
text in the operation. Numbers go in with the bits that they need. To memory order the operation is
a store to each of the loop's arrays, so that no other access runs beside those of the schedule: a
RAM accepts its requests at once, as the schedule takes for granted. For an array behind channels
the schedule is made as that of a static function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import StringIO

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneType,
    StringAttr,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.printer import Printer

from loom.analysis.program.memory_accesses import name_of
from loom.analysis.program.value_ranges import Ranges, value_ranges
from loom.dialects.facts.arrays import (
    MEMORY,
    ORDER,
    PORTS,
    maker_of,
    memory_behind,
    order_behind,
    partition_attribute,
    ports_behind,
)
from loom.dialects.facts.loop_attributes import LOOPS, MEMORY_ORDER, STYLE
from loom.dialects.facts.memory_choices import MemoryChoice
from loom.dialects.facts.places import place_of
from loom.dialects.operators.island_operator import IslandPorts
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.handshake_memory import ARRAY_INSIDE
from loom.dialects.ops.partition_attribute import PARTITION
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.lower.dataflow.choose_units import LATENCY, owner_of
from loom.lower.memory.array_orders import WAYS
from loom.lower.options import Options
from loom.lower.static.choose_static_period import expected_cycles
from loom.lower.static.requested_ii import check_requested_ii
from loom.lower.static.units import RAM_LATENCY
from loom.netlist.fsmd.island import (
    function_of,
    island_machine,
    memories_of,
    ports_behind_channels,
)
from loom.netlist.names import Names

MOST_CYCLES = 1 << 16
"""What a schedule is said to take at most [cycles]."""
Schedule = Callable[[ModuleOp], ModuleOp]
"""From a module in normal form to its static schedule."""


def outline_islands(module: ModuleOp, options: Options, schedule: Schedule) -> None:
    """Every loop with the style static is one operation that runs its schedule.

    Refused (STATIC_ISLAND): arrays for which it does not wait, and a dynamic loop in it;
    what no static schedule holds (STATIC_OPERATION), and a longer II than requested (LOWER_II).
    """
    for function in list(module.ops):
        if not isinstance(function, FuncOp):
            continue
        loops = [op for op in function.walk() if isinstance(op, LOOPS) and is_island(op)]
        ranges = value_ranges(function, options.index_width) if loops else {}
        names = Names()
        for loop in loops:
            title = names.new(f"loop_{place_of(loop).line}")
            outline_island(loop, title, Outliner(module, function, ranges, options, schedule))


def is_island(loop: Operation) -> bool:
    """Whether a loop asks for a schedule of its own: no loop around it does."""
    holder = loop.parent_op()
    while holder is not None and not isinstance(holder, FuncOp):
        if STYLE.of(holder) == "static":
            return False
        holder = holder.parent_op()
    return STYLE.of(loop) == "static"


class Outliner:
    """What the loops of a function have in common."""

    def __init__(
        self,
        module: ModuleOp,
        function: FuncOp,
        ranges: Ranges,
        options: Options,
        schedule: Schedule,
    ) -> None:
        self.module, self.function, self.ranges = module, function, ranges
        self.options, self.schedule = options, schedule

    def narrow(self, value: SSAValue) -> IntegerType | None:
        """The type with the bits that a number needs, if it has more."""
        known = self.ranges.get(value)
        if known is None or not isinstance(value.type, IntegerType | IndexType):
            return None
        bits = max(2, known.bits)
        return IntegerType(bits) if bits < width_of(value.type, self.options.index_width) else None

    def choice_of(self, memory: SSAValue) -> MemoryChoice:
        """The memory of an array; of one inside the circuit a RAM of its latency."""
        if memory in self.function.args:
            return memory_behind(memory, self.function)
        said = maker_of(memory, self.module).attributes.get(LATENCY)
        if isinstance(said, IntegerAttr):
            latency = int(said.value.data)
        else:
            given = (n for name, n in self.options.latencies if is_of_memories(name))
            latency = next(given, RAM_LATENCY)
        return MemoryChoice(said={"latency": latency})

    def said_of(self, memory: SSAValue) -> DictionaryAttr:
        """What the argument for an array says of its memory and of the order of its accesses."""
        choice = self.choice_of(memory)
        found: dict[str, Attribute] = {}
        if not choice.is_usual:
            found[MEMORY] = StringAttr(str(choice))
        if order := order_behind(memory, self.function, self.module):
            found[ORDER] = StringAttr(order)
        if (ports := ports_behind(memory, self.function, self.module)) > 1:
            found[PORTS] = IntegerAttr(ports, i64)
        if partition := partition_attribute(memory, self.function, self.module):
            found[PARTITION] = partition
        return DictionaryAttr(found)


def is_of_memories(name: str) -> bool:
    """Whether an option of latencies is about memories in the circuit."""
    return owner_of(name, "latency") == ARRAY_INSIDE


def require_memories(loop: Operation, memories: Sequence[SSAValue], outliner: Outliner) -> None:
    """Return if the schedule can wait for all of its memories.

    Refused (STATIC_ISLAND): a stream; beside arrays behind channels a RAM whose word comes while
    the machine stands still; a channel without a slot for each answer that may be under way.
    """
    choices = {memory: outliner.choice_of(memory) for memory in memories}
    stands_still = any(choice.kind.answers for choice in choices.values())
    for memory, choice in choices.items() if stands_still else ():
        shape = Shape((), (), {**choice.said, "loads": 1, "stores": 1})
        latency, name, what = choice.kind.latency_of(shape), name_of(memory), ""
        if not choice.kind.answers and latency > RAM_LATENCY:
            what = f"{name}, a RAM of latency {latency}, beside arrays behind channels"
        elif choice.kind.answers and outliner.options.is_stream(name):
            what = f"{name}, a stream"
        elif choice.kind.answers and choice.kind.outstanding_of(shape) < latency + 1:
            has = f"{choice.kind.outstanding_of(shape)} requests outstanding"
            what = f"{name} with {has}, fewer than the {latency + 1} of its latency"
        if what:
            raise LoomError(
                "STATIC_ISLAND", place_of(loop), f"a static loop over {what}",
                "another memory there; style dynamic for the loop",
            )  # fmt: skip


def outline_island(loop: Operation, title: str, outliner: Outliner) -> None:
    """The operation stands in place of the loop."""
    for inner in loop.walk():
        assert not isinstance(inner, memref.AllocOp), "arrays stand at the start of the function"
        if inner is not loop and STYLE.of(inner) == "dynamic":
            what, accepted = "a dynamic loop in a static one", "static loops in dynamic ones"
            raise LoomError("STATIC_ISLAND", place_of(inner), what, accepted)
    block = loop.parent
    assert block is not None
    for inner in list(loop.walk()):
        if isinstance(inner, memref.GetGlobalOp):
            inner.detach()
            block.insert_op_before(inner, loop)
    body = Block()
    copies: dict[SSAValue, SSAValue] = {}
    values: list[SSAValue] = []
    memories: list[SSAValue] = []
    for value in read_from_outside(loop):
        if isinstance(value.owner, arith.ConstantOp):
            constant = value.owner.clone()
            body.add_op(constant)
            copies[value] = constant.result
        else:
            (memories if isinstance(value.type, MemRefType) else values).append(value)
    given: list[SSAValue] = []
    for value in values:
        copies[value], passed = pass_value(value, outliner.narrow(value), body, loop)
        given.append(passed)
    said = [DictionaryAttr({})] * len(values)
    require_memories(loop, memories, outliner)
    for memory in memories:
        copies[memory] = add_argument(body, memory.type, memory.name_hint)
        said.append(outliner.said_of(memory))
    copy = loop.clone(copies)
    for source, made in zip(loop.walk(), copy.walk(), strict=True):
        made.location = source.location
    kept = [result for result in loop.results if result.uses]
    end = ReturnOp(*[copy.results[result.index] for result in kept])
    body.add_ops([copy, end])
    types: list[Attribute] = [result.type for result in kept]
    made_of = FunctionType.from_lists([each.type for each in body.args], types)
    function = FuncOp(title, made_of, Region(body))
    function.location = end.location = loop.location
    MEMORY_ORDER.copy(outliner.function, function)
    if any(each.data for each in said):
        function.properties["arg_attrs"] = ArrayAttr(said)
    schedule = outliner.schedule(ModuleOp([function]))
    check_requested_ii(loop, schedule)
    new = StaticLoopOp(
        operands=[given, memories, []],
        result_types=[types, NoneType()],
        attributes={"title": StringAttr(title), **described(schedule, len(memories), outliner)},
    )
    new.location = loop.location
    for access in loop.walk():
        if (order := MEMORY_ORDER.of(access)) and order in WAYS:
            MEMORY_ORDER.put(new, order)
    block.insert_op_before(new, loop)
    for result, successor in zip(kept, new.outs, strict=True):
        successor.name_hint = result.name_hint
        result.replace_all_uses_with(successor)
    loop.detach()
    loop.erase()


def described(schedule: ModuleOp, arrays: int, outliner: Outliner) -> dict[str, Attribute]:
    """What the operation says of a schedule: its text, its ports and the array of each."""
    text, width = text_of(schedule), outliner.options.index_width
    cycles = min(expected_cycles(schedule), MOST_CYCLES)
    fsmd, memories = island_machine(text, width), memories_of(function_of(text))
    assert len({number for number, _ in memories.values()}) == arrays
    loads = [memories[port.memory] for port in fsmd.reads]
    stores = [memories[port.memory] for port in fsmd.writes]
    ports = IslandPorts(
        len(fsmd.inputs), len(fsmd.results), tuple(port.latency for port in fsmd.reads),
        len(stores), width, cycles, ports_behind_channels(text, fsmd),
    )  # fmt: skip
    return {
        "ports": StringAttr(str(ports)),
        "schedule": StringAttr(text),
        "loads": DenseArrayBase.from_list(i64, [number for number, _ in loads]),
        "load_banks": DenseArrayBase.from_list(i64, [bank for _, bank in loads]),
        "stores": DenseArrayBase.from_list(i64, [number for number, _ in stores]),
        "store_banks": DenseArrayBase.from_list(i64, [bank for _, bank in stores]),
    }


def read_from_outside(loop: Operation) -> Iterator[SSAValue]:
    """The values from outside that the loop reads, each once."""
    made = {value for op in loop.walk() for value in op.results}
    made |= {value for op in loop.walk() for r in op.regions for b in r.blocks for value in b.args}
    read = dict.fromkeys(value for op in loop.walk() for value in op.operands)
    return (value for value in read if value not in made)


def pass_value(
    value: SSAValue, type_: IntegerType | None, body: Block, loop: Operation
) -> tuple[SSAValue, SSAValue]:
    """What stands for a number in the function, and what is passed for it."""
    if type_ is None:
        return add_argument(body, value.type, value.name_hint), value
    argument = add_argument(body, type_, value.name_hint)
    narrow: Operation = arith.IndexCastOp(value, type_)
    widen: Operation = arith.IndexCastOp(argument, value.type)
    if isinstance(value.type, IntegerType):
        narrow, widen = arith.TruncIOp(value, type_), arith.ExtSIOp(argument, value.type)
    narrow.location = widen.location = loop.location
    body.add_op(widen)
    block = loop.parent
    assert block is not None
    block.insert_op_before(narrow, loop)
    return widen.results[0], narrow.results[0]


def add_argument(body: Block, type_: Attribute, name: str | None) -> SSAValue:
    """One more argument."""
    argument = body.insert_arg(type_, len(body.args))
    argument.name_hint = name
    return argument


def text_of(module: ModuleOp) -> str:
    """The one function of a schedule in MLIR's generic form."""
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    text = StringIO()
    Printer(text, print_generic_format=True).print_op(function)
    return text.getvalue()
