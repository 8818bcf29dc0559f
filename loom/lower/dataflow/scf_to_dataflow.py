"""Flatten scf into handshake and dataflow operations: control becomes tokens.

Source: docs/spec/control-flow.md; docs/spec D1 to D5 and D8. Memory order arrives as
tokens that loops carry and branches merge like any value (`thread_memory_order`), so one set of
rules serves data and order.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    FunctionType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneType,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.program.calls import arrays_of_arguments, callee_of, callers_first, top_of
from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.loop_attributes import EXACT_TYPE, LANES, NONZERO_TRIP, is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import QUEUE_END
from loom.dialects.ops import handshake, order
from loom.dialects.ops.dataflow import CarryOp, StreamOp
from loom.dialects.ops.handshake import CondBranchOp
from loom.dialects.ops.handshake_function import FuncOp as HandshakeFuncOp
from loom.dialects.ops.handshake_function import ReturnOp as HandshakeReturnOp
from loom.dialects.ops.handshake_routing import ShareOp
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.errors import LoomError
from loom.lower.dataflow.graph_builder import GraphBuilder, Interface, packed_type
from loom.lower.dataflow.memory_interfaces import (
    address_types,
    arrays_that_accept,
    count_accesses,
    interface_of_array,
    name_in_graph,
    type_of_address,
)
from loom.lower.dataflow.placeholder import PlaceholderOp
from loom.lower.dataflow.region_scopes import (
    AfterScope,
    BeforeScope,
    Branches,
    BranchScope,
    ReplicateScope,
    Scope,
)
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace

NONE = NoneType()


def scf_to_dataflow(module: ModuleOp, options: Options) -> None:
    """The function becomes a handshake.func of unstructured units; globals become contents."""
    function = top_of(module)
    new = _Lowering(function, module, options).run()
    module.body.block.insert_op_before(new, function)
    for other in list(module.ops):
        if not isinstance(other, HandshakeFuncOp):
            other.detach()
            other.erase(safe_erase=False)


class _Lowering:
    """One function's lowering."""

    def __init__(self, function: FuncOp, module: ModuleOp, options: Options) -> None:
        self.function = function
        self.options = options
        self.called = [each for each in callers_first(module) if each is not function]
        self.shared: dict[str, list[PlaceholderOp]] = {}
        source = function.body.block
        type_ = function.function_type
        results = [f"out{k}" for k in range(len(type_.outputs) - 1)]
        self.new = HandshakeFuncOp(
            function.sym_name.data,
            FunctionType.from_lists(list(type_.inputs), list(type_.outputs)),
            argument_names(function),
            [*results, "done"],
        )
        self.new.location = function.location
        body = self.new.body.block
        self.top = Scope(GraphBuilder(body, arrays_of_arguments(module)), body.args[-1])
        for argument, successor in zip(source.args, body.args, strict=True):
            successor.name_hint = argument.name_hint
            self.top.streams[argument] = successor
        self.make_interfaces(module)

    def make_interfaces(self, module: ModuleOp) -> None:
        """One interface a memory, in the order of first access; ports come later."""
        graph, start = self.top.graph, self.top.start
        functions = [self.function, *self.called]
        accesses = count_accesses(functions, graph.arrays).items()
        types = address_types(functions, graph.arrays)
        accepting = arrays_that_accept(functions, graph.arrays)
        for number, (root, (memory, loads, stores)) in enumerate(accesses):
            name = name_in_graph(number, memory)
            argument, ports = self.top.streams.get(memory), (loads, stores)
            made = interface_of_array(
                memory, argument, name, ports, start, self.function, module, root in accepting
            )
            graph.block.add_op(made)
            graph.interfaces[root] = Interface(made, types.get(root) or type_of_address(memory))

    def run(self) -> HandshakeFuncOp:
        """The lowered function."""
        self.lower_block(self.function.body.block, self.top)
        returned: list[tuple[PlaceholderOp, SSAValue]] = []
        for function in self.called:
            calls = self.shared[function.sym_name.data]
            returned += zip(calls, self.lower_shared(function, calls), strict=True)
        end = self.function.body.block.last_op
        assert isinstance(end, ReturnOp)
        self.top.graph.add(HandshakeReturnOp([self.top.get(v) for v in end.operands]), end)
        for interface in self.top.graph.interfaces.values():
            interface.finish()
        for call, result in returned:
            replace(call, result)
        return self.new

    def lower_block(self, block: Block, scope: Scope) -> None:
        """Lower every operation of a block but its terminator."""
        for operation in block.ops:
            if operation is block.last_op:
                break
            if isinstance(operation, scf.ForOp):
                self.lower_for(operation, scope)
            elif isinstance(operation, scf.WhileOp):
                self.lower_while(operation, scope)
            elif isinstance(operation, scf.IfOp):
                self.lower_if(operation, scope)
            else:
                self.lower_operation(operation, scope)

    def lower_operation(self, operation: Operation, scope: Scope) -> None:
        """Lower an operation without regions."""
        graph = scope.graph
        if isinstance(operation, order.LoadOp):
            value, done = graph.load(
                operation, scope.get(operation.index), scope.get(operation.after)
            )
            scope.streams[operation.value] = value
            scope.streams[operation.done] = done
        elif isinstance(operation, order.StoreOp):
            operands = (operation.value, operation.index, operation.after)
            tokens = graph.store(operation, *(scope.get(operand) for operand in operands))
            scope.streams.update(zip(operation.results, tokens, strict=False))
        elif isinstance(operation, order.JoinOp):
            tokens = [scope.get(token) for token in operation.tokens]
            scope.streams[operation.done] = graph.add(handshake.JoinOp(tokens), operation).out
        elif isinstance(operation, order.EndOp):
            ended = graph.add(handshake.JoinOp([scope.get(operation.last)]), operation)
            interface = graph.interface_of(operation.memory)
            number = [*graph.interfaces.values()].index(interface)
            QUEUE_END.put(ended, number)
            QUEUE_END.put(interface.operation, number)
            scope.streams[operation.done] = ended.out
        elif isinstance(operation, CallOp):
            self.lower_call(operation, scope)
        elif isinstance(operation, StaticLoopOp):
            (after,) = [scope.get(token) for token in operation.after] or [scope.control()]
            values = [scope.get(value) for value in operation.values]
            given = graph.island(operation, after, values)
            results = (operation.done, *operation.outs)
            scope.streams.update(zip(results, given, strict=True))
        elif not isinstance(operation, arith.ConstantOp) and not any(
            isinstance(result.type, MemRefType) for result in operation.results
        ):
            copy = operation.clone({v: scope.get(v) for v in operation.operands})
            graph.add(copy, operation)
            for result, successor in zip(operation.results, copy.results, strict=True):
                scope.streams[result] = successor

    def lower_call(self, call: CallOp, scope: Scope) -> None:
        """Pack the operands, unpack the results; in between comes the shared circuit."""
        graph = scope.graph
        tokens = [scope.get(v) for v in call.arguments if not isinstance(v.type, MemRefType)]
        given = graph.pack(tokens, call) if tokens else scope.control()
        place = PlaceholderOp(given, packed_type(call.result_types))
        graph.add(place, call)
        for result, value in zip(
            call.results, graph.unpack(place.out, call.result_types, call), strict=True
        ):
            scope.streams[result] = value
        self.shared.setdefault(callee_of(call), []).append(place)

    def lower_shared(self, function: FuncOp, calls: Sequence[PlaceholderOp]) -> Sequence[SSAValue]:
        """One circuit for the function takes the calls in turns; what comes back for each."""
        graph = self.top.graph
        # What is returned is connected once the circuit is there.
        share = ShareOp(calls[0].given, [call.given for call in calls], calls[0].out.type)
        graph.add(share, function)
        share.called.name_hint = function.sym_name.data
        arguments = [a for a in function.body.block.args if not isinstance(a.type, MemRefType)]
        types = [argument.type for argument in arguments]
        body = Scope(graph, graph.add(handshake.JoinOp([share.called]), function).out)
        for argument, stream in zip(
            arguments, graph.unpack(share.called, types, function), strict=True
        ):
            stream.name_hint = argument.name_hint
            body.streams[argument] = stream
        self.lower_block(function.body.block, body)
        end = function.body.block.last_op
        assert isinstance(end, ReturnOp)
        returned = [body.get(value) for value in end.operands]
        share.operands[0] = graph.pack(returned, function) if returned else body.control()
        return share.outs

    def lower_if(self, branch: scf.IfOp, scope: Scope) -> None:
        """Branch what the regions use, merge what they yield."""
        condition = scope.get(branch.cond)
        branches = Branches(scope, branch, condition)
        sides: list[Sequence[SSAValue]] = []
        for region, taken in ((branch.false_region, False), (branch.true_region, True)):
            inner = BranchScope(branches, taken)
            if region.blocks:
                self.lower_block(region.block, inner)
                sides.append(self.terminator_streams(region.block, inner))
        for k, result in enumerate(branch.results):
            mux = handshake.MuxOp(condition, [side[k] for side in sides])
            scope.streams[result] = scope.graph.add(mux, branch).out
            mux.out.name_hint = result.name_hint

    def terminator_streams(self, block: Block, scope: Scope) -> list[SSAValue]:
        """The streams that the block's terminator passes on."""
        end = block.last_op
        assert end is not None
        return [scope.get(value) for value in end.operands]

    def lower_for(self, loop: scf.ForOp, scope: Scope) -> None:
        """A stream of indices; iter_args carried by its condition; the body inside.

        A loop with a non-zero trip count is rotated: n iterations take n tests, each made with the
        iteration before it, which sends the results of its iteration on or out. Any other loop
        tests n + 1 times, and its last test sends the carried values out. In a loop with lanes
        that many entries take turns.
        """
        graph, rotated = scope.graph, NONZERO_TRIP.is_on(loop)
        lanes = (LANES.of(loop) or 1) if rotated else 1
        start, step, bound = (
            self.to_index(scope.get(v), loop, scope) for v in (loop.lb, loop.step, loop.ub)
        )
        unsigned = is_unsigned(loop)
        made = StreamOp(start, step, bound, unsigned=unsigned, rotated=rotated, lanes=lanes)
        stream = graph.add(made, loop)
        test = stream.cont
        inner = ReplicateScope(scope, loop, test, rotated, lanes)
        variable, *carried = loop.body.block.args
        if variable.uses:
            index = stream.index
            if not rotated:
                index = graph.add(CondBranchOp(test, index), loop).true_result
            index.name_hint = variable.name_hint
            inner.streams[variable] = self.from_index(index, variable, loop, scope)
        carries: list[CarryOp] = []
        for argument, init, result in zip(carried, loop.iter_args, loop.results, strict=True):
            first = scope.get(init)
            carry = graph.add(CarryOp(test, first, first, lanes), loop)
            carries.append(carry)
            enters = carry.o if rotated else self.split_result(test, carry.o, result, scope)
            enters.name_hint = argument.name_hint
            inner.streams[argument] = enters
        self.lower_block(loop.body.block, inner)
        given = self.terminator_streams(loop.body.block, inner)
        for carry, back, result in zip(carries, given, loop.results, strict=True):
            carry.operands[2] = self.split_result(test, back, result, scope) if rotated else back

    def split_result(
        self, test: SSAValue, stream: SSAValue, result: OpResult, scope: Scope
    ) -> SSAValue:
        """What stays in the loop of `result`; the last token of `stream` leaves and is the result.

        The result's name goes with it.
        """
        split = scope.graph.add(CondBranchOp(test, stream), result.op)
        scope.streams[result] = split.false_result
        split.false_result.name_hint = result.name_hint
        return split.true_result

    def lower_while(self, loop: scf.WhileOp, scope: Scope) -> None:
        """Carries feed the before region; its condition splits what it passes on."""
        graph = scope.graph
        before = BeforeScope(scope, loop)
        carries: list[CarryOp] = []
        for argument, init in zip(loop.before_region.block.args, loop.arguments, strict=True):
            start = scope.get(init)
            carry = graph.add(CarryOp(start, start, start), loop)
            carry.o.name_hint = argument.name_hint
            before.streams[argument] = carry.o
            carries.append(carry)
        self.lower_block(loop.before_region.block, before)
        raw, *passed = self.terminator_streams(loop.before_region.block, before)
        for carry in carries:
            carry.operands[0] = raw
        after = AfterScope(scope, before, loop, raw)
        for stream, argument, result in zip(
            passed, loop.after_region.block.args, loop.results, strict=True
        ):
            split = graph.add(CondBranchOp(raw, stream), loop)
            split.true_result.name_hint = argument.name_hint
            split.false_result.name_hint = result.name_hint
            after.streams[argument] = split.true_result
            scope.streams[result] = split.false_result
        self.lower_block(loop.after_region.block, after)
        for carry, back in zip(
            carries, self.terminator_streams(loop.after_region.block, after), strict=True
        ):
            carry.operands[2] = back
        before.close(raw)

    def to_index(self, value: SSAValue, loop: scf.ForOp, scope: Scope) -> SSAValue:
        """A loop bound that keeps its value: as an index, where its own type may be too short."""
        if isinstance(value.type, IndexType) or EXACT_TYPE.is_on(loop):
            return value
        assert isinstance(value.type, IntegerType)
        if value.type.width.data > self.options.index_width:
            raise LoomError(
                "LOWER_INDEX_WIDTH",
                place_of(loop),
                f"a loop over {value.type} with indices of {self.options.index_width} bits",
                "loop variables no wider than an index (--index-width)",
            )
        kind = IndexCastUIOp if is_unsigned(loop) else arith.IndexCastOp
        return scope.graph.add(kind(value, IndexType()), loop).results[0]

    def from_index(
        self, index: SSAValue, variable: SSAValue, loop: scf.ForOp, scope: Scope
    ) -> SSAValue:
        """The loop variable in the type the loop gives it."""
        if variable.type == index.type:
            return index
        cast = scope.graph.add(arith.IndexCastOp(index, variable.type), loop)
        cast.result.name_hint = variable.name_hint
        return cast.result
