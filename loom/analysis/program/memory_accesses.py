"""The accesses of a function in normal form: which memory, at which address, in which loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.analysis.program.affine_forms import (
    Bounds,
    Form,
    Forms,
    IterationNumber,
    Natural,
    Quotient,
    Variable,
)
from loom.analysis.program.trip_count_bounds import iteration_limits
from loom.analysis.program.trip_counts import constant_of
from loom.dialects.facts.arrays import said_name
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.facts.program_facts import FORWARDED, FORWARDED_LOOPS
from loom.dialects.ops.order import PlaceOp
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.dialects.ops.types import width_of

Root = SSAValue | str
"""What identifies a memory: an argument, an allocation, or a global's name."""


def root_of(memory: SSAValue) -> Root:
    """The memory a rank-1 memref of the normal form stands for."""
    owner = memory.owner
    if isinstance(owner, memref.GetGlobalOp):
        return str(owner.name_.string_value())
    return memory


def name_of(memory: SSAValue) -> str:
    """The array's name, as the program says it."""
    root = root_of(memory)
    if isinstance(root, str):
        return root
    said = said_name(root.owner) if isinstance(root.owner, Operation) else ""
    return said or root.name_hint or "array"


def memories_of(operation: Operation) -> Sequence[SSAValue]:
    """The arrays that a load, a store or a static loop accesses."""
    if isinstance(operation, StaticLoopOp):
        return list(operation.memories)
    return [operation.memref] if isinstance(operation, memref.LoadOp | memref.StoreOp) else []


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop around accesses; `bounds` are those of a counted loop with a constant step."""

    operation: Operation
    bounds: Bounds | None
    iteration: IterationNumber | None


@dataclass(frozen=True)
class Subscript:
    """A number that is not negative, and below `size`, where an access is made [elements].

    It is `exact`; it is `modular` modulo two to the power of an index's width.
    """

    modular: Form
    exact: Form
    size: int


@dataclass(frozen=True)
class CarriedAddress:
    """An address that is a value that a `while` loop carries and `offset`, in so many bits.

    Each iteration adds `step` to the value. Casts that lose nothing may lie around the sum.
    """

    carried: SSAValue
    offset: int
    step: int
    width: int
    casts: tuple[str, ...]

    def is_at(self, other: CarriedAddress, later: int) -> bool:
        """Whether this one in an iteration is the other in one that comes so much later."""
        between = other.offset + other.step * later - self.offset
        return between % (1 << self.width) == 0


@dataclass(frozen=True, eq=False)
class Access:
    """A load or store with the form of its address and the loops around it, outermost first."""

    number: int
    root: Root
    stores: bool
    address: Form
    loops: tuple[Loop, ...]
    subscripts: tuple[Subscript, ...] = ()
    """Of an array those of all dimensions; none where they add nothing to the address."""
    forwarded: int = 0
    """Of a load: it waits for no store of so many last iterations of its innermost loop."""
    forwarded_loops: int = 0
    """Of such a load: so many innermost loops are one loop as to these iterations."""
    order: str | None = None
    """What orders it, if the program says that of this access."""
    carried: CarriedAddress | None = None


Element = tuple[Root, int, frozenset[tuple[Variable, int]]]
"""A memory and the form of an address in it: one element in every iteration around it."""


def element_of(access: Access) -> Element:
    """The element that an access goes to."""
    return element_at(access.root, access.address)


def element_at(root: Root, address: Form) -> Element:
    """The element at an address."""
    return root, address.constant, frozenset(address.terms.items())


class Accesses:
    """All accesses of a function; the function must not be rewritten while they are in use."""

    def __init__(self, function: FuncOp, index_width: int) -> None:
        self.forms = Forms(index_width)
        self._loops: dict[Operation, Loop] = {}
        self._inside: dict[Operation, tuple[Access, ...]] = {}
        count = 0
        for operation in function.walk():
            if isinstance(operation, memref.LoadOp | memref.StoreOp):
                self._inside[operation] = (self._access(count, operation),)
                count += 1
            elif isinstance(operation, StaticLoopOp):
                found = self._accesses_of_island(count, operation)
                self._inside[operation] = found
                count += len(found)
        for operation in reversed(list(function.walk())):
            if operation.regions:
                self._inside[operation] = tuple(
                    access
                    for region in operation.regions
                    for block in region.blocks
                    for inner in block.ops
                    for access in self._inside.get(inner, ())
                )
        self.depth = {variable: self._depth(variable) for variable in self.forms.intervals}
        """By variable, the number of loops around it, with whose iterations it changes."""
        self.bounds: dict[Variable, Bounds] = {
            loop.iteration: loop.bounds
            for loop in self._loops.values()
            if loop.iteration is not None and loop.bounds is not None
        }
        """The bounds of counted loops, by iteration number."""
        self.limits: dict[Access, dict[Variable, int]] = {
            self._inside[operation][0]: iteration_limits(self.forms, self.depth, operation)
            for operation in self._inside
            if isinstance(operation, memref.LoadOp | memref.StoreOp)
        }
        for operation, accesses in self._inside.items():
            if isinstance(operation, StaticLoopOp):
                self.limits.update((access, {}) for access in accesses)
        """The greatest iteration of each access, as far as the size of its memory limits it."""

    def access_of(self, operation: Operation) -> Access | None:
        """The access that an operation is."""
        is_access = isinstance(operation, memref.LoadOp | memref.StoreOp)
        return self._inside[operation][0] if is_access else None

    def add_copy(self, operation: Operation, copied: Operation) -> None:
        """What is known of a load or store is known of its copy in a copy of its loops."""
        self._inside[copied] = self._inside[operation]

    def add_merged(self, merged: Operation, load: Operation, other: Operation) -> None:
        """A load that is one of two loads in one iteration of their loops, and the other in others.

        `access_of` gives the access of `load`.
        """
        self._inside[merged] = (*self._inside[load], *self._inside[other])

    def made_by(self, operation: Operation) -> Sequence[Access]:
        """The accesses that a load or store is."""
        return self._inside[operation]

    def inside(self, operation: Operation) -> Mapping[Root, Sequence[Access]]:
        """The accesses that an operation is or holds, in the order of the text, by memory."""
        found: dict[Root, list[Access]] = {}
        for access in self._inside.get(operation, ()):
            found.setdefault(access.root, []).append(access)
        return found

    def _depth(self, variable: Variable) -> int:
        if isinstance(variable, IterationNumber):
            loop = variable.body.parent_op()
            assert loop is not None
            return len(self._loops_around(loop)) + 1
        if isinstance(variable, Quotient):
            return max(self._depth(inner) for inner, _ in variable.terms)
        value = variable.value if isinstance(variable, Natural) else variable
        if isinstance(value, BlockArgument):
            holder = value.block.parent_op()
            assert holder is not None
            return len(self._loops_around(holder)) + isinstance(holder, scf.ForOp | scf.WhileOp)
        assert isinstance(value.owner, Operation)
        return len(self._loops_around(value.owner))

    def _loops_around(self, operation: Operation) -> tuple[Loop, ...]:
        found: list[Loop] = []
        holder = operation.parent_op()
        while holder is not None:
            if isinstance(holder, scf.ForOp | scf.WhileOp):
                found.append(self._loop(holder))
            holder = holder.parent_op()
        return tuple(reversed(found))

    def _loop(self, operation: scf.ForOp | scf.WhileOp) -> Loop:
        found = self._loops.get(operation)
        if found is None:
            counted = isinstance(operation, scf.ForOp)
            bounds = self.forms.bounds(operation) if isinstance(operation, scf.ForOp) else None
            iteration = IterationNumber(operation.regions[0].block) if counted and bounds else None
            found = self._loops[operation] = Loop(operation, bounds, iteration)
        return found

    def _access(self, number: int, operation: memref.LoadOp | memref.StoreOp) -> Access:
        return Access(
            number,
            root_of(operation.memref),
            isinstance(operation, memref.StoreOp),
            self.forms.modular(operation.indices[0]),
            self._loops_around(operation),
            self._subscripts(operation.indices[0].owner),
            FORWARDED.of(operation) or 0,
            FORWARDED_LOOPS.of(operation) or 0,
            MEMORY_ORDER.of(operation),
            carried_address(operation.indices[0], self.forms.index_width),
        )

    def _accesses_of_island(self, number: int, island: StaticLoopOp) -> tuple[Access, ...]:
        """A static loop stores to each of its arrays, nobody knows where, as far as order goes."""
        roots = dict.fromkeys(map(root_of, island.memories))
        anywhere = self.forms.anything(island.done)
        loops = self._loops_around(island)
        return tuple(
            Access(number + place, root, True, anywhere, loops) for place, root in enumerate(roots)
        )

    def _subscripts(self, owner: Operation | Block) -> tuple[Subscript, ...]:
        if not isinstance(owner, PlaceOp):
            return ()
        sizes = owner.sizes.get_values()
        return tuple(
            Subscript(self.forms.modular(value), self.forms.exact(value), int(size))
            for value, size in zip(owner.subscripts, sizes, strict=True)
        )


def carried_address(address: SSAValue, index_width: int) -> CarriedAddress | None:
    """What an address is of a value that a `while` loop carries; None where that is not known."""
    casts: list[str] = []
    if isinstance(address.owner, PlaceOp):
        address = address.owner.address
    while isinstance(address.owner, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp):
        source = address.owner.operands[0]
        if width_of(source.type, index_width) > width_of(address.type, index_width):
            return None
        casts.append(address.owner.name)
        address = source
    carried, offset = without_constants(address)
    step = step_of(carried)
    width = width_of(carried.type, index_width)
    return None if step is None else CarriedAddress(carried, offset, step, width, tuple(casts))


def step_of(carried: SSAValue) -> int | None:
    """What each iteration of a `while` loop adds to a value that it carries, if a constant."""
    if not isinstance(carried, BlockArgument):
        return None
    loop = carried.block.parent_op()
    if not isinstance(loop, scf.WhileOp) or carried.block is not loop.before_region.block:
        return None
    last = loop.after_region.block.last_op
    assert last is not None
    following, step = without_constants(last.operands[carried.index])
    return step if following is carried else None


def without_constants(value: SSAValue) -> tuple[SSAValue, int]:
    """A value without the constants that are added to it, and their sum."""
    total = 0
    while True:
        owner = value.owner
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.WhileOp) or value.block is loop.before_region.block:
                return value, total
            test = loop.before_region.block.last_op
            assert isinstance(test, scf.ConditionOp)
            value = test.args[value.index]
        elif isinstance(owner, arith.AddiOp) and (more := constant_of(owner.rhs)) is not None:
            value, total = owner.lhs, total + more
        elif isinstance(owner, arith.AddiOp) and (more := constant_of(owner.lhs)) is not None:
            value, total = owner.rhs, total + more
        elif isinstance(owner, arith.SubiOp) and (less := constant_of(owner.rhs)) is not None:
            value, total = owner.lhs, total - less
        else:
            return value, total
