"""The staticlogic dialect: loops whose schedule is known, as stages with their start cycles.

Iteration n issues at cycle T(n) >= T(n-1) + II, and a stage with `start = s` runs in cycle
T(n) + s. The definition, its rules and their messages are in docs/staticlogic.md; `lat` on an
operation of a stage is its latency [cycles], 0 where there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i64,
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    Dialect,
    Operation,
    OpResult,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from loom.dialects.ops.staticlogic.attributes import (
    Dependence,
    DependenceAttr,
    Ports,
    latency_of,
    parse_ports,
)
from loom.dialects.ops.staticlogic.printing import (
    is_bare,
    print_inside,
    print_terminator,
    print_typed,
    print_types,
)

SEQUENTIAL = "sequential"
"""The attribute of a loop that is a step of a `staticlogic.seq`: its iterations do not overlap."""

Access = memref.LoadOp | memref.StoreOp


def require_parent(op: Operation, *parents: type[Operation]) -> None:
    """Return if `op` stands right in one of these operations."""
    if not isinstance(op.parent_op(), parents):
        names = " or ".join(parent.name for parent in parents)
        raise VerifyException(f"it stands outside {names}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``staticlogic.yield %c, %f : i1, i32``: ends `condition`, `update` and a `seq`."""

    name = "staticlogic.yield"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(values)])

    def verify_(self) -> None:
        """Refuse one that ends nothing of a pipeline or a seq."""
        require_parent(self, PipelineOp, SeqOp)

    def print(self, printer: Printer) -> None:
        """Print ``{attributes} %a, %b : i32, i1``."""
        print_terminator(printer, self.values, self.attributes)


@irdl_op_definition
class RegisterOp(IRDLOperation):
    """``staticlogic.register %a, %b : i32, i1``: ends a stage; the values are its results."""

    name = "staticlogic.register"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(values)])

    def verify_(self) -> None:
        """Refuse one outside a stage."""
        require_parent(self, StageOp)

    def print(self, printer: Printer) -> None:
        """Print ``{attributes} %a, %b : i32, i1``."""
        print_terminator(printer, self.values, self.attributes)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """``staticlogic.return cond(%c : i1) iter_args(%s : i32)``: ends `stages`.

    `iter_args` are the values of the next iteration; `cond` is the test of a loop whose
    `condition` is empty.
    """

    name = "staticlogic.return"
    cond = opt_operand_def()
    iter_args = var_operand_def()
    traits = traits_def(IsTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, iter_args: Sequence[SSAValue] = (), cond: SSAValue | None = None) -> None:
        super().__init__(operands=[[] if cond is None else [cond], list(iter_args)])

    def verify_(self) -> None:
        """Refuse one outside a pipeline."""
        require_parent(self, PipelineOp)

    def print(self, printer: Printer) -> None:
        """Print ``cond(%c : i1) iter_args(%s : i32)``, either left out where there is none."""
        for word, values in (("cond", self.tests), ("iter_args", self.iter_args)):
            if values:
                printer.print_string(f" {word}")
                with printer.in_parens():
                    print_typed(printer, values)
        printer.print_op_attributes(self.attributes, print_keyword=True)

    @property
    def tests(self) -> Sequence[SSAValue]:
        """The test of the loop, or nothing."""
        return [] if self.cond is None else [self.cond]


