"""A memory that is chosen at run time becomes the number of one of several memories.

Results of arith.select, and what regions of scf.if, scf.index_switch, scf.execute_region, scf.for
and scf.while yield and carry, may be memrefs: each is an i8, the number of a memory of the
function. An operation on such a memref is put into an scf.if for each memory that it may be, of
which exactly one runs (decision 97 has the same for pointers of C). A view of such a memref is the
same number, of one of the views of these memories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp, i8
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import IsTerminator

from loom.dialects.facts.layouts import View, source_of

MOST_MEMORIES = 64
"""Memories that one memref may be, as of a pointer of C."""
Slot = tuple[Operation, int]
"""An operation and the number of one of its operands."""


@dataclass
class Choices:
    """What may flow into the memrefs of one function that are chosen at run time."""

    slots: dict[SSAValue, list[Slot]] = field(default_factory=dict)
    """For each chosen memref the operands that it may be."""
    memories: dict[SSAValue, list[SSAValue]] = field(default_factory=dict)
    """For each chosen memref the memories that it may be, in the order of the text."""
    views: dict[SSAValue, dict[SSAValue, SSAValue]] = field(default_factory=dict)
    """For each view of a chosen memref, by the memories that it may be, the view of each."""


def choose_memories(module: ModuleOp) -> bool:
    """Memrefs that are chosen at run time are numbers; True if something has changed.

    A function stays as it is, and is refused as such, where a memory is made inside what chooses
    it, and where a chosen memref is returned.
    """
    changed = [choose_in_function(op) for op in module.ops if isinstance(op, FuncOp)]
    return any(changed)


def choose_in_function(function: FuncOp) -> bool:
    """Memrefs of the function that are chosen are numbers; True if there were some."""
    choices = find_choices(function)
    if not choices.slots or not all(is_replaceable(v, choices) for v in choices.memories):
        return False
    places = number_memories(choices)
    if any(len({places[root] for root in each}) < len(each) for each in choices.memories.values()):
        return False
    entry = function.body.blocks[0]
    constants: dict[int, SSAValue] = {}
    for k in sorted(set(places.values())):
        constant = arith.ConstantOp.from_int_and_width(k, i8)
        constant.location = function.location
        insert_first(entry, constant)
        constants[k] = constant.result
    numbers = {root: constants[k] for root, k in places.items()}
    flows = {slot for slots in choices.slots.values() for slot in slots}
    memories: dict[SSAValue, list[SSAValue]] = {}
    for value, found in choices.memories.items():
        hint = value.name_hint
        number = Rewriter.replace_value_with_new_type(value, i8)
        number.name_hint = hint
        memories[number] = found
    flows.update(replace_views(memories, constants[0]))
    for op, k in flows:
        op.operands[k] = numbers.get(op.operands[k], op.operands[k])
    for op in [*function.walk()]:
        if not any((op, k) in flows for k in range(len(op.operands))):
            split_operation(op, memories, numbers)
    return True


def number_memories(choices: Choices) -> dict[SSAValue, int]:
    """The number of each memory; a view that a view of a chosen memref may be has its memory's."""
    found: dict[SSAValue, int] = {}
    viewed = {view: root for each in choices.views.values() for root, view in each.items()}
    for root in dict.fromkeys(root for each in choices.memories.values() for root in each):
        while root in viewed:
            root = viewed[root]
        found.setdefault(root, len(found))
    for view, root in viewed.items():  # views of views come after those that they are made of
        found[view] = found[root]
    return found


def replace_views(memories: dict[SSAValue, list[SSAValue]], zero: SSAValue) -> Iterator[Slot]:
    """A view of a chosen memref is a number of its own, made of that of the memref."""
    for number in [each for each in memories if isinstance(each.owner, View)]:
        op = number.owner
        assert isinstance(op, View) and op.parent is not None
        same = arith.AddiOp(source_of(op), zero)
        same.location = op.location
        op.parent.insert_op_before(same, op)
        number.replace_all_uses_with(same.result)
        memories[same.result] = memories.pop(number)
        Rewriter.erase_op(op)
        yield same, 0


def insert_first(block: Block, op: Operation) -> None:
    """The operation is the first one of the block."""
    if block.first_op is None:
        block.add_op(op)
    else:
        block.insert_op_before(op, block.first_op)


# What flows where


def find_choices(function: FuncOp) -> Choices:
    """The chosen memrefs of the function, and the memories that they may be."""
    found = Choices()
    for op in function.walk():
        for value, slots in flows_of(op):
            if isinstance(value.type, MemRefType):
                found.slots.setdefault(value, []).extend(slots)
    views: list[View] = []
    for op in function.walk():  # a view stands behind what it is a view of
        if isinstance(op, View) and (source_of(op) in found.slots or source_of(op) in found.views):
            found.views[op.results[0]] = {}
            views.append(op)
    memories: dict[SSAValue, dict[SSAValue, None]] = {
        value: {} for value in (*found.slots, *found.views)
    }
    is_new = True
    while is_new:
        is_new = False
        for value, slots in found.slots.items():
            for op, k in slots:
                given = op.operands[k]
                for root in memories.get(given, {given: None}):
                    is_new |= root not in memories[value]
                    memories[value][root] = None
        for view in views:
            of_roots = found.views[view.results[0]]
            for root in [each for each in memories[source_of(view)] if each not in of_roots]:
                of_roots[root] = insert_view(view, root)
                memories[view.results[0]][of_roots[root]] = None
                is_new = True
    found.memories = {value: list(roots) for value, roots in memories.items()}
    return found


