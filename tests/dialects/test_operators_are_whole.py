"""Every operator has all its parts; each part that one lacks is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.analysis.timing.unit_costs import table
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Hardware, Operator, Semantics
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from loom.netlist.netlist import Netlist
from tests.dialects.parts import Parts, all_parts
from tests.support.netlists import operator_netlist
from tests.support.refusals import refusal
from tools.prove import prove_unit
from tools.prove.units import units_of

PARTS = all_parts(table().entries)
GATE = CATALOGUE["dataflow.gate"]


def test_no_part_of_any_operator_is_missing() -> None:
    assert PARTS.missing() == []


def with_row(operator: Operator) -> Parts:
    """The parts, with another row for the gate."""
    return replace(PARTS, catalogue={**CATALOGUE, GATE.name: operator})


def without(part: str, name: str) -> Parts:
    """The parts, one collection without a name."""
    return replace(PARTS, **{part: set(getattr(PARTS, part)) - {name}})


def undocumented(*_: object) -> object:
    raise AssertionError


FAULTS: dict[str, tuple[Parts, list[str]]] = {
    "row": (
        replace(PARTS, catalogue={n: row for n, row in CATALOGUE.items() if n != GATE.name}),
        ["dataflow.gate: no row", "primitives/gate: no operator"],
    ),
    "operation": (without("operations", GATE.name), ["dataflow.gate: no operation"]),
    "test row": (without("test_rows", GATE.name), ["dataflow.gate: no test row"]),
    "summary": (with_row(replace(GATE, summary="")), ["dataflow.gate: no summary"]),
    "semantics": (with_row(replace(GATE, semantics=Semantics())), ["dataflow.gate: no semantics"]),
    "docstring": (
        with_row(replace(GATE, semantics=Semantics(process=undocumented))),  # type: ignore[arg-type]
        ["dataflow.gate: no docstring"],
    ),
    "hardware": (
        with_row(replace(GATE, hardware=Hardware())),
        [
            "dataflow.gate: no template",
            "dataflow.gate: no timed node",
            "primitives/gate: no operator",
        ],
    ),
    "template": (
        without("templates", "primitives/gate"),
        ["dataflow.gate: no template primitives/gate"],
    ),
    "proof": (
        replace(
            with_row(replace(GATE, hardware=Hardware("primitives/latch"))),
            templates=[*PARTS.templates, "primitives/latch"],
            timed_nodes=[*PARTS.timed_nodes, "primitives/latch"],
        ),
        ["dataflow.gate: no proof of primitives/latch", "primitives/gate: no operator"],
    ),
    "timed node": (without("timed_nodes", "primitives/gate"), ["dataflow.gate: no timed node"]),
    "cost": (without("costs", GATE.name), ["dataflow.gate: no cost"]),
    "operator": (
        replace(PARTS, templates=[*PARTS.templates, "primitives/orphan"]),
        ["primitives/orphan: no operator"],
    ),
}
"""A part that is taken away, and what is then said."""


@pytest.mark.parametrize("part", FAULTS)
def test_a_missing_part_is_named(part: str) -> None:
    parts, expected = FAULTS[part]
    assert parts.missing() == expected


def circuit_of(operator: Operator) -> Netlist:
    """A circuit of one gate, whose row is `operator`."""
    netlist = operator_netlist(GATE.name, {"T": "i8"}, inputs=2, outputs=2)
    return replace(netlist, units=tuple(replace(u, operator=operator) for u in netlist.units))


LATCH = replace(GATE, hardware=Hardware("primitives/latch"))


def test_a_unit_without_timed_node_is_refused_at_its_place() -> None:
    given = [Activation({"before_value": 1, "before_cond": 0})]
    run_timed(circuit_of(GATE), given)
    assert refusal(run_timed, circuit_of(LATCH), given) == (
        "dut: error[MODEL_NO_TIMED_NODE]: found dataflow.gate, whose cycles are not known; LOOM "
        "accepts operators with a node for the template primitives/latch in loom/model/timed"
    )


def test_a_unit_without_properties_is_not_proved() -> None:
    unit = next(iter(units_of(GATE)))
    verdict = prove_unit(replace(unit, module=replace(unit.module, operator=LATCH)))
    assert (verdict.outcome, verdict.reasons) == (
        "failed",
        ("no properties of primitives/latch in tools/prove",),
    )
