"""Thread every memory's order through the program as control tokens.

Source: dataflow memory specification, "ctrl-done graph", per root memref; errata E5 and E7. A
token enters and leaves every region that touches the memory. Accesses take the token in source
order; loads with no store between them take it side by side. In a loop that only reads a memory
the token is not carried from iteration to iteration: each iteration starts from the loop's own
entry token, and only the done token travels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp, NoneType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.dialects import order
from loom.lower.options import Options

NONE = NoneType()
Root = SSAValue | str
"""What identifies a memory: an argument, an allocation, or a global's name."""


@dataclass(frozen=True)
class Use:
    """How an operation uses a memory, itself or in its regions."""

    reads: bool
    writes: bool

    def __or__(self, other: Use) -> Use:
        return Use(self.reads or other.reads, self.writes or other.writes)


@dataclass
class Token:
    """The order of one memory at one point: after `base`, and after all of `pending` loads."""

    base: SSAValue
    pending: list[SSAValue] = field(default_factory=list)


def root_of(memory: SSAValue) -> Root:
    """The memory a rank-1 memref of the normal form stands for."""
    owner = memory.owner
    if isinstance(owner, memref.GetGlobalOp):
        return str(owner.name_.string_value())
    return memory


class UseTable:
    """Which memories every operation touches, regions included."""

    def __init__(self, function: FuncOp) -> None:
        self._uses: dict[Operation, dict[Root, Use]] = {}
        for operation in reversed(list(function.walk())):
            self._uses[operation] = self._of(operation)

    def of(self, operation: Operation) -> Mapping[Root, Use]:
        """The memories `operation` touches, in order of their first access."""
        return self._uses[operation]

    def _of(self, operation: Operation) -> dict[Root, Use]:
        if isinstance(operation, memref.LoadOp):
            return {root_of(operation.memref): Use(True, False)}
        if isinstance(operation, memref.StoreOp):
            return {root_of(operation.memref): Use(False, True)}
        found: dict[Root, Use] = {}
        for region in operation.regions:
            for block in region.blocks:
                for inner in block.ops:
                    for root, use in self._uses[inner].items():
                        found[root] = found[root] | use if root in found else use
        return found


