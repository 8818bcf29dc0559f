"""Modulo schedules satisfy every constraint; the least II is found; broken ones are reported."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from loom.analysis.modulo.bounds import (
    critical_recurrence,
    minimum_ii,
    recurrence_ii,
    resource_ii,
)
from loom.analysis.modulo.chaining import with_chaining
from loom.analysis.modulo.check_schedule import broken_constraints
from loom.analysis.modulo.exact import has_no_schedule, schedule_exactly
from loom.analysis.modulo.iterative import schedule_in_row, schedule_iteratively
from loom.analysis.modulo.lifetimes import Value, lifetime, load_late
from loom.analysis.modulo.problem import ISSUE, Dependence, ModuloSchedule, Operation, Problem

SEEDS = range(40)
PERIOD = 4.0
"""Of the drawn problems [ns]."""


def drawn(seed: int, most: int = 30) -> Problem:
    """A body of loads, stores, multipliers and adders with a few recurrences.

    Two banks have ports; an access whose bank is not known takes those of both.
    """
    random = Random(seed)
    operations = [Operation("issue")]
    for place in range(1, random.randrange(3, most)):
        kind = random.choice(("load", "add", "add", "multiply", "store"))
        banks = random.choice(((0,), (1,), (0,), (1,), (0, 1)))
        ports = tuple(f"{kind} port {bank}" for bank in banks if kind in ("load", "store"))
        latency = {"load": 1, "multiply": 3}.get(kind, 0)
        entry, leave = (1.9, 0.0) if kind == "add" else (0.4, 0.7)
        operations.append(Operation(f"{kind}{place}", latency, entry, leave, ports))
    dependences = []
    for place in range(2, len(operations)):
        for source in random.sample(range(1, place), min(place - 1, random.randrange(3))):
            latency = operations[source].latency
            dependences.append(Dependence(source, place, latency, is_data=True))
    for _ in range(len(operations) // 6):
        source, target = random.randrange(1, len(operations)), random.randrange(1, len(operations))
        separation = max(1, operations[source].latency)
        dependences.append(Dependence(source, target, separation, random.randrange(1, 3)))
    return with_chaining(Problem(operations, dependences, PERIOD))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_schedule_satisfies_every_constraint(seed: int) -> None:
    problem = drawn(seed)
    for found in (schedule_iteratively(problem), schedule_in_row(problem)):
        assert list(broken_constraints(problem, found)) == []
        assert found.ii >= minimum_ii(problem)


def test_the_heuristic_reaches_the_least_ii_of_nearly_all() -> None:
    reached = [
        schedule_iteratively(drawn(seed)).ii == minimum_ii(drawn(seed)) for seed in range(200)
    ]
    assert sum(reached) >= 190


@pytest.mark.parametrize("seed", range(0, 40, 4))
def test_exact_schedules_are_no_longer_than_the_heuristic(seed: int) -> None:
    problem = drawn(seed)
    exact, heuristic = schedule_exactly(problem), schedule_iteratively(problem)
    assert list(broken_constraints(problem, exact)) == []
    assert (exact.ii, exact.length(problem)) <= (heuristic.ii, heuristic.length(problem))
    assert exact == schedule_exactly(problem)


@pytest.mark.parametrize("seed", range(30))
def test_no_shorter_ii_exists_than_the_exact_one(seed: int) -> None:
    """By trying all start times of small problems."""
    problem = drawn(seed, most=6)
    found = schedule_exactly(problem)
    most = found.length(problem) + 1
    for ii in range(1, found.ii):
        assert has_no_schedule(problem, ii)
        for start in product(range(most), repeat=len(problem.operations) - 1):
            other = ModuloSchedule(ii, (0, *start))
            assert next(broken_constraints(problem, other), None) is not None
    assert not has_no_schedule(problem, found.ii)


def test_what_forces_the_ii_is_named() -> None:
    port = [Operation("issue"), *(Operation(f"load{k}", 1, resources=("A",)) for k in range(3))]
    assert resource_ii(Problem(port, [])) == (3, "A")
    assert resource_ii(Problem(port, [], capacity={"A": 2})) == (2, "A")
    cycle = [Dependence(1, 2, 1), Dependence(2, 1, 4, 2)]
    problem = Problem(port, cycle)
    assert recurrence_ii(problem) == 3
    assert set(critical_recurrence(problem, 2)) == {1, 2}
    assert critical_recurrence(problem, 3) == ()


CHAIN = Problem(
    [
        Operation("issue"), Operation("a", 0, 3.0), Operation("b", 0, 3.0),
        Operation("c", 1, 1.0, 1.0, ("A",)),
    ],
    [Dependence(1, 2, 0, is_data=True), Dependence(2, 3, 0), Dependence(3, 1, 1, 1)],
    PERIOD,
)  # fmt: skip
"""Two adders in a row that do not fit one cycle, and a recurrence."""


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        (ModuloSchedule(0, (0, 0, 1, 2)), "II is 0"),
        (ModuloSchedule(3, (1, 0, 1, 2)), "the issue starts at 1"),
        (ModuloSchedule(3, (0, -1, 1, 2)), "a starts at -1"),
        (ModuloSchedule(3, (0, 0, 0, 2)), "a chain of 6.00 ns ends at b, period 4.00 ns"),
        (ModuloSchedule(3, (0, 0, 1, 0)), "c starts at 0, but b lets it start at 1"),
        (ModuloSchedule(2, (0, 0, 1, 2)), "a starts at 0, but c lets it start at 1"),
    ],
)
def test_a_broken_schedule_is_reported(schedule: ModuloSchedule, words: str) -> None:
    assert words in list(broken_constraints(CHAIN, schedule))


def test_a_port_that_is_used_twice_is_reported() -> None:
    loads = [
        Operation("issue"),
        Operation("x", 1, resources=("A",)),
        Operation("y", 1, resources=("A",)),
    ]
    found = list(broken_constraints(Problem(loads, []), ModuloSchedule(2, (0, 1, 3))))
    assert found == ["A is used 2 times in cycle 1 mod II 2"]


def test_an_access_that_takes_the_ports_of_all_banks_meets_those_of_each() -> None:
    """The fault: it counts at one bank alone."""
    known = [Operation(f"x{bank}", 1, resources=(f"bank {bank}",)) for bank in range(3)]
    unknown = Operation("y", 1, resources=("bank 0", "bank 1", "bank 2"))
    problem = Problem([Operation("issue"), *known, unknown], [])
    assert resource_ii(problem)[0] == 2
    for found in (schedule_iteratively(problem), schedule_exactly(problem)):
        assert found.ii == 2 and list(broken_constraints(problem, found)) == []
    one = replace(unknown, resources=("bank 0",))
    wrong = ModuloSchedule(2, (0, 0, 1, 1, 1))
    assert list(broken_constraints(Problem([*problem.operations[:-1], one], []), wrong)) == []
    said = [f"bank {bank} is used 2 times in cycle 1 mod II 2" for bank in (1, 2)]
    assert list(broken_constraints(problem, wrong)) == said


def test_an_operation_longer_than_the_period_stands_alone() -> None:
    slow = [Operation("issue"), Operation("a", 0, 1.0), Operation("b", 0, 9.0)]
    problem = with_chaining(Problem(slow, [Dependence(1, 2, 0, is_data=True)], PERIOD))
    found = schedule_iteratively(problem)
    assert found.start[2] > found.start[1] and found.start[ISSUE] == 0


def values_in(problem: Problem, seed: int) -> list[Value]:
    """A value of some bits for each operation that others read, and a counter for some loads."""
    random = Random(seed)
    readers: dict[int, list[int]] = {}
    for each in problem.dependences:
        if each.is_data and not each.distance:
            readers.setdefault(each.source, []).append(each.target)
    loads = [place for place, each in enumerate(problem.operations) if "load" in each.name]
    counted = tuple(load for load in loads if random.random() < 0.5)
    values = [Value(random.choice((1, 8, 32)), *each) for each in
              ((source, tuple(found)) for source, found in readers.items())]  # fmt: skip
    return [*values, *([Value(8, ISSUE, counted)] if counted else [])]


def bits_that_wait(problem: Problem, schedule: ModuloSchedule, values: list[Value]) -> int:
    """Bits of registers, over the cycles of an iteration."""
    return sum(each.width * lifetime(each, problem, schedule.start) for each in values)


def test_late_loads_keep_every_constraint_and_take_fewer_registers() -> None:
    fewer = 0
    for seed in range(100):
        problem = drawn(seed)
        values, found = values_in(problem, seed), schedule_iteratively(problem)
        loads = [place for place, each in enumerate(problem.operations) if "load" in each.name]
        late = load_late(problem, found, values, loads)
        assert list(broken_constraints(problem, late)) == [], seed
        assert late.ii == found.ii and late.length(problem) <= found.length(problem)
        before, now = (bits_that_wait(problem, each, values) for each in (found, late))
        assert now <= before, seed
        fewer += now < before
    assert fewer >= 2


def test_a_word_that_is_needed_late_is_loaded_late() -> None:
    """An addend of a product of three cycles; not one whose address has more bits than its word."""
    operations = [
        Operation("issue"),
        Operation("a", 1, resources=("a",)), Operation("b", 1, resources=("b",)),
        Operation("multiply", 3), Operation("add"),
    ]  # fmt: skip
    data = ((1, 3, 1), (3, 4, 3), (2, 4, 1))
    problem = Problem(operations, [Dependence(*each, is_data=True) for each in data])
    found = schedule_iteratively(problem)
    assert found.start == [0, 0, 0, 1, 4]
    for width, time in ((32, 3), (4, 0)):
        values = [Value(8, ISSUE, (1, 2)), Value(32, 1, (3,)), Value(width, 2, (4,))]
        assert list(load_late(problem, found, values, [1, 2]).start) == [0, 0, time, 1, 4]
