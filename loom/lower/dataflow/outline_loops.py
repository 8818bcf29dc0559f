"""A loop becomes a function, and loops that are written as it is become calls of that function.

What the loops read becomes operands of the calls; a constant that all of them read moves into the
function. Arrays are operands, too, all calls pass the same: the accesses stand in the function, and
the graph connects them to their memories. Where the loops read different arrays in one place, the
function has an access for each of them, and for each array but the last a call has a bit that says
whether it means that one. Tokens that order accesses are operands and results as numbers are.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerType, MemRefType, i1
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loom.analysis.program.alike_loops import Read, Structure
from loom.analysis.program.interval import Range
from loom.analysis.program.memory_accesses import Root, root_of
from loom.analysis.program.value_ranges import Ranges
from loom.dialects.facts.argument_names import set_argument_names
from loom.dialects.facts.places import place_row
from loom.dialects.facts.program_facts import COMPARISON_FACTS, REQUESTER
from loom.dialects.ops import order
from loom.lower.dataflow.graph_builder import insert

Access = order.LoadOp | order.StoreOp


def is_array(value: SSAValue) -> bool:
    """True of arrays, which are no tokens."""
    return isinstance(value.type, MemRefType)


def key_of(value: SSAValue) -> Root:
    """Equal for values that are one; an array may have more than one name."""
    return root_of(value) if is_array(value) else value


def accesses_in(loop: Operation) -> list[Access]:
    """The accesses of a loop in the order of the text."""
    return [op for op in loop.walk() if isinstance(op, Access)]


@dataclass(frozen=True)
class Input:
    """What loops alike read in the same places: the values, loop after loop.

    `places` are numbers of reads (`Structure.reads`). Of a constant that all loops read there is
    the value of the first one.
    """

    places: Sequence[int]
    values: Sequence[SSAValue]

    @cached_property
    def constant(self) -> arith.ConstantOp | None:
        """The constant that all of the values are."""
        owners = [value.owner for value in self.values]
        constants = [op for op in owners if isinstance(op, arith.ConstantOp)]
        same = len({op.value for op in constants}) == 1 and len(constants) == len(owners)
        return constants[0] if same else None

    @cached_property
    def arrays(self) -> dict[Root, SSAValue]:
        """The arrays that are read, each once; none if numbers or tokens are."""
        found: dict[Root, SSAValue] = {}
        if is_array(self.values[0]):
            for value in self.values:
                found.setdefault(root_of(value), value)
        return found

    @cached_property
    def bits(self) -> Sequence[tuple[bool, ...]]:
        """Of each array but the last, which of the loops read it."""
        roots = [root_of(value) for value in self.values] if self.arrays else []
        return [tuple(root == each for root in roots) for each in list(self.arrays)[:-1]]

    @property
    def is_operand(self) -> bool:
        """True of numbers and tokens that each call passes."""
        return not self.arrays and self.constant is None


def inputs_of(reads: Sequence[Sequence[Read]]) -> list[Input]:
    """What loops alike read, each once, in the order of the text; `reads` are a loop's each."""
    places: dict[Hashable, list[int]] = {}
    values: dict[Hashable, list[SSAValue]] = {}
    for number, each in enumerate(zip(*reads, strict=True)):
        given = [read.value for read in each]
        constants = [read.constant for read in each]
        key: Hashable = tuple(
            key_of(value) if constant is None else (constant, value.type)
            for value, constant in zip(given, constants, strict=True)
        )
        places.setdefault(key, []).append(number)
        values.setdefault(key, given)
    return [Input(places[key], values[key]) for key in places]


def outline(
    loops: Sequence[Operation], name: str, ranges: Ranges, requesters: Iterator[int]
) -> FuncOp:
    """A function with the loop, which each of the loops is a call of.

    `requesters` are numbers that no access has yet.
    """
    inputs = inputs_of([Structure(loop).reads for loop in loops])
    for each in inputs:
        for array in each.arrays.values():
            move_to_start(array)
    return _Outline(loops, name, inputs, ranges, requesters).run()


def move_to_start(array: SSAValue) -> None:
    """An array that is allocated or named in the function is so at its start."""
    maker = array.owner
    if isinstance(maker, Operation):
        holder: Operation | None = maker
        while not isinstance(holder, FuncOp):
            assert holder is not None
            holder = holder.parent_op()
        first = holder.body.block.first_op
        assert first is not None
        if first is not maker:
            maker.detach()
            holder.body.block.insert_op_before(maker, first)


