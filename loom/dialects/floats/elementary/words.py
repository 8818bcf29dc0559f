"""Programs of integer operations on words of fixed width, as data: they are run, and rewritten.

One program is the meaning of a function (`compile_program`), what a circuit computes
(`loom.lower.legalize.expand_functions`), and C (`loom.native.c.elementary`): all three agree bit by
bit, as each operation is the same in all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Word:
    """What one operation gives: an unsigned number of so many bits.

    `kind` is a key of `PYTHON`; `value` is that of a constant, `table` what a lookup reads.
    """

    width: int
    kind: str
    operands: tuple[Word, ...] = ()
    value: int = 0
    table: tuple[int, ...] = field(default=(), repr=False)

    def constant(self, value: int) -> Word:
        """A constant of this width, modulo 2^width."""
        return constant(self.width, value)

    def _of(self, other: Word | int) -> Word:
        return self.constant(other) if isinstance(other, int) else other

    def _same(self, kind: str, other: Word | int) -> Word:
        right = self._of(other)
        assert right.width == self.width, (kind, self.width, right.width)
        return Word(self.width, kind, (self, right))

    def __add__(self, other: Word | int) -> Word:
        return self._same("add", other)

    def __sub__(self, other: Word | int) -> Word:
        return self._same("subtract", other)

    def product(self, other: Word) -> Word:
        """The whole product, in twice the bits."""
        return Word(2 * self.width, "product", self._same("", other).operands)

    def __and__(self, other: Word | int) -> Word:
        return self._same("and", other)

    def __or__(self, other: Word | int) -> Word:
        return self._same("or", other)

    def __xor__(self, other: Word | int) -> Word:
        return self._same("xor", other)

    def __lshift__(self, other: Word | int) -> Word:
        """Shifted left; the amount is below the width."""
        return self if other == 0 else self._same("shift_left", other)

    def __rshift__(self, other: Word | int) -> Word:
        """Shifted right, zeros in; the amount is below the width."""
        return self if other == 0 else self._same("shift_right", other)

    def equals(self, other: Word | int) -> Word:
        """1 if both are equal."""
        return Word(1, "equals", self._same("", other).operands)

    def below(self, other: Word | int) -> Word:
        """1 if this one is less, unsigned."""
        return Word(1, "below", self._same("", other).operands)

    def select(self, true: Word | int, false: Word) -> Word:
        """`true` if this bit is 1, else `false`."""
        chosen = false.constant(true) if isinstance(true, int) else true
        assert self.width == 1 and chosen.width == false.width
        return Word(false.width, "select", (self, chosen, false))

    def least(self, other: Word | int) -> Word:
        """The smaller one, unsigned."""
        return self.below(other).select(self, self._of(other))

    def wide(self, width: int) -> Word:
        """The same number in more bits."""
        assert width >= self.width
        return self if width == self.width else Word(width, "extend", (self,))

    def wide_signed(self, width: int) -> Word:
        """The same signed number in more bits."""
        assert width >= self.width
        return self if width == self.width else Word(width, "extend_signed", (self,))

    def low(self, width: int) -> Word:
        """The low bits."""
        assert width <= self.width
        return self if width == self.width else Word(width, "low", (self,))

    def bits(self, low: int, width: int) -> Word:
        """So many bits from bit `low` on."""
        return (self >> low).low(width)

    def top(self, width: int) -> Word:
        """The high bits."""
        return self.bits(self.width - width, width)

    def sign(self) -> Word:
        """The highest bit."""
        return self.top(1)

    def look_up(self, table: Sequence[int], width: int) -> Word:
        """The number of a table at this place, which is in it; wide ones lie in two tables."""
        if width > WIDEST_ELEMENT:
            mask = (1 << WIDEST_ELEMENT) - 1
            low = self.look_up([each & mask for each in table], WIDEST_ELEMENT)
            rest = width - WIDEST_ELEMENT
            high = self.look_up([each >> WIDEST_ELEMENT for each in table], rest)
            return low.wide(width) | (high.wide(width) << WIDEST_ELEMENT)
        return Word(width, "look_up", (self,), table=tuple(table))


WIDEST_ELEMENT = 64
"""Bits of a table's element."""


def constant(width: int, value: int) -> Word:
    """A constant, modulo 2^width."""
    return Word(width, "constant", (), value & ((1 << width) - 1))


def argument(width: int) -> Word:
    """The operand of a function."""
    return Word(width, "argument")


@dataclass(frozen=True)
class Program:
    """A function of one word."""

    operand: Word
    result: Word

    def steps(self) -> list[Word]:
        """The operations, each after those it needs."""
        return order_words([self.result])


def order_words(results: Sequence[Word]) -> list[Word]:
    """The operations that make the results, each after those it needs."""
    found: dict[Word, None] = {}
    work = [*reversed(results)]
    while work:
        word = work[-1]
        missing = [each for each in word.operands if each not in found]
        if missing:
            work += reversed(missing)
        else:
            found.setdefault(work.pop())
    return list(found)


PYTHON: dict[str, str] = {
    "add": "({0} + {1}) & {mask}",
    "subtract": "({0} - {1}) & {mask}",
    "product": "{0} * {1}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "shift_left": "({0} << {1}) & {mask}",
    "shift_right": "{0} >> {1}",
    "equals": "int({0} == {1})",
    "below": "int({0} < {1})",
    "select": "{1} if {0} else {2}",
    "extend": "{0}",
    "extend_signed": "(({0} ^ {sign}) - {sign}) & {mask}",
    "low": "{0} & {mask}",
    "look_up": "{table}[{0}]",
    "constant": "{value}",
}
"""Each operation as Python; `sign` is the highest bit of the first operand's width."""


def compile_program(program: Program) -> Callable[[int], int]:
    """The function of a program."""
    names: dict[Word, str] = {program.operand: "operand"}
    tables: dict[str, tuple[int, ...]] = {}
    lines: list[str] = []
    for word in program.steps():
        if word in names:
            continue
        names[word] = f"w{len(names)}"
        first = word.operands[0].width if word.operands else word.width
        table = f"t{len(tables)}"
        if word.table:
            tables[table] = word.table
        text = PYTHON[word.kind].format(
            *(names[each] for each in word.operands),
            mask=(1 << word.width) - 1,
            sign=1 << (first - 1),
            value=word.value,
            table=table,
        )
        lines.append(f"  {names[word]} = {text}\n")
    text = f"def function(operand):\n{''.join(lines)}  return {names[program.result]}\n"
    space: dict[str, object] = dict(tables)
    exec(compile(text, "<program>", "exec"), space)
    found = space["function"]
    assert callable(found)
    return found
