"""What the reference interpreter refuses while the program runs, with the place of the operation.

The generated Python text calls these by the operation's number in the program's table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.ir import Operation

from loom.dialects.facts.places import place_of
from loom.dialects.operators.operator import Operator, Shape
from loom.errors import LoomError

MORE_CYCLES = "a larger --max-cycles for long ones"
"""What raises the budget of a run."""


class Faults:
    """The operations that can fail, and one method for each way to fail."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.rows: dict[int, tuple[Operator, Shape]] = {}
        self.budget = 0
        self.cure = MORE_CYCLES

    def number(self, op: Operation) -> int:
        """The number under which the generated text names `op`."""
        self.operations.append(op)
        return len(self.operations) - 1

    def _fail(self, number: int, code: str, what: str, accepted: str) -> NoReturn:
        op = self.operations[number]
        raise LoomError(code, place_of(op), f"{what} in {op.name}", accepted)

    def bounds(self, number: int, sizes: Sequence[int], indices: Sequence[int]) -> NoReturn:
        """Refuse an access outside its array; indices are signed."""
        self._fail(
            number,
            "REF_OUT_OF_BOUNDS",
            f"index [{', '.join(map(str, indices))}]",
            f"indices inside [{', '.join(map(str, sizes))}]",
        )

    def address(self, number: int, address: int, extent: int) -> NoReturn:
        """Refuse an access that leaves the buffer below a view."""
        self._fail(
            number,
            "REF_OUT_OF_BOUNDS",
            f"an access to word {address} of a buffer of {extent} words",
            "accesses inside the buffer",
        )

    def unset(self, number: int) -> NoReturn:
        """Refuse the value of an array element that was never written."""
        self._fail(
            number, "REF_UNINITIALISED", "a read of an element never written", "reads after a write"
        )

    def undefined(self, number: int, *tokens: int) -> NoReturn:
        """Refuse an operation that the source leaves undefined."""
        row, shape = self.rows[number]
        assert row.semantics.undefined is not None
        self._fail(
            number,
            "REF_UNDEFINED",
            row.semantics.undefined(shape, *tokens),
            "operations with a result",
        )

    def illegal(self, number: int, what: str) -> NoReturn:
        """Refuse an operation that the source leaves undefined, for the reason given."""
        self._fail(number, "REF_UNDEFINED", what, "operations with a result")

    def assertion(self, number: int, text: str) -> NoReturn:
        """Refuse inputs for which an assertion of the program does not hold."""
        what = f"an assertion that does not hold ({text})"
        self._fail(number, "REF_ASSERTION", what, "inputs for which it holds")

    def step(self, number: int, step: int) -> NoReturn:
        """Refuse a loop that never gets anywhere."""
        self._fail(number, "REF_ZERO_STEP", f"a step of {step}", "steps of 1 and more")

    def over(self, number: int) -> NoReturn:
        """Refuse to go on after the budget of operations is spent."""
        self._fail(
            number,
            "REF_BUDGET",
            f"a run of more than {self.budget} operations, the last",
            f"programs that end; {self.cure}",
        )

    def deep(self, number: int) -> NoReturn:
        """Refuse calls nested deeper than the interpreter can follow."""
        self._fail(number, "REF_DEPTH", "calls nested too deep", "a call depth of some hundreds")
