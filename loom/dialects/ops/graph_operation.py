"""Operations of a graph whose syntax and types follow from the ports of their operator's row.

Source: CIRCT's handshake dialect documentation, whose syntax this is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    NoneType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Operator, Port, Signature, members_of, number
from loom.dialects.ops.exact_printing import print_attributes
from loom.dialects.ops.problem import require
from loom.dialects.ops.types import is_token_type

I1 = IntegerType(1)
NONE = NoneType()
FIXED: dict[str, Attribute] = {"i1": I1, "none": NONE, "index": IndexType()}
"""Types of ports that are no type variables."""
NUMBER = "S"
"""The type variable of what counts inputs."""
MOST_COPIES = 1 << 20
"""Outputs of the widest fork."""


class GraphOperation(IRDLOperation):
    """``%r = dialect.name %a, %b attr-dict : types``.

    The types are those of the row's type variables, in the order of their first ports; only an
    index may be left out. An operation without row has its `SIGNATURE`.
    """

    SIGNATURE: ClassVar[Signature | None] = None

    @classmethod
    def signature(cls) -> Signature:
        """The signature of the operation's row."""
        return cls.SIGNATURE or CATALOGUE[cls.name].signature

    @classmethod
    def parse_operands(cls, parser: Parser) -> tuple[list[UnresolvedOperand], int]:
        """The operands, and the number of results."""
        declared = cls.signature()
        operands = parse_values(parser, parser.Delimiter.NONE) if declared.inputs else []
        members = members_of(declared.inputs, len(operands))
        families = sum(port.many for port in declared.inputs)
        if families > 1 and len(operands) != len(declared.inputs) + families * (members - 1):
            parser.raise_error(f"{len(operands)} operands where each family has as many members")
        copies = any(port.many for port in declared.outputs)
        return operands, len(declared.outputs) - 1 + members if copies else len(declared.outputs)

    def print_operands(self, printer: Printer) -> None:
        """The operands, as `parse_operands` takes them."""
        if self.operands:
            printer.print_string(" ")
            print_values(printer, self.operands)

    @classmethod
    def spread_types(
        cls, parser: Parser, listed: list[Attribute], inputs: int, outputs: int
    ) -> tuple[list[Attribute], list[Attribute]]:
        """The types of so many operands and results, from those that the text lists."""
        in_ports, out_ports = numbered_ports(cls.signature(), inputs, outputs)
        names = list(type_variables((*in_ports, *out_ports)))
        if len(listed) == len(names) - 1 and names[-1] == NUMBER:
            listed = [*listed, IndexType()]
        if names and len(listed) != len(names):
            parser.raise_error(f"{len(listed)} types where {len(names)} are expected")
        known = {**FIXED, **dict(zip(names, listed, strict=False))}
        return [known[port.type] for port in in_ports], [known[port.type] for port in out_ports]

    def listed_types(self) -> list[Attribute]:
        """The types that the text lists."""
        return list(type_variables(self.typed_ports()).values())

    def typed_ports(self) -> Iterator[tuple[Port, Attribute]]:
        """Each port with the type of its value."""
        sides = numbered_ports(self.signature(), len(self.operands), len(self.results))
        types = (*self.operand_types, *self.result_types)
        return zip((*sides[0], *sides[1]), types, strict=True)

    def verify_(self) -> None:
        """Refuse families without member, types that differ, and those that no channel carries."""
        verify_arity(self)
        known: dict[str, tuple[str, Attribute]] = {}
        for port, type_ in self.typed_ports():
            what = f"port {port.name}"
            if port.type in FIXED:
                require_type(type_, FIXED[port.type], what)
                continue
            first, expected = known.setdefault(port.type, (port.name, type_))
            if first != port.name:
                require_type(type_, expected, what)
            elif port.type == NUMBER:
                is_number = isinstance(type_, IntegerType | IndexType)
                found = f"{what} of type {type_}"
                require(is_number, "COMP_HANDSHAKE_TYPE", found, "an integer type or index")
            else:
                require_token(type_, what)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse operands, attributes and types."""
        operands, results = cls.parse_operands(parser)
        attributes = parser.parse_optional_attr_dict()
        listed: list[Attribute] = []
        if parser.parse_optional_punctuation(":"):
            listed = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        types, result_types = cls.spread_types(parser, listed, len(operands), results)
        return cls.create(
            operands=parser.resolve_operands(operands, types, parser.pos),
            result_types=result_types,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print operands, attributes and types."""
        self.print_operands(printer)
        print_attributes(printer, self.attributes)
        listed = self.listed_types()
        if listed:
            printer.print_string(" : ")
            printer.print_list(listed, printer.print_attribute)


