"""The signature of a function: what an activation must give, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.layouts import Layout, extent, positions
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import form_of
from loom.dialects.floats.formats import Format
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH, is_token_type, width_of
from loom.errors import LoomError, Place
from loom.model.bundles.activation import Activation, Words
from loom.model.bundles.draw_floats import random_float
from loom.model.reference.layout import buffer_layout

SMALL = 16
"""Random index scalars stay below this where no memory says how far they may go."""


@dataclass(frozen=True)
class Scalar:
    """A scalar argument or result; `width` [bits], `form` if it is a float."""

    name: str
    type: str
    width: int
    is_index: bool
    form: Format | None = None


@dataclass(frozen=True)
class Array:
    """A memref argument of elements of `width` [bits], `form` if they are floats.

    `any_nesting`: its shape is lost, so that lists may be nested in any way.
    """

    name: str
    type: str
    width: int
    is_index: bool
    layout: Layout[int | None]
    any_nesting: bool = False
    form: Format | None = None

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

    def elements(self, words: Words) -> list[int]:
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

    def in_order(self, activation: Activation) -> list[int | Words]:
        """The activation's inputs in the order of the arguments."""
        return [activation.inputs[argument.name] for argument in self.arguments]


def signature_of(function: FuncOp, index_width: int = DEFAULT_INDEX_WIDTH) -> Signature:
    """The signature of `function`; an argument without a name is called by its number."""
    place = place_of(function)
    arguments: list[Scalar | Array] = []
    for name, argument in zip(argument_names(function), function.args, strict=True):
        type_ = argument.type
        if isinstance(type_, MemRefType):
            element = type_.element_type
            scalar = scalar_of(name, element, index_width, place)
            layout = buffer_layout(type_, place)
            width, is_index, form = scalar.width, scalar.is_index, scalar.form
            arguments.append(Array(name, str(type_), width, is_index, layout, form=form))
        else:
            arguments.append(scalar_of(name, type_, index_width, place))
    results = tuple(
        scalar_of(str(number), type_, index_width, place)
        for number, type_ in enumerate(function.function_type.outputs.data)
    )
    return Signature(function.sym_name.data, tuple(arguments), results)


def scalar_of(name: str, type_: Attribute, index_width: int, place: Place) -> Scalar:
    """A scalar of this type, refused if it is none."""
    if not is_token_type(type_):
        raise LoomError("REF_UNSUPPORTED", place, f"{type_}", "integers, index and floats")
    width = width_of(type_, index_width)
    return Scalar(name, str(type_), width, isinstance(type_, IndexType), form_of(type_))


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
