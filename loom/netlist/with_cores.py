"""A netlist whose units are computed by cores of the user's, where there are some."""

from __future__ import annotations

from dataclasses import replace

from loom.dialects.operators.cores import Cores, computed_by
from loom.netlist.netlist import Netlist, Unit


def with_cores(netlist: Netlist, cores: Cores) -> Netlist:
    """The netlist itself, or one whose units say which core computes them."""
    if not cores:
        return netlist
    shapes = netlist.shape_by_unit

    def served(unit: Unit) -> Unit:
        return replace(unit, operator=computed_by(unit.operator, shapes[unit.name], cores))

    return replace(netlist, units=tuple(map(served, netlist.units)))
