"""An index with no more bits than an array's places need is an unsigned number for its machine."""

from __future__ import annotations

from random import Random

import pytest

from loom.analysis.program.memory_dependence import Dependences
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.random_nests import drawn
from tests.support.static.circuits import compile_static_request

WORDS = [(7 * k + 3) % 256 for k in range(64)]


def program(words: int, address: str) -> str:
    """A loop that stores its iteration's index `%i` at what the text makes, and loads it at `%y`.

    `%w` is the index as an i8, `%v` as an i4.
    """
    return f"""func.func @f(%m: memref<{words}xi8>, %y: i4) -> i8 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %eight = arith.constant 8 : i8
  %seven = arith.constant 7 : i8
  %eleven = arith.constant 11 : i4
  scf.for %i = %c0 to %c8 step %c1 {{
    %w = arith.index_cast %i : index to i8
    %v = arith.index_cast %i : index to i4
    {address}
    memref.store %w, %m[%at] : memref<{words}xi8>
  }}
  %last = arith.index_cast %y : i4 to index
  %found = memref.load %m[%last] : memref<{words}xi8>
  return %found : i8
}}
"""


ADDRESSES = {
    "wraps round": "%a = arith.muli %i, %c8 : index %at = arith.addi %a, %c1 : index",
    "a wider number is cut": (
        "%a = arith.muli %w, %eight : i8 %b = arith.addi %a, %seven : i8 "
        "%at = arith.index_cast %b : i8 to index"
    ),
    "a narrower number is filled": (
        "%b = arith.subi %v, %eleven : i4 %at = arith.index_cast %b : i4 to index"
    ),
}


@pytest.mark.parametrize("words", [32, 64])
@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_addresses_of_five_bits(address: str, words: int) -> None:
    options = Options(index_width=5)
    circuit = compile_static_request(Request(program(words, address), "k.mlir", None, options))
    given = [Activation({"m": WORDS[:words], "y": y}) for y in (0, 7, 8, 15)]
    assert list(circuit.differences(given, 10_000)) == []


@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_an_address_outside_is_still_seen(address: str) -> None:
    options = Options(index_width=5)
    circuit = compile_static_request(Request(program(7, address), "k.mlir", None, options))
    (run,) = circuit.runs([Activation({"m": WORDS[:7], "y": 15})], 10_000)
    assert run.is_outside


SUMS = {
    "a last index": ("j <= n", "c[j] = c[j] * beta;"),
    "an offset": ("j < n", "c[j + m] = c[j + m] * beta;"),
    "a row of a matrix": ("j < n", "c[m * n + j] = c[m * n + j] * beta;"),
    "far behind": ("j < n", "c[j + 8] = c[j] * beta;"),
    "a ring": ("j < n", "c[(unsigned char)(j + m)] = c[(unsigned char)(j + m)] * beta;"),
}
"""The test and the body of a loop over an array of 64 or 256 elements."""


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_32_bits_are_told_apart(name: str) -> None:
    """The II is 1, though a sum of a caller's numbers might wrap; a ring does."""
    test, body = SUMS[name]
    words = 256 if name == "a ring" else 64
    text = (
        f"void f(int n, int m, int beta, int c[{words}]) {{\n"
        f"  for (int j = 0; {test}; j++) {body}\n}}\n"
    )
    circuit = compile_static_request(Request(text, "k.c"))
    (loop,) = circuit.pipelines
    assert loop.ii == 1
    starts = (0, 250) if name == "a ring" else (0, 3)
    given = [
        Activation({"n": n, "m": m, "beta": 3, "c": [*range(words)]})
        for n in (0, 1, 9) for m in starts
    ]  # fmt: skip
    assert list(circuit.differences(given, 10_000)) == []


def test_an_element_of_eight_iterations_before_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """II = 2 by a recurrence of eight iterations, where three would make it 4."""
    text = (
        "void f(int n, float beta, float c[64]) {\n"
        "  for (int j = 0; j < n; j++) c[j + 8] = c[j] * beta + 1.0f;\n}\n"
    )

    def intervals() -> list[int]:
        return [loop.ii for loop in compile_static_request(Request(text, "k.c")).pipelines]

    assert intervals() == [2]
    monkeypatch.setattr(Dependences, "nest_distance", lambda *_: 1)
    assert intervals() == [4]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize("seed", [11, 25, 56, 63, 69, 76])
def test_random_nests(seed: int, narrow: bool) -> None:
    nest = drawn(Random(seed), narrow=narrow)
    options = Options(index_width=nest.index_width)
    circuit = compile_static_request(Request(nest.text(True), "k.mlir", None, options))
    given = [Activation({"m": WORDS[: nest.words]})]
    assert list(circuit.differences(given, 10_000)) == []
