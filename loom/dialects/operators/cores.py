"""Cores of the user's: templates that take the place of an operator's own, or of none.

An instance of an external function in a graph is a unit that only a core makes: which ports it has,
the declaration says, what it computes, a program beside the template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from loom.dialects.operators.operator import (
    Hardware,
    Meaning,
    Operator,
    Port,
    Semantics,
    Shape,
    Signature,
    Token,
)
from loom.errors import LoomError, Place

NAME = "handshake.instance"
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
FUNCTION = "function"
"""The attribute that names the function."""


def external_ports(shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The ports that the attributes name; each with data has a type of its own, in0, in1, ..."""
    inputs, outputs = names_of(shape, "inputs"), names_of(shape, "outputs")
    return ports(inputs, "in", shape.inputs), ports(outputs, "out", shape.outputs)


def names_of(shape: Shape, attribute: str) -> list[str]:
    """The names that an attribute lists, which a netlist from elsewhere may say in any way."""
    return [name for name in str(shape.attributes.get(attribute, "")).split(",") if name]


def function_of(shape: Shape) -> str:
    """The name of the function."""
    return str(shape.attributes.get(FUNCTION, ""))


def ports(names: list[str], variable: str, widths: tuple[int, ...]) -> tuple[Port, ...]:
    """The ports of one side."""
    types = (f"{variable}{k}" if width else "none" for k, width in enumerate(widths))
    return tuple(Port(name, type_) for name, type_ in zip(names, types, strict=False))


def misfit(shape: Shape) -> tuple[str, str] | None:
    """An instance whose names are not those of a module and its ports."""
    inputs, outputs = names_of(shape, "inputs"), names_of(shape, "outputs")
    names = [function_of(shape), *inputs, *outputs]
    wrong = next((name for name in names if not IDENTIFIER.fullmatch(name)), None)
    if wrong is not None:
        return f"the name {wrong!r}", "letters, digits and underscores, a letter first"
    twice = next((name for name in names[1:] if names[1:].count(name) > 1), None)
    if twice is not None:
        return f"two ports called {twice}", "a name for each port"
    if (len(inputs), len(outputs)) != (len(shape.inputs), len(shape.outputs)):
        return f"{len(names) - 1} names", f"{len(shape.inputs) + len(shape.outputs)}, one a port"
    if not inputs or not outputs:
        return "a unit without inputs or without outputs", "one of each, such as a control token"
    return None


def no_meaning(shape: Shape) -> Callable[..., Token | tuple[Token, ...]]:
    """What nothing is said of: its first token is refused (MODEL_EXTERNAL)."""
    name = function_of(shape)

    def refuse(*tokens: Token) -> NoReturn:
        del tokens
        raise LoomError(
            "MODEL_EXTERNAL", Place(f"@{name}"), "an external function of which no model is there",
            f"--cores DIR with {name}.mlir, .c or .py in it, a program that says what it computes",
        )  # fmt: skip

    return refuse


EXTERNAL_UNIT = Operator(
    NAME,
    "A unit of the user's own: takes a token from each input, gives one to each output.",
    Signature(
        (),
        (),
        attributes=(FUNCTION, "inputs", "outputs"),
        defaults={FUNCTION: "", "inputs": "", "outputs": ""},
        arrange=external_ports,
        misfit=misfit,
    ),
    Semantics(meaning=no_meaning, passes_control=True),
    Hardware(variant=function_of),
)

ANY = ""
"""Stands for every format, and for operators that have none."""


@dataclass(frozen=True)
class Core:
    """A template for one operator: its file, its text, and its latencies by format [cycles].

    One for an external function may have a `meaning`, the model of what it computes.
    """

    file: str
    text: str
    latencies: Mapping[str, int]
    meaning: Meaning | None = None

    def latency_of(self, shape: Shape) -> int | None:
        """The latency of an instance [cycles], None for a format that the core is not for."""
        return self.latencies.get(str(shape.attributes.get("format")), self.latencies.get(ANY))


Cores = Mapping[str, Core]
"""Cores by the name of the operator, or of the external function."""


def core_key(operator: Operator, shape: Shape) -> str:
    """The name under which an instance finds its core."""
    return function_of(shape) if operator.name == EXTERNAL_UNIT.name else operator.name


def computed_by(operator: Operator, shape: Shape, cores: Cores) -> Operator:
    """The operator of one instance, with the core that computes it if there is one."""
    core = cores.get(core_key(operator, shape))
    latency = None if core is None else core.latency_of(shape)
    if core is None or latency is None:
        return operator
    # What the operator's own templates leave open is not open here.
    hardware = replace(
        operator.hardware,
        template=core.file,
        core=core.text,
        latency=latency,
        interval=1,
        forms={},
        with_constants="",
    )
    semantics = operator.semantics
    if core.meaning is not None:
        semantics = replace(semantics, meaning=core.meaning)
    return replace(operator, hardware=hardware, semantics=semantics)
