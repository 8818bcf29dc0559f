"""Cores of the user's: read from a folder of templates, rendered as modules of a circuit.

A core is one file, ``<operator>.sv.j2``, that says ``{%- set latency = 4 -%}`` [cycles], or
``{"f32": 4, "f64": 9}`` where it is for these formats only, and writes the module `module.name`
with the parameters and ports of `module`. The latency decides where buffers go; a circuit with a
core that takes longer or shorter is as right, but may be slower.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, nodes

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import ANY, Core, Cores
from loom.emit.modules import Module
from loom.emit.render import Rendered, environment
from loom.errors import LoomError, Place

SUFFIX = ".sv.j2"
MOST_CYCLES = 1000
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
FAILURES = (
    TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What the text of a template can raise when it is rendered."""
LATENCY = (
    "`{%- set latency = N -%}` with N from 0 to 1000 cycles, or with such numbers by format: "
    '{"f32": N}'
)


def read_cores(folder: Path) -> Cores:
    """The cores of all templates in the folder, by operator.

    Refused (EMIT_CORE): a folder without templates; a template for no operator, or for one with
    state; one that is no template, or does not say its latency.
    """
    try:
        files = sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIX))
        texts = {file: file.read_text(encoding="utf-8") for file in files}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise refused(folder, 0, f"no readable templates ({reason})", folder_of()) from None
    if not texts:
        raise refused(folder, 0, "no templates", folder_of())
    return {core_name(file): core_of(file, text) for file, text in texts.items()}


def folder_of() -> str:
    """What a folder of cores is."""
    return f"a folder of files such as math.exp{SUFFIX}"


def refused(file: Path | str, line: int, what: str, accepted: str) -> LoomError:
    """The refusal of a core at a line of its file, 0 for the whole of it."""
    return LoomError("EMIT_CORE", Place(str(file), line, int(line > 0)), what, accepted)


def core_name(file: Path) -> str:
    """The operator that the file is named after."""
    name = file.name.removesuffix(SUFFIX)
    operator = CATALOGUE.get(name)
    if operator is None or operator.semantics.meaning is None:
        accepted = "cores for the operators of `loom ops` that compute a result from their operands"
        raise refused(file, 0, f"a core for {name or 'nothing'}", accepted)
    return name


def core_of(file: Path, text: str) -> Core:
    """The core of one template; what it sets `latency` to must be plain to see."""
    try:
        body = environment().parse(text).body
    except TemplateSyntaxError as error:
        raise refused(file, error.lineno, f"no template: {error.message}", "Jinja") from None
    said = [node for node in body if isinstance(node, nodes.Assign)]
    for node in said:
        if isinstance(node.target, nodes.Name) and node.target.name == "latency":
            formats = CATALOGUE[core_name(file)].signature.choices.get("format", ())
            return Core(str(file), text, latencies(file, node, formats))
    raise refused(file, 1, "a core that does not say its latency", LATENCY)


def latencies(file: Path, node: nodes.Assign, formats: tuple[str, ...]) -> dict[str, int]:
    """The latency of each format that the core is for [cycles]."""
    try:
        value = node.node.as_const() if isinstance(node.node, nodes.Expr) else None
    except nodes.Impossible:
        raise refused(file, node.lineno, "a latency that is no constant", LATENCY) from None
    found: dict[str, int] = {}
    for name, cycles in value.items() if isinstance(value, dict) else ((ANY, value),):
        if type(cycles) is not int or not 0 <= cycles <= MOST_CYCLES:
            raise refused(file, node.lineno, f"the latency {cycles!r}", LATENCY)
        if name not in (formats if isinstance(value, dict) else (ANY,)):
            accepted = f"latencies of {', '.join(formats)}" if formats else "one latency"
            raise refused(file, node.lineno, f"the format {name!r}", accepted)
        found[name] = cycles
    return found


def render_core(module: Module) -> Rendered:
    """The module's text from the core that computes its operator.

    Refused (EMIT_CORE): a template that fails, or whose text is not the module that the circuit
    instantiates.
    """
    operator = module.operator
    try:
        made: Any = (
            environment().from_string(operator.hardware.core).make_module({"module": module})
        )
        text = str(made)
    except FAILURES as error:
        accepted = "a template that renders for every instance it has a latency for"
        raise refused(
            operator.hardware.template, 0, f"a template that fails: {error}", accepted
        ) from None
    require_ports(module, text)
    clocked = module.latency > 0
    return Rendered(module.name, f"{text.rstrip()}\n", clocked, (), ())


def require_ports(module: Module, text: str) -> None:
    """Return if the text names the module, its parameters and its ports."""
    words = set(re.findall(r"\w+", COMMENT.sub("", text)))
    missing = [name for name in (module.name, *pins(module)) if name not in words]
    if missing:
        raise refused(
            module.operator.hardware.template, 0, f"a core without {', '.join(missing)}",
            f"a module {module.name} with the parameters and ports {', '.join(pins(module))}",
        )  # fmt: skip


def pins(module: Module) -> list[str]:
    """Parameters and ports of the module as its instances have them."""
    found = [parameter.name for parameter in module.parameters]
    found += ["clk_i", "rst_ni"] if module.latency else []
    for port in module.inputs:
        found += [f"{port.name}_data_i"] if port.width else []
        found += [f"{port.name}_valid_i", f"{port.name}_ready_o"]
    for port in module.outputs:
        found += [f"{port.name}_data_o"] if port.width else []
        found += [f"{port.name}_valid_o", f"{port.name}_ready_i"]
    return found
