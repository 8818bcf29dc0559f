"""The signature of a function: what an activation must give, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from random import Random

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.layouts import Layout, extent, positions
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import OUTPUTS, SIGNS
from loom.dialects.floats.attributes import form_of
from loom.dialects.floats.formats import Format
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH, is_token_type, width_of
from loom.errors import LoomError, Place
from loom.model.bundles.activation import Activation, Words
from loom.model.bundles.draw_floats import random_float
from loom.model.bundles.values import as_signed, float_value
from loom.model.reference.layout import buffer_layout

SMALL = 16
"""Random index scalars stay below this where no memory says how far they may go."""


@dataclass(frozen=True, kw_only=True)
class Element:
    """What a scalar or an element of an array is: `width` [bits], `form` if it is a float.

    `signed` says so of an integer; where the source does not, it is.
    """

    name: str
    type: str
    width: int
    is_index: bool
    form: Format | None = None
    signed: bool = True

    def shown(self, word: int) -> int | float | str:
        """The number that a bit pattern stands for, as bundles have it."""
        if self.form is not None:
            return float_value(word, self.form)
        return as_signed(word, self.width) if self.signed else word


@dataclass(frozen=True, kw_only=True)
class Scalar(Element):
    """A scalar argument or result."""


@dataclass(frozen=True, kw_only=True)
class Array(Element):
    """A memref argument.

    `any_nesting`: its shape is lost, so that lists may be nested in any way.
    """

    layout: Layout[int | None]
    any_nesting: bool = False
    is_output: bool = False
    """Whether it is only written, so that a bundle may leave it out."""

    @property
    def extent(self) -> int:
        """The size of its buffer [elements]."""
        return extent(self.layout)

    def buffer(self, elements: list[int]) -> Words:
        """The buffer with the elements in row-major order at their places, gaps 0."""
        words = [0] * self.extent
        for position, element in zip(positions(self.layout), elements, strict=True):
            words[position] = element
        return words

    def elements(self, words: Sequence[int]) -> list[int]:
        """The elements in row-major order."""
        return [words[position] for position in positions(self.layout)]


@dataclass(frozen=True)
class Signature:
    """Arguments in order, and the results."""

    name: str
    arguments: tuple[Scalar | Array, ...]
    results: tuple[Scalar, ...]

    @property
    def by_name(self) -> Mapping[str, Scalar | Array]:
        """Arguments by the name that a bundle calls them."""
        return {argument.name: argument for argument in self.arguments}

    @property
    def with_tokens(self) -> tuple[Scalar, ...]:
        """The results that have data."""
        return tuple(result for result in self.results if result.width)

    def shown(self, results: Sequence[int]) -> str:
        """The results that bit patterns stand for, for a message."""
        pairs = zip(self.with_tokens, results, strict=False)
        return ", ".join(str(like.shown(word)) for like, word in pairs) or "none"

    def in_order(self, activation: Activation) -> list[int | Words]:
        """The activation's inputs in the order of the arguments."""
        return [activation.inputs[argument.name] for argument in self.arguments]


def signature_of(function: FuncOp, index_width: int = DEFAULT_INDEX_WIDTH) -> Signature:
    """The signature of `function`; an argument without a name is called by its number."""
    place = place_of(function)
    letters = chain(SIGNS.of(function) or "", repeat("-"))
    outputs = (OUTPUTS.of(function) or "").split()
    arguments: list[Scalar | Array] = []
    for name, argument in zip(argument_names(function), function.args, strict=True):
        type_, signed = argument.type, next(letters) != "u"
        if isinstance(type_, MemRefType):
            scalar = scalar_of(name, type_.element_type, index_width, place)
            arguments.append(
                Array(
                    name=name, type=str(type_), width=scalar.width, is_index=scalar.is_index,
                    form=scalar.form, signed=signed, layout=buffer_layout(type_, place),
                    is_output=name in outputs,
                )
            )  # fmt: skip
        else:
            arguments.append(scalar_of(name, type_, index_width, place, signed))
    results = tuple(
        scalar_of(str(number), type_, index_width, place, next(letters) != "u")
        for number, type_ in enumerate(function.function_type.outputs.data)
    )
    return Signature(function.sym_name.data, tuple(arguments), results)


def scalar_of(
    name: str, type_: Attribute, index_width: int, place: Place, signed: bool = True
) -> Scalar:
    """A scalar of this type, refused if it is none."""
    if not is_token_type(type_):
        raise LoomError("REF_UNSUPPORTED", place, f"{type_}", "integers, index and floats")
    width = width_of(type_, index_width)
    return Scalar(
        name=name, type=str(type_), width=width, is_index=isinstance(type_, IndexType),
        form=form_of(type_), signed=signed,
    )  # fmt: skip


def random_activations(
    signature: Signature, seed: int, count: int, below: int | None = None
) -> list[Activation]:
    """`count` activations drawn from `seed`.

    Data are drawn from the whole width, or from 0 up to but not including `below`. Scalars of
    type index, and elements of arrays of index, stay from 0 up to the least size of any array, so
    that loops over arrays stay inside them.
    """
    random = Random(seed)
    sizes = [
        size
        for argument in signature.arguments
        if isinstance(argument, Array)
        for size in argument.layout.sizes
    ]
    least = min(sizes, default=SMALL)

    def draw(what: Scalar | Array) -> int:
        if what.form is not None:
            return random_float(what.form, random, below)
        if not what.is_index:
            whole = 1 << what.width
            return random.randrange(whole if below is None else min(below, whole))
        # A scalar may be a bound and reach the size; an element is an index and may not.
        top = least if isinstance(what, Scalar) else max(0, least - 1)
        return random.randint(0, min(top, (1 << (what.width - 1)) - 1))

    def value(argument: Scalar | Array) -> int | Words:
        if isinstance(argument, Scalar):
            return draw(argument)
        return argument.buffer([draw(argument) for _ in positions(argument.layout)])

    return [
        Activation({argument.name: value(argument) for argument in signature.arguments})
        for _ in range(count)
    ]
