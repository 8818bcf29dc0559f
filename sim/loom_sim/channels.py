"""The memories behind channels that the harness gives a circuit: their latency and their errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loom.dialects.operators.memories import MOST_OUTSTANDING
from loom.errors import LoomError, Place
from loom.netlist.netlist import Netlist
from loom_sim.harness import stated_latency
from loom_sim.jobs import Job, SimOptions

NO_ERROR = 0


def channel_settings(netlist: Netlist, array: str, options: SimOptions) -> Mapping[str, int]:
    """Least and most latency of the array's memory [cycles], and which answer is an error.

    Empty for a memory without channels. By default it has the latency that the circuit declares.
    """
    memory = netlist.memory_by_name[array]
    if not memory.kind.answers:
        return {}
    declared = stated_latency(netlist, memory)
    least, most = options.answers.get(array, (declared, declared))
    return {"least": least, "most": most, "refuse": options.refusals.get(array, NO_ERROR)}


def check_channels(jobs: Sequence[Job], options: SimOptions) -> Iterator[LoomError]:
    """Options for memories that no circuit has behind channels, and latencies that are none."""
    memories = [memory for job in jobs for memory in job.netlist.memories_outside]
    known = dict.fromkeys(memory.name for memory in memories if memory.kind.answers)
    listed = ", ".join(known) or "none: no argument is compiled with --memory ARRAY:channel"
    for name in dict.fromkeys((*options.answers, *options.refusals)):
        if name not in known:
            accepted = f"the memories behind channels: {listed}"
            yield LoomError("SIM_OPTION", Place("--answers"), f"the memory {name!r}", accepted)
    for name, (least, most) in options.answers.items():
        if not 1 <= least <= most <= MOST_OUTSTANDING:
            what = f"answers of {name} after {least} to {most} cycles"
            accepted = f"1 to {MOST_OUTSTANDING} cycles, the least first"
            yield LoomError("SIM_OPTION", Place("--answers"), what, accepted)
