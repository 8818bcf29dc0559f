"""The dataflow dialect: the units of loops, of memory order, and copies of tokens.

Source: docs/spec/operations.md. `replicate` is LOOM's own: the
true side of ``cond_br(d, invariant(d, a))`` in one operation (docs/spec D1). So is `accumulate`: a
carry, an operator and the branch between them; `bit`: the lowest bit behind a shift;
`disambiguate` and `store_queue`: addresses wait for stores to the same address; `forward_store` and
`forward_queue`: a load gets what such a store stores; `load_store_queue`, which keeps the order of
all accesses to an array; and `broadcast`: a fork whose copies are taken in the same cycle.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, StringAttr, UnitAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    opt_operand_def,
    result_def,
    var_result_def,
)
from xdsl.parser import Parser

from loom.dialects.operators.dataflow_operators import (
    ACCUMULATED,
    CONTINUE_CONDITIONS,
    STEP_OPERATORS,
)
from loom.dialects.ops.graph_operation import NONE, GraphOperation, SizedOperation, derive
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    ForwardQueueOp,
    ForwardStoreOp,
    StoreQueueOp,
)
from loom.dialects.ops.ordering.load_store_queue import LoadStoreQueueOp
from loom.dialects.ops.problem import require
from loom.dialects.ops.staticlogic.island import IslandOp
from loom.dialects.ops.types import TaggedType

I1 = IntegerType(1)
INDEX = IndexType()


def one_of(words: tuple[str, ...]) -> str:
    """The words as a list in prose."""
    return ", ".join(words[:-1]) + f" or {words[-1]}"


def encode_lanes(lanes: int) -> IntegerAttr | None:
    """The attribute `lanes`; none for one."""
    return IntegerAttr(lanes, 64) if lanes > 1 else None


def decode_lanes(attribute: IntegerAttr | None) -> int:
    """The number of lanes that an attribute says, one without it."""
    return 1 if attribute is None else int(attribute.value.data)


@irdl_op_definition
class CarryOp(IRDLOperation):
    """``%o = dataflow.carry %d, %a, %b {lanes = 1 : i64} : i1, T, T -> T``."""

    name = "dataflow.carry"
    d = operand_def()
    a = operand_def()
    b = operand_def()
    o = result_def()
    lanes_attr = opt_attr_def(IntegerAttr, attr_name="lanes")
    assembly_format = (
        "$d `,` $a `,` $b attr-dict `:` type($d) `,` type($a) `,` type($b) `->` type($o)"
    )

    def __init__(self, d: SSAValue, a: SSAValue, b: SSAValue, lanes: int = 1) -> None:
        attributes: dict[str, Attribute | None] = {"lanes": encode_lanes(lanes)}
        super().__init__(operands=[d, a, b], result_types=[a.type], attributes=attributes)

    @property
    def lanes(self) -> int:
        """How many entries of the loop are interleaved."""
        return decode_lanes(self.lanes_attr)

    def verify_(self) -> None:
        """Check the control's type, then that all values have one type."""
        found = self.d.type
        require(found == I1, "COMP_DATAFLOW_CARRY_CTRL_TYPE", f"a control of type {found}", "i1")
        types = (self.a.type, self.b.type, self.o.type)
        require(
            len(set(types)) == 1,
            "COMP_DATAFLOW_CARRY_TYPE_MISMATCH",
            f"a, b and o of types {types[0]}, {types[1]} and {types[2]}",
            "one type for all three",
        )


def verify_repeater(op: InvariantOp | ReplicateOp, control_code: str, type_code: str) -> None:
    """Check control and value types of an operation that repeats `a` under `d`."""
    found = op.d.type
    require(found == I1, control_code, f"a control of type {found}", "i1")
    require(
        op.a.type == op.o.type,
        type_code,
        f"a and o of types {op.a.type} and {op.o.type}",
        "one type for both",
    )


@irdl_op_definition
class InvariantOp(IRDLOperation):
    """``%o = dataflow.invariant %d, %a : i1, T -> T``."""

    name = "dataflow.invariant"
    d = operand_def()
    a = operand_def()
    o = result_def()
    assembly_format = "$d `,` $a attr-dict `:` type($d) `,` type($a) `->` type($o)"

    def __init__(self, d: SSAValue, a: SSAValue) -> None:
        super().__init__(operands=[d, a], result_types=[a.type])

    def verify_(self) -> None:
        """Check control and value types."""
        control, types = (
            "COMP_DATAFLOW_INVARIANT_CTRL_TYPE",
            "COMP_DATAFLOW_INVARIANT_TYPE_MISMATCH",
        )
        verify_repeater(self, control, types)


