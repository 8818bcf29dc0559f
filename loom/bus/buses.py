"""The buses that a circuit can stand behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

BUSES: Mapping[str, str] = {
    "axi4lite": "AXI4-Lite", "wishbone": "Wishbone", "avalon": "Avalon-MM", "axi4": "AXI4",
}  # fmt: skip
"""By the name in commands and modules, what each is called."""
AXIS = "axis"
"""The name of the wrapper between streams, which has no registers."""
WRAPPERS: Mapping[str, str] = {**BUSES, AXIS: "AXI4-Stream"}
"""All that `loom wrap` makes, by the name in commands and modules, and what each is called."""
REGISTER_PORTS: Mapping[str, str] = {"axi4": "axi4lite"}
"""By a bus, the other one whose port its registers have."""
MASTERED = ("axi4lite", "axi4")
"""The buses beside which arrays behind channels get AXI4 masters."""
MEMORIES: Mapping[str, str] = {"axi4": "channel,latency=16"}
"""By a bus, the memory of arguments of which nothing else is said; where it has none, a RAM."""


def port_of(bus: str) -> str:
    """The bus of the port before the registers."""
    return REGISTER_PORTS.get(bus, bus)


def memories_on(bus: str, chosen: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The choices of memories, with that of the bus for all other arguments."""
    if bus not in MEMORIES or any(name == "*" for name, _ in chosen):
        return tuple(chosen)
    return (*chosen, ("*", MEMORIES[bus]))


PORTS = tuple(dict.fromkeys(port_of(bus) for bus in BUSES))
"""The buses with a port of their own."""
