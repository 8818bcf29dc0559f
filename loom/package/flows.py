"""The flows that a circuit can be packaged for, and the files of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Flow:
    """What a flow is called, and its own files: path, in which NAME is the top's, and template."""

    title: str
    files: Mapping[str, str]
    replays: bool = False
    """It runs activations, which stand in ``vectors.json``."""


FLOWS: Mapping[str, Flow] = {
    "fusesoc": Flow("FuseSoC", {"NAME.core": "fusesoc.core"}),
    "yosys": Flow("Yosys", {"NAME.ys": "yosys.ys"}),
    "cocotb": Flow(
        "cocotb and Verilator", {"run.py": "cocotb_run.py", "test_NAME.py": "cocotb_test.py"}, True
    ),
}
"""By the name in commands."""
COMMON: Mapping[str, str] = {"NAME_instance.sv": "instance.sv", "NAME_root.f": "root.f"}
"""Files of every package."""
CONSTRAINTS: Mapping[str, str] = {"NAME.sdc": "clock.sdc", "NAME.xdc": "clock.xdc"}
"""Files of every package of a circuit with a clock period."""
