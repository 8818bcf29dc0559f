"""The hardware of each unit: chosen by its operation's attributes, else by the options.

An operation says it in attributes that begin with `loom.`, such as `{loom.latency = 3}`; they are
kept from the program to the graph. What an operator leaves open is in its row (`options`). The
latency of a multiplier follows from the clock period and its measured delays, unless it is given;
so it is chosen with the period (`choose_period`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation

from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.arrays import ORDER
from loom.dialects.facts.instances import BANKS, PREFIX, shape_of, to_value
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_memory import ACCEPTS, ARRAY_INSIDE, MemoryInterface
from loom.errors import LoomError, Place, raise_all
from loom.lower.options import Options

INSIDE = "register>register"
"""The class of paths from a register of the unit to another."""
SHARE = 0.8
"""Of the period, for a path from or to another unit."""
LATENCY = f"{PREFIX}latency"
"""The attribute of an operation's latency."""


def check_units(module: ModuleOp, options: Options) -> None:
    """Operations and options ask for hardware that LOOM has (LOWER_UNIT)."""
    problems = [
        problem
        for name, value in options.latencies
        for problem in check_latency_option(name, value)
    ]
    for operation in module.walk():
        problems += check_attributes(operation)
    raise_all(problems)


def choose_units(module: ModuleOp, options: Options) -> None:
    """Every operation whose row leaves something open, and which says nothing, says the option."""
    chosen: dict[str, tuple[str, Attribute]] = {}
    for name, cycles in options.latencies:
        if owner := owner_of(name, "latency"):
            said = LATENCY, IntegerAttr(cycles, 64)
            chosen |= {
                owner: said,
                **{each: said for each in tables_of(owner) if each not in chosen},
            }
    if options.divider != Options.divider:
        chosen |= dict.fromkeys(owners("form"), (f"{PREFIX}form", StringAttr(options.divider)))
    for operation in module.walk():
        operator = find(operation.name)
        if operator is not None and operator.name in chosen:
            name, attribute = chosen[operator.name]
            operation.attributes.setdefault(name, attribute)


def period_of(options: Options) -> float | None:
    """The clock period that the options choose, by default the target's [ns]; None: any."""
    if options.clock_period == "default":
        return find_target(options.target).period
    return options.clock_period


def find_open_latencies(operations: Iterable[Operation], options: Options) -> list[Operation]:
    """The multipliers that neither say their latency nor are of the user's own template."""
    return [
        operation
        for operation in operations
        if (operator := find(operation.name)) is not None
        and is_multiplier(operator)
        and operator.name not in options.cores
        and "latency" not in shape_of(operation, operator, options.index_width).attributes
    ]


def set_latencies(found: Iterable[Operation], options: Options, period: float | None) -> None:
    """Each of the multipliers has the latency for the clock period [ns]; None: the target's."""
    target = find_target(options.target)
    most = target.units.before(target.period if period is None else period)
    for operation in found:
        operator = find(operation.name)
        assert operator is not None, "it is a multiplier"
        operation.attributes.pop(LATENCY, None)
        shape = shape_of(operation, operator, options.index_width)
        cycles = choose_latency(operator, shape, most)
        operation.attributes[LATENCY] = IntegerAttr(cycles, 64)


def is_multiplier(operator: Operator) -> bool:
    """Whether the row is a pure one that leaves its latency open."""
    return "latency" in operator.hardware.options and operator.semantics.meaning is not None