class _Outline:
    """One function under construction."""

    def __init__(
        self,
        loops: Sequence[Operation],
        name: str,
        inputs: Sequence[Input],
        ranges: Ranges,
        requesters: Iterator[int],
    ) -> None:
        self.loops = loops
        self.first = loops[0]
        self.name = name
        self.inputs = inputs
        self.ranges = ranges
        self.requesters = requesters
        self.accesses = [accesses_in(loop) for loop in loops]
        self.block = Block()
        self.arrays: dict[Root, SSAValue] = {}
        """The arrays that all calls pass."""
        self.arguments: dict[Root, SSAValue] = {}
        """The arguments that stand for them."""
        self.bits: dict[tuple[bool, ...], SSAValue] = {}
        """The arguments that say which array a call means, by what the calls pass."""
        self.operands: list[tuple[int, Attribute]] = []
        """The numbers of reads that calls pass, with their types."""

    def run(self) -> FuncOp:
        """The function; calls stand in place of the loops."""
        values = {
            place: value
            for each in self.inputs
            if not each.arrays
            for value in [self.value_of(each)]
            for place in each.places
        }
        for each in self.inputs:
            for root, array in each.arrays.items():
                if root not in self.arguments:
                    self.arrays[root] = array
                    self.arguments[root] = self.add_argument(array.type, array.name_hint)
        for bits in dict.fromkeys(bits for each in self.inputs for bits in each.bits):
            self.bits[bits] = self.add_argument(i1, None)
        inner = self.first.clone()
        copies = dict(zip(self.first.walk(), inner.walk(), strict=True))
        for source, copy in copies.items():
            copy.location = source.location
        if len({loop.location for loop in self.loops}) > 1:
            inner.location = place_row(self.first.location)
        self.block.add_op(inner)
        for place, read in enumerate(Structure(self.first).reads):
            if place in values:
                copies[read.operation].operands[read.index] = values[place]
        self.connect(accesses_in(inner))
        return self.finish(inner)

    def finish(self, inner: Operation) -> FuncOp:
        """The function around the loop, which gives back what any of the loops is read of."""
        kept = [
            number
            for number in range(len(inner.results))
            if any(loop.results[number].uses for loop in self.loops)
        ]
        end = ReturnOp(*[inner.results[number] for number in kept])
        end.location = self.first.location
        self.block.add_op(end)
        types = [argument.type for argument in self.block.args]
        results = [inner.results[number].type for number in kept]
        region = Region(self.block)
        function = FuncOp(self.name, FunctionType.from_lists(types, results), region)
        function.location = self.first.location
        set_argument_names(function, tuple(f"in{k}" for k in range(len(types))))
        for number, loop in enumerate(self.loops):
            call = CallOp(self.name, self.operands_of(number), results)
            call.location = loop.location
            replace_results(loop, call, kept)
        return function

    def add_argument(self, type_: Attribute, name: str | None) -> SSAValue:
        """One more argument of the function."""
        argument = self.block.insert_arg(type_, len(self.block.args))
        argument.name_hint = name
        return argument

    def value_of(self, given: Input) -> SSAValue:
        """What stands for a number or a token in the function."""
        value = given.values[0]
        if given.constant is not None:
            copy = given.constant.clone()
            self.block.add_op(copy)
            return copy.result
        type_ = narrow_type(given.values, self.ranges)
        self.operands.append((given.places[0], type_))
        argument = self.add_argument(type_, value.name_hint)
        return extend(argument, value.type, self.block, self.first)

    def operands_of(self, number: int) -> list[SSAValue]:
        """What the call in place of a loop passes, in the order of the arguments.

        The loop is read anew: what another loop gave it is the result of a call by now.
        """
        loop = self.loops[number]
        reads = Structure(loop).reads
        given: list[SSAValue] = []
        for place, type_ in self.operands:
            value = reads[place].value
            if isinstance(value.owner, arith.ConstantOp):  # perhaps one that stands in the loop
                value = insert(value.owner.clone(), loop).result
            given.append(truncate(value, type_, loop))
        bits = [
            insert(arith.ConstantOp.from_int_and_width(int(each[number]), 1), loop).result
            for each in self.bits
        ]
        return [*given, *self.arrays.values(), *bits]

    def connect(self, accesses: Sequence[Access]) -> None:
        """The accesses of the function go to its arguments."""
        reads = Structure(self.first).reads
        inputs = {
            reads[place].operation: each
            for each in self.inputs
            for place in each.places
            if each.arrays
        }
        for number, access in enumerate(accesses):
            given = inputs.get(self.accesses[0][number])
            if given is None:  # an array that the loop itself has a name for
                self.set_requester(access, number, None)
            else:
                if isinstance(access, order.StoreOp) and len(given.arrays) > 1:
                    access = without_accepted(access)
                select_array(access, self.candidates(access, number, given))

    def candidates(self, access: Access, number: int, given: Input) -> list[Candidate]:
        """A copy of access `number` for each of its arrays; of more than one, none is compared."""
        found: list[Candidate] = []
        if len(given.arrays) > 1:  # each is under a branch of its own then
            for fact in COMPARISON_FACTS:
                fact.drop(access)
        for root, bits in zip(given.arrays, [*given.bits, None], strict=True):
            copy = access.clone()
            copy.location = access.location
            copy.operands[list(copy.operands).index(copy.memory)] = self.arguments[root]
            self.set_requester(copy, number, root)
            found.append(Candidate(copy, None if bits is None else self.bits[bits]))
        return found

    def set_requester(self, access: Access, number: int, root: Root | None) -> None:
        """The access is requested as all it stands for are, or by a requester of its own."""
        own = [each[number] for each in self.accesses]
        same = {REQUESTER.of(each) for each in own if root is None or root_of(each.memory) == root}
        if len(same) > 1:
            REQUESTER.put(access, next(self.requesters))
        elif (requester := same.pop()) is not None:
            REQUESTER.put(access, requester)


