"""``python -m tools.prove``: proves every unit and says how many of all are proved.

The exit status is 1 if any unit failed or holds for some cycles only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError, Place
from tools.prove.arbiter import NAME, prove_arbiter
from tools.prove.axi4_masters import PROOFS, prove_masters
from tools.prove.bus_ports import PROVED, port_name, prove_ports
from tools.prove.memory_words import MODULE as WORDS
from tools.prove.memory_words import prove_all_words
from tools.prove.prove import prove_all
from tools.prove.report import line, total, with_table
from tools.prove.units import ProofUnit, units


def main(arguments: Sequence[str] | None = None) -> int:
    """Prove the units of the command line."""
    parser = argparse.ArgumentParser(prog="tools.prove", description=__doc__)
    parser.add_argument("--only", default="", help="units whose name or operator has this in it")
    parser.add_argument("--page", type=Path, help="write the table into this page")
    chosen = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        wanted = [u for u in units() if chosen.only in f"{u.name} {u.module.operator.name}"]
        arbiter = chosen.only in NAME
        buses = any(chosen.only in port_name(bus) for bus in PROVED)
        masters = any(chosen.only in proof.name for proof in PROOFS)
        words = chosen.only in WORDS
        if not wanted and not arbiter and not buses and not masters and not words:
            raise LoomError("SIM_OPTION", Place("only"), chosen.only, "a part of a unit's name")
        if chosen.page and not whole(wanted):
            accepted = "all units of each operator: say its whole name"
            raise LoomError("SIM_OPTION", Place("page"), "a page of some units", accepted)
        verdicts = []
        for verdict in prove_all(wanted):
            verdicts.append(verdict)
            print(line(verdict), flush=True)
        parts = [prove_arbiter()] if arbiter else []
        parts += prove_ports(chosen.only)
        parts += prove_masters(chosen.only)
        parts += prove_all_words() if words else []
        for verdict in parts:
            print(line(verdict), flush=True)
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    if chosen.page:
        page = chosen.page.read_text(encoding="utf-8")
        chosen.page.write_text(with_table(page, verdicts), encoding="utf-8")
    verdicts += parts
    print(f"{total(verdicts)} in {time.monotonic() - began:.0f} s")
    return 0 if all(verdict.proved for verdict in verdicts) else 1


def whole(wanted: Sequence[ProofUnit]) -> bool:
    """Whether all units of each operator are among the wanted ones."""
    operators = {unit.module.operator.name for unit in wanted}
    return len(wanted) == sum(unit.module.operator.name in operators for unit in units())


if __name__ == "__main__":
    sys.exit(main())