def choose_latency(operator: Operator, shape: Shape, period: float) -> int:
    """The least latency with which the unit leaves its neighbours time in the period [cycles].

    Its inner paths may take the period, those from and to other units `SHARE` of it. No more than
    the operator's usual latency: if none is enough, the one with the shortest paths.
    """
    slowest: dict[int, float] = {}
    for cycles in range(1, operator.hardware.latency_of(shape) + 1):
        attributes = {**shape.attributes, "latency": cycles}
        cost = unit_cost(operator, Shape(shape.inputs, shape.outputs, attributes))
        if cost is None:
            continue
        slowest[cycles] = max(
            (
                delay / (1 if name == INSIDE else SHARE)
                for name, delay in cost.delays.items()
                if "ready" not in name
            ),
            default=0.0,
        )
        if slowest[cycles] <= period:
            return cycles
    return min(slowest, key=lambda each: slowest[each], default=operator.hardware.latency_of(shape))


def check_latency_option(name: str, latency: int) -> Iterator[LoomError]:
    """What is wrong with an option ``--latency name=latency``."""
    owner = owner_of(name, "latency")
    choices = CATALOGUE[owner].hardware.options["latency"] if owner else ()
    if owner is None:
        what, accepted = f"a latency of {name!r}", f"one of {', '.join(owners('latency'))}"
        yield LoomError("LOWER_UNIT", Place("--latency"), what, accepted)
    elif latency not in choices:
        what, accepted = f"latency {latency} of {owner}", format_choices(choices)
        yield LoomError("LOWER_UNIT", Place("--latency"), what, accepted)


def check_attributes(operation: Operation) -> Iterator[LoomError]:
    """What is wrong with the attributes of an operation."""
    makes_memory = isinstance(operation, memref.AllocOp | memref.AllocaOp | memref.GlobalOp)
    operator = find(ARRAY_INSIDE if makes_memory else operation.name)
    options: Mapping[str, Sequence[AttributeValue]] = operator.hardware.options if operator else {}
    banks = BANKS if operator and operator.hardware.memory_kind else ()
    for name, attribute in operation.attributes.items():
        option = name.removeprefix(PREFIX)
        if option == name or (operator is None and not owners(option)):
            continue  # functions, for one, have such attributes for other ends
        if makes_memory and name == ORDER:
            continue  # of the array: `partition_arrays` has checked it
        if option in banks:
            continue  # held against the array's size, in a program and in a netlist
        if name in (IN_RANGE.name, ACCEPTS) and isinstance(operation, MemoryInterface):
            continue  # proved of a program, stated by a graph
        choices = options.get(option)
        what = f"{name} = {attribute} of {operation.name}"
        if choices is None:
            known = ", ".join(f"{PREFIX}{each}" for each in options)
            accepted = f"{known} there" if known else f"no attribute {PREFIX}* there"
            yield LoomError("LOWER_UNIT", place_of(operation), what, accepted)
        elif (
            not isinstance(attribute, IntegerAttr | StringAttr)
            or to_value(attribute) not in choices
        ):
            yield LoomError("LOWER_UNIT", place_of(operation), what, format_choices(choices))


def owner_of(name: str, option: str) -> str | None:
    """The operator called `name`, also without its dialect, that leaves `option` open."""
    return next((x for x in owners(option) if name in (x, x.partition(".")[2])), None)


def tables_of(owner: str) -> list[str]:
    """Of a memory that may be written the operators like it that are only read: its tables."""
    kind = CATALOGUE[owner].hardware.memory_kind
    if kind is None or not kind.is_written:
        return []
    rows = ((name, row.hardware.memory_kind) for name, row in CATALOGUE.items())
    return [n for n, k in rows if k and k.template == kind.template and not k.is_written]


def owners(option: str) -> list[str]:
    """The operators that leave it open; of the memories outside ``--memory`` says it."""
    return [
        name
        for name, operator in CATALOGUE.items()
        if option in operator.hardware.options
        and not (operator.hardware.memory_kind and operator.hardware.memory_kind.is_outside)
    ]


def format_choices(choices: Sequence[AttributeValue]) -> str:
    """The accepted values as text."""
    first, last = choices[0], choices[-1]
    if isinstance(first, int) and isinstance(last, int) and len(choices) == last - first + 1 > 2:
        return f"{first} to {last}"
    return " or ".join(map(str, choices))
