"""A netlist between free neighbours as SystemVerilog, and the script that makes gates of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from loom.emit.circuit import outside_memories
from loom.model.tokens.endless import endless_channels
from loom.netlist.netlist import Netlist
from tools.template_environment import environment

TOP = "surroundings"


def surroundings_text(netlist: Netlist) -> str:
    """The module `surroundings`, whose outputs say what happens in a cycle.

    Endless sources offer a token when all is over, too; on any other channel one is left then.
    """
    endless = endless_channels(netlist)
    text: str = (
        environment(Path(__file__).parent)
        .get_template("surroundings.sv.j2")
        .render(
            name=netlist.name,
            inputs=[port for port in netlist.ports if port.direction == "input"],
            outputs=[port for port in netlist.ports if port.direction == "output"],
            memories=[memory for memory in outside_memories(netlist) if memory.loads],
            channels=[channel.name for channel in netlist.channels],
            ending=[c.name for c in netlist.channels if c.name not in endless],
            patience=patience_of(netlist),
            pins=list(pins_of(netlist)),
            range=lambda width: f"[{width - 1}:0] " if width > 1 else "",
        )
    )
    return text


def patience_of(netlist: Netlist) -> int:
    """Cycles without a token that moves after which none will: one more than any latency."""
    latencies = [
        u.operator.hardware.latency_of(netlist.shape_by_unit[u.name]) for u in netlist.units
    ]
    return max(latencies, default=0) + 2


def pins_of(netlist: Netlist) -> Iterator[tuple[str, str]]:
    """Every port of the circuit, and the net of the surroundings at it; unread ones are open."""
    yield from (("clk_i", "clk_i"), ("rst_ni", "live_q"))
    for port in netlist.ports:
        into, out = ("i", "o") if port.direction == "input" else ("o", "i")
        if port.width:
            data = f"{port.name}_data" if port.direction == "input" else ""
            yield f"{port.name}_data_{into}", data
        yield f"{port.name}_valid_{into}", f"{port.name}_valid"
        yield f"{port.name}_ready_{out}", f"{port.name}_ready"
    for memory in outside_memories(netlist):
        if memory.loads:
            yield f"{memory.name}_rd_data_i", f"{memory.name}_rd_data"
            yield f"{memory.name}_rd_en_o", f"{memory.name}_rd_en"
            yield f"{memory.name}_rd_addr_o", ""
        wires = ["wr_en", "wr_addr", "wr_data"] * memory.stores
        yield from ((f"{memory.name}_{wire}_o", "") for wire in wires)
    yield "error_code_o", ""


def script_text(files: Iterable[str]) -> str:
    """Yosys commands that write the gates to ``gates.aag``; registers without reset start at 0."""
    return "\n".join(
        (
            f"read_slang --threads 1 --top {TOP} {' '.join(files)}",
            f"prep -flatten -top {TOP}",
            "check -assert",
            "memory_map",
            "async2sync",
            "setundef -zero -init",
            "dffunmap",
            "opt -full",
            "simplemap",
            "techmap",
            "opt -full",
            "dffunmap",
            "aigmap",
            "opt_clean",
            "write_aiger -zinit -ascii -symbols gates.aag",
            "",
        )
    )
