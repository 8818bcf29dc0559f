"""What an operator is: one row that verifier, token model, emitter, tests and docs all read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from loom.dialects.floats.formats import KNOWN_FORMATS

if TYPE_CHECKING:
    from loom.dialects.operators.memories import MemoryKind

AttributeValue = int | str | bool | tuple[int, ...]
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

    def integer(self, name: str) -> int:
        """The attribute `name`, which the row says is an integer."""
        value = self.attributes[name]
        assert isinstance(value, int)
        return value

    def text(self, name: str) -> str:
        """The attribute `name`, which the row says is a string."""
        value = self.attributes[name]
        assert isinstance(value, str)
        return value


class Environment(Protocol):
    """What a process may touch besides its channels."""

    contents: list[int]
    """The words of the memory that the unit owns."""

    def report(self, code: str) -> None:
        """Raise the sticky run-time error `code`."""
        ...


Meaning = Callable[[Shape], Callable[..., Token | tuple[Token, ...]]]
"""From an instance to its function: tokens in port order to the result, or results."""

Process = Callable[[Shape, Sequence[Queue], Sequence[Queue], Environment], Iterator[Queue]]
"""A Kahn process: it yields the empty input it waits for, or an input with tokens to be
called again soon. It reads one port at a time, in the order its meaning says."""


@dataclass(frozen=True)
class Operator:
    """One operator of a netlist; see the fields' comments for units."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    summary: str
    template: str  # under rtl_templates/, without .sv.j2; empty: no hardware, only a meaning
    meaning: Meaning | None = None  # pure operators
    process: Process | None = None  # stateful operators
    verilog: str | Callable[[Shape], str] = ""  # pure operators: blocking assignments to outputs
    latency: int | Callable[[Shape], int] = 0  # [cycles] from inputs valid to outputs valid
    interval: int | Callable[[Shape], int] = 1  # [cycles] between two tokens of a port, at best
    cuts_ready: bool | Callable[[Shape], bool] = False  # ready in does not see ready out
    attributes: tuple[str, ...] = ()  # what an instance must say
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # an attribute's values
    defaults: Mapping[str, AttributeValue] = field(default_factory=dict)
    options: Mapping[str, tuple[AttributeValue, ...]] = field(default_factory=dict)  # what an
    # instance may say about its hardware; one that says nothing has what the row chooses
    forms: Mapping[str, str] = field(default_factory=dict)  # other templates, by option `form`
    variant: str | Callable[[Shape], str] = ""  # tells apart module texts of one operator
    ways: Mapping[str, str] = field(default_factory=dict)  # ports on a separate way through
    formats: Mapping[str, str] = field(default_factory=dict)  # attributes that name the float
    # format of the ports of a type variable; the types of an operation say them
    passes_control: bool = False  # a pure operator that takes tokens without data too
    memory_kind: MemoryKind | None = None  # of what serves a memory
    rest: str = ""  # the input a stateful unit waits for when it is at rest
    leads: bool = False  # gives the first token of a burst before it takes its condition
    rates: str | Callable[[Shape], str | None] | None = (
        None  # read by loom.dialects.operators.rates
    )
    waits_for_any: bool = False  # any token wakes it, and it keeps no state between tokens
    misfit: Callable[[Shape], tuple[str, str] | None] | None = None  # wrong widths: found, accepted
    arrange: Callable[[Shape], tuple[tuple[Port, ...], tuple[Port, ...]]] | None = None
    error: str = ""  # the run-time code its error output raises
    aliases: tuple[str, ...] = ()  # operations of other dialects with the same meaning
    undefined: Callable[..., str] | None = None  # tokens to why the source leaves them undefined
    core: str = ""  # the text of a template of the user's; `template` is its file

    def latency_of(self, shape: Shape) -> int:
        """Cycles from all inputs valid to the outputs valid [cycles]."""
        return self.latency if isinstance(self.latency, int) else self.latency(shape)

    def interval_of(self, shape: Shape) -> int:
        """Cycles between two tokens of one port where nothing else waits [cycles]."""
        return self.interval if isinstance(self.interval, int) else self.interval(shape)

    def cuts_ready_of(self, shape: Shape) -> bool:
        """True if no path leads from an output's ready to an input's ready."""
        return self.cuts_ready if isinstance(self.cuts_ready, bool) else self.cuts_ready(shape)

    def ports_of(self, shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
        """Inputs and outputs of one instance, numbered families written out."""
        if self.arrange is not None:
            return self.arrange(shape)
        return number(self.inputs, len(shape.inputs)), number(self.outputs, len(shape.outputs))

    def variant_of(self, shape: Shape) -> str:
        """A word in the module's name where attributes or widths change its text."""
        return self.variant if isinstance(self.variant, str) else self.variant(shape)

    def fits(self, shape: Shape) -> bool:
        """False for widths that the row is not meant for."""
        return self.misfit is None or self.misfit(shape) is None

    def template_of(self, shape: Shape) -> str:
        """The template of one instance, in the form that it says."""
        return self.forms.get(str(shape.attributes.get("form")), self.template)

    @property
    def has_hardware(self) -> bool:
        """True if the operator can become SystemVerilog."""
        return bool(self.template)

    def exponent_widths_of(self, shape: Shape) -> dict[str, int]:
        """By type variable that stands for a float format, the width of its exponents [bits]."""
        return {
            f"{variable.lower()}_exponent_width": KNOWN_FORMATS[shape.text(name)].exponent_width
            for name, variable in self.formats.items()
        }

    def verilog_of(self, shape: Shape) -> str:
        """The blocking assignments of a pure operator, in port names."""
        return self.verilog if isinstance(self.verilog, str) else self.verilog(shape)

    def run(
        self, shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
    ) -> Iterator[Queue]:
        """The Kahn process of one instance."""
        if self.process is not None:
            return self.process(shape, inputs, outputs, env)
        assert self.meaning is not None
        return fire_when_all_present(self.meaning(shape), inputs, outputs)


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


def number(declared: tuple[Port, ...], count: int) -> tuple[Port, ...]:
    """The `count` ports of an instance: a numbered family takes what the others leave."""
    found: list[Port] = []
    for port in declared:
        if port.many:
            members = range(count - len(declared) + 1)
            found += [Port(f"{port.name}{k}", numbered(port.type, k)) for k in members]
        else:
            found.append(port)
    return tuple(found)


def numbered(type_: str, number: int) -> str:
    """The type of a family's member: the family's, or where that ends in a star a numbered one."""
    return f"{type_[:-1]}{number}" if type_.endswith("*") else type_


def ports(text: str) -> tuple[Port, ...]:
    """Ports from ``"name:type name*:type name*:type*"``; a star at a name marks a family."""
    found: list[Port] = []
    for word in text.split():
        name, _, type_ = word.partition(":")
        found.append(Port(name.rstrip("*"), type_, name.endswith("*")))
    return tuple(found)


def signature(text: str) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Inputs and outputs from ``"lhs:T rhs:T -> result:T"``."""
    inputs, _, outputs = text.partition("->")
    return ports(inputs), ports(outputs)
