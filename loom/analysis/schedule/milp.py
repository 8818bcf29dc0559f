"""A linear program with whole and other variables, solved by OR-tools where it is installed.

One thread, one seed and limits that count steps, not seconds: the same program has the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loom.errors import LoomError, Place

SETTINGS = "randomization/randomseedshift = 1\nlimits/nodes = 2000\nlimits/gap = 0.002\n"
"""Of SCIP: a seed, the most nodes, and how near to the best the answer is."""


@dataclass(frozen=True, slots=True)
class Variable:
    """Number of a variable; a whole one takes whole numbers only."""

    number: int
    low: float
    high: float
    whole: bool


Terms = Mapping[Variable, float]
"""A sum: the factor of each variable."""


class LinearProgram:
    """Variables and what sums of them must be at least."""

    def __init__(self) -> None:
        self.variables: list[Variable] = []
        self.rows: list[tuple[Terms, float]] = []

    def variable(self, low: float, high: float = float("inf"), *, whole: bool = False) -> Variable:
        """A new variable from `low` to `high`."""
        found = Variable(len(self.variables), low, high, whole)
        self.variables.append(found)
        return found

    def at_least(self, bound: float, terms: Terms) -> None:
        """The sum is `bound` or more."""
        self.rows.append((terms, bound))

    def minimize(self, costs: Terms) -> Mapping[Variable, float] | None:
        """Values for which the sum `costs` is least; None if the rows contradict each other.

        Refused: LOWER_NO_SOLVER without OR-tools.
        """
        linear_solver = solver_library()
        whole = any(each.whole for each in self.variables)
        solver = linear_solver.Solver.CreateSolver("SCIP" if whole else "GLOP")
        if whole:
            solver.SetNumThreads(1)
            solver.SetSolverSpecificParametersAsString(SETTINGS)
        made = {
            each: (solver.IntVar if each.whole else solver.NumVar)(each.low, each.high, "")
            for each in self.variables
        }
        for terms, bound in self.rows:
            row = solver.Constraint(bound, solver.infinity())
            for variable, factor in terms.items():
                row.SetCoefficient(made[variable], factor)
        for variable, factor in costs.items():
            solver.Objective().SetCoefficient(made[variable], factor)
        solver.Objective().SetMinimization()
        if solver.Solve() not in (solver.OPTIMAL, solver.FEASIBLE):
            return None
        return {variable: each.solution_value() for variable, each in made.items()}


def solver_library() -> Any:
    """OR-tools, which is imported on first use."""
    try:
        from ortools.linear_solver import pywraplp
    except ModuleNotFoundError as error:
        raise no_solver("--buffers=optimal", "--buffers=fast", error) from None
    return pywraplp


def constraint_library() -> Any:
    """CP-SAT of OR-tools, which is imported on first use. Refused: LOWER_NO_SOLVER without it."""
    try:
        from ortools.sat.python import cp_model
    except ModuleNotFoundError as error:
        raise no_solver("--schedule=exact", "--schedule=iterative", error) from None
    return cp_model


def no_solver(wanted: str, other: str, error: ModuleNotFoundError) -> LoomError:
    """The refusal of what needs OR-tools; `other` is what needs nothing."""
    accepted = (
        f"an installation with the extra `optimal`: pip install 'loom-hls[optimal]'; or {other}"
    )
    return LoomError("LOWER_NO_SOLVER", Place(wanted), f"no module {error.name}", accepted)
