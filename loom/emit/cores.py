"""Cores of the user's: read from a folder of templates, rendered as modules of a circuit.

A core is one file, ``<operator>.sv.j2``, that says ``{%- set latency = 4 -%}`` [cycles], or
``{"f32": 4, "f64": 9}`` where it is for these formats only, and writes the module `module.name`
with the parameters and ports of `module`. The latency decides where buffers go; a circuit with a
core that takes longer or shorter is as right, but may be slower.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import TemplateSyntaxError, nodes

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import ANY, EXTERNAL_UNIT, IDENTIFIER, Core, Cores
from loom.emit.modules import Module
from loom.emit.render import Rendered, sandbox
from loom.entry_points import CORES, find_addition
from loom.errors import LoomError, Place
from loom.processes.bounded_call import Bounds, call_bounded

SUFFIX = ".sv.j2"
MOST_CYCLES = 1000
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
MOST_CHARACTERS = 1 << 20
"""Of a template [characters]."""
BOUNDS = Bounds(seconds=10, memory=512 << 20, output=16 << 20)
"""What reading or rendering one template may take."""
LATENCY = (
    "`{%- set latency = N -%}` with N from 0 to 1000 cycles, or with such numbers by format: "
    '{"f32": N}'
)


def find_cores(given: str) -> Path:
    """The folder of this name; where there is none, the one that a package adds under it.

    Refused: EXTEND_UNKNOWN, and EXTEND_BROKEN for what is no folder.
    """
    if Path(given).exists() or Path(given).name != given:
        return Path(given)
    addition = find_addition(CORES, given, Place("--cores"))
    found = addition.load()
    if not isinstance(found, str | Path) or not Path(found).is_dir():
        raise addition.broken(f"it is {found!r}", "a pathlib.Path of a folder of templates")
    return Path(found)


def read_cores(folder: Path) -> Cores:
    """The cores of all templates in the folder, by operator.

    Refused (EMIT_CORE): a folder without templates; a template for no operator, or for one with
    state; one that is no template, or does not say its latency.
    """
    try:
        files = sorted(file for file in folder.iterdir() if file.name.endswith(SUFFIX))
        texts = {file: read_template(file) for file in files}
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise refused(folder, 0, f"no readable templates ({reason})", folder_of()) from None
    if not texts:
        raise refused(folder, 0, "no templates", folder_of())
    return {core_name(file): core_of(file, text) for file, text in texts.items()}


def read_template(file: Path) -> str:
    """The text of a template; a pipe or a device, which may never end, is not opened."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise refused(file, 0, "no regular file", folder_of())
    with file.open(encoding="utf-8") as stream:
        text = stream.read(MOST_CHARACTERS + 1)
    if len(text) > MOST_CHARACTERS:
        what = f"more than {MOST_CHARACTERS} characters"
        raise LoomError("EMIT_CORE_LIMIT", Place(str(file)), what, "shorter templates")
    return text


def folder_of() -> str:
    """What a folder of cores is."""
    return f"a folder of files such as math.exp{SUFFIX}"


def refused(file: Path | str, line: int, what: str, accepted: str) -> LoomError:
    """The refusal of a core at a line of its file, 0 for the whole of it."""
    return LoomError("EMIT_CORE", Place(str(file), line, int(line > 0)), what, accepted)


def core_name(file: Path) -> str:
    """The operator, or the external function, that the file is named after."""
    name = file.name.removesuffix(SUFFIX)
    if IDENTIFIER.fullmatch(name):
        return name
    operator = CATALOGUE.get(name)
    if operator is None or operator.semantics.meaning is None:
        accepted = (
            "cores for the operators of `loom ops` that compute a result from their "
            "operands, and for external functions"
        )
        raise refused(file, 0, f"a core for {name or 'nothing'}", accepted)
    return name


def core_of(file: Path, text: str) -> Core:
    """The core of one template; what it sets `latency` to must be plain to see."""
    said = json.loads(run_bounded(file, lambda: json.dumps(find_latency(text)), "Jinja"))
    match said:
        case ["syntax", int(line), str(message)]:
            raise refused(file, line, f"no template: {message}", "Jinja")
        case ["unknown", int(line)]:
            raise refused(file, line, "a latency that is no constant", LATENCY)
        case ["latency", int(line), value]:
            operator = CATALOGUE.get(core_name(file), EXTERNAL_UNIT)
            formats = operator.signature.choices.get("format", ())
            return Core(str(file), text, latencies(file, line, value, formats))
    raise refused(file, 1, "a core that does not say its latency", LATENCY)


def run_bounded(file: Path | str, function: Callable[[], str], accepted: str) -> str:
    """What the function returns; refused where it fails (EMIT_CORE), or takes too much of
    anything (EMIT_CORE_LIMIT).
    """
    answer = call_bounded(function, BOUNDS)
    if answer.ending == "done":
        return answer.text
    if answer.ending == "failed":
        raise refused(file, 0, f"a template that fails: {answer.text}", accepted)
    limits = {
        "time": f"{BOUNDS.seconds} s",
        "memory": f"{BOUNDS.memory >> 20} MiB",
        "output": f"a text of {BOUNDS.output >> 20} MiB",
    }
    what = f"a template that takes more than {limits.get(answer.ending, 'its process is given')}"
    raise LoomError("EMIT_CORE_LIMIT", Place(str(file)), what, "templates of less work")


def find_latency(text: str) -> list[object]:
    """What the template sets `latency` to, and at which line; or what is wrong with it."""
    try:
        body = sandbox().parse(text).body
    except TemplateSyntaxError as error:
        return ["syntax", error.lineno, error.message or "a syntax error"]
    for node in body:
        if not isinstance(node, nodes.Assign) or not isinstance(node.target, nodes.Name):
            continue
        if node.target.name == "latency":
            try:
                return ["latency", node.lineno, read_literal(node.node)]
            except nodes.Impossible:
                return ["unknown", node.lineno]
    return []


def read_literal(node: nodes.Node) -> object:
    """The constant of a literal, or of a dictionary of them; nothing else is evaluated."""
    if isinstance(node, nodes.Dict):
        return {str(read_literal(each.key)): read_literal(each.value) for each in node.items}
    if isinstance(node, nodes.Neg):
        value = read_literal(node.node)
        if isinstance(value, int | float):
            return -value
    if not isinstance(node, nodes.Const):
        raise nodes.Impossible
    return node.value


def latencies(file: Path, line: int, value: Any, formats: tuple[str, ...]) -> dict[str, int]:
    """The latency of each format that the core is for [cycles]."""
    found: dict[str, int] = {}
    for name, cycles in value.items() if isinstance(value, dict) else ((ANY, value),):
        if type(cycles) is not int or not 0 <= cycles <= MOST_CYCLES:
            raise refused(file, line, f"the latency {cycles!r}", LATENCY)
        if name not in (formats if isinstance(value, dict) else (ANY,)):
            accepted = f"latencies of {', '.join(formats)}" if formats else "one latency"
            raise refused(file, line, f"the format {name!r}", accepted)
        found[name] = cycles
    return found


def render_core(module: Module) -> Rendered:
    """The module's text from the core that computes its operator.

    It is rendered in Jinja's sandbox, in a process with limits. Refused (EMIT_CORE): a template
    that fails, or whose text is not the module that the circuit instantiates; (EMIT_CORE_LIMIT):
    one that goes beyond `BOUNDS`.
    """
    operator = module.operator

    def render() -> str:
        return str(sandbox().from_string(operator.hardware.core).make_module({"module": module}))

    accepted = "a template that renders for every instance it has a latency for"
    text = run_bounded(operator.hardware.template, render, accepted)
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
