"""Values made once more in another place, of other values; a number where that is known."""

from __future__ import annotations

from collections.abc import Container, Mapping

from xdsl.ir import Operation, SSAValue

from loom.lower.scalar.arith_builder import Arithmetic, add_once, integer_type
from loom.lower.scalar.known_constants import KnownConstants


class CopiedValues:
    """Copies at one place of what the `operations` make, where `values` are others."""

    def __init__(
        self,
        build: Arithmetic,
        operations: Container[Operation],
        values: Mapping[SSAValue, SSAValue],
        index_width: int,
    ) -> None:
        self.build, self.operations = build, operations
        self.values = dict(values)
        self.known = KnownConstants(index_width)

    def of(self, value: SSAValue) -> SSAValue:
        """The copy of a value, or the value if it is none of the operations'."""
        if value in self.values:
            return self.values[value]
        owner = value.owner
        if not isinstance(owner, Operation) or owner not in self.operations:
            return value
        operands = {each: self.of(each) for each in owner.operands}
        found = self.folded(add_once(self.build.insert(owner.clone(operands))))
        self.values[value] = found
        return found

    def folded(self, value: SSAValue) -> SSAValue:
        """A constant in the place of a value that was made here and is always the same."""
        token, owner = self.known.token(value), value.owner
        if token is None:
            return value
        if isinstance(owner, Operation) and not value.uses:
            owner.detach()
            owner.erase()
        return self.build.constant(token, integer_type(value.type))