def without_accepted(store: order.StoreOp) -> order.StoreOp:
    """The store of one of several arrays: nothing says that a later one is of the same array.

    So a later one waits until this one is done.
    """
    if store.accepted is None:
        return store
    store.accepted.replace_all_uses_with(store.done)
    made = insert(order.StoreOp(store.value, store.memory, store.index, store.after), store)
    made.attributes |= store.attributes
    store.done.replace_all_uses_with(made.done)
    assert store.parent is not None
    store.parent.erase_op(store)
    return made


@dataclass(frozen=True)
class Candidate:
    """An access of one array, and the bit that says that it is meant; None of the last one."""

    access: Access
    bit: SSAValue | None


def select_array(access: Operation, candidates: Sequence[Candidate]) -> None:
    """The one that is meant of the candidates stands in place of the access."""
    made = choose(candidates)
    block = access.parent
    assert block is not None
    block.insert_op_before(made, access)
    for result, successor in zip(access.results, made.results, strict=True):
        successor.name_hint = result.name_hint
        result.replace_all_uses_with(successor)
    access.detach()
    access.erase()


def choose(candidates: Sequence[Candidate]) -> Operation:
    """A candidate alone, or a branch with one on one side and the others on the other."""
    first = candidates[0]
    if first.bit is None:
        return first.access
    sides: list[Block] = []
    for op in (first.access, choose(candidates[1:])):
        end = scf.YieldOp(*op.results)
        end.location = op.location
        sides.append(Block([op, end]))
    types = [result.type for result in first.access.results]
    branch = scf.IfOp(first.bit, types, [sides[0]], [sides[1]])
    branch.location = first.access.location
    return branch


def narrow_type(values: Sequence[SSAValue], ranges: Ranges) -> Attribute:
    """The type with the bits that all of the values need."""
    type_ = values[0].type
    known = [ranges.get(value) for value in values]
    if not isinstance(type_, IntegerType) or not all(isinstance(each, Range) for each in known):
        return type_
    bits = max(each.bits for each in known if each is not None)
    return IntegerType(bits) if bits < type_.width.data else type_


def truncate(value: SSAValue, type_: Attribute, before: Operation) -> SSAValue:
    """The value with the bits of `type_`."""
    if value.type == type_ or isinstance(value.type, IndexType):
        return value
    assert isinstance(type_, IntegerType)
    return insert(arith.TruncIOp(value, type_), before).result


def extend(value: SSAValue, type_: Attribute, block: Block, source: Operation) -> SSAValue:
    """The value in a type of more bits, at the end of the block."""
    if value.type == type_:
        return value
    assert isinstance(type_, IntegerType)
    op = arith.ExtSIOp(value, type_)
    op.location = source.location
    block.add_op(op)
    return op.result


def replace_results(loop: Operation, call: CallOp, kept: Sequence[int]) -> None:
    """The call stands in place of the loop; results that no loop's are used of are gone."""
    block = loop.parent
    assert block is not None
    block.insert_op_before(call, loop)
    for number, result in zip(kept, call.results, strict=True):
        result.name_hint = loop.results[number].name_hint
        loop.results[number].replace_all_uses_with(result)
    loop.detach()
    loop.erase()
