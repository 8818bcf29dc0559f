"""The buffer operation, in CIRCT's syntax and the forms of its older versions.

Source: CIRCT's handshake dialect documentation.
"""

from __future__ import annotations

from typing import Self

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnregisteredAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from loom.dialects.operators.handshake_operators import BUFFER_KINDS
from loom.dialects.ops.graph_operation import require_token, require_type
from loom.dialects.ops.problem import require

NUMBERED = BUFFER_KINDS[:2]
"""The kinds that other compilers give as a number."""


@irdl_op_definition
class BufferOp(IRDLOperation):
    """``%0 = handshake.buffer [2] seq %in {initValues = [1, 2]} : T``.

    Kinds are seq, fifo, and stage, which is LOOM's own: registers that pass ready.
    Of the initial values, which are as many as slots, the last leaves first.
    """

    name = "handshake.buffer"
    source = operand_def()
    out = result_def()
    slots = attr_def(IntegerAttr)
    kind = attr_def(StringAttr)
    initial = opt_attr_def(ArrayAttr, attr_name="initValues")

    def __init__(self, source: SSAValue, slots: int, kind: str) -> None:
        super().__init__(
            operands=[source],
            result_types=[source.type],
            attributes={"slots": IntegerAttr(slots, i32), "kind": StringAttr(kind)},
        )

    def verify_(self) -> None:
        """Check slots, kind and types."""
        require_token(self.source.type, "a buffer's input")
        require_type(self.out.type, self.source.type, "a buffer's output")
        slots, kind = self.slots.value.data, self.kind.data
        require(slots >= 1, "COMP_HANDSHAKE_BUFFER", f"a buffer of {slots} slots", "1 or more")
        require(
            kind in BUFFER_KINDS,
            "COMP_HANDSHAKE_BUFFER",
            f"a buffer of kind {kind}",
            " or ".join(BUFFER_KINDS),
        )
        if self.initial is not None:
            values = self.initial.data
            require(
                kind == "seq"
                and len(values) == slots
                and all(isinstance(value, IntegerAttr) for value in values),
                "COMP_HANDSHAKE_BUFFER",
                f"a buffer of kind {kind} and {slots} slots with {len(values)} initial values",
                "one integer for each slot of a seq buffer",
            )

    def take_buffer_type(self) -> None:
        """What the generic form calls `bufferType` is the kind: a number, or an enumerated word."""
        given = self.properties.pop("bufferType", self.attributes.pop("bufferType", None))
        if isinstance(given, IntegerAttr) and 0 <= given.value.data < len(NUMBERED):
            self.attributes["kind"] = StringAttr(NUMBERED[given.value.data])
        elif isinstance(given, UnregisteredAttr):
            self.attributes["kind"] = StringAttr(given.value.data.strip(" <>"))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``[n] kind %in attr-dict : T``; older texts say the kind as ``sequential``."""
        with parser.in_square_brackets():
            slots = parser.parse_integer(allow_negative=False)
        kind = parser.parse_optional_identifier()
        name = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        if kind is None:
            kind = kind_of(attributes.pop("sequential", None))
        given: dict[str, Attribute] = {
            "slots": IntegerAttr(slots, i32),
            "kind": StringAttr(kind),
        }
        return cls.create(
            operands=[parser.resolve_operand(name, type_)],
            result_types=[type_],
            attributes={**attributes, **given},
        )

    def print(self, printer: Printer) -> None:
        """Print ``[n] kind %in attr-dict : T``."""
        printer.print_string(f" [{self.slots.value.data}] {self.kind.data} ")
        printer.print_ssa_value(self.source)
        printer.print_op_attributes(self.attributes, reserved_attr_names={"slots", "kind"})
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)


def kind_of(sequential: Attribute | None) -> str:
    """The kind of a buffer that says whether it is sequential; fifo where it does not say."""
    true = isinstance(sequential, IntegerAttr) and bool(sequential.value.data)
    return "seq" if true else "fifo"


OPERATIONS: list[type[Operation]] = [BufferOp]
