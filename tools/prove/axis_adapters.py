"""``python -m tools.prove.axis_adapters``: the adapters of streams are proved.

A beat for each access, none lost or changed, `tlast` with the last element.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from pathlib import Path

from loom.bus.streams import ADAPTERS, adapter_text
from tools.prove.bus_ports import SCRIPT
from tools.prove.prove import decide
from tools.prove.report import line
from tools.prove.text import FOLDER
from tools.prove.verdict import Verdict
from tools.template_environment import environment


def prove_adapter(module: str, text: str = "") -> Verdict:
    """The verdict on an adapter, or on another text of it.

    Refused: SIM_NO_PROVER if a tool of the `formal` extra is missing.
    """
    began = time.monotonic()
    properties = environment(FOLDER).get_template(f"{module.removeprefix('loom_')}.sv.j2")
    proof = properties.render()
    with tempfile.TemporaryDirectory(prefix="loom-prove-") as name:
        folder = Path(name)
        (folder / "port.sv").write_text(text or adapter_text(module), encoding="utf-8")
        (folder / "proof.sv").write_text(proof, encoding="utf-8")
        (folder / "proof.ys").write_text(SCRIPT, encoding="utf-8")
        outcome, depth, reasons = decide(folder)
    return Verdict(
        module, module, outcome, depth,
        len(re.findall(r"\bassert \(", proof)), len(re.findall(r"\bcover \(", proof)),
        reasons, time.monotonic() - began,
    )  # fmt: skip


def main() -> int:
    """A line for each adapter; 1 if one is not proved."""
    verdicts = [prove_adapter(module) for module in ADAPTERS]
    for verdict in verdicts:
        print(line(verdict))
    return 0 if all(verdict.proved for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
