"""The flows that a circuit can be packaged for, and the files of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loom.bus.buses import WRAPPERS


@dataclass(frozen=True)
class Flow:
    """What a flow is called, and its own files: path, in which NAME is the top's, and template."""

    title: str
    files: Mapping[str, str]
    replays: bool = False
    """It runs activations, which stand in ``vectors.json``, by the files of `TESTBENCH`."""

    buses: tuple[str, ...] = tuple(WRAPPERS)
    """It takes a circuit behind these."""


FLOWS: Mapping[str, Flow] = {
    "fusesoc": Flow("FuseSoC", {"NAME.core": "fusesoc.core"}, replays=True),
    "yosys": Flow("Yosys", {"NAME.ys": "yosys.ys"}),
    "cocotb": Flow("cocotb and Verilator", {}, replays=True, buses=()),
    "quartus": Flow("Quartus", {"NAME.qip": "quartus.qip", "NAME_hw.tcl": "quartus_hw.tcl"}),
    "vivado": Flow("Vivado", {"NAME_ip.tcl": "vivado_ip.tcl", "rtl/NAME_ip.v": "vivado_ip.v"}),
    "ipxact": Flow("IP-XACT 2014", {"NAME.xml": "ipxact.xml"}),
    "litex": Flow("LiteX", {"NAME_litex.py": "litex.py"}, buses=("axi4lite",)),
}
"""By the name in commands."""
TESTBENCH: Mapping[str, str] = {"run.py": "cocotb_run.py", "test_NAME.py": "cocotb_test.py"}
"""Files of a package that replays."""
COMMON: Mapping[str, str] = {"NAME_instance.sv": "instance.sv", "NAME_root.f": "root.f"}
"""Files of every package."""
CONSTRAINTS: Mapping[str, str] = {"NAME.sdc": "clock.sdc", "NAME.xdc": "clock.xdc"}
"""Files of every package of a circuit with a clock period."""