@irdl_op_definition
class StageOp(IRDLOperation):
    """``%a = staticlogic.stage start = 1 when %p { .. staticlogic.register %v : i32 } : i32``.

    Outside a pipeline, stages that follow each other are the schedule of straight-line code.
    """

    name = "staticlogic.stage"
    start_attribute = prop_def(IntegerAttr, prop_name="start")
    when = opt_operand_def()
    body = region_def()
    res = var_result_def()

    def __init__(
        self,
        start: int,
        body: Region,
        result_types: Sequence[Attribute] = (),
        when: SSAValue | None = None,
    ) -> None:
        super().__init__(
            operands=[[] if when is None else [when]],
            result_types=[list(result_types)],
            properties={"start": IntegerAttr(start, i64)},
            regions=[body],
        )

    @property
    def start(self) -> int:
        """The cycle of an iteration in which the stage runs [cycles]."""
        return int(self.start_attribute.value.data)

    def print(self, printer: Printer) -> None:
        """Print ``start = 1 when %p { .. } : i32``."""
        printer.print_string(f" start = {self.start}")
        if self.when is not None:
            printer.print_string(" when ")
            printer.print_ssa_value(self.when)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        print_inside(printer, self.body)
        if self.res:
            printer.print_string(" : ")
            print_types(printer, self.res)

    @property
    def register(self) -> RegisterOp:
        """The terminator."""
        last = self.body.block.last_op
        assert isinstance(last, RegisterOp)
        return last

    @property
    def ops(self) -> list[Operation]:
        """The operations without the terminator."""
        return [op for op in self.body.block.ops if not isinstance(op, RegisterOp)]


