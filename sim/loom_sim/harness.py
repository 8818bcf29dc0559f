"""The harness around the circuits of a build: traffic, memories, watches, one clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from loom.dialects.operators.island_operator import ISLAND, ports_of_island
from loom.model.tokens.endless import endless_channels
from loom.model.tokens.token_simulator import has_rest
from loom.netlist.banks import OutsideBank, banks_outside
from loom.netlist.memory_channels import channel_pins, strobe_width
from loom.netlist.netlist import OUTSIDE, Channel, Memory, Netlist
from loom_sim.jobs import Job

TEMPLATES = Path(__file__).parent / "harness"
TOP = "loom_harness"
FIXED = ("harness_noise", "harness_source", "harness_sink", "harness_memory")
"""Modules of the harness that are the same for every build."""
OF_CHANNELS = ("harness_channel", "harness_channel_memory")
"""Those of builds with memories behind channels."""
GOLDEN = 0x9E3779B97F4A7C15
"""2^64 by the golden ratio: its multiples spread over all bits."""
LEAST_QUIET = 64
"""So long without a transfer, and an activation is over [cycles]."""


@dataclass(frozen=True, slots=True)
class HarnessPort:
    """An outside channel, with room for `depth` tokens of an activation (a power of two).

    `limited`: no more tokens are taken than are wanted.
    """

    name: str
    direction: str
    width: int
    depth: int
    limited: bool

    @property
    def depth_bits(self) -> int:
        """Bits of a token's number."""
        return self.depth.bit_length() - 1

    @property
    def pieces(self) -> int:
        """Times 64 bits that cover the width."""
        return -(-self.width // 64)


@dataclass(frozen=True, slots=True)
class HarnessMemory:
    """An external memory of a circuit, or a bank of one, and the ports the circuit has for it."""

    name: str
    width: int
    depth: int
    loads: bool
    stores: bool
    file: str
    bank: OutsideBank
    latency: int = 1

    @property
    def address_width(self) -> int:
        """Bits of the address ports."""
        return self.bank.address_width

    @property
    def answers(self) -> bool:
        """Whether its ports are channels."""
        return self.bank.array.kind.answers

    @property
    def strobes(self) -> int:
        """Bits of the byte strobes."""
        return strobe_width(self.bank.word_width)

    @property
    def pins(self) -> list[str]:
        """The pins of the circuit, behind the memory's name."""
        if self.answers:
            return [pin.name for pin in channel_pins(loads=self.loads, stores=self.stores)]
        found = ["rd_en_o", "rd_addr_o", "rd_data_i"] if self.loads else []
        return found + (["wr_en_o", "wr_addr_o", "wr_data_o"] if self.stores else [])


@dataclass(frozen=True)
class HarnessJob:
    """All that the template of one job needs."""

    number: int
    top: str
    quiet: int
    ports: tuple[HarnessPort, ...]
    memories: tuple[HarnessMemory, ...]
    channels: tuple[Channel, ...]
    endless: frozenset[str] = frozenset()
    """Channels that an endless source feeds: what moves there does not keep the job going."""
    profile: bool = False
    """Whether waits and intervals of every channel are counted."""
    black_box: bool = False
    """Whether only the channels outside are watched, and what comes after the last output."""
    starts_empty: bool = False
    """Whether no token is to move before an activation begins."""
    running: tuple[str, ...] = ()
    """Of each static loop, whether it runs: then no token need move."""

    def net(self, channel: Channel) -> str:
        """What the nets of a watched channel begin with: it is inside the circuit, or outside."""
        if not self.black_box:
            return f"dut.{channel.name}"
        if channel.source.unit == OUTSIDE:
            return f"in_{channel.source.port}"
        return f"out_{channel.target.port}"

    def factor(self, index: int) -> int:
        """The odd number by which stream `index` of the job differs from the common noise."""
        return (index * GOLDEN & (1 << 64) - 1) | 1

    @property
    def slots(self) -> int:
        """Room for the channels: a power of two."""
        return int(2 ** (len(self.channels) - 1).bit_length())

    @property
    def data_width(self) -> int:
        """The widest channel [bits]."""
        return max(1, *(channel.width for channel in self.channels))

    @property
    def inputs(self) -> Mapping[str, int]:
        """Names and widths of the input ports [bits]."""
        return {port.name: port.width for port in self.ports if port.direction == "input"}

    @property
    def outputs(self) -> Mapping[str, int]:
        """Names and widths of the output ports [bits]."""
        return {port.name: port.width for port in self.ports if port.direction == "output"}

    @property
    def limited(self) -> tuple[str, ...]:
        """The outputs of which no more tokens are taken than are wanted."""
        return tuple(port.name for port in self.ports if port.limited)

    @property
    def ends(self) -> str:
        """A bit for each channel whose tokens end, the last channel's first."""
        bits = ("0" if channel.name in self.endless else "1" for channel in self.channels)
        return "".join(bits)[::-1]

    @property
    def report(self) -> str:
        """The file with the counters of the last activation."""
        return report_file(self.number)

    @property
    def profile_file(self) -> str:
        """The file with the waits and intervals of the last activation."""
        return profile_file(self.number)

    @property
    def pins(self) -> list[tuple[str, str]]:
        """Port of the circuit, net of the harness."""
        found: list[tuple[str, str]] = []
        for port in self.ports:
            here, there = ("i", "o") if port.direction == "input" else ("o", "i")
            net = f"{'in' if port.direction == 'input' else 'out'}_{port.name}"
            if port.width:
                found.append((f"{port.name}_data_{here}", f"{net}_data"))
            found.append((f"{port.name}_valid_{here}", f"{net}_valid"))
            found.append((f"{port.name}_ready_{there}", f"{net}_ready"))
        for memory in self.memories:
            name = memory.name
            found += [(f"{name}_{pin}", f"mem_{name}_{pin[:-2]}") for pin in memory.pins]
        return found


def report_file(job: int) -> str:
    """Where the harness writes the counters of job number `job`."""
    return f"report_{job}.hex"


def profile_file(job: int) -> str:
    """Where the harness writes the waits and intervals of job number `job`."""
    return f"profile_{job}.hex"


def memory_file(job: int, memory: int) -> str:
    """Where the words of external memory number `memory` of job number `job` stand."""
    return f"memory_{job}_{memory}.hex"


def harness_job(number: int, top: str, job: Job, profile: bool = False) -> HarnessJob:
    """What the harness needs to know of `job`, whose top module is called `top`."""
    netlist = job.netlist
    keeps = has_rest(netlist) and not job.black_box
    ports: list[HarnessPort] = []
    for port in netlist.ports:
        if port.direction == "input":
            most = max((len(a.inputs[port.name]) for a in job.activations), default=1)
        else:
            # Room for a few tokens too many, so that a message can show them.
            most = 3 + max((a.tokens_expected(port.name) for a in job.activations), default=1)
        depth = max(4, 1 << (most - 1).bit_length())
        limited = keeps and port.direction == "output"
        ports.append(HarnessPort(port.name, port.direction, port.width, depth, limited))
    memories = tuple(
        HarnessMemory(
            bank.name, bank.array.width, bank.words, bank.loads, bank.stores,
            memory_file(number, index), bank, stated_latency(netlist, bank.array),
        )
        for index, bank in enumerate(banks_outside(netlist))
    )  # fmt: skip
    if job.black_box:
        quiet, endless = LEAST_QUIET, frozenset[str]()
    else:
        quiet, endless = quiet_cycles(netlist), frozenset(endless_channels(netlist))
    return HarnessJob(
        number,
        top,
        quiet,
        tuple(ports),
        memories,
        job.channels,
        endless,
        profile,
        job.black_box,
        starts_empty=not has_rest(netlist) and not job.black_box,
        running=() if job.black_box else tuple(running_loops(netlist)),
    )


def running_loops(netlist: Netlist) -> Iterator[str]:
    """Of each static loop the text that says whether it runs and has not ended."""
    for unit in netlist.units:
        if unit.operator is ISLAND:
            inside = f"dut.{unit.name}_inst"
            results = range(ports_of_island(netlist.shape_by_unit[unit.name]).results)
            ends = [f"~{inside}.{port}_waits_q" for port in ("done", *(f"out{k}" for k in results))]
            yield " & ".join([f"{inside}.busy_q", *ends])


def stated_latency(netlist: Netlist, array: Memory) -> int:
    """The cycles from a request at the memory of an array to its answer, as its unit states."""
    unit = next(unit for unit in netlist.units if unit.attributes.get("memory") == array.name)
    return array.kind.stated_latency(netlist.shape_by_unit[unit.name])


def quiet_cycles(netlist: Netlist) -> int:
    """So many cycles without a transfer mean that none will come [cycles].

    A token travels unseen only inside a unit, for no more than the unit's latency.
    """
    shapes = netlist.shape_by_unit
    latencies = (unit.operator.hardware.latency_of(shapes[unit.name]) for unit in netlist.units)
    return max(LEAST_QUIET, 2 * max(latencies, default=0))


def render_harness(jobs: Sequence[HarnessJob]) -> Mapping[str, str]:
    """The harness's files: module name to SystemVerilog text."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    answers = any(memory.answers for job in jobs for memory in job.memories)
    names = FIXED + OF_CHANNELS if answers else FIXED
    files = {name: (TEMPLATES / f"{name}.sv").read_text() for name in names}
    template = environment.get_template("job.sv.j2")
    for job in jobs:
        files[f"harness_job_{job.number}"] = template.render(job=job)
    files[TOP] = environment.get_template("harness.sv.j2").render(jobs=jobs)
    return files
