"""A condition enables a register instead of making an operand zero."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.model.bundles.activation import Activation
from loom.netlist.fsmd import build
from loom.netlist.fsmd.fsmd import Gate, Operation
from tests.support.folders import EXAMPLES
from tests.support.static.circuits import compile_static_request

ENABLED = {
    "count": ("unsigned", "if (a[i] > k) s++;"),
    "count others": ("unsigned", "if (a[i] > k) {} else s += 5;"),
    "sum": ("int", "if (a[i] > k) s += a[i];"),
    "difference": ("int", "if (a[i] > k) s -= a[i];"),
    "bits": ("unsigned", "if (a[i] != k) s |= (unsigned)a[i];"),
    "parity": ("unsigned", "if (a[i] == k) s ^= (unsigned)a[i];"),
    "narrow": ("int", "if (a[i] > k) {} else s++;"),
}
OTHERS = {
    "stored": "if (a[i] > k) s += a[i]; a[i] = s;",
    "another's": "if (a[i] > k) s = t + a[i]; t = t * 3 + 1;",
    "product": "if (a[i] > k) s *= 3;",
}


def circuit_of(type_: str, body: str) -> StaticCircuit:
    """A loop over eight elements."""
    text = f"{type_} f(int a[8], int k) {{ {type_} s = 1; int t = 1; "
    text += f"for (int i = 0; i < 8; i++) {{ {body} }} return s; }}"
    return compile_static_request(Request(text, "k.c"))


def activations() -> list[Activation]:
    """No element, some and all of them pass the test."""
    words = [3, 2**32 - 7, 100, 5, 5, 2**31, 0, 77]
    return [Activation({"a": words, "k": k}) for k in (5, 2**31 - 1, 2**31, 2**32 - 1)]


def enables(circuit: StaticCircuit) -> list[str]:
    """The gates that enable registers by conditions."""
    return [w.name for w in circuit.fsmd.wires if isinstance(w, Gate) and "_enable" in w.name]


@pytest.mark.parametrize("name", ENABLED)
def test_the_condition_enables_the_register(name: str) -> None:
    circuit = circuit_of(*ENABLED[name])
    assert len(enables(circuit)) == 1
    selects = [w for w in circuit.fsmd.wires if isinstance(w, Operation)]
    assert "arith.select" not in [each.operator.name for each in selects]
    assert list(circuit.differences(activations(), 500)) == []


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_read_elsewhere_stays(name: str) -> None:
    circuit = circuit_of("int", OTHERS[name])
    assert enables(circuit) == []
    assert list(circuit.differences(activations(), 500)) == []


@pytest.mark.parametrize("name", ENABLED)
def test_an_enable_the_other_way_is_seen(name: str) -> None:
    circuit = circuit_of(*ENABLED[name])
    (enable,) = enables(circuit)

    def turned(gate: Gate) -> Gate:
        (when, condition) = gate.terms[0]
        other = condition.removeprefix("!") if condition.startswith("!") else f"!{condition}"
        return replace(gate, terms=((when, other),))

    wires = [turned(w) if isinstance(w, Gate) and w.name == enable else w
             for w in circuit.fsmd.wires]  # fmt: skip
    wrong = replace(circuit, fsmd=replace(circuit.fsmd, wires=tuple(wires)))
    assert list(wrong.differences(activations(), 500))


def test_the_path_is_not_the_comparison_and_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    request = Request((EXAMPLES / "threshold.mlir").read_text(), "k.mlir")
    enabled = compile_static_request(request).estimate
    monkeypatch.setattr(build, "enable_registers", lambda fsmd, name: fsmd)
    chosen = compile_static_request(request).estimate
    assert enabled.period < 0.9 * chosen.period
    assert enabled.area.luts <= chosen.area.luts