@irdl_op_definition
class PipelineOp(IRDLOperation):
    """A loop whose iterations start every II cycles; see docs/staticlogic.md.

    Each region's block takes the induction variables, then the iter_args. `ports` says the ports
    of each of `memories`, `memdep` which accesses of memory wait for which.
    """

    name = "staticlogic.pipeline"
    iv_inits = var_operand_def()
    iter_inits = var_operand_def()
    memories = var_operand_def()
    ii_attribute = prop_def(IntegerAttr, prop_name="II")
    trip_count_attribute = opt_prop_def(IntegerAttr, prop_name="trip_count")
    clock_attribute = opt_prop_def(FloatAttr, prop_name="clock")
    ports_attribute = opt_prop_def(ArrayAttr, prop_name="ports")
    res_attribute = opt_prop_def(DictionaryAttr, prop_name="res")
    memdep_attribute = opt_prop_def(ArrayAttr, prop_name="memdep")
    condition = region_def()
    update = region_def()
    stages = region_def()
    res = var_result_def()
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        ii: int,
        iv_inits: Sequence[SSAValue],
        iter_inits: Sequence[SSAValue],
        condition: Region,
        update: Region,
        stages: Region,
        *,
        result_types: Sequence[Attribute] | None = None,
        trip_count: int | None = None,
        clock: float | None = None,
        ports: Mapping[SSAValue, Ports] | None = None,
        units: Mapping[str, int] | None = None,
        dependences: Sequence[Dependence] = (),
    ) -> None:
        """A pipeline whose results are, where nothing else is said, those of its variables."""
        if result_types is None:
            result_types = [value.type for value in (*iv_inits, *iter_inits)]
        properties: dict[str, Attribute] = {"II": IntegerAttr(ii, i64)}
        if trip_count is not None:
            properties["trip_count"] = IntegerAttr(trip_count, i64)
        if clock is not None:
            properties["clock"] = FloatAttr(clock, f64)
        if ports:
            properties["ports"] = ArrayAttr([StringAttr(str(each)) for each in ports.values()])
        if units:
            limits = {name: IntegerAttr(count, i64) for name, count in units.items()}
            properties["res"] = DictionaryAttr(limits)
        if dependences:
            properties["memdep"] = ArrayAttr([DependenceAttr(each) for each in dependences])
        super().__init__(
            operands=[list(iv_inits), list(iter_inits), list(ports or ())],
            result_types=[list(result_types)],
            properties=properties,
            regions=[condition, update, stages],
        )

    def print(self, printer: Printer) -> None:
        """Print the schedule, limits and variables in lines of their own, then the regions."""
        printer.print_string(f" II = {self.ii}")
        if self.trip_count_attribute is not None:
            printer.print_string(f" trip_count = {self.trip_count}")
        if self.clock_attribute is not None:
            printer.print_string(f" clock = {self.clock!r}")
        with printer.indented(2):
            self._print_limits(printer)
            self._print_variables(printer)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        with printer.indented():
            printer.print_string("\ncondition ")
            print_inside(printer, self.condition, is_terminated=not is_bare(self.condition_yield))
            printer.print_string(" update ")
            print_inside(printer, self.update, is_terminated=not is_bare(self.update_yield))
            printer.print_string(" stages ")
            print_inside(printer, self.stages)

    def _print_limits(self, printer: Printer) -> None:
        """Print ``ports = {%A = 1r1w : memref<4xi32>} res = {arith.muli = 1} memdep = [..]``.

        They are on a line of their own.
        """

        def port(pair: tuple[SSAValue, Attribute]) -> None:
            memory, words = pair
            assert isinstance(words, StringAttr)
            printer.print_ssa_value(memory)
            printer.print_string(f" = {words.data} : ")
            printer.print_attribute(memory.type)

        separator = "\n"
        if self.ports_attribute is not None:
            printer.print_string(f"{separator}ports = ")
            with printer.in_braces():
                printer.print_list(zip(self.memories, self.ports_attribute.data, strict=True), port)
            separator = " "
        if self.res_attribute is not None:
            words = ", ".join(f"{name} = {count}" for name, count in self.units.items())
            printer.print_string(f"{separator}res = {{{words}}}")
            separator = " "
        if self.memdep_attribute is not None:
            printer.print_string(f"{separator}memdep = ")
            printer.print_attribute(self.memdep_attribute)

    def _print_variables(self, printer: Printer) -> None:
        """Print ``iv(%i = %lb : index) iter_args(%x = %y : i32) -> (index, i32)`` on a line.

        The arguments of all regions get the names that they have here, which are those of `stages`.
        """

        def variable(pair: tuple[BlockArgument, SSAValue]) -> None:
            argument, initial = pair
            name = printer.print_ssa_value(argument)
            for region in (self.condition, self.update):
                printer._ssa_values[region.block.args[argument.index]] = name
            printer.print_string(" = ")
            printer.print_ssa_value(initial)
            printer.print_string(" : ")
            printer.print_attribute(initial.type)

        separator = "\n"
        for word, arguments, initials in (
            ("iv", self.ivs(self.stages), self.iv_inits),
            ("iter_args", self.iter_args(self.stages), self.iter_inits),
        ):
            if initials:
                printer.print_string(f"{separator}{word}(")
                printer.print_list(zip(arguments, initials, strict=True), variable)
                printer.print_string(")")
                separator = " "
        if self.res:
            printer.print_string(f"{separator}-> (")
            print_types(printer, self.res)
            printer.print_string(")")

    @property
    def ii(self) -> int:
        """The initiation interval [cycles]."""
        return int(self.ii_attribute.value.data)

    @property
    def trip_count(self) -> int | None:
        """The number of iterations, where it is known."""
        found = self.trip_count_attribute
        return None if found is None else int(found.value.data)

    @property
    def clock(self) -> float | None:
        """The clock period that the schedule was made for [ns]."""
        found = self.clock_attribute
        return None if found is None else float(found.value.data)

    @clock.setter
    def clock(self, period: float) -> None:
        self.clock_attribute = FloatAttr(period, f64)

    @property
    def ports(self) -> dict[SSAValue, Ports]:
        """The ports of the memories that the text says them of."""
        words = () if self.ports_attribute is None else self.ports_attribute.data
        found = {}
        for memory, word in zip(self.memories, words, strict=False):
            each = parse_ports(word.data) if isinstance(word, StringAttr) else None
            if each is not None:
                found[memory] = each
        return found

    @property
    def units(self) -> dict[str, int]:
        """How many units there are of the operators that the text says it of."""
        limits = {} if self.res_attribute is None else self.res_attribute.data
        return {n: int(v.value.data) for n, v in limits.items() if isinstance(v, IntegerAttr)}

    @property
    def dependences(self) -> list[Dependence]:
        """The dependences of memory accesses that the text says."""
        given = () if self.memdep_attribute is None else self.memdep_attribute.data
        return [each.data for each in given if isinstance(each, DependenceAttr)]

    def ivs(self, region: Region) -> Sequence[BlockArgument]:
        """The induction variables as arguments of one of the regions."""
        return region.block.args[: len(self.iv_inits)]

    def iter_args(self, region: Region) -> Sequence[BlockArgument]:
        """The iter_args as arguments of one of the regions."""
        return region.block.args[len(self.iv_inits) :]

    @property
    def stage_ops(self) -> list[StageOp]:
        """The stages in the order of the text."""
        return [op for op in self.stages.block.ops if isinstance(op, StageOp)]

    @property
    def return_op(self) -> ReturnOp:
        """The terminator of `stages`."""
        last = self.stages.block.last_op
        assert isinstance(last, ReturnOp)
        return last

    @property
    def condition_yield(self) -> YieldOp:
        """The terminator of `condition`: of no values where the test is the return's `cond`."""
        last = self.condition.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def update_yield(self) -> YieldOp:
        """The terminator of `update`: the induction variables of the next iteration."""
        last = self.update.block.last_op
        assert isinstance(last, YieldOp)
        return last

    @property
    def is_while(self) -> bool:
        """True where the stages compute the test, as the return's `cond`."""
        return self.return_op.cond is not None

    @property
    def forwarded(self) -> Sequence[SSAValue]:
        """What `condition` yields behind its test: where there is any, these are the results."""
        return self.condition_yield.values[1:]

    @property
    def accesses(self) -> list[Access]:
        """The memory accesses of the stages in the order of the text."""
        return [op for stage in self.stage_ops for op in stage.ops if isinstance(op, Access)]

    @property
    def scheduled(self) -> Iterator[tuple[int, Operation]]:
        """The operations of the stages with their start cycles, in the order of the text."""
        for stage in self.stage_ops:
            for op in stage.ops:
                yield stage.start, op

    @property
    def depth(self) -> int:
        """Cycles from the issue of an iteration to the end of its last operation."""
        ends = [stage.start + 1 for stage in self.stage_ops]
        return max([*ends, *(start + max(1, latency_of(op)) for start, op in self.scheduled)])