@irdl_op_definition
class ReplicateOp(IRDLOperation):
    """``%o = dataflow.replicate %d, %a {rotated} : i1, T -> T``.

    With `rotated` a token for each of `d`, the false too.
    """

    name = "dataflow.replicate"
    d = operand_def()
    a = operand_def()
    o = result_def()
    rotated = opt_attr_def(UnitAttr)
    assembly_format = "$d `,` $a attr-dict `:` type($d) `,` type($a) `->` type($o)"

    def __init__(self, d: SSAValue, a: SSAValue, rotated: bool = False) -> None:
        attributes: dict[str, Attribute | None] = {"rotated": UnitAttr() if rotated else None}
        super().__init__(operands=[d, a], result_types=[a.type], attributes=attributes)

    def verify_(self) -> None:
        """Check control and value types."""
        control, types = (
            "COMP_DATAFLOW_REPLICATE_CTRL_TYPE",
            "COMP_DATAFLOW_REPLICATE_TYPE_MISMATCH",
        )
        verify_repeater(self, control, types)


@irdl_op_definition
class StreamOp(GraphOperation):
    """``%idx, %cont = dataflow.stream %start, %step, %bound {step_op = "+=", cont_cond = "<"}``.

    The operands are of type index, or, beyond the specification, all of one integer type; then the
    types follow the attributes. The unit attribute `unsigned` makes the comparison, ``/=`` and
    ``>>=`` unsigned (docs/spec D8). With `rotated` the condition that comes with an index is that
    of the next: a loop that runs has one pair for each iteration.

    An operand that is an `arith.constant` is a parameter. A fourth operand, a control token, begins
    the burst together with those that are tokens.
    """

    name = "dataflow.stream"
    start = operand_def()
    step = operand_def()
    bound = operand_def()
    ctrl = opt_operand_def(NONE)
    index = result_def()
    cont = result_def(I1)
    step_op = opt_attr_def(StringAttr)
    cont_cond = opt_attr_def(StringAttr)
    unsigned = opt_attr_def(UnitAttr)
    rotated = opt_attr_def(UnitAttr)
    lanes_attr = opt_attr_def(IntegerAttr, attr_name="lanes")

    def __init__(
        self,
        start: SSAValue,
        step: SSAValue,
        bound: SSAValue,
        step_op: str = "+=",
        cont_cond: str = "<",
        unsigned: bool = False,
        rotated: bool = False,
        lanes: int = 1,
    ) -> None:
        attributes: dict[str, Attribute | None] = {
            "lanes": encode_lanes(lanes),
            "step_op": StringAttr(step_op),
            "cont_cond": StringAttr(cont_cond),
            "unsigned": UnitAttr() if unsigned else None,
            "rotated": UnitAttr() if rotated else None,
        }
        super().__init__(
            operands=[start, step, bound, []], result_types=[start.type, I1], attributes=attributes
        )

    @property
    def lanes(self) -> int:
        """How many entries of the loop are interleaved."""
        return decode_lanes(self.lanes_attr)

    def verify_(self) -> None:
        """Check operand types, then step operator and continue condition."""
        types = (self.start.type, self.step.type, self.bound.type)
        require(
            isinstance(types[0], IndexType | IntegerType)
            and all(found == types[0] for found in (*types, self.index.type)),
            "COMP_DATAFLOW_STREAM_OPERAND_TYPE",
            f"operands of types {types[0]}, {types[1]} and {types[2]}",
            "index, or one integer type, for all three",
        )
        step = self.step_op.data if self.step_op else "+="
        require(
            step in STEP_OPERATORS,
            "COMP_DATAFLOW_STREAM_INVALID_STEP_OP",
            f'step_op "{step}"',
            one_of(STEP_OPERATORS),
        )
        condition = self.cont_cond.data if self.cont_cond else "<"
        require(
            condition in CONTINUE_CONDITIONS,
            "COMP_DATAFLOW_STREAM_INVALID_CONT_COND",
            f'cont_cond "{condition}"',
            one_of(CONTINUE_CONDITIONS),
        )

    @classmethod
    def spread_types(
        cls, parser: Parser, listed: list[Attribute], inputs: int, outputs: int
    ) -> tuple[list[Attribute], list[Attribute]]:
        """The types of start, step and bound, index where none are listed."""
        if listed and len(listed) != 3:
            parser.raise_error("expected the types of start, step and bound")
        types: list[Attribute] = listed or [INDEX, INDEX, INDEX]
        return [*types, *[NONE] * (inputs - 3)], [types[0], I1]

    def listed_types(self) -> list[Attribute]:
        """The operands' types, unless they are index."""
        return [] if self.start.type == INDEX else list(self.operand_types[:3])


