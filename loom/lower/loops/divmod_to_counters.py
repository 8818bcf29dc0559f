"""Quotients and remainders of a loop's index become counters that the loop carries.

An index that counts 0, 1, 2 .. is to a divisor C what a clock's seconds are to its minutes: the
remainder counts up to C - 1 and begins anew, and the quotient goes on whenever it does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, exponent_of, integer_type, replace
from loom.lower.scalar.known_constants import KnownConstants
from loom.lower.scalar.simplify import simplify

QUOTIENTS = (arith.DivUIOp, arith.DivSIOp, arith.FloorDivSIOp)
REMAINDERS = (arith.RemUIOp, arith.RemSIOp)
DIVISIONS = QUOTIENTS + REMAINDERS
WIDER = (arith.ExtSIOp, arith.ExtUIOp, IndexCastUIOp)
"""Casts; they keep a number that is not negative."""
NARROWER = (arith.TruncIOp, arith.IndexCastOp)
"""Casts that keep it where it fits."""


@dataclass(frozen=True)
class Counter:
    """A value that counts from 0 to `top`, or on, in iterations with `tick` 1, or in all."""

    value: SSAValue
    tick: SSAValue | None
    top: int | None
    ends: bool
    """Whether it begins anew after `top`, or the loop has ended before."""


def divmod_to_counters(module: ModuleOp, options: Options) -> None:
    """No divider is left that divides a counted index by a constant that is no power of two."""
    dividing = operations_around(op for op in module.walk() if isinstance(op, DIVISIONS))
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp) and op in dividing]
    rewritten = [_Rewriter(loop, options.index_width).run() for loop in loops]
    if any(rewritten):
        simplify(module, options)


def operations_around(inner: Iterable[Operation]) -> set[Operation]:
    """The operations in whose regions one of these stands."""
    found: set[Operation] = set()
    for each in inner:
        around = each.parent_op()
        while around is not None and around not in found:
            found.add(around)
            around = around.parent_op()
    return found


class _Rewriter:
    """One loop's rewrite."""

    def __init__(self, loop: scf.ForOp, index_width: int) -> None:
        self.loop, self.index_width = loop, index_width
        self.known = KnownConstants(index_width)
        self.end = Arithmetic(last_of(loop.body.block))
        self.counters: dict[SSAValue, Counter] = {}
        self.made: dict[tuple[SSAValue, int], tuple[Counter, Counter]] = {}
        self.added: list[tuple[SSAValue, SSAValue]] = []
        """New arguments of the body, and their values in the next iteration."""

    def run(self) -> bool:
        """True if the loop was rewritten: its index counts so, and something divides it."""
        loop = self.loop
        if self.known.number(loop.lb, False) != 0 or self.known.step(loop) != 1:
            return False
        indices, index = self.known.indices(loop), loop.body.block.args[0]
        half = 1 << (width_of(index.type, self.index_width) - 1)
        if is_unsigned(loop) and (indices is None or len(indices) > half):
            return False
        top = None if indices is None else len(indices) - 1
        self.counters[index] = Counter(index, None, top, False)
        for op in list(loop.body.block.walk()):
            if isinstance(op, DIVISIONS):
                counter = self.match_counter(op)
                if counter is not None:
                    replace(op, self.cast(counter.value, op.result.type, Arithmetic(op)))
        if self.added:
            self.carry()
        return bool(self.added)

    def match_counter(self, op: arith.SignlessIntegerBinaryOperation) -> Counter | None:
        """The counter that the operation's result is."""
        divisor = self.known.number(op.rhs, False)
        counter = self.find_counter(op.lhs)
        if counter is None or divisor is None or divisor < 2 or exponent_of(divisor) is not None:
            return None
        if counter.top is not None and counter.top < divisor:
            zero = Arithmetic(self.loop).constant(0, IntegerType(1))
            return counter if isinstance(op, REMAINDERS) else Counter(zero, None, 0, False)
        if counter.ends and (counter.top is None or (counter.top + 1) % divisor):
            return None
        key = counter.value, divisor
        if key not in self.made:
            self.made[key] = self.split_counter(counter, divisor)
        return self.made[key][isinstance(op, REMAINDERS)]

    def find_counter(self, value: SSAValue) -> Counter | None:
        """The counter that the value is, through casts that keep its numbers."""
        owner = value.owner
        if value in self.counters:
            return self.counters[value]
        if isinstance(owner, WIDER + NARROWER):
            found = self.find_counter(owner.operands[0])
            width = width_of(value.type, self.index_width)
            wider = width >= width_of(owner.operands[0].type, self.index_width)
            fits = found is not None and found.top is not None and found.top < 1 << (width - 1)
            return found if wider or fits else None
        return None

    def split_counter(self, counter: Counter, divisor: int) -> tuple[Counter, Counter]:
        """The quotient and the remainder as values that the loop carries."""
        top = None if counter.top is None else counter.top // divisor
        rest, at_end = self.add_counter(
            counter.tick, divisor - 1, IntegerType(divisor.bit_length() + 1)
        )
        tick = at_end
        if counter.tick is not None:
            tick = self.end.binary(arith.AndIOp, counter.tick, at_end)
        type_: Attribute = counter.value.type
        if top is not None:
            type_ = IntegerType((top + 1).bit_length() + 1)
        quotient, _ = self.add_counter(tick, top if counter.ends else None, type_)
        found = (
            Counter(quotient, tick, top, counter.ends),
            Counter(rest, counter.tick, divisor - 1, True),
        )
        self.counters |= {each.value: each for each in found}
        return found

    def add_counter(
        self, tick: SSAValue | None, last: int | None, type_: Attribute
    ) -> tuple[SSAValue, SSAValue]:
        """A value that counts when `tick` is 1, anew after `last`, and whether it is that one."""
        kind = integer_type(type_)
        body = self.loop.body.block
        value = body.insert_arg(kind, len(body.args))
        zero, one = self.end.constant(0, kind), self.end.constant(1, kind)
        following = self.end.binary(arith.AddiOp, value, one)
        at_end = self.end.constant(0, IntegerType(1))
        if last is not None:
            at_end = self.end.compare("eq", value, self.end.constant(last, kind))
            following = self.end.select(at_end, zero, following)
        if tick is not None:
            following = self.end.select(tick, following, value)
        self.added.append((value, following))
        return value, at_end

    def cast(self, value: SSAValue, type_: Attribute, place: Arithmetic) -> SSAValue:
        """The number in another type."""
        if value.type == type_:
            return value
        if isinstance(type_, IntegerType) and isinstance(value.type, IntegerType):
            narrower = width_of(type_) < width_of(value.type)
            return place.insert((arith.TruncIOp if narrower else arith.ExtSIOp)(value, type_))
        return place.insert(arith.IndexCastOp(value, integer_type(type_)))

    def carry(self) -> None:
        """The loop carries the counters."""
        loop, before = self.loop, Arithmetic(self.loop)
        end = last_of(loop.body.block)
        end.operands = [*end.operands, *(following for _, following in self.added)]
        starts = [before.constant(0, integer_type(value.type)) for value, _ in self.added]
        made = scf.ForOp(
            loop.lb, loop.ub, loop.step, [*loop.iter_args, *starts], loop.detach_region(loop.body)
        )
        made.attributes.update(loop.attributes)
        made.properties.update(loop.properties)
        before.put(made)
        replace(loop, *made.results[: len(loop.results)])