def insert_view(view: View, root: SSAValue) -> SSAValue:
    """The same view of one memory, in front of it."""
    made = view.clone()
    made.location = view.location
    made.operands[view.operands.index(source_of(view))] = root
    assert view.parent is not None
    view.parent.insert_op_before(made, view)
    return made.results[0]


def flows_of(op: Operation) -> Iterator[tuple[SSAValue, list[Slot]]]:
    """The values that the operation chooses or carries, with the operands that they may be."""
    if isinstance(op, arith.SelectOp):
        yield op.result, [(op, 1), (op, 2)]
    elif isinstance(op, scf.IfOp | scf.IndexSwitchOp | scf.ExecuteRegionOp):
        if any(len(region.blocks) > 1 for region in op.regions):
            return
        ends = [end_of(region.block) for region in op.regions if region.blocks]
        for k, result in enumerate(op.results):
            yield result, [(end, k) for end in ends]
    elif isinstance(op, scf.ForOp):
        end = end_of(op.body.block)
        for k, result in enumerate(op.results):
            for value in (op.body.block.args[k + 1], result):
                yield value, [(op, k + 3), (end, k)]
    elif isinstance(op, scf.WhileOp):
        test, end = end_of(op.before_region.block), end_of(op.after_region.block)
        for k, argument in enumerate(op.before_region.block.args):
            yield argument, [(op, k), (end, k)]
        for k, result in enumerate(op.results):
            for value in (op.after_region.block.args[k], result):
                yield value, [(test, k + 1)]


def end_of(block: Block) -> Operation:
    """The last operation of a block that is known to have one."""
    assert block.last_op is not None
    return block.last_op


def is_replaceable(value: SSAValue, choices: Choices) -> bool:
    """True if the memories of a chosen memref are known where it is, and its users can be split."""
    roots = choices.memories[value]
    chooser = value.owner if isinstance(value, OpResult) else value.owner.parent_op()
    assert isinstance(chooser, Operation)
    known = all(root.type == value.type and is_around(root, chooser) for root in roots)
    flows = {slot for slots in choices.slots.values() for slot in slots}
    return (
        known
        and len(roots) <= MOST_MEMORIES
        and all(
            (use.operation, use.index) in flows
            or isinstance(use.operation, View)
            or is_splittable(use.operation)
            for use in value.uses
        )
    )


def is_around(root: SSAValue, chooser: Operation) -> bool:
    """True if the memory is known wherever the chooser is and what it chooses is used."""
    block = root.owner if isinstance(root.owner, Block) else root.owner.parent
    around: Block | None = chooser.parent
    while around is not None and around is not block:
        parent = around.parent_op()
        around = None if parent is None else parent.parent
    return around is not None


def is_splittable(op: Operation) -> bool:
    """True for an operation that may stand in an arm of an scf.if."""
    makes_memory = any(isinstance(result.type, MemRefType) for result in op.results)
    return not makes_memory and not op.has_trait(IsTerminator) and not op.regions


# What is done with them


def split_operation(
    op: Operation,
    memories: Mapping[SSAValue, list[SSAValue]],
    numbers: Mapping[SSAValue, SSAValue],
) -> None:
    """The operation stands in an arm for each memory that its first chosen operand may be.

    In an arm it is split further by the operands that are still chosen.
    """
    position = next((k for k, each in enumerate(op.operands) if each in memories), None)
    block = op.parent
    if position is None or block is None:
        return
    chosen = op.operands[position]
    roots = memories[chosen]
    if isinstance(op, memref.DimOp | memref.DeallocOp) or len(roots) == 1:
        op.operands[position] = roots[0]  # all have one type; no memory is given back
        split_operation(op, memories, numbers)
        return
    root, *rest = roots
    test = arith.CmpiOp(chosen, numbers[root], "eq")
    arms: list[Operation] = []
    for of in (root, *rest[:1]):
        arm = op.clone()
        arms.append(arm)
        arm.operands[position] = of if of is root or len(rest) == 1 else chosen
    ends = [scf.YieldOp(*arm.results) for arm in arms]
    bodies = [[Block([arm, end])] for arm, end in zip(arms, ends, strict=True)]
    made = scf.IfOp(test, [result.type for result in op.results], bodies[0], bodies[1])
    for each in (test, made, *arms, *ends):
        each.location = op.location
    block.insert_ops_before([test, made], op)
    for old, new in zip(op.results, made.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    split_operation(arms[0], memories, numbers)
    split_operation(arms[1], {**memories, chosen: rest}, numbers)
