"""Loop flattening: a perfect nest becomes one loop over all pairs of iterations, on request."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, SSAValue

from loom.dialects.facts.loop_attributes import FLATTEN, HINT, UNSIGNED, is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.lower.loops.perfect_nests import Nest, match_perfect_nest
from loom.lower.loops.replicate_iterations import unroll_fully
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import INDEX, Arithmetic, exponent_of, integer_type, replace
from loom.lower.scalar.known_constants import KnownConstants
from loom.lower.scalar.value_bounds import upper_bound

REQUEST = "flattened"


def flatten_loops(module: ModuleOp, options: Options) -> None:
    """No loop is left with the directive `FLATTEN`; inner ones come first."""
    for op in reversed(list(module.walk())):
        if not FLATTEN.drop(op):
            continue
        try:
            Flattening(match_perfect_nest(op, REQUEST), options.index_width).run()
        except LoomError:
            if not HINT.is_on(op):
                raise


class Flattening:
    """The rewrite of one nest. Nothing is changed before all that may be refused is known."""

    def __init__(self, nest: Nest, index_width: int) -> None:
        self.nest = nest
        self.outer, self.inner = nest.outer, nest.inner
        self.index_width = index_width
        self.known = KnownConstants(index_width)

    def refusal(self, what: str, accepted: str) -> LoomError:
        """The nest cannot be flattened."""
        text = f"a loop to be {REQUEST} {what}"
        return LoomError("LOWER_LOOP", place_of(self.outer), text, accepted)

    def run(self) -> None:
        """One loop stands in place of the nest."""
        order = self.match_carried()
        indices = self.known.indices(self.inner)
        if indices is None:
            raise self.refusal("whose inner trip count is not known", "constant bounds inside")
        step = self.known.step(self.outer)
        if step is None:
            raise self.refusal("whose step is not known", "constant steps")
        if len(indices) < 2:
            unroll_fully(self.inner, indices)
            return
        count = self.count(step, len(indices))
        before = Arithmetic(self.outer)
        zero, one = before.constant(0), before.constant(1)
        body = self.body(order, step, len(indices))
        made = scf.ForOp(zero, count, one, self.outer.iter_args, body)
        made.attributes = {**self.inner.attributes, **self.outer.attributes}
        UNSIGNED.drop(made)
        before.put(made)
        replace(self.outer, *made.results)

    def match_carried(self) -> list[int]:
        """For each value that the outer loop carries, the number of the inner one's that it is."""
        end = self.outer.body.block.last_op
        assert end is not None
        order: list[int] = []
        for argument, back in zip(self.outer.body.block.args[1:], end.operands, strict=True):
            places = [k for k, start in enumerate(self.inner.iter_args) if start is argument]
            is_alone = len(places) == 1 and len(list(argument.uses)) == 1
            if not is_alone or back is not self.inner.results[places[0]]:
                break
            order.append(places[0])
        results = self.inner.results
        if len(order) != len(results) or any(len(list(r.uses)) != 1 for r in results):
            raise self.refusal(
                "that carries other values than the loop in it",
                "values that the outer loop hands to the inner one, and back",
            )
        return order

    def count(self, step: int, inner: int) -> SSAValue:
        """How many pairs of iterations there are, made before the nest."""
        outer, before = self.outer, Arithmetic(self.outer)
        unsigned, half = is_unsigned(outer), 1 << (self.index_width - 1)
        indices = self.known.indices(outer)
        if indices is not None and len(indices) * inner < half:
            return before.constant(len(indices) * inner)
        type_ = integer_type(outer.lb.type)
        width = width_of(type_, self.index_width)
        low = self.known.number(outer.lb, unsigned)
        highest = upper_bound(outer.ub, width, unsigned)
        shift = exponent_of(step)
        if low is None or -(-(highest - low) // step) * inner >= half or shift is None:
            raise self.refusal(
                f"with more iterations than an index of {self.index_width} bits may count",
                "constant bounds; or only an upper bound that is not, of fewer bits than an index",
            )
        runs = before.compare("ult" if unsigned else "slt", outer.lb, outer.ub)
        distance = before.binary(arith.SubiOp, outer.ub, outer.lb)  # exact as an unsigned number
        if shift:
            one = before.constant(1, type_)
            less = before.binary(arith.SubiOp, distance, one)
            steps = before.binary(arith.ShRUIOp, less, before.constant(shift, type_))
            distance = before.binary(arith.AddiOp, steps, one)
        if not isinstance(type_, IndexType):
            distance = before.insert(IndexCastUIOp(distance, INDEX))
        return before.select(runs, before.binary(arith.MuliOp, distance, inner), 0)

    def body(self, order: list[int], step: int, inner: int) -> Block:
        """One pair of iterations."""
        end = scf.YieldOp()
        end.location = self.outer.location
        types = [value.type for value in self.outer.iter_args]
        body = Block([end], arg_types=[INDEX, *types])
        inside = Arithmetic(end)
        pair, carried = body.args[0], body.args[1:]
        quotient = inside.binary(arith.DivUIOp, pair, inner)
        rest = inside.binary(arith.RemUIOp, pair, inner)
        known: dict[SSAValue, SSAValue] = {}
        known[self.outer.body.block.args[0]] = self.index(inside, self.outer.lb, step, quotient)
        for op in self.nest.pure:
            body.insert_op_before(op.clone(known), end)
        low = known.get(self.inner.lb, self.inner.lb)
        indices = self.known.indices(self.inner)
        assert indices is not None
        arguments = self.inner.body.block.args
        known[arguments[0]] = self.index(inside, low, indices.step, rest)
        for place, value in zip(order, carried, strict=True):
            known[arguments[place + 1]] = value
            value.name_hint = arguments[place + 1].name_hint
        for op in self.inner.body.block.ops:
            if isinstance(op, scf.YieldOp):
                end.operands = [known.get(op.operands[k], op.operands[k]) for k in order]
            else:
                body.insert_op_before(op.clone(known), end)
        return body

    def index(self, inside: Arithmetic, low: SSAValue, step: int, number: SSAValue) -> SSAValue:
        """The index of an iteration of one of the loops, in the loop's type."""
        type_ = integer_type(low.type)
        if not isinstance(type_, IndexType):
            number = inside.insert(arith.IndexCastOp(number, type_))
        if step != 1:
            factor = inside.constant(step, type_)
            number = inside.binary(arith.MuliOp, number, factor)
        return inside.binary(arith.AddiOp, low, number)
