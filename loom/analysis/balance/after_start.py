"""Channels none of whose tokens is there before the start token of its activation.

A unit at rest gives nothing before it took a token of the input for which it waits there; one that
does not lead gives nothing before it took one of each input, but of those that only one side of a
condition takes. Tokens of a pure unit, a buffer or a memory's port come after those they are made
of, calls of a shared circuit after the start if all of its callers' do.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from loom.dialects.operators.rates import CLOSES, WITH, rates_of
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit


def channels_after_start(netlist: Netlist) -> set[str]:
    """The names of the channels that carry nothing before the control input of the activation."""
    controls = {p.name for p in netlist.ports if p.direction == "input" and p.width == 0}
    work = [
        channel
        for channel in netlist.channels
        if channel.source.unit == OUTSIDE and channel.source.port in controls
    ]
    found = {channel.name for channel in work}
    while work:
        channel = work.pop()
        if channel.target.unit == OUTSIDE:
            continue
        unit = netlist.unit_by_name[channel.target.unit]
        for output in outputs_after(netlist, unit, channel.target.port, found):
            if output.name not in found:
                found.add(output.name)
                work.append(output)
    return found


def outputs_after(
    netlist: Netlist, unit: Unit, port: str, found: AbstractSet[str]
) -> Iterator[Channel]:
    """The outputs of the unit that come after the first token at an input, in every burst.

    Or after those of several inputs, the others of which are in `found`.
    """
    semantics = unit.operator.semantics
    outputs = netlist.outputs_of(unit)
    rates = rates_of(unit.operator, netlist.shape_by_unit[unit.name]) or ()
    if semantics.meaning is not None or semantics.rest:
        sometimes = any(e.left.port == port and e.right.side is not None for e in rates)
        if not sometimes and (not semantics.leads or port == semantics.rest):
            yield from outputs
        return
    plain = [
        {equation.left.port, equation.right.port}
        for equation in rates
        if equation.relation not in ("<-", CLOSES, WITH)
        and equation.left.side is None
        and equation.right.side is None
    ]
    together, before = {port}, 0
    while len(together) > before:
        before = len(together)
        together |= {e.left.port for e in rates if e.relation == WITH and e.right.port in together}
        for ends in plain:
            if not together.isdisjoint(ends):
                together |= ends
    inputs = netlist.ports_of(unit)[0]
    sides = {equation.left.port for equation in rates if equation.right.side is not None}
    if port in sides <= {each.name for each in inputs} and all(
        netlist.channel_by_target[Endpoint(unit.name, name)].name in found for name in sides
    ):
        yield from outputs  # Each token of a mux comes from one of its sides.
        return
    for equation in rates:
        if equation.relation == "<-":
            others = (p.name for p in inputs if p.name != equation.right.port)
            callers = equation.parts or others
            if all(
                netlist.channel_by_target[Endpoint(unit.name, name)].name in found
                for name in callers
            ):
                together.add(equation.left.port)
    for output in outputs:
        if output.source.port in together:
            yield output
