"""Legal, unique names for units, channels and ports."""

from __future__ import annotations

import re
from collections.abc import Iterable

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

KEYWORDS = frozenset(
    """accept_on alias always always_comb always_ff always_latch and assert assign assume automatic
    before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell
    chandle checker class clocking cmos config const constraint context continue cover
    covergroup coverpoint cross deassign default defparam design disable dist do edge else
    end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endsequence
    endspecify endtable endtask enum event eventually expect export extends extern final
    first_match for force foreach forever fork forkjoin function generate genvar global
    highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir
    include initial inout input inside instance int integer interconnect interface intersect
    join join_any join_none large let liblist library local localparam logic longint
    macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
    noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge
    primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real
    realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0
    rtranif1 s_always s_eventually s_nexttime s_until s_until_with scalared sequence
    shortint shortreal showcancelled signed small soft solve specify specparam static string
    strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
    tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0
    tri1 triand trior trireg type typedef union unique unique0 unsigned until until_with
    untyped use uwire var vectored virtual void wait wait_order wand weak weak0 weak1 while
    wildcard wire with within wor xnor xor""".split()
)
"""Reserved words of IEEE 1800-2017, annex B."""
TAKEN = KEYWORDS | {"std", "randomize", "TOP"}
"""What no module may be called: besides, a package and a method of the language that every design
has, and the name that Verilator gives to what is above the top."""


def is_identifier(name: str) -> bool:
    """True if `name` can be part of an identifier, as names of channels, units and ports are."""
    return IDENTIFIER.match(name) is not None


def is_module_name(name: str) -> bool:
    """True if SystemVerilog takes `name` as the name of a module."""
    return is_identifier(name) and name not in TAKEN


def module_name(name: str) -> str:
    """`name` as that of a module: one that is taken gets an underscore behind it."""
    found = legal(name)
    return f"{found}_" if found in TAKEN else found


def legal(name: str) -> str:
    """`name` with what SystemVerilog does not take replaced; a number is an argument's."""
    found = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if found.isdigit():
        found = f"arg{found}"
    elif not found or found[0].isdigit():
        found = f"v{found}"
    return found


def port_names(arguments: Iterable[str]) -> dict[str, str]:
    """The names of the ports and outside memories of all arguments, which come in order."""
    names = Names()
    return {argument: names.new(argument) for argument in arguments}


class Names:
    """Names given so far; each request gets one that is legal and new."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def new(self, wanted: str) -> str:
        """`wanted`, made legal, with a number behind it if it is taken."""
        base = name = legal(wanted)
        while name in self._taken:
            number = self._next.get(base, 1)
            self._next[base] = number + 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name
