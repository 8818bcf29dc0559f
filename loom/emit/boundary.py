"""How a circuit meets its neighbours: clock and reset, the error code's clear, one file or many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from loom.emit.processes import Process, rewrite_processes, split_reset
from loom.emit.verilog_2005 import to_verilog_2005
from loom.errors import LoomError, Place
from loom.netlist.names import is_module_name

CLOCK, RESET = "clk_i", "rst_ni"
INSIDE_RESET = "not_reset"
"""The net that modules see as their reset where the circuit's own is active high."""
FLAT = "// All modules of the circuit, the top last.\n"
"""Above the modules of a circuit in one file."""
ENABLE = "clk_en_i"
"""The clock enable."""
MEMORIES = re.compile(r"loom_(?:ext|chan)?memory_")
"""The names of the modules of memories."""
GATED = re.compile(r"^(  assign (?:wr_en|wr_en_o|valid_o) = [^;]*?) & rst_ni\b", re.MULTILINE)
"""Where a memory is asked for nothing in reset, for registers may not be reset yet."""


@dataclass(frozen=True)
class Boundary:
    """The choices of the user about the circuit's edge; the defaults are those of `loom compile`.

    They change ports and processes, never cycles: a netlist has none of them.
    """

    asynchronous: bool = False
    """Registers are reset at once, without a clock edge."""

    active_high: bool = False
    """The reset is active high."""

    clock: str = CLOCK
    """The name of the clock."""

    reset_name: str | None = None
    """The name of the reset; None: ``rst_ni``, or ``rst_i`` if it is active high."""

    error_clear: bool = False
    """An input ``error_clear_i`` sets the error code back to 0."""

    flat: bool = False
    """All modules stand in one file."""

    clock_enable: bool = False
    """An input ``clk_en_i`` holds all registers while it is low."""

    verilog_2005: bool = False
    """The modules are Verilog-2005, without assertions."""

    @property
    def reset(self) -> str:
        """The name of the reset."""
        return self.reset_name or ("rst_i" if self.active_high else RESET)

    @property
    def inside_reset(self) -> str:
        """The net in the top that is low in reset."""
        return INSIDE_RESET if self.active_high else self.reset

    @property
    def changes_processes(self) -> bool:
        """Whether registers are not those of the templates."""
        return self.asynchronous or self.clock_enable


DEFAULT_BOUNDARY = Boundary()


def check_names(boundary: Boundary, name: str, top: str) -> None:
    """Return if clock and reset can be called so in the circuit `name`, whose text is `top`.

    Refused: EMIT_PORT_NAME. `top` has the default boundary.
    """
    taken = set(re.findall(r"\w+", re.sub(r"//.*", "", top))) - {CLOCK, RESET}
    own = {"--clock-name": boundary.clock, "--reset-name": boundary.reset}
    for option, word in own.items():
        if not is_module_name(word):
            accepted = "SystemVerilog identifiers that are no keywords"
            raise LoomError("EMIT_PORT_NAME", Place(option), repr(word), accepted)
        if word in taken or word in (INSIDE_RESET, "error_clear_i", ENABLE, "awake_q"):
            what = f"{word}, which is a port or net of {name} too"
            raise LoomError("EMIT_PORT_NAME", Place(option), what, "a name of its own")
    if boundary.clock == boundary.reset:
        what = f"{boundary.reset}, which is the clock's name too"
        raise LoomError("EMIT_PORT_NAME", Place("--reset-name"), what, "a name of its own")


def change_registers(
    text: str, module: str, edge: Boundary, *, top: bool = False, enable: str = ENABLE
) -> str:
    """The module's text with the registers that the boundary asks for; `top`: it is the circuit.

    `enable` is the name of the clock enable.

    Assertions that read the reset are sensitive to it too, for a net that is read both ways is no
    good style (Verilator's SYNCASYNCNET). Refused, in a template of the user's: a process whose
    reset is not its first condition (EMIT_RESET), and a clock that gets no enable
    (EMIT_CLOCK_ENABLE).
    """
    clock, reset = (edge.clock, edge.inside_reset) if top else (CLOCK, RESET)

    def change(process: Process) -> Process:
        if not any(re.search(rf"\b{reset}\b", each) for each in process.statements):
            return process.under(enable) if edge.clock_enable else process
        split = None if process.checks else split_reset(process, reset)
        if edge.asynchronous:
            process = replace(process, edges=f"{process.edges} or negedge {reset}")
            if split is None and not process.checks:
                what = f"a process that reads {reset} elsewhere than in its first condition"
                accepted = f"if (!{reset}) first in each process, or --reset sync"
                raise LoomError("EMIT_RESET", Place(module), what, accepted)
        if split is not None:
            statement = split.statement(enable if edge.clock_enable else "", process.indent)
            return replace(process, statements=(statement,))
        return process.under(f"{enable} || !{reset}") if edge.clock_enable else process

    text = rewrite_processes(text, change)
    if edge.asynchronous and MEMORIES.match(module):
        text = GATED.sub(r"\1", text)
    if edge.clock_enable:
        port, pin = rf"^  input logic {clock},$", rf"^( *)\.clk_i\({clock}\),$"
        text = re.sub(port, rf"\g<0>\n  input logic {enable},", text, flags=re.MULTILINE)
        text = re.sub(pin, rf"\g<0>\n\1.{enable}({enable}),", text, flags=re.MULTILINE)
        known = (
            rf"//[^\n]*|^  input logic {clock},$|\.clk_i\({clock}\)"
            rf"|@\(posedge {clock}(?: or negedge {reset})?\)"
        )
        left = re.sub(known, "", text, flags=re.MULTILINE)
        if re.search(rf"\b{clock}\b|edge\b", left):
            accepted = f"processes at posedge {clock} and instances with .clk_i({clock})"
            what = f"{clock} in another place than a process at its rising edge or an instance"
            raise LoomError("EMIT_CLOCK_ENABLE", Place(module), what, accepted)
    return text


def apply_boundary(files: Mapping[str, str], name: str, boundary: Boundary) -> dict[str, str]:
    """The files of a circuit with other registers, and in one file, where that was chosen."""
    found = dict(files)
    sources = [path for path in found if path.endswith(".sv")]
    if boundary.changes_processes:
        for path in sources:
            module = path.rpartition("/")[2].removesuffix(".sv")
            found[path] = change_registers(found[path], module, boundary, top=module == name)
    if boundary.verilog_2005:
        found = in_verilog_2005(found, name)
        sources = [re.sub(r"\.sv$", ".v", path) for path in sources]
    if boundary.flat:
        texts = [FLAT, *(found.pop(path) for path in sources)]
        one = f"rtl/{name}.v" if boundary.verilog_2005 else f"rtl/{name}.sv"
        found = {one: "\n".join(texts), **found, f"{name}.f": f"{one}\n"}
    return found


def in_verilog_2005(files: Mapping[str, str], name: str) -> dict[str, str]:
    """The files of a circuit, or of a wrapper, whose list is `name`.f, with other modules."""
    found = {
        re.sub(r"\.sv$", ".v", path): to_verilog_2005(text, path) if path.endswith(".sv") else text
        for path, text in files.items()
    }
    return {**found, f"{name}.f": found[f"{name}.f"].replace(".sv\n", ".v\n")}