@irdl_op_definition
class SeqOp(IRDLOperation):
    """``staticlogic.seq { .. }``: steps one after the other, a state of the control each.

    A step is a plain operation, a pipeline, a `seq`, or an `scf.for` marked `sequential`.
    """

    name = "staticlogic.seq"
    body = region_def()
    res = var_result_def()

    def __init__(self, body: Region, result_types: Sequence[Attribute] = ()) -> None:
        super().__init__(result_types=[list(result_types)], regions=[body])

    def print(self, printer: Printer) -> None:
        """Print ``-> (i32) { .. }``."""
        if self.res:
            printer.print_string(" -> ")
            with printer.in_parens():
                print_types(printer, self.res)
        printer.print_op_attributes(self.attributes, print_keyword=True)
        printer.print_string(" ")
        last = self.body.block.last_op
        assert last is not None
        print_inside(printer, self.body, is_terminated=not is_bare(last))

    @property
    def steps(self) -> list[Operation]:
        """The operations without the terminator."""
        return [op for op in self.body.block.ops if not isinstance(op, YieldOp)]


def available_at(value: SSAValue) -> int | None:
    """The cycle of its iteration in which a stage's result is there; None for other values.

    It is in a register a cycle after a combinational operation, and at the end of another.
    """
    if not isinstance(value, OpResult) or not isinstance(value.op, StageOp):
        return None
    stage = value.op
    source = stage.register.values[value.index]
    return stage.start + max(1, latency_in(stage, source))


def latency_in(stage: StageOp, value: SSAValue) -> int:
    """The latency of the operation of the stage that defines the value [cycles]."""
    if isinstance(value, OpResult) and value.op.parent is stage.body.block:
        return latency_of(value.op)
    return 0


OPERATIONS: list[type[Operation]] = [PipelineOp, StageOp, RegisterOp, YieldOp, ReturnOp, SeqOp]
StaticLogic = Dialect("staticlogic", OPERATIONS, [DependenceAttr])
