"""Bodies of functions around loads and stores, and what differs between the models of a circuit."""

from __future__ import annotations

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import predicted

BODY = """func.func @f(%a: memref<8xi8>, %b: memref<8xi8>, %n: index, %k: i8) -> i8 {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %z = arith.constant 0 : i8
  {}
}}"""
BELOW_8 = (0, 3, 5, 0, 7, 2, 1)


def compiled(body: str) -> Circuit:
    """The circuit of a function with this body."""
    return compile_text(BODY.format(body), "f.mlir")


def guarded(circuit: Circuit) -> int:
    """How many accesses wait for a control token."""
    names = ("handshake.load", "handshake.store")
    return sum(unit.operator.name in names for unit in circuit.netlist.units)


def differences(circuit: Circuit) -> set[str]:
    """What differs between source, token model and timed model, with inputs from 0 to 7."""
    signature = signature_of(top_function(circuit.source), 64)
    given = [
        type(each)({**each.inputs, "n": number, "a": [number, *BELOW_8], "b": [*BELOW_8, 6]})
        for number, each in enumerate(random_activations(signature, 1, 4))
    ]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=500, seed=3)
    timed = predicted(circuit.netlist, given, report.tokens)
    assert timed is not None
    found = set(report.differences)
    for run, tokens in zip(timed, report.tokens.activations, strict=True):
        if dict(run.outputs) != dict(tokens.outputs):
            found.add("timed")
    return found
