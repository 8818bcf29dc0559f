"""Values that are known constants, through any arithmetic on constants."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import scf
from xdsl.ir import Operation, OpResult, SSAValue

from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.types import is_token_type, width_of
from loom.lower.scalar.simplify import token_of

DEEPEST = 50
"""Operations in a row that are looked through."""


class KnownConstants:
    """What values are, as long as nothing is rewritten, and where `given` values have tokens."""

    def __init__(self, index_width: int, given: Mapping[SSAValue, int] | None = None) -> None:
        self.index_width = index_width
        self._tokens: dict[SSAValue, int | None] = dict(given or {})

    def token(self, value: SSAValue, depth: int = DEEPEST) -> int | None:
        """The bit pattern that the value always is, or None if that is not known."""
        if value not in self._tokens:
            self._tokens[value] = self._made(value, depth)
        return self._tokens[value]

    def _made(self, value: SSAValue, depth: int) -> int | None:
        if not is_token_type(value.type):
            return None
        found = token_of(value, width_of(value.type, self.index_width))
        owner = value.owner
        if found is not None or not depth or not isinstance(owner, Operation):
            return found
        row = find(owner.name)
        if row is None or row.semantics.meaning is None:
            return None
        tokens: list[int] = []
        for operand in owner.operands:
            token = self.token(operand, depth - 1)
            if token is None:
                return None
            tokens.append(token)
        shape = shape_of(owner, row, self.index_width)
        if row.semantics.undefined is not None and row.semantics.undefined(shape, *tokens):
            return None
        result = row.semantics.meaning(shape)(*tokens)
        if isinstance(result, int):
            return result
        assert isinstance(value, OpResult)
        return result[value.index]

    def number(self, value: SSAValue, unsigned: bool) -> int | None:
        """The number that the value always is, or None if that is not known."""
        token = self.token(value)
        if token is None or unsigned:
            return token
        half = 1 << (width_of(value.type, self.index_width) - 1)
        return (token + half) % (2 * half) - half

    def step(self, loop: scf.ForOp) -> int | None:
        """The loop's step if it is known and above 0."""
        step = self.number(loop.step, is_unsigned(loop))
        return step if step is not None and step > 0 else None

    def indices(self, loop: scf.ForOp) -> range | None:
        """The indices of the loop, as numbers in its own sign, or None if they are not known."""
        low, high = (self.number(value, is_unsigned(loop)) for value in (loop.lb, loop.ub))
        step = self.step(loop)
        return None if low is None or high is None or step is None else range(low, high, step)
