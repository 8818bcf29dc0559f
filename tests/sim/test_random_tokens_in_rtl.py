"""Random tokens: the SystemVerilog of every operator does what the token model does.

A load-store queue answers loads from its stores, so it has the traffic of a program instead.
"""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

import pytest
from loom_sim import SimOptions, cosimulate

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.ordering.comparators import ForwardQueueOp, ForwardStoreOp
from loom.dialects.ops.ordering.load_store_queue import LoadStoreQueueOp
from loom.elements import encode_elements
from loom.netlist.netlist import Channel, Endpoint, Netlist, Unit
from tests.golden.every_unit import cases, circuit, every_memory, float_cases
from tests.golden.expectation import random_tokens, token
from tests.support.deep import SIMULATION_INPUTS, UNIT_INPUTS, Deep
from tests.support.queue_traffic import traffic
from tests.support.streams_in_rtl import Streams, streams
from tests.support.timed_streams import timed

pytestmark = pytest.mark.sim

SEED = int(os.environ.get("LOOM_RANDOM_FIRST", "1"))
WIDTHS = (0, 1, 8, 33)
COUNT = 60
"""Tokens into each input [tokens]."""
WAYS = (
    SimOptions(),
    SimOptions(shy=True, seed=2),
    SimOptions(stalls=0.25, shy=False, seed=3),
    SimOptions(stalls=0.6, shy=False, seed=4),
    SimOptions(stalls=0.4, shy=True, seed=5),
)


OF_MEMORIES = (LoadStoreQueueOp.name, ForwardStoreOp.name, ForwardQueueOp.name)
"""Operators whose data are what was stored."""


def operators(width: int, seed: int) -> Streams:
    """Every operator at one width, all side by side; not those of memories, or of their data."""
    found = [case for case in cases(width) if case.operator.name not in OF_MEMORIES]
    alone = circuit(f"width_{width}", found)
    return streams(take_copies_together(alone), random_tokens(alone, COUNT, seed))


def take_copies_together(netlist: Netlist) -> Netlist:
    """The circuit with a `handshake.sync` behind each broadcast, whose copies are one reader's."""
    names = [u.name for u in netlist.units if u.operator.name == BroadcastOp.name]
    units, channels = list(netlist.units), list[Channel]()
    units += [Unit(f"{name}_sync", CATALOGUE["handshake.sync"]) for name in names]
    for each in netlist.channels:
        if each.source.unit not in names:
            channels.append(each)
            continue
        sync, port = f"{each.source.unit}_sync", each.source.port
        inner = Endpoint(sync, port.replace("out", "in"))
        channels.append(replace(each, name=f"{each.name}_copy", target=inner))
        channels.append(replace(each, source=Endpoint(sync, port)))
    return replace(netlist, units=tuple(units), channels=tuple(channels))


def floats(seed: int) -> Streams:
    """Every float operator in every format, and beside integers of 1 and 33 bits."""
    netlist = circuit("floats", list(float_cases()))
    return streams(netlist, random_tokens(netlist, COUNT, seed))


def memories(seed: int) -> Streams:
    """Memories of all kinds; no word is stored through two ports, or stored and loaded."""
    found, arrays = every_memory()
    dice = Random(seed)
    words = {
        array.name: [Random(array.name).randrange(1 << array.width) for _ in range(array.depth)]
        for array in arrays
    }
    # No word is loaded that was never set: the model and the circuit have different ones there.
    arrays = [
        replace(array, contents=encode_elements(words[array.name]))
        if not array.kind.is_outside
        else array
        for array in arrays
    ]
    netlist = circuit("memories", found, arrays)
    outside = {array.name: words[array.name] for array in arrays if array.kind.is_outside}
    return streams(netlist, memory_tokens(netlist, dice), outside)


def memory_tokens(netlist: Netlist, dice: Random) -> dict[str, list[int]]:
    """Loads below the middle of a memory, stores above it, each port its own words."""
    tokens: dict[str, list[int]] = {}
    for unit in netlist.units:
        shape = netlist.shape_by_unit[unit.name]
        depth = netlist.memory_by_name[shape.text("memory")].depth
        stores, middle = shape.integer("stores"), depth // 2
        for port, width in zip(netlist.ports_of(unit)[0], shape.inputs, strict=True):
            if port.name.startswith("st_address"):
                places = range(middle + int(port.name.removeprefix("st_address")), depth, stores)
            elif port.name.startswith("ld_address"):
                places = range(middle if stores else depth)
            else:
                tokens[f"{unit.name}_{port.name}"] = [token(width, dice) for _ in range(COUNT)]
                continue
            column = [dice.choice(places) for _ in range(COUNT)] if places else []
            tokens[f"{unit.name}_{port.name}"] = column
    return tokens


def values(seed: int) -> Streams:
    """Units that forward values, at addresses of which no two are alike: nothing is forwarded."""
    found = [case for case in cases(64) if case.operator.name in OF_MEMORIES[1:]]
    alone = circuit("values", found)
    tokens = random_tokens(alone, COUNT, seed)
    for name in tokens:
        if name.endswith("_address"):
            tokens[name] = [*range(COUNT)]
        elif name.endswith("_store"):
            tokens[name] = [*range(COUNT, 2 * COUNT)]
    return streams(alone, tokens)


def queue(seed: int) -> Streams:
    """A load-store queue before a memory."""
    made = traffic("lls,s,sl", COUNT, seed)
    return streams(made.netlist, made.tokens, {"array": made.words})


def given(group: str | int) -> Streams:
    """The units of a group, with their tokens."""
    made = {"floats": floats, "memories": memories, "queue": queue, "values": values}
    return operators(group, SEED) if isinstance(group, int) else made[group](SEED)


GROUPS = (*WIDTHS, "floats", "memories", "queue", "values")


def test_every_operator_is_in_a_group() -> None:
    made = {unit.operator.name for group in GROUPS for unit in given(group).netlist.units}
    assert made == {name for name, operator in CATALOGUE.items() if operator.hardware.template}


@pytest.mark.parametrize("group", GROUPS)
def test_random_tokens(group: str | int, deep: Deep) -> None:
    deep(*UNIT_INPUTS, *SIMULATION_INPUTS)
    one = given(group)
    for options in WAYS:
        (result,) = cosimulate([one.job()], options)
        assert list(one.differences(result)) == [], options
        if options == SimOptions():
            assert timed(one).tokens == result.runs[0].tokens
            assert timed(one).cycles == result.runs[0].cycles
