"""Rows and meanings of the handshake operators that come in graphs from other compilers.

Source: CIRCT's handshake dialect documentation. A merge takes the tokens of several inputs in any
order. Here the lowest input that has a token goes first; the order is the same in the token model
and in the circuit wherever no two inputs have tokens at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loom.dialects.operators.handshake_operators import data_word, fork, too_narrow
from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Queue,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)


def merge(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Pass every token on, the lowest input's first."""
    (out,) = outputs
    while True:
        while (chosen := lowest(inputs)) is not None:
            out.append(inputs[chosen].popleft())
        yield inputs[0]


def control_merge(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Pass every token on, the lowest input's first, with the number of its input."""
    out, index = outputs
    while True:
        while (chosen := lowest(inputs)) is not None:
            out.append(inputs[chosen].popleft())
            index.append(chosen)
        yield inputs[0]


def lowest(inputs: Sequence[Queue]) -> int | None:
    """The number of the first input with a token."""
    return next((number for number, queue in enumerate(inputs) if queue), None)


def never(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Give nothing."""
    yield from ()


def source(shape: Shape) -> Callable[[], int]:
    """A control token, whenever one is asked for."""
    return lambda: 0


def sync(shape: Shape) -> Callable[..., tuple[int, ...]]:
    """Every input's token, once all are there."""
    return lambda *tokens: tokens


def sync_text(shape: Shape) -> str:
    """Each output is its input; control tokens have nothing to assign."""
    return "\n".join(f"out{k} = in{k};" for k, width in enumerate(shape.inputs) if width)


def pack(shape: Shape) -> Callable[..., int]:
    """The elements side by side, the first one highest."""

    def packed(*tokens: int) -> int:
        word = 0
        for token, width in zip(tokens, shape.inputs, strict=True):
            word = word << width | token
        return word

    return packed


def unpack(shape: Shape) -> Callable[[int], tuple[int, ...]]:
    """The elements that lie side by side, the first one highest."""

    def elements(word: int) -> tuple[int, ...]:
        found: list[int] = []
        for width in reversed(shape.outputs):
            found.append(word & ((1 << width) - 1))
            word >>= width
        return tuple(reversed(found))

    return elements


def side_by_side(name: str, widths: Sequence[int]) -> str:
    """A concatenation of the ports with data of a family, first one highest."""
    return f"{{{', '.join(f'{name}{k}' for k, width in enumerate(widths) if width)}}}"


def pack_text(shape: Shape) -> str:
    """The concatenation of the elements."""
    return f"tuple = {side_by_side('in', shape.inputs)};" if any(shape.inputs) else ""


def unpack_text(shape: Shape) -> str:
    """The elements as a concatenation."""
    return f"{side_by_side('out', shape.outputs)} = tuple;" if any(shape.outputs) else ""


def tuple_misfit(tuple_width: int, elements: Sequence[int]) -> tuple[str, str] | None:
    """A tuple that is not as wide as its elements together."""
    if tuple_width == sum(elements):
        return None
    return f"a tuple of {tuple_width} bits", f"the {sum(elements)} bits of its elements"


def sync_rates(shape: Shape) -> str:
    """Each output has the tokens of its input, and all inputs have as many."""
    others = range(1, len(shape.inputs))
    return "; ".join(["out* == in*", *(f"in{k} = in0" for k in others)])


ROUTING_OPERATORS: tuple[Operator, ...] = (
    Operator(
        "handshake.lazy_fork",
        "Offers each token to every output at once; as valid never waits for ready, an output "
        "may take it before the others do.",
        Signature(*parse_ports("in:T -> out*:T")),
        Semantics(process=fork, rates="out* == in", rest="in"),
        Hardware("primitives/fork"),
    ),
    Operator(
        "handshake.merge",
        "Passes the tokens of all inputs on, the lowest input's first where several have one.",
        Signature(*parse_ports("in*:T -> out:T")),
        Semantics(process=merge, waits_for_any=True),
        Hardware("primitives/merge"),
    ),
    Operator(
        "handshake.control_merge",
        "Passes the tokens of all inputs on, the lowest input's first where several have one, "
        "each with the number of its input.",
        Signature(
            *parse_ports("in*:T -> out:T index:S"),
            misfit=lambda s: too_narrow("an index", s.outputs[-1], len(s.inputs)),
        ),
        Semantics(process=control_merge, waits_for_any=True),
        Hardware("primitives/control_merge"),
    ),
    Operator(
        "handshake.sync",
        "Passes a token of every input on once all are there; each output takes its own when it "
        "likes.",
        Signature(*parse_ports("in*:T* -> out*:T*")),
        Semantics(sync, passes_control=True, rates=sync_rates),
        Hardware("primitives/pure", sync_text, variant=lambda s: data_word(s.inputs)),
    ),
    Operator(
        "handshake.source",
        "Control tokens without end.",
        Signature(*parse_ports("-> out:none")),
        Semantics(source, rates=""),
        Hardware("primitives/source"),
    ),
    Operator(
        "handshake.never",
        "Gives no token.",
        Signature(*parse_ports("-> out:T")),
        Semantics(process=never),
        Hardware("primitives/never"),
    ),
    Operator(
        "handshake.pack",
        "The elements side by side, the first one in the high bits.",
        Signature(
            *parse_ports("in*:T* -> tuple:P"),
            misfit=lambda s: tuple_misfit(s.outputs[0], s.inputs),
        ),
        Semantics(pack, passes_control=True),
        Hardware("primitives/pure", pack_text, variant=lambda s: data_word(s.inputs)),
    ),
    Operator(
        "handshake.unpack",
        "The elements of a tuple, whose first one is in the high bits; each output takes its own "
        "when it likes.",
        Signature(
            *parse_ports("tuple:P -> out*:T*"),
            misfit=lambda s: tuple_misfit(s.inputs[0], s.outputs),
        ),
        Semantics(unpack, passes_control=True),
        Hardware("primitives/pure", unpack_text, variant=lambda s: data_word(s.outputs)),
    ),
)
