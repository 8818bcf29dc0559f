"""What an operator is: a row of three records, its signature, semantics and hardware."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, Protocol

from loom.dialects.floats.formats import KNOWN_FORMATS
from loom.dialects.operators.partitions import Partition

if TYPE_CHECKING:
    from loom.dialects.operators.memories import MemoryKind

AttributeValue = int | str | bool | tuple[int, ...] | Partition
Token = int
"""A token's payload as an unsigned bit pattern; a control token's payload is 0."""


class Queue(Protocol):
    """One end of an unbounded channel of the token model."""

    def __len__(self) -> int: ...
    def popleft(self) -> Token:
        """Take the oldest token."""
        ...

    def __getitem__(self, place: int, /) -> Token:
        """The token at this place, 0 for the oldest, which stays."""
        ...

    def append(self, token: Token, /) -> None:
        """Offer a token."""
        ...


@dataclass(frozen=True, slots=True)
class Port:
    """A port: `type` is ``i1``, ``index``, ``none`` or a type variable; `many` means numbered.

    A numbered family whose type ends in a star has one type variable for each number.
    """

    name: str
    type: str
    many: bool = False


@dataclass(frozen=True)
class Shape:
    """One instance: port widths [bits] (0 = control only) in port order, and its attributes."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    constants: Mapping[int, Token] = field(default_factory=dict)
    """The operands that are parameters: place among the inputs to bit pattern. They have no port,
    but count in `inputs`."""

    @property
    def token_inputs(self) -> tuple[int, ...]:
        """The widths of the inputs that are ports [bits]."""
        return tuple(width for k, width in enumerate(self.inputs) if k not in self.constants)

    def has_extreme(self, *places: int) -> bool:
        """True if one of these operands is a constant of zeros or of ones alone.

        An unsigned comparison with it has one result for most of what it is compared with.
        """
        masks = {place: (1 << self.inputs[place]) - 1 for place in places}
        return any(self.constants.get(place) in (0, mask) for place, mask in masks.items())

    def integer(self, name: str) -> int:
        """The attribute `name`, which is an integer by the row."""
        value = self.attributes[name]
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        """The attribute `name`, which is a string by the row."""
        value = self.attributes[name]
        assert isinstance(value, str)
        return value


class Access(NamedTuple):
    """What a machine asks of a memory in a cycle: at the port of a number, a datum to store."""

    port: int
    address: Token
    data: Token = 0


class StepMachine(Protocol):
    """The machine of a schedule between two cycles."""

    def begin(self, values: Sequence[Token]) -> None:
        """The machine starts in the next cycle, with these values of its inputs."""
        ...

    def requests(self) -> tuple[Sequence[Access], Sequence[Access]]:
        """The signals are those of this cycle: the loads and the stores in it."""
        ...

    def advance(self, words: Sequence[tuple[int, Token]]) -> bool:
        """A cycle further, with what was loaded by port; true if it was the last one."""
        ...

    @property
    def results(self) -> Sequence[Token]:
        """What the schedule gives, in its last cycle."""
        ...

    @property
    def is_outside(self) -> bool:
        """Whether an access of this cycle lies outside its array."""
        ...


class Environment(Protocol):
    """What a process may touch besides its channels."""

    contents: list[int]
    """The elements of the memory that the unit serves."""

    @property
    def machine(self) -> StepMachine:
        """The machine of the schedule that the unit runs."""
        ...

    def report(self, code: str) -> None:
        """Raise the sticky run-time error `code`."""
        ...


Meaning = Callable[[Shape], Callable[..., Token | tuple[Token, ...]]]
"""From an instance to its function: tokens in port order to the result, or results."""

Process = Callable[[Shape, Sequence[Queue], Sequence[Queue], Environment], Iterator[Queue]]
"""A Kahn process: it yields the empty input it waits for, or an input with tokens to be
called again soon. It reads one port at a time, in the order of its meaning."""


