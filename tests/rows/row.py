"""What a hand row is: token streams into one operator, and the streams that must come out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.netlist.netlist import Netlist
from tests.support.netlists import operator_netlist, width_of_name


@dataclass(frozen=True)
class Row:
    """One instance and its streams by port name, as unsigned bit patterns, oldest first.

    `types` says what the operator's type variables stand for. A memory starts with the words
    `before` and ends with `after`. `left` are the tokens that stay on the input channels.
    """

    operator: str
    types: Mapping[str, str]
    inputs: Mapping[str, tuple[int, ...]]
    outputs: Mapping[str, tuple[int, ...]]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    note: str = ""
    index_width: int = 64
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    errors: tuple[str, ...] = ()
    at_rest: bool = True

    @property
    def title(self) -> str:
        """A name for the row in a test report."""
        said = (str(value) for name, value in self.attributes.items() if name != "schedule")
        words = [self.operator, *self.types.values(), *said]
        return " ".join([*words, self.note] if self.note else words)

    def netlist(self, name: str = "circuit") -> Netlist:
        """The circuit of the row: one unit `dut`, each port outside under its own name."""
        return operator_netlist(
            self.operator,
            self.types,
            inputs=len(self.inputs),
            outputs=len(self.outputs),
            attributes=self.attributes,
            index_width=self.index_width,
            words=self.before,
            name=name,
        )


def row(
    operator: str,
    types: str,
    /,
    inputs: Mapping[str, Iterable[int]],
    outputs: Mapping[str, Iterable[int]],
    *,
    note: str = "",
    index_width: int = 64,
    before: Iterable[int] = (),
    after: Iterable[int] = (),
    errors: tuple[str, ...] = (),
    at_rest: bool = True,
    **attributes: AttributeValue,
) -> Row:
    """A row from `types` like ``T=i8 S=i16``; tokens may be negative and count modulo 2^width."""
    chosen = dict(word.split("=") for word in types.split())
    shape = Shape((0,) * len(inputs), (0,) * len(outputs), attributes)
    in_ports, out_ports = CATALOGUE[operator].signature.ports_of(shape)
    widths = {
        port.name: width_of_name(chosen.get(port.type, port.type), index_width)
        for port in (*in_ports, *out_ports)
    }

    def patterns(streams: Mapping[str, Iterable[int]]) -> dict[str, tuple[int, ...]]:
        return {
            name: tuple(token & ((1 << widths[name]) - 1) for token in tokens)
            for name, tokens in streams.items()
        }

    return Row(
        operator,
        chosen,
        patterns(inputs),
        patterns(outputs),
        attributes,
        note,
        index_width,
        tuple(before),
        tuple(after),
        errors,
        at_rest,
    )


def binary(
    operator: str, type_: str, *triples: tuple[int, int, int], **attributes: AttributeValue
) -> Row:
    """A row of (lhs, rhs, result)."""
    lhs, rhs, result = zip(*triples, strict=True)
    return row(operator, f"T={type_}", {"lhs": lhs, "rhs": rhs}, {"result": result}, **attributes)


def unary(operator: str, types: str, *pairs: tuple[int, int]) -> Row:
    """A row of (operand, result)."""
    operand, result = zip(*pairs, strict=True)
    return row(operator, types, {"operand": operand}, {"result": result})
