"""Loads and stores through a load-store queue give what a program in order gives."""

from __future__ import annotations

from random import Random

import pytest

from loom.errors import LoomError
from loom.model.timed import circuit
from loom.model.timed.circuit import NODES, Entry, Exit
from loom.model.timed.load_store_queue import LoadStoreQueue, Store
from loom.model.timed.simulate import TimedRun, TimedSimulation
from loom.model.timed.wire import Instance, Node
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.checks import problems
from tests.support.queue_traffic import CASES, Traffic, traffic

LATE = Random(1)


class Late(Entry):
    """An input whose tokens come late now and then."""

    comes = False

    def offer(self) -> None:
        """The next token, if it has come."""
        self.comes |= LATE.random() < 0.3
        there = self.sent < len(self.tokens) and self.comes
        self.outputs[0].offer(there, self.tokens[self.sent] if there else 0)

    def step(self) -> bool:
        """One further; while there are tokens, one may come in the next cycle."""
        moves = super().step()
        self.comes &= not moves
        self.pending = self.sent < len(self.tokens)
        return moves or self.pending


class Shy(Exit):
    """An output that takes a token now and then."""

    def accept(self) -> None:
        """In three of ten cycles."""
        self.inputs[0].answer(LATE.random() < 0.3)

    def step(self) -> bool:
        """Asked again while a token waits."""
        moves = super().step()
        self.pending = self.inputs[0].valid
        return moves


def timed(given: Traffic) -> TimedRun:
    """The circuit's run, with its cycles."""
    simulation = TimedSimulation(given.netlist, 50_000)
    return simulation.activate(given.tokens, {"array": given.words})


def agrees(given: Traffic) -> bool:
    """True if the timed model gives what the program gives."""
    try:
        run = timed(given)
    except LoomError:  # it never comes to rest
        return False
    return run.outputs == given.outputs and [*run.memories["array"]] == [*given.after]


@pytest.mark.parametrize("text", CASES)
def test_token_model_gives_what_the_program_gives(text: str) -> None:
    given = traffic(text, 100, 1, **CASES[text])
    assert list(problems(given.netlist)) == []
    for seed in (None, 1):
        words = {"array": list(given.words)}
        run = run_streams(given.netlist, given.tokens, words, seed=seed)
        assert (run.outputs, run.residual) == (given.outputs, {})
        assert run.memories["array"] == given.after


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("text", CASES)
def test_timed_model_gives_what_the_program_gives(
    text: str, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if late:
        monkeypatch.setattr(circuit, "Entry", Late)
        monkeypatch.setattr(circuit, "Exit", Shy)
    for seed in range(8):
        assert agrees(traffic(text, 300, seed, **CASES[text])), seed


@pytest.mark.parametrize("latency", [1, 2, 3])
def test_sums_that_are_stored_are_loaded(latency: int) -> None:
    for seed in range(4):
        assert agrees(traffic("ls", 200, seed, latency=latency, chained=True))


@pytest.mark.parametrize(("addresses", "cycles"), [(1, 2), (8, 2)])
def test_a_load_and_a_store_take_at_most_so_many_cycles(addresses: int, cycles: int) -> None:
    """Of a queue with room for those under way; a load waits for a datum of its address."""
    given = traffic("ls", 500, 1, depth=8, outstanding=4, addresses=addresses)
    assert timed(given).cycles <= cycles * 500 + 20


class Unforwarded(LoadStoreQueue):
    """Loads that take nothing of stores, and wait for none."""

    def next_load(self) -> tuple[bool, Store | None]:
        """The oldest load, from the memory."""
        sends, _ = super().next_load()
        return sends, None


class Oldest(LoadStoreQueue):
    """Loads that take what the oldest store to their address has."""

    def next_load(self) -> tuple[bool, Store | None]:
        """The first of the stores."""
        sends, source = super().next_load()
        if source is None:
            return sends, None
        return sends, next(each for each in self.stores if each.address == source.address)


class Overtaking(LoadStoreQueue):
    """Stores that do not wait for older loads."""

    def next_store(self) -> Store | None:
        """The oldest store that is not sent, if all is there."""
        if self.sent == len(self.stores):
            return None
        store = self.stores[self.sent]
        return store if store.address is not None and store.value is not None else None


@pytest.mark.parametrize("queue", [Unforwarded, Oldest, Overtaking])
def test_a_planted_fault_is_found(
    queue: type[LoadStoreQueue], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nodes(unit: Instance) -> list[Node]:
        made = queue(unit)
        return [made.requests, made]

    monkeypatch.setattr(circuit, "NODES", {**NODES, "memory/load_store_queue": nodes})
    monkeypatch.setattr(circuit, "Entry", Late)
    assert not all(agrees(traffic("ls,l", 200, seed, addresses=2)) for seed in range(4))