@irdl_op_definition
class AccumulateOp(GraphOperation):
    """``%sum = dataflow.accumulate %cond, %initial, %x {operator = "addi"} : i32``.

    `initial` and the operand are parameters where they are an `arith.constant`. With `rotated` an
    operand comes with the false of `cond` too.
    """

    name = "dataflow.accumulate"
    cond = operand_def()
    initial = operand_def()
    operand = operand_def()
    result = result_def()
    operator = opt_attr_def(StringAttr)
    rotated = opt_attr_def(UnitAttr)

    def __init__(
        self,
        cond: SSAValue,
        initial: SSAValue,
        operand: SSAValue,
        operator: str = ACCUMULATED[0],
        rotated: bool = False,
    ) -> None:
        attributes: dict[str, Attribute | None] = {
            "operator": StringAttr(operator),
            "rotated": UnitAttr() if rotated else None,
        }
        super().__init__(
            operands=[cond, initial, operand], result_types=[initial.type], attributes=attributes
        )

    def verify_(self) -> None:
        """Check types, then the operator."""
        super().verify_()
        found = self.initial.type
        is_integer = isinstance(found, IndexType | IntegerType)
        require(
            is_integer, "COMP_HANDSHAKE_TYPE", f"a total of type {found}", "an integer or index"
        )
        operator = self.operator.data if self.operator else ACCUMULATED[0]
        require(
            operator in ACCUMULATED,
            "COMP_DATAFLOW_ACCUMULATE_OPERATOR",
            f'operator "{operator}"',
            one_of(ACCUMULATED),
        )


@irdl_op_definition
class GateOp(IRDLOperation):
    """``%av, %ac = dataflow.gate %bv, %bc : T, i1 -> T, i1``."""

    name = "dataflow.gate"
    before_value = operand_def()
    before_cond = operand_def()
    after_value = result_def()
    after_cond = result_def()
    assembly_format = (
        "$before_value `,` $before_cond attr-dict `:` type($before_value) `,` type($before_cond)"
        " `->` type($after_value) `,` type($after_cond)"
    )

    def __init__(self, before_value: SSAValue, before_cond: SSAValue) -> None:
        super().__init__(operands=[before_value, before_cond], result_types=[before_value.type, I1])

    def verify_(self) -> None:
        """Check both conditions' types, then that both values have one type."""
        for found in (self.before_cond.type, self.after_cond.type):
            require(
                found == I1, "COMP_DATAFLOW_GATE_COND_TYPE", f"a condition of type {found}", "i1"
            )
        require(
            self.before_value.type == self.after_value.type,
            "COMP_DATAFLOW_GATE_TYPE_MISMATCH",
            f"values of types {self.before_value.type} and {self.after_value.type}",
            "one type for both",
        )


@irdl_op_definition
class BitOp(GraphOperation):
    """``%bit = dataflow.bit %value, %place : i32``."""

    name = "dataflow.bit"
    value = operand_def()
    place = operand_def()
    result = result_def()

    def __init__(self, value: SSAValue, place: SSAValue) -> None:
        super().__init__(operands=[value, place], result_types=[I1])


@irdl_op_definition
class BroadcastOp(SizedOperation):
    """``%0:2 = dataflow.broadcast [2] %in : T``."""

    name = "dataflow.broadcast"
    source = operand_def()
    copies = var_result_def()

    def __init__(self, source: SSAValue, count: int) -> None:
        super().__init__(operands=[source], result_types=[[source.type] * count])


OPERATIONS: list[type[Operation]] = [
    CarryOp, InvariantOp, ReplicateOp, StreamOp, AccumulateOp, GateOp, BitOp, DisambiguateOp,
    ForwardStoreOp, ForwardQueueOp, StoreQueueOp, LoadStoreQueueOp, BroadcastOp, IslandOp,
]  # fmt: skip
Dataflow = Dialect("dataflow", derive("dataflow", OPERATIONS), [TaggedType])