class SizedOperation(GraphOperation):
    """``%r:n = dialect.name [n] %a attr-dict : T``: its results are as many as the text says."""

    @classmethod
    def parse_operands(cls, parser: Parser) -> tuple[list[UnresolvedOperand], int]:
        """The number of results in brackets, and the operand."""
        with parser.in_square_brackets():
            count = parser.parse_integer(allow_negative=False)
        if count > MOST_COPIES:
            parser.raise_error(f"a fork of {count} outputs")
        return [parser.parse_unresolved_operand()], count

    def print_operands(self, printer: Printer) -> None:
        """The number of results in brackets, and the operand."""
        printer.print_string(f" [{len(self.results)}]")
        super().print_operands(printer)


def parse_values(parser: Parser, delimiter: Parser.Delimiter) -> list[UnresolvedOperand]:
    """The operand names of a comma-separated list."""
    return parser.parse_comma_separated_list(delimiter, parser.parse_unresolved_operand)


def print_values(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print operand names with commas between them."""
    printer.print_list(values, printer.print_ssa_value)


def numbered_ports(
    signature: Signature, inputs: int, outputs: int
) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The ports of an operation with so many operands and results."""
    return number(signature.inputs, inputs), number(signature.outputs, outputs)


def type_variables(typed: Iterable[Any]) -> dict[str, Any]:
    """By type variable of these ports the first one's type, if each comes with its type."""
    found: dict[str, Any] = {}
    for each in typed:
        port, type_ = each if isinstance(each, tuple) else (each, None)
        if port.type not in FIXED:
            found.setdefault(port.type, type_)
    return found


def verify_arity(op: GraphOperation) -> None:
    """Refuse an operation with a numbered family of ports that has no member."""
    signature, word = op.signature(), op.name.rpartition(".")[2]
    for side, values, what in (
        (signature.inputs, op.operands, "inputs"),
        (signature.outputs, op.results, "outputs"),
    ):
        if any(port.many for port in side):
            found = f"a {word} of no {what}"
            require(len(values) >= len(side), "COMP_HANDSHAKE_ARITY", found, "1 or more")


def require_type(found: Attribute, wanted: Attribute, what: str) -> None:
    """Return if `what` has the wanted type."""
    require(found == wanted, "COMP_HANDSHAKE_TYPE", f"{what} of type {found}", str(wanted))


def require_token(found: Attribute, what: str) -> None:
    """Return if a channel can carry `what`."""
    require(
        is_token_type(found),
        "COMP_HANDSHAKE_TYPE",
        f"{what} of type {found}",
        "an integer, index, float, tagged, tuple or none type",
    )


def derive(dialect: str, written: Sequence[type[Operation]]) -> list[type[Operation]]:
    """The operations `written`, and one for each row of the dialect that has none among them."""
    names = {operation.name for operation in written}
    rows = [row for name, row in CATALOGUE.items() if name.partition(".")[0] == dialect]
    return [*written, *(operation_of(row) for row in rows if row.name not in names)]


def operation_of(operator: Operator) -> type[GraphOperation]:
    """The class of an operation, as the row's signature says."""
    signature = operator.signature
    members: dict[str, Any] = {"name": operator.name, "__doc__": operator.summary}
    for port in signature.inputs:
        members[port.name] = var_operand_def() if port.many else operand_def()
    for port in signature.outputs:
        members[port.name] = var_result_def() if port.many else result_def()
    for name in signature.attributes:
        kind = attribute_class(signature, name)
        members[name] = opt_attr_def(kind) if name in signature.defaults else attr_def(kind)
    sized = any(port.many and not port.type.endswith("*") for port in signature.outputs)
    title = "".join(part.capitalize() for part in operator.name.partition(".")[2].split("_"))
    bases = (SizedOperation if sized else GraphOperation,)
    return irdl_op_definition(type(f"{title}Op", bases, members))


def attribute_class(signature: Signature, name: str) -> type[Attribute]:
    """What an attribute is written as: a word, a flag or a number."""
    if name in signature.choices:
        return StringAttr
    return UnitAttr if isinstance(signature.defaults.get(name), bool) else IntegerAttr
