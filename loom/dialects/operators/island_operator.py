"""Row and meaning of a static loop in a dynamic circuit: one unit that runs a schedule.

It takes what the loop reads, runs from its start to its end without a handshake inside, and gives
what the loop gives. Each array of the loop has a load port and a store port of its own at the
memory that serves it; while the unit runs no other access of these memories does, so that a RAM
accepts each request in its cycle and answers it after its latency. An array behind channels does so
in any cycle: the unit waits for it as a static function does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from loom.dialects.operators.memories import DONE_LATENCY
from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Port,
    Queue,
    Semantics,
    Shape,
    Signature,
    Token,
    parse_ports,
)

OUT_OF_RANGE = "RT_MEMORY_ADDRESS_OUT_OF_RANGE"
ANSWERS = ("ld_data", "st_done")
"""What the ports begin with at which memories answer."""
AROUND = 2
"""Beside the schedule: its results are in registers, and the next start comes when they are taken
[cycles]."""


class IslandPorts(NamedTuple):
    """How many ports a unit has; of loads and stores there is one an array."""

    values: int
    results: int
    latencies: tuple[int, ...]
    """Of each load port [cycles]."""
    stores: int
    index_width: int
    cycles: int
    """What the schedule takes, as far as trip counts are known [cycles]."""
    channels: tuple[tuple[str, int], ...] = ()
    """The ports to arrays behind channels, as ``ld0`` and ``st1``, and when the answer to a request
    is due [cycles]."""

    def __str__(self) -> str:
        loads = ",".join(map(str, self.latencies))
        text = (
            f"in={self.values} out={self.results} loads={loads} stores={self.stores} "
            f"index={self.index_width} cycles={self.cycles}"
        )
        listed = ",".join(f"{name}:{latency}" for name, latency in self.channels)
        return f"{text} channels={listed}" if listed else text

    @property
    def accesses(self) -> tuple[str, ...]:
        """The load ports and the store ports, in the order of their answers."""
        loads = (f"ld{k}" for k in range(len(self.latencies)))
        return (*loads, *(f"st{k}" for k in range(self.stores)))

    @property
    def answer_latencies(self) -> tuple[int, ...]:
        """From a request to its answer, of each load port and each store port [cycles]."""
        waiting, stores = dict(self.channels), self.accesses[len(self.latencies) :]
        return (*self.latencies, *(waiting.get(name, DONE_LATENCY) for name in stores))

    @property
    def are_known(self) -> bool:
        """Whether what is said of ports behind channels is of ports that there are."""
        latencies = dict(zip(self.accesses, self.answer_latencies, strict=True))
        return all(latencies.get(name) == latency > 1 for name, latency in self.channels)


def ports_in(text: str) -> IslandPorts | None:
    """The ports that a text says, as it is printed; None for another text."""
    try:
        said = dict(word.split("=") for word in text.split())
        latencies = tuple(int(each) for each in said["loads"].split(",") if each)
        names = ("in", "out", "stores", "index", "cycles")
        values, results, stores, width, cycles = (int(said[name]) for name in names)
        pairs = (each.split(":") for each in said.get("channels", "").split(",") if each)
        channels = tuple((name, int(latency)) for name, latency in pairs)
        found = IslandPorts(values, results, latencies, stores, width, cycles, channels)
    except (KeyError, ValueError):
        return None
    return found if str(found) == text and found.are_known else None


def ports_of_island(shape: Shape) -> IslandPorts:
    """The ports of an instance; none of one that does not say them."""
    return ports_in(str(shape.attributes.get("ports"))) or IslandPorts(0, 0, (), 0, 1, 0)


def island_ports(shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """A control token and values go in, loads and stores are answered, the results come out."""
    found = ports_of_island(shape)
    loads, stores = range(len(found.latencies)), range(found.stores)
    inputs = [Port("ctrl", "none"), *(Port(f"in{k}", f"T{k}") for k in range(found.values))]
    inputs += [Port(f"ld_data{k}", f"L{k}") for k in loads]
    inputs += [Port(f"st_done{k}", "none") for k in stores]
    outputs = [Port("done", "none"), *(Port(f"out{k}", f"R{k}") for k in range(found.results))]
    outputs += [Port(f"ld_address{k}", f"A{k}") for k in loads]
    for k in stores:
        outputs += [Port(f"st_data{k}", f"S{k}"), Port(f"st_address{k}", f"B{k}")]
    return tuple(inputs), tuple(outputs)


def island(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Run the schedule once for a token on every input; each access is served in its cycle."""
    found = ports_of_island(shape)
    loads, first = len(found.latencies), 1 + found.values
    given, data, dones = inputs[:first], inputs[first : first + loads], inputs[first + loads :]
    last = 1 + found.results
    results, addresses = outputs[:last], outputs[last : last + loads]
    stored = outputs[last + loads :]
    machine = env.machine
    while True:
        for queue in given:
            while not queue:
                yield queue
        machine.begin([queue.popleft() for queue in given][1:])
        ended = False
        while not ended:
            loaded, stores = machine.requests()
            words: list[tuple[int, Token]] = []
            for port, address, _ in loaded:
                addresses[port].append(address)
                while not data[port]:
                    yield data[port]
                words.append((port, data[port].popleft()))
            for port, address, datum in stores:
                stored[2 * port].append(datum)
                stored[2 * port + 1].append(address)
                while not dones[port]:
                    yield dones[port]
                dones[port].popleft()
            if machine.is_outside:
                env.report(OUT_OF_RANGE)
            tokens = machine.results
            ended = machine.advance(words)
        for queue, token in zip(results, (0, *tokens), strict=True):
            queue.append(token)


def island_misfit(shape: Shape) -> tuple[str, str] | None:
    """A text of ports that is none."""
    text = str(shape.attributes.get("ports"))
    if ports_in(text) is None:
        return f"ports = {text!r}", "ports like 'in=2 out=1 loads=1,1 stores=1 index=32 cycles=9'"
    return None


def island_rates(shape: Shape) -> str:
    """Values and results once for each control token; an answer for each request."""
    found = ports_of_island(shape)
    rates = ["done = ctrl", *(f"in{k} = ctrl" for k in range(found.values))]
    rates += [f"out{k} = ctrl" for k in range(found.results)]
    rates += [f"ld_address{k} <- ld_data{k}" for k in range(len(found.latencies))]
    for k in range(found.stores):
        rates += [f"st_address{k} <- st_done{k}", f"st_data{k} = st_address{k}"]
    return "; ".join(rates)


ISLAND = Operator(
    "dataflow.island",
    "Runs its schedule, that of a loop, for a token on each input; then done and results leave.",
    Signature(
        *parse_ports(
            "ctrl:none in*:T* ld_data*:L* st_done*:none -> "
            "done:none out*:R* ld_address*:A* st_data*:S* st_address*:B*"
        ),
        attributes=("title", "ports", "schedule"),
        defaults={"title": "island", "ports": "", "schedule": ""},
        arrange=island_ports,
        misfit=island_misfit,
    ),
    Semantics(process=island, rates=island_rates, rest="ctrl", error=OUT_OF_RANGE),
    Hardware(
        "static/machine",
        latency=lambda shape: ports_of_island(shape).cycles + AROUND,
        interval=lambda shape: ports_of_island(shape).cycles + AROUND,
        cuts_ready=True,  # behind channels it passes ready of a memory, which cuts it
        variant=lambda shape: shape.text("title"),
    ),
)
