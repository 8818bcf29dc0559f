"""Exact modulo scheduling: least II, then least length, then shortest lifetimes.

At a fixed II a start time is II * k + r; operations of one resource with one use a cycle have
different r. CP-SAT solves that with one worker and a limit that counts steps, so the same problem
has the same answer. It needs the extra `optimal`.
"""

from __future__ import annotations

from typing import Any

from loom.analysis.modulo.bounds import earliest_starts, minimum_ii
from loom.analysis.modulo.iterative import schedule_iteratively
from loom.analysis.modulo.problem import ISSUE, ModuloSchedule, Problem
from loom.analysis.schedule.milp import constraint_library

STEPS = 20.0
"""The limit of one solution, in CP-SAT's deterministic time."""


def schedule_exactly(problem: Problem, least: int = 1) -> ModuloSchedule:
    """The schedule of least II from `least` on, of these the shortest, with the shortest lifetimes.

    Where the solver's limit ends, the best found is taken, at worst that of the heuristic.
    Refused: LOWER_NO_SOLVER without OR-tools.
    """
    cp_model = constraint_library()
    heuristic = schedule_iteratively(problem, least)
    for ii in range(max(least, minimum_ii(problem)), heuristic.ii + 1):
        hint = heuristic if ii == heuristic.ii else None
        found = _Model(problem, ii, hint, cp_model).solve()
        if found is not None:
            return found
    return heuristic


def has_no_schedule(problem: Problem, ii: int) -> bool:
    """True if it is proved that no schedule of this II exists. Refused: LOWER_NO_SOLVER."""
    cp_model = constraint_library()
    model = _Model(problem, ii, None, cp_model)
    return bool(model.solver().solve(model.model) == cp_model.INFEASIBLE)


class _Model:
    """The problem at one II."""

    def __init__(
        self, problem: Problem, ii: int, hint: ModuloSchedule | None, cp_model: Any
    ) -> None:
        self.problem, self.ii, self.cp_model = problem, ii, cp_model
        self.model = model = cp_model.CpModel()
        earliest = earliest_starts(problem, ii) or [0] * len(problem.operations)
        longest = max(earliest) + (ii + 1) * len(problem.operations)
        most = longest if hint is None else hint.length(problem)
        self.hint = hint
        self.start = [
            model.new_int_var(low, max(low, most), f"t{k}") for k, low in enumerate(earliest)
        ]
        model.add(self.start[ISSUE] == 0)
        for each in problem.dependences:
            gap = each.separation - ii * each.distance
            model.add(self.start[each.target] >= self.start[each.source] + gap)
        self.add_resources()
        self.length = model.new_int_var(1, most + max(e.latency for e in problem.operations), "d")
        for place, operation in enumerate(problem.operations[1:], 1):
            model.add(self.length >= self.start[place] + max(1, operation.latency))

    def add_resources(self) -> None:
        """No resource serves more operations in one cycle modulo II than it can."""
        users: dict[str, list[int]] = {}
        for place, operation in enumerate(self.problem.operations):
            for resource in operation.resources:
                users.setdefault(resource, []).append(place)
        by_place: dict[int, Any] = {}
        for resource, places in users.items():
            capacity = self.problem.capacity_of(resource)
            if len(places) <= capacity:
                continue
            for place in places:
                if place not in by_place:
                    slot = self.model.new_int_var(0, self.ii - 1, f"r{place}")
                    whole = self.model.new_int_var(0, 1 << 20, f"k{place}")
                    self.model.add(self.start[place] == self.ii * whole + slot)
                    by_place[place] = slot
            slots = [by_place[place] for place in places]
            if capacity == 1:
                self.model.add_all_different(slots)
            else:
                ones = [self.model.new_fixed_size_interval_var(s, 1, f"i{s}") for s in slots]
                self.model.add_cumulative(ones, [1] * len(ones), capacity)

    def solve(self) -> ModuloSchedule | None:
        """The shortest schedule with the shortest lifetimes; None if there is none."""
        lifetimes = [
            self.start[each.target] - self.start[each.source]
            for each in self.problem.dependences
            if each.is_data and not each.distance
        ]
        weight = 1 + len(lifetimes)
        self.model.minimize(weight * weight * self.length + sum(lifetimes))
        if self.hint is not None:
            for variable, value in zip(self.start, self.hint.start, strict=True):
                self.model.add_hint(variable, value)
        solver = self.solver()
        status = solver.solve(self.model)
        if status not in (self.cp_model.OPTIMAL, self.cp_model.FEASIBLE):
            return None
        return ModuloSchedule(self.ii, [solver.value(each) for each in self.start])

    def solver(self) -> Any:
        """A solver that gives the same answer in each run."""
        solver = self.cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = STEPS
        return solver