@dataclass(frozen=True)
class Signature:
    """How an instance looks from outside: ports, their types, attributes; other names for it."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    attributes: tuple[str, ...] = ()
    """What an instance states."""
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values that an attribute can have, by attribute."""
    constants: tuple[str, ...] = ()
    """Operands that may be parameters of an instance instead of tokens."""
    defaults: Mapping[str, AttributeValue] = field(default_factory=dict)
    formats: Mapping[str, str] = field(default_factory=dict)
    """Attributes that name the float format of a type variable; an operation's types fix them."""
    arrange: Callable[[Shape], tuple[tuple[Port, ...], tuple[Port, ...]]] | None = None
    """The ports of an instance, where its attributes decide them."""
    misfit: Callable[[Shape], tuple[str, str] | None] | None = None
    """Of an instance that is refused: what was found, what is accepted."""
    aliases: tuple[str, ...] = ()
    """Operations of other dialects with the same meaning."""

    @property
    def ports(self) -> tuple[Port, ...]:
        """Inputs, then outputs, families not written out."""
        return *self.inputs, *self.outputs

    def ports_of(self, shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """Inputs and outputs of one instance, numbered families written out."""
        if self.arrange is not None:
            return self.arrange(shape)
        return number(self.inputs, len(shape.inputs)), number(self.outputs, len(shape.outputs))

    def tokens_of(self, shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """The ports of `ports_of` that a channel reaches: those of no constant."""
        inputs, outputs = self.ports_of(shape)
        if not shape.constants:
            return inputs, outputs
        return tuple(p for k, p in enumerate(inputs) if k not in shape.constants), outputs

    def fits(self, shape: Shape) -> bool:
        """False for widths that the row is not meant for."""
        return self.misfit is None or self.misfit(shape) is None

    def exponent_widths_of(self, shape: Shape) -> dict[str, int]:
        """By type variable that stands for a float format, the width of its exponents [bits]."""
        return {
            f"{variable.lower()}_exponent_width": KNOWN_FORMATS[shape.text(name)].exponent_width
            for name, variable in self.formats.items()
        }


@dataclass(frozen=True)
class Semantics:
    """Which tokens come out for those that go in; either a `meaning` or a `process`."""

    meaning: Meaning | None = None
    """Of a pure operator: a token from every input, one to every output."""
    process: Process | None = None
    """Of a stateful operator."""
    rates: str | Callable[[Shape], str | None] | None = None
    """Token counts of the ports: see `loom.dialects.operators.rates`."""
    undefined: Callable[..., str] | None = None
    """From a shape and operands to why the source has no result for them, empty if it has one."""
    error: str = ""
    """The run-time code that an error output raises."""
    refusal: str = ""
    """The run-time code of an error that comes from outside: the output `refused_o` raises it."""
    passes_control: bool = False
    """A pure operator that takes tokens without data too."""
    rest: str = ""
    """The input for which a stateful unit waits when it is at rest."""
    leads: bool = False
    """The first token of a burst leaves before its condition is taken."""
    waits_for_any: bool = False
    """Any token wakes the unit, and it keeps no state between tokens."""
    ways: Mapping[str, str] = field(default_factory=dict)
    """Ports on a path of their own through the unit, by port."""

    def run(
        self, shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
    ) -> Iterator[Queue]:
        """The Kahn process of one instance."""
        if self.process is not None:
            return self.process(shape, inputs, outputs, env)
        return fire_when_all_present(self.function(shape), inputs, outputs)

    def function(self, shape: Shape) -> Callable[..., Token | tuple[Token, ...]]:
        """The function of a pure operator's tokens, with the instance's constants in place."""
        assert self.meaning is not None
        whole = self.meaning(shape)
        return with_constants(whole, shape) if shape.constants else whole


@dataclass(frozen=True)
class Hardware:
    """The circuit of an operator; without a template it has none, only semantics."""

    template: str = ""
    """Under rtl_templates/, without .sv.j2."""
    verilog: str | Callable[[Shape], str] = ""
    """Of a pure operator: blocking assignments to its outputs, in port names."""
    latency: int | Callable[[Shape], int] = 0
    """From inputs valid to outputs valid [cycles]."""
    interval: int | Callable[[Shape], int] = 1
    """The least initiation interval, II [cycles]."""
    cuts_ready: bool | Callable[[Shape], bool] = False
    """No combinational path leads from an output's ready to an input's ready."""
    ways: Callable[[Shape], Mapping[str, str]] | None = None
    """Ports on a path of their own through the circuit, by port, where semantics have one way."""
    options: Mapping[str, Sequence[AttributeValue]] = field(default_factory=dict)
    """What an instance may state about its circuit; one that states nothing has the default."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """Other templates, by the option `form`."""
    with_constants: str = ""
    """The template of instances with constants, where that is another."""
    variant: str | Callable[[Shape], str] = ""
    """Distinguishes module texts of one operator."""
    facts: Callable[[Shape], Mapping[str, int]] | None = None
    """Of an operator whose template has parameters that follow from the instance: their values."""
    memory_kind: MemoryKind | None = None
    """Of an operator that serves a memory."""
    core: str = ""
    """The text of a template of the user's; `template` is its file."""

    def latency_of(self, shape: Shape) -> int:
        """Cycles from all inputs valid to the outputs valid [cycles]."""
        return self.latency if isinstance(self.latency, int) else self.latency(shape)

    def interval_of(self, shape: Shape) -> int:
        """Cycles between two tokens of one port where nothing else waits [cycles]."""
        return self.interval if isinstance(self.interval, int) else self.interval(shape)

    def cuts_ready_of(self, shape: Shape) -> bool:
        """True if no path leads from an output's ready to an input's ready."""
        return self.cuts_ready if isinstance(self.cuts_ready, bool) else self.cuts_ready(shape)

    def variant_of(self, shape: Shape) -> str:
        """A word in the module's name where attributes or widths change its text."""
        return self.variant if isinstance(self.variant, str) else self.variant(shape)

    def verilog_of(self, shape: Shape) -> str:
        """The blocking assignments of a pure operator, in port names."""
        return self.verilog if isinstance(self.verilog, str) else self.verilog(shape)

    def facts_of(self, shape: Shape) -> Mapping[str, int]:
        """Parameters of the template that follow from the instance, by name."""
        return {} if self.facts is None else self.facts(shape)

    def template_of(self, shape: Shape) -> str:
        """The template of one instance, in the form that it states, or for its constants."""
        if shape.constants and self.with_constants:
            return self.with_constants
        return self.forms.get(str(shape.attributes.get("form")), self.template)

    @property
    def templates(self) -> tuple[str, ...]:
        """The template of every form, the default first; none without hardware."""
        others = (self.with_constants,) if self.with_constants else ()
        return (self.template, *self.forms.values(), *others) if self.template else ()


@dataclass(frozen=True)
class Operator:
    """One operator of a netlist: name, a sentence for its documentation, and three records."""

    name: str
    summary: str
    signature: Signature
    semantics: Semantics
    hardware: Hardware

    def ways_of(self, shape: Shape) -> Mapping[str, str]:
        """The ports of an instance on a path of their own through its circuit, by port."""
        return self.semantics.ways if self.hardware.ways is None else self.hardware.ways(shape)

    def passes_ready(self, shape: Shape, port: str) -> bool:
        """True if a path leads from the ready of this output to the ready of an input."""
        if self.hardware.cuts_ready_of(shape):
            return False
        ways = self.ways_of(shape)
        inputs, _ = self.signature.ports_of(shape)
        return any(ways.get(each.name, "") == ways.get(port, "") for each in inputs)


def with_constants(
    function: Callable[..., Token | tuple[Token, ...]], shape: Shape
) -> Callable[..., Token | tuple[Token, ...]]:
    """The function of the operands that are tokens."""
    if len(shape.inputs) == 2:
        ((place, value),) = shape.constants.items()
        if place:
            return lambda token: function(token, value)
        return lambda token: function(value, token)
    return lambda *tokens: function(*insert_constants(shape, tokens))


def insert_constants(shape: Shape, tokens: Sequence[Token]) -> list[Token]:
    """All operands in port order: the tokens, with the constants between them."""
    left = iter(tokens)
    places = range(len(shape.inputs))
    return [shape.constants[k] if k in shape.constants else next(left) for k in places]


def fire_when_all_present(
    function: Callable[..., Token | tuple[Token, ...]],
    inputs: Sequence[Queue],
    outputs: Sequence[Queue],
) -> Iterator[Queue]:
    """Take a token from every input, put the function's results on the outputs, for ever."""
    if len(inputs) == 2 and len(outputs) == 1:
        lhs, rhs = inputs
        out = outputs[0]
        while True:
            for _ in range(min(len(lhs), len(rhs))):
                out.append(function(lhs.popleft(), rhs.popleft()))  # type: ignore[arg-type]
            yield rhs if lhs else lhs
    while True:
        for _ in range(min(map(len, inputs))):
            result = function(*[queue.popleft() for queue in inputs])
            if isinstance(result, tuple):
                for queue, token in zip(outputs, result, strict=True):
                    queue.append(token)
            else:
                outputs[0].append(result)
        yield next(queue for queue in inputs if not queue)


@cache
def number(declared: tuple[Port, ...], count: int) -> tuple[Port, ...]:
    """The `count` ports of an instance: numbered families take what the others leave, each as
    many."""
    found: list[Port] = []
    members = range(members_of(declared, count))
    for port in declared:
        if port.many:
            found += [Port(f"{port.name}{k}", numbered(port.type, k)) for k in members]
        else:
            found.append(port)
    return tuple(found)


def members_of(declared: tuple[Port, ...], count: int) -> int:
    """How many members each numbered family of an instance with `count` ports has."""
    families = sum(port.many for port in declared)
    return (count - len(declared) + families) // max(families, 1)


def numbered(type_: str, number: int) -> str:
    """The type of a family's member: the family's, or where that ends in a star a numbered one."""
    return f"{type_[:-1]}{number}" if type_.endswith("*") else type_


def parse_ports(text: str) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Inputs and outputs from ``"name:type name*:type* -> name:type"``.

    A star at a name marks a numbered family, one at its type a type for each member.
    """
    inputs, _, outputs = text.partition("->")
    return tuple(map(parse_port, inputs.split())), tuple(map(parse_port, outputs.split()))


def parse_port(text: str) -> Port:
    """A port from ``name:type``."""
    name, _, type_ = text.partition(":")
    return Port(name.rstrip("*"), type_, name.endswith("*"))
