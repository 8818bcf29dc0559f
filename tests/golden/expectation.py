"""Random tokens for units that stand alone, and what their meaning makes of them."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence

from loom.dialects.operators.dataflow_operators import step_function, tested_function
from loom.dialects.operators.operator import Shape
from loom.netlist.netlist import Netlist, Unit
from tests.golden.float_tokens import float_tokens

LONGEST_BURST = 20


class Silent:
    """An environment that collects error codes."""

    def __init__(self) -> None:
        self.contents: list[int] = []
        self.codes: list[str] = []

    def report(self, code: str) -> None:
        """Note the code."""
        self.codes.append(code)


def random_tokens(netlist: Netlist, count: int, seed: int) -> dict[str, list[int]]:
    """`count` tokens for every input port, memories and load ports included."""
    dice = random.Random(seed)
    found: dict[str, list[int]] = {}
    for unit in netlist.units:
        shape = netlist.shape_by_unit[unit.name]
        inputs, _ = netlist.ports_of(unit)
        columns = unit_tokens(unit, shape, count, dice)
        for port, column in zip(inputs, columns, strict=True):
            found[f"{unit.name}_{port.name}"] = column
    return found


def unit_tokens(unit: Unit, shape: Shape, count: int, dice: random.Random) -> list[list[int]]:
    """Tokens for each input of one unit that is no constant."""
    columns = operand_tokens(unit, shape, count, dice)
    return [column for place, column in enumerate(columns) if place not in shape.constants]


def operand_tokens(unit: Unit, shape: Shape, count: int, dice: random.Random) -> list[list[int]]:
    """Tokens for each operand of one unit; streams get bursts that end, merges one input."""
    if "step_op" in unit.attributes:
        return stream_tokens(shape, count, dice)
    if unit.operator.signature.formats:
        return float_tokens(unit, shape, count, dice)
    columns = [[token(width, dice) for _ in range(count)] for width in shape.inputs]
    if unit.operator.hardware.template == "primitives/mux":
        # A datum of each input is named about as often as the others; some numbers lie beyond.
        most = min(len(shape.inputs) + 2, 1 << shape.inputs[0])
        columns[0] = [dice.randrange(most) for _ in range(count)]
    if unit.operator.semantics.waits_for_any and not unit.operator.semantics.ways:
        # Which of two tokens comes first is open: only one input has some, and what answers it.
        answers = 1 if unit.operator.hardware.template == "primitives/share" else 0
        chosen = dice.randrange(answers, len(columns))
        columns = [c if k == chosen or k < answers else [] for k, c in enumerate(columns)]
    return columns


def token(width: int, dice: random.Random) -> int:
    """A bit pattern, often one of the corners."""
    if width == 0:
        return 0
    top = (1 << width) - 1
    corners = (0, 1, top, top >> 1, 1 << (width - 1), top ^ 1)
    return dice.choice(
        (dice.getrandbits(width), dice.choice(corners) & top, dice.randrange(min(top + 1, 70)))
    )


def stream_tokens(shape: Shape, count: int, dice: random.Random) -> list[list[int]]:
    """Starts, steps and bounds whose bursts end within LONGEST_BURST tokens."""
    columns: list[list[int]] = [[] for _ in shape.inputs]
    advance, goes_on = step_function(shape), tested_function(shape)
    width = shape.inputs[0]
    for _ in range(count * 200):
        start, step, bound = (shape.constants.get(k, token(width, dice)) for k in range(3))
        index, length = start, 0
        while length < LONGEST_BURST and goes_on(index, step, bound):
            index, length = advance(index, step), length + 1
        long_enough = length > 2 or dice.random() < 0.05
        if step and length < LONGEST_BURST and long_enough:
            order = [0] * (len(columns) - 3)  # the control token of a stream of constants
            for column, value in zip(columns, (start, step, bound, *order), strict=True):
                column.append(value)
        if len(columns[0]) >= count // 3:
            break
    return columns


def expected(netlist: Netlist, tokens: dict[str, list[int]]) -> dict[str, list[int]]:
    """What leaves every output port if each unit does what its meaning says."""
    found: dict[str, list[int]] = {}
    for unit in netlist.units:
        shape = netlist.shape_by_unit[unit.name]
        inputs, outputs = netlist.ports_of(unit)
        queues = [deque(tokens[f"{unit.name}_{port.name}"]) for port in inputs]
        results: Sequence[deque[int]] = [deque() for _ in outputs]
        process = unit.operator.semantics.run(shape, queues, results, Silent())
        for _ in range(200):
            next(process, None)
        for port, queue in zip(outputs, results, strict=True):
            found[f"{unit.name}_{port.name}"] = list(queue)
    return found
