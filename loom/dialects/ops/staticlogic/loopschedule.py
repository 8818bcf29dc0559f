"""CIRCT's loopschedule dialect: pipelined loops, which LOOM reads as staticlogic and writes.

Source: CIRCT's documentation of the loopschedule dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, IntegerType, Signedness, i64
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
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

from loom.dialects.ops.staticlogic.printing import print_inside, print_terminator, print_types

SI64 = IntegerType(64, Signedness.SIGNED)


@irdl_op_definition
class LoopRegisterOp(IRDLOperation):
    """``loopschedule.register %a, %b : i32, i1``: ends a stage, and the condition."""

    name = "loopschedule.register"
    values = var_operand_def()
    traits = traits_def(IsTerminator())

    def __init__(self, values: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(values)])

    def print(self, printer: Printer) -> None:
        """Print ``%a, %b : i32, i1``."""
        print_terminator(printer, self.values, self.attributes)


@irdl_op_definition
class LoopTerminatorOp(IRDLOperation):
    """``loopschedule.terminator iter_args(%a), results(%b) : (i32) -> i32``."""

    name = "loopschedule.terminator"
    iter_args = var_operand_def()
    results_ = var_operand_def()
    traits = traits_def(IsTerminator())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, iter_args: Sequence[SSAValue], results: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(iter_args), list(results)])

    def print(self, printer: Printer) -> None:
        """Print ``iter_args(%a), results(%b) : (i32) -> i32``."""
        for word, values in ((" iter_args", self.iter_args), (", results", self.results_)):
            printer.print_string(word)
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_function_type(self.iter_args.types, self.results_.types)


@irdl_op_definition
class LoopStageOp(IRDLOperation):
    """``%a = loopschedule.pipeline.stage start = 1 when %p { .. } : i32``."""

    name = "loopschedule.pipeline.stage"
    start = prop_def(IntegerAttr)
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
            properties={"start": IntegerAttr(start, SI64)},
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        """Print ``start = 1 when %p { .. } : i32``."""
        printer.print_string(f" start = {self.start.value.data}")
        if self.when is not None:
            printer.print_string(" when ")
            printer.print_ssa_value(self.when)
        printer.print_string(" ")
        print_inside(printer, self.body)
        if self.res:
            printer.print_string(" : ")
            print_types(printer, self.res)


@irdl_op_definition
class LoopPipelineOp(IRDLOperation):
    """``loopschedule.pipeline II = 1 iter_args(%a = %b) : (i32) -> i32 { .. } do { .. }``."""

    name = "loopschedule.pipeline"
    ii = prop_def(IntegerAttr, prop_name="II")
    trip_count = opt_prop_def(IntegerAttr, prop_name="tripCount")
    iter_inits = var_operand_def()
    condition = region_def()
    stages = region_def()
    res = var_result_def()

    def __init__(
        self,
        ii: int,
        trip_count: int | None,
        iter_inits: Sequence[SSAValue],
        condition: Region,
        stages: Region,
        result_types: Sequence[Attribute],
    ) -> None:
        super().__init__(
            operands=[list(iter_inits)],
            result_types=[list(result_types)],
            properties={
                "II": IntegerAttr(ii, i64),
                "tripCount": None if trip_count is None else IntegerAttr(trip_count, i64),
            },
            regions=[condition, stages],
        )

    def print(self, printer: Printer) -> None:
        """Print ``II = 1 iter_args(%a = %b) : (i32) -> i32 { .. } do { .. }``."""
        printer.print_string(f" II = {self.ii.value.data}")
        if self.trip_count is not None:
            printer.print_string(f" trip_count = {self.trip_count.value.data}")
        if self.iter_inits:
            printer.print_string(" iter_args(")
            for number, initial in enumerate(self.iter_inits):
                printer.print_string(", " if number else "")
                name = printer.print_ssa_value(self.condition.block.args[number])
                printer._ssa_values[self.stages.block.args[number]] = name
                printer.print_string(" = ")
                printer.print_ssa_value(initial)
            printer.print_string(")")
        printer.print_string(" : ")
        printer.print_function_type(self.iter_inits.types, self.result_types)
        printer.print_string(" ")
        print_inside(printer, self.condition)
        printer.print_string(" do ")
        print_inside(printer, self.stages)


OPERATIONS: list[type[Operation]] = [LoopPipelineOp, LoopStageOp, LoopRegisterOp, LoopTerminatorOp]
LoopSchedule = Dialect("loopschedule", OPERATIONS, [])