def thread_memory_order(module: ModuleOp, options: Options) -> None:
    """The one function takes a start token and returns a done token; accesses are `order` ops."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            _Threader(function).run()


class _Threader:
    """One function's rewrite."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.uses = UseTable(function)

    def run(self) -> None:
        block = self.function.body.block
        start = block.insert_arg(NONE, len(block.args))
        start.name_hint = "start"
        tokens = {root: Token(start) for root in self.uses.of(self.function)}
        self.thread_block(block, tokens)
        end = block.last_op
        assert isinstance(end, ReturnOp)
        dones = [self.settle(token, end) for token in tokens.values()]
        done = self.joined(dones, end) if dones else start
        end.operands = [*end.operands, done]
        type_ = self.function.function_type
        self.function.properties["function_type"] = FunctionType.from_lists(
            [*type_.inputs, NONE], [*type_.outputs, NONE]
        )

    def joined(self, tokens: list[SSAValue], before: Operation) -> SSAValue:
        """One token for all of `tokens`, made before `before`."""
        if len(tokens) == 1:
            return tokens[0]
        join = order.JoinOp(tokens)
        join.location = before.location
        parent = before.parent
        assert parent is not None
        parent.insert_op_before(join, before)
        return join.done

    def settle(self, token: Token, before: Operation) -> SSAValue:
        """The token that comes after all accesses so far; it becomes the new base."""
        if token.pending:
            token.base = self.joined(token.pending, before)
            token.pending = []
        return token.base

    def thread_block(self, block: Block, tokens: dict[Root, Token]) -> None:
        """Rewrite the accesses of a block; `tokens` end as they stand at its end."""
        for operation in list(block.ops):
            if isinstance(operation, memref.LoadOp):
                self.thread_load(operation, tokens)
            elif isinstance(operation, memref.StoreOp):
                self.thread_store(operation, tokens)
            elif isinstance(operation, scf.ForOp):
                self.thread_for(operation, tokens)
            elif isinstance(operation, scf.WhileOp):
                self.thread_while(operation, tokens)
            elif isinstance(operation, scf.IfOp):
                self.thread_if(operation, tokens)

    def thread_load(self, load: memref.LoadOp, tokens: dict[Root, Token]) -> None:
        token = tokens[root_of(load.memref)]
        new = order.LoadOp(load.memref, load.indices[0], token.base)
        replace(load, new, 1)
        token.pending.append(new.done)

    def thread_store(self, store: memref.StoreOp, tokens: dict[Root, Token]) -> None:
        token = tokens[root_of(store.memref)]
        after = self.settle(token, store)
        new = order.StoreOp(store.value, store.memref, store.indices[0], after)
        replace(store, new, 0)
        token.base = new.done

    def entries(
        self, operation: Operation, tokens: dict[Root, Token]
    ) -> dict[Root, tuple[SSAValue, bool]]:
        """The token each memory enters the loop with, and whether it is only read there."""
        found: dict[Root, tuple[SSAValue, bool]] = {}
        for root, use in self.uses.of(operation).items():
            token = tokens[root]
            found[root] = (self.settle(token, operation) if use.writes else token.base,
                           not use.writes)  # fmt: skip
        return found

    def leave(
        self,
        entries: Mapping[Root, tuple[SSAValue, bool]],
        dones: list[SSAValue],
        tokens: dict[Root, Token],
    ) -> None:
        """Go on after a region operation whose done tokens are `dones`."""
        for (root, (_, read_only)), done in zip(entries.items(), dones, strict=True):
            token = tokens[root]
            if read_only:
                token.pending.append(done)
            else:
                token.base, token.pending = done, []

    def thread_for(self, loop: scf.ForOp, tokens: dict[Root, Token]) -> None:
        entries = self.entries(loop, tokens)
        if not entries:
            return
        body = loop.body.block
        inner: dict[Root, Token] = {}
        for root, (entry, read_only) in entries.items():
            carried = add_argument(body)
            inner[root] = Token(entry if read_only else carried)
        self.thread_block(body, inner)
        end = body.last_op
        assert end is not None
        end.operands = [*end.operands, *(self.settle(inner[root], end) for root in entries)]
        new = scf.ForOp(
            loop.lb,
            loop.ub,
            loop.step,
            [*loop.iter_args, *(entry for entry, _ in entries.values())],
            loop.detach_region(loop.body),
        )
        new.attributes.update(loop.attributes)
        new.properties.update(loop.properties)
        dones = replace(loop, new, len(loop.results))
        self.leave(entries, dones, tokens)

    def thread_while(self, loop: scf.WhileOp, tokens: dict[Root, Token]) -> None:
        entries = self.entries(loop, tokens)
        if not entries:
            return
        before, after = loop.before_region.block, loop.after_region.block
        arrived = self.thread_while_region(before, entries)
        passed = self.thread_while_region(after, entries)
        assert len(arrived) == len(passed)
        new = scf.WhileOp(
            [*loop.arguments, *(entry for entry, _ in entries.values())],
            [*(result.type for result in loop.results), *[NONE] * len(entries)],
            *(loop.detach_region(region) for region in list(loop.regions)),
        )
        new.attributes.update(loop.attributes)
        dones = replace(loop, new, len(loop.results))
        self.leave(entries, dones, tokens)

    def thread_while_region(
        self, block: Block, entries: Mapping[Root, tuple[SSAValue, bool]]
    ) -> list[SSAValue]:
        """Thread one region of a while: the tokens arrive as arguments and leave at the end.

        A memory that is only read keeps a chain of done tokens beside its accesses.
        """
        inner: dict[Root, Token] = {}
        carried: dict[Root, BlockArgument] = {}
        for root, (entry, read_only) in entries.items():
            carried[root] = add_argument(block)
            inner[root] = Token(entry, [carried[root]]) if read_only else Token(carried[root])
        self.thread_block(block, inner)
        end = block.last_op
        assert end is not None
        leaving = [self.settle(inner[root], end) for root in entries]
        end.operands = [*end.operands, *leaving]
        return leaving

    def thread_if(self, branch: scf.IfOp, tokens: dict[Root, Token]) -> None:
        entries = self.entries(branch, tokens)
        if not entries:
            return
        if not branch.false_region.blocks:
            branch.false_region.add_block(Block([scf.YieldOp()]))
        for region in (branch.true_region, branch.false_region):
            inner = {root: Token(entry) for root, (entry, _) in entries.items()}
            self.thread_block(region.block, inner)
            end = region.block.last_op
            assert end is not None
            end.operands = [*end.operands, *(self.settle(inner[root], end) for root in entries)]
        taken, other = branch.true_region, branch.false_region
        new = scf.IfOp(
            branch.cond,
            [*(result.type for result in branch.results), *[NONE] * len(entries)],
            branch.detach_region(taken),
            branch.detach_region(other),
        )
        dones = replace(branch, new, len(branch.results))
        self.leave(entries, dones, tokens)


def add_argument(block: Block) -> BlockArgument:
    """A control token as the block's new last argument."""
    return block.insert_arg(NONE, len(block.args))


def replace(old: Operation, new: Operation, kept: int) -> list[SSAValue]:
    """Put `new` in the place of `old`, whose `kept` results come first; return the others."""
    new.location = old.location
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)
    for result, successor in zip(old.results, new.results[:kept], strict=True):
        successor.name_hint = result.name_hint
        result.replace_all_uses_with(successor)
    old.detach()
    old.erase()
    return list(new.results[kept:])


def memory_type(memory: SSAValue) -> MemRefType:
    """The rank-1 type of a memory in the normal form."""
    assert isinstance(memory.type, MemRefType)
    return memory.type
