"""How a circuit meets its neighbours: clock and reset, the error code's clear, one file or many."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.netlist.names import is_module_name

CLOCK, RESET = "clk_i", "rst_ni"
INSIDE_RESET = "not_reset"
"""The net that modules see as their reset where the circuit's own is active high."""
FLAT = "// All modules of the circuit, the top last.\n// verilator lint_off DECLFILENAME\n"
"""Above the modules of a circuit in one file; Verilator expects a file for each of them."""
RESET_BLOCK = re.compile(
    r"always_ff @\(posedge clk_i\)(?P<begin>(?: begin : \w+)?\s+)"
    r"if \(!rst_ni(?: \|\| (?P<also>[^()]*(?:\([^()]*\)[^()]*)*))?\)(?P<then> (?!begin)[^;]*;)?"
)
"""A process whose registers have a reset; `also` is what else sets them to the reset value."""
SYNCHRONOUS = re.compile(
    r"always_ff @\(posedge clk_i\)(?:(?!\b(?:endmodule|always\w*|assign|logic|localparam)\b|`)"
    r".)*?(?<!\.)\brst_ni\b(?!\()", re.DOTALL
)  # fmt: skip
"""A process that reads the reset without being sensitive to it."""


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

    @property
    def reset(self) -> str:
        """The name of the reset."""
        return self.reset_name or ("rst_i" if self.active_high else RESET)

    @property
    def inside_reset(self) -> str:
        """The net in the top that is low in reset."""
        return INSIDE_RESET if self.active_high else self.reset


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
        if word in taken or word in (INSIDE_RESET, "error_clear_i"):
            what = f"{word}, which is a port or net of {name} too"
            raise LoomError("EMIT_PORT_NAME", Place(option), what, "a name of its own")
    if boundary.clock == boundary.reset:
        what = f"{boundary.reset}, which is the clock's name too"
        raise LoomError("EMIT_PORT_NAME", Place("--reset-name"), what, "a name of its own")


def make_asynchronous(text: str, module: str) -> str:
    """The module's text with registers that are reset at once.

    Refused: a process of a template of the user's whose reset is not its first condition
    (EMIT_RESET).
    """

    def rewrite(block: re.Match[str]) -> str:
        head = f"always_ff @(posedge clk_i or negedge rst_ni){block['begin']}if (!rst_ni)"
        if block["also"] is None:
            return f"{head}{block['then'] or ''}"
        assert block["then"], f"{module}: a reset with another condition sets several registers"
        return f"{head}{block['then']}\n    else if ({block['also']}){block['then']}"

    found = RESET_BLOCK.sub(rewrite, text)
    if SYNCHRONOUS.search(found.replace(".rst_ni(rst_ni)", "")):
        what = "a process that reads rst_ni elsewhere than in its first condition"
        accepted = "if (!rst_ni) first in each process, or --reset sync"
        raise LoomError("EMIT_RESET", Place(module), what, accepted)
    return found


def apply_boundary(files: Mapping[str, str], name: str, boundary: Boundary) -> dict[str, str]:
    """The files of a circuit with asynchronous resets, and in one file, where that was chosen."""
    found = dict(files)
    sources = [path for path in found if path.endswith(".sv")]
    if boundary.asynchronous:
        for path in sources:
            module = path.rpartition("/")[2].removesuffix(".sv")
            found[path] = make_asynchronous(found[path], module)
    if boundary.flat:
        texts = [FLAT, *(found.pop(path) for path in sources)]
        found = {f"rtl/{name}.sv": "\n".join(texts), **found, f"{name}.f": f"rtl/{name}.sv\n"}
    return found
