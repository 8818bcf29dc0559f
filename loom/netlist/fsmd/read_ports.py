"""Which read port of a bank a load takes, where a bank has several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from xdsl.dialects import memref

from loom.dialects.facts.arrays import banks_of_access, identity_of, ports_of_access
from loom.dialects.ops.staticlogic import StageOp

Port = tuple[str, int]
"""A read port: the name of its memory, and its number there."""


def port_title(port: Port) -> str:
    """What the signals of a read port begin with."""
    memory, number = port
    return f"{memory}_copy{number}" if number else memory


class ReadPorts:
    """The number of each load's port, the same one at all banks that it may go to.

    Loads of one cycle take different ports, and each port about as many loads as the others: what
    chooses its address is then small.
    """

    def __init__(self) -> None:
        self.of: dict[memref.LoadOp, int] = {}
        self.taken: Counter[tuple[object, int, int]] = Counter()

    def assign(self, stages: Sequence[StageOp], ii: int | None = None) -> None:
        """The loads of a pipeline of this II, or of stages that run once, have their ports.

        A schedule with more loads in a cycle than ports is one that its rules refuse.
        """
        slots: dict[tuple[object, int], list[memref.LoadOp]] = {}
        for stage in stages:
            cycle = stage.start if ii is None else stage.start % ii
            for load in (op for op in stage.ops if isinstance(op, memref.LoadOp)):
                slots.setdefault((identity_of(load.memref), cycle), []).append(load)
        for (array, _), loads in slots.items():
            self.assign_slot(array, loads)

    def assign_slot(self, array: object, loads: Iterable[memref.LoadOp]) -> None:
        """Those of one cycle: first the loads that may go to all banks, else none may be left."""
        busy: set[tuple[int, int]] = set()
        for load in sorted(loads, key=lambda each: -len(banks_of_access(each))):
            banks, numbers = banks_of_access(load), range(ports_of_access(load))
            free = [k for k in numbers if all((bank, k) not in busy for bank in banks)]
            number = min(
                free or numbers, key=lambda k: max(self.taken[array, bank, k] for bank in banks)
            )
            self.of[load] = number
            busy |= {(bank, number) for bank in banks}
            self.taken.update((array, bank, number) for bank in banks)
