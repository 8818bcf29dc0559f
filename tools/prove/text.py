"""The proof of a unit as SystemVerilog, and the script that makes a solver's problem of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from loom.dialects.operators.dataflow_operators import step_function, tested_function
from loom.dialects.operators.operator import Shape
from loom.emit.modules import address_width
from loom.netlist.memory_channels import channel_pins
from tools.prove.banks import banks_of
from tools.prove.tables import tables
from tools.prove.units import ProofUnit
from tools.template_environment import environment

TOP = "proof"
FOLDER = Path(__file__).parent
SHARED: Mapping[str, str] = {
    "constant": "pure",
    "control_merge": "merge",
    "float_add": "float",
    "float_compare": "pure",
    "float_divide": "float",
    "float_extend": "float",
    "float_fma": "float",
    "float_from_integer": "float",
    "float_multiply": "float",
    "float_scale": "float",
    "float_round": "float",
    "float_sqrt": "float",
    "float_to_integer": "float",
    "float_truncate": "float",
    "invariant": "carry",
    "join": "pure",
}
"""Templates whose properties are those of another one."""


def find_properties(template: str) -> str | None:
    """The file of the properties of a template, None if it has none.

    It has the template's own name, or that which `SHARED` gives.
    """
    name = template.rpartition("/")[2]
    file = f"{SHARED.get(name, name)}.sv.j2"
    return file if (FOLDER / file).is_file() else None


def proof_text(unit: ProofUnit) -> str:
    """The module `proof`: the unit between free neighbours, what is assumed and what asserted."""
    shape, module = unit.module.shape, unit.module
    file = find_properties(unit.template)
    assert file is not None, unit.template
    widths = zip(module.inputs, shape.token_inputs, strict=True)
    inputs = [{"name": port.name, "width": width} for port, width in widths]
    widths = zip(module.outputs, shape.outputs, strict=True)
    outputs = [{"name": port.name, "width": width} for port, width in widths]
    text: str = (
        environment(FOLDER)
        .get_template(file)
        .render(
            unit=unit,
            module=module,
            inputs=inputs,
            outputs=outputs,
            valids=[f"{port.name}_valid" for port in module.inputs],
            tables=tables(module) if unit.tabled else {},
            address_width=address_width(unit.memory) if unit.memory else 0,
            banks=banks_of(unit),
            burst=indices_of(shape),
        )
    )
    return text


def cut_outside(unit: ProofUnit) -> list[tuple[str, list[str]]]:
    """The pins of channels outside: none that leaves sees one that enters, or a token."""
    shape = unit.module.shape
    pins = channel_pins(loads=bool(shape.integer("loads")), stores=bool(shape.integer("stores")))
    into = [f"m_{pin.name}" for pin in pins if pin.direction == "input"]
    into += [f"{port.name}_valid" for port in unit.module.inputs]
    into += [f"{port.name}_ready" for port in unit.module.outputs]
    constant = ("aw_strb_o",)
    return [
        (f"m_{pin.name}", into)
        for pin in pins
        if pin.direction == "output" and pin.name not in constant
    ]


def indices_of(shape: Shape) -> list[int]:
    """The indices of a stream of constants; of others none."""
    if "step_op" not in shape.attributes or len(shape.constants) < 3:
        return []
    start, step, bound = (shape.constants[place] for place in range(len(shape.constants)))
    advance, proceeds = step_function(shape), tested_function(shape)
    found = [start]
    while proceeds(found[-1], step, bound):
        found.append(advance(found[-1], step))
    return found


def script_text(unit: ProofUnit, files: Iterable[str]) -> str:
    """Yosys commands: structural checks, then the transition system in ``proof.smt2``.

    Checked on the netlist: no undriven net and no loop; law 3, no path from any ready to a valid;
    the paths that the row says are cut.
    """
    inputs = [port.name for port in unit.module.inputs]
    outputs = [port.name for port in unit.module.outputs]
    cut = [(f"{name}_valid", [f"{other}_ready" for other in outputs]) for name in outputs]
    for name in inputs:
        cut.append((f"{name}_ready", [f"{other}_ready" for other in unit.cut_from(name)]))
    if unit.latency:
        data = [p.name for p in unit.module.inputs if p.width]
        into = [f"{name}_valid" for name in inputs] + [f"{name}_data" for name in data]
        cut += [(f"{name}_valid", into) for name in outputs]
        cut += [(f"{port.name}_data", into) for port in unit.module.outputs if port.width]
    if unit.memory is not None and unit.memory.kind.answers:
        cut += cut_outside(unit)
    return "\n".join(
        (
            f"read_slang --threads 1 --top {TOP} {' '.join(files)}",
            f"prep -flatten -top {TOP}",
            "check -assert",
            *(
                f"select -assert-none w:{end} %cie* {' '.join(f'w:{begin}' for begin in begins)}"
                f"{' %u' * (len(begins) - 1)} %i"
                for end, begins in cut
                if begins
            ),
            "memory_map",
            "async2sync",
            "chformal -lower",
            "dffunmap",
            "opt_clean",
            "write_smt2 -wires proof.smt2",
            "",
        )
    )
