"""The order that an access says: followed, or a note or an error says why not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from loom.front.api import compile_request, compile_text
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.frontend.c.c_options import COptions
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.grow import random_comparisons
from tests.support.refusals import refusal
from tests.support.static.circuits import compile_static_request

LOADS = """func.func @f(%x: memref<16xi32>, %y: memref<16xi32>, %h: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<16xi32>
    %b = memref.load %y[%i] : memref<16xi32>
    %ai = arith.index_cast %a : i32 to index
    %bi = arith.index_cast %b : i32 to index
    %v = memref.load %h[%ai] {loom.memory_order = "ONE"} : memref<8xi32>
    %u = memref.load %h[%bi] {loom.memory_order = "TWO"} : memref<8xi32>
    %t = arith.muli %v, %u : i32
    memref.store %t, %h[%ai] {loom.memory_order = "STORE"} : memref<8xi32>
  }
  return
}"""
"""Two loads and a store of one array."""
UNITS = {
    "disambiguate": ("dataflow.disambiguate", "dataflow.forward_store"),
    "store_queue": ("dataflow.store_queue", "dataflow.forward_queue"),
    "load_store_queue": ("dataflow.load_store_queue",),
}
"""Units by what they compare; some of them forward values."""
X, Y = [3, 3, 1, 0, 7, 3, 2, 1] * 2, [3, 1, 3, 3, 0, 7, 3, 2] * 2


def plain(**more: Any) -> Options:
    """The options of a dynamic circuit without a clock."""
    return Options(**{"style": "dynamic", "clock_period": None, **more})


def loads(one: str, two: str, store: str) -> str:
    return LOADS.replace("ONE", one).replace("TWO", two).replace("STORE", store)


def units(found: Circuit) -> dict[str, int]:
    """How many comparators and queues there are."""
    names = Counter(unit.operator.name for unit in found.netlist.units)
    found = {kind: sum(names[name] for name in each) for kind, each in UNITS.items()}
    return {kind: count for kind, count in found.items() if count}


def assert_right(found: Circuit) -> None:
    """The timed model gives what the program gives, for no iteration, one, two and many."""
    given = [Activation({"x": X, "y": Y, "h": [*range(1, 9)], "n": n}) for n in (0, 1, 2, 16)]
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
    assert report.differences == ()


EACH = {"disambiguate": 1, "store_queue": 1}


@pytest.mark.parametrize("otherwise", ["auto", "tokens"])
@pytest.mark.parametrize(
    ("orders", "found"),
    [
        (("comparators", "tokens", "auto"), {"disambiguate": 1}),
        (("tokens", "comparators", "auto"), {"store_queue": 1}),
        (("comparators", "comparators", "auto"), EACH),
        (("auto", "auto", "comparators"), EACH),
        (("auto", "auto", "tokens"), {}),
        (("comparators", "comparators", "serial"), {}),
        (("queue", "auto", "auto"), {"load_store_queue": 1}),
        (("auto", "auto", "queue"), {"load_store_queue": 1}),
    ],
)
def test_each_access_has_its_order(
    orders: tuple[str, str, str], found: dict[str, int], otherwise: Any
) -> None:
    circuit = compile_text(loads(*orders), "k.mlir", options=plain(memory_order=otherwise))
    assert units(circuit) == found and circuit.notes == ()
    assert "loom.memory_order" not in circuit.dfg_text
    assert_right(circuit)


def test_auto_is_what_array_function_and_option_say() -> None:
    text = loads("auto", "auto", "auto")
    for order, found in (("tokens", {}), ("comparators", EACH), ("queue", {"load_store_queue": 1})):
        by_option = compile_text(text, "k.mlir", options=plain(memory_order=order))
        of_array = compile_text(text, "k.mlir", options=plain(array_orders=(("h", order),)))
        assert units(by_option) == units(of_array) == found


def test_the_access_speaks_instead_of_the_function() -> None:
    """Of a queue too; but an array that says `queue` has one."""
    text = loads("comparators", "comparators", "comparators")
    assert units(compile_text(text, "k.mlir", options=plain(memory_order="queue"))) == EACH
    found = compile_text(text, "k.mlir", options=plain(array_orders=(("h", "queue"),)))
    assert units(found) == {"load_store_queue": 1}
    assert found.notes == tuple(
        f"k.mlir:{line}:5: this {kind} of h is not ordered by comparators: a load-store queue "
        "orders all accesses of h"
        for line, kind in ((9, "load"), (10, "load"), (12, "store"))
    )


def test_a_queue_of_an_access_comes_before_its_arrays_word() -> None:
    text = loads("queue", "auto", "auto").replace(
        "%h: memref<8xi32>", '%h: memref<8xi32> {loom.memory_order = "tokens"}'
    )
    for options in (plain(), plain(array_orders=(("h", "comparators"),))):
        found = compile_text(text, "k.mlir", options=options)
        assert units(found) == {"load_store_queue": 1} and found.notes == ()


def test_an_access_speaks_before_the_functions_serial() -> None:
    text = loads("comparators", "comparators", "comparators")
    circuit = compile_text(text, "k.mlir", options=plain(memory_order="serial"))
    assert units(circuit) == EACH
    assert_right(circuit)


PROMOTED = """void f(const int x[16], const int y[16], int h[8], int n) {
  for (int k = 0; k < n; k++) {
    int j = y[k];
    for (int i = 0; i < 4; i++) {
#pragma loom access_order(h, ORDER)
      h[j] += x[i] * k;
    }
  }
}
"""
"""An element that the inner loop carries."""


@pytest.mark.parametrize(
    ("order", "found"),
    [("auto", {"disambiguate": 1}), ("tokens", {}), ("queue", {"load_store_queue": 1})],
)
def test_an_access_in_the_place_of_others_has_their_order(
    order: str, found: dict[str, int]
) -> None:
    circuit = compile_text(PROMOTED.replace("ORDER", order), "k.c", options=plain())
    assert units(circuit) == found
    assert_right(circuit)


APART = "void f(const int x[16], const int y[16], int h[8], int n) {{{}\n}}\n"


def test_a_serial_access_waits_for_each_other_one() -> None:
    """The elements are others, so nothing else has to wait; and the result stays."""
    body = "\n  for (int i = 0; i < 4; i++) {\n    h[i] = h[i + 4] + n;\n  }"
    free, serial = (
        compile_text(APART.format(text), "k.c", options=plain())
        for text in (body, body.replace("    h", "#pragma loom access_order(serial)\n    h"))
    )
    carries = [
        sum(unit.operator.name == "dataflow.carry" for unit in found.netlist.units)
        for found in (free, serial)
    ]
    assert carries[0] < carries[1]
    assert_right(serial)


@pytest.mark.parametrize("order", ["tokens", "comparators"])
def test_the_order_outlives_affine_accesses_and_several_dimensions(order: str) -> None:
    text = f"""func.func @f(%x: memref<16xindex>, %h: memref<4x2xi32>) {{
  affine.for %i = 0 to 16 {{
    %a = affine.load %x[%i] : memref<16xindex>
    %c1 = arith.constant 1 : index
    %b = arith.andi %a, %c1 : index
    %v = affine.load %h[%b, %a] {{loom.memory_order = "{order}"}} : memref<4x2xi32>
    %t = arith.addi %v, %v : i32
    affine.store %t, %h[%b, %a] : memref<4x2xi32>
  }}
  return
}}""".replace("affine.load %h[%b, %a]", "memref.load %h[%b, %b]").replace(
        "affine.store %t, %h[%b, %a]", "memref.store %t, %h[%b, %b]"
    )
    assert units(compile_text(text, "k.mlir", options=plain())) == (
        {} if order == "tokens" else {"disambiguate": 1}
    )


HISTOGRAM = "void f(const int x[16], const int y[16], int h[8], int n) {\nBODY}\n"
LOOP = "  for (int i = 0; i < n; i++) {\n    HERE\n  }\n"


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        ("h[x[i]] += i; h[y[i]] ^= i;", {"store_queue": 2}),
        ("\n#pragma loom access_order(tokens)\nh[x[i]] += i; h[y[i]] ^= i;", {}),
        ("\n#pragma loom access_order(x, tokens)\nh[x[i]] += i; h[y[i]] ^= i;",
         {"store_queue": 2}),
        ("\n#pragma loom access_order(h, queue)\nh[x[i]] += i; h[y[i]] ^= i;",
         {"load_store_queue": 1}),
        ("\n#pragma loom access_order(tokens)\n{ h[x[i]] += i;\n"
         "#pragma loom access_order(h, comparators)\nh[y[i]] ^= i; }", {}),
        ("\n#pragma loom access_order(tokens)\n{\n#pragma loom access_order(comparators)\n"
         "h[x[i]] += i;\n#pragma loom access_order(comparators)\nh[y[i]] ^= i; }",
         {"store_queue": 2}),
    ],
)  # fmt: skip
def test_pragmas_are_of_statements(statements: str, found: dict[str, int]) -> None:
    text = HISTOGRAM.replace("BODY", LOOP.replace("HERE", statements))
    circuit = compile_text(text, "k.c", options=plain(memory_order="comparators"))
    assert units(circuit) == found
    assert_right(circuit)


def test_a_statement_of_a_called_function_says_it_for_each_call() -> None:
    pragma = "#pragma loom access_order(tokens)"
    called = f"static void g(int h[8], int k) {{\n{pragma}\n  h[k] += k;\n}}\n"
    loop = LOOP.replace("HERE", "g(h, x[i]);")
    text = called + HISTOGRAM.replace("BODY", loop)
    assert units(compile_text(text, "k.c", options=plain())) == {}
    without = text.replace(pragma, "")
    assert units(compile_text(without, "k.c", options=plain())) == {"disambiguate": 1}
    unused = called + HISTOGRAM.replace("BODY", LOOP.replace("HERE", "h[x[i]] += i;"))
    assert units(compile_text(unused, "k.c", options=plain())) == {"disambiguate": 1}


@pytest.mark.parametrize("order", ["comparators", "queue", "tokens"])
def test_a_static_loop_says_that_its_schedule_orders(order: str) -> None:
    inside = f"\n#pragma loom access_order({order})\n    h[x[i]] += i;"
    text = HISTOGRAM.replace("BODY", "#pragma loom style(static)\n" + LOOP.replace("HERE", inside))
    found = compile_text(text, "k.c", options=plain())
    ways = {"comparators": "comparators", "queue": "load-store queue"}
    assert found.notes == (
        ()
        if order == "tokens"
        else (
            f"k.c:3:3: no {ways[order]} for accesses of this loop: it is static, and its schedule "
            "orders them; choose the style dynamic here",
        )
    )
    assert "loom.memory_order" not in found.dfg_text


@pytest.mark.parametrize(("order", "ii"), [("auto", 1), ("tokens", 2)])
def test_a_static_schedule_forwards_no_store_of_such_an_access(order: str, ii: int) -> None:
    inside = f"\n#pragma loom access_order({order})\n    h[x[i]] += i;"
    text = HISTOGRAM.replace("BODY", LOOP.replace("HERE", inside))
    found = compile_static_request(Request(text, "k.c", options=Options(style="static")))
    assert f"II = {ii} " in found.text and "memory_order" not in found.text


CALLED = """static void g(int h[8], int q[8], int k) {
#pragma loom access_order(NAMEtokens)
  h[k] += q[k & 3];
}
void f(const int x[16], const int y[16], int h[8], int q[8], int n) {
  for (int i = 0; i < n; i++)
    g(q, h, x[i]);
}
"""


def test_a_parameter_of_a_called_function_is_no_name() -> None:
    """`h` is another array there than in the kernel."""
    found = refusal(compile_text, CALLED.replace("NAME", "h, "), "k.c", options=plain())
    assert found == (
        "k.c:2:14: error[C_PRAGMA]: found the pragma loom access_order(h, tokens), of a parameter "
        "of g; LOOM accepts access_order(tokens), of all accesses of the statement"
    )
    assert units(compile_text(CALLED.replace("NAME", ""), "k.c", options=plain())) == {}


@pytest.mark.parametrize("first", ["k.c", "other.c"])
def test_a_function_of_a_header_is_one_of_each_file(tmp_path: Path, first: str) -> None:
    called, kernel = CALLED.replace("NAME", "").split("void f(")
    (tmp_path / "g.h").write_text(called, encoding="utf-8")
    texts = {
        "k.c": f'#include "g.h"\nvoid f({kernel}',
        "other.c": '#include "g.h"\nint o(int n) { int h[8] = {1}; g(h, h, n); return h[n]; }\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (other,) = texts.keys() - {first}
    files = COptions(files=(str(tmp_path / other),))
    request = Request(texts[first], str(tmp_path / first), "f", plain(), c=files)
    assert units(compile_request(request)) == {}


def test_a_queue_of_an_array_that_is_only_read_is_told() -> None:
    body = "\n#pragma loom access_order(x, queue)\n  h[n] = x[n];"
    found = compile_text(APART.format(body), "k.c", options=plain())
    assert found.notes == (
        "k.c:3:10: no load-store queue for accesses of x: nothing is stored to it",
    )


ERRORS = {
    "for (int i = 0; i < n; i++) {{\n#pragma loom access_order(fast)\n    h[i] += i;\n  }}": (
        "k.c:2:14: error[C_PRAGMA]: found the pragma loom access_order(fast); LOOM accepts "
        "#pragma loom access_order(ORDER) or access_order(NAME, ORDER) directly before a "
        'statement, with "serial" or "tokens" or "comparators" or "queue" or "auto"'
    ),
    "\n#pragma loom access_order(y, tokens)\n  h[n] += x[n];": (
        "k.c:2:14: error[C_PRAGMA]: found the pragma loom access_order(y, tokens), before a "
        "statement without accesses of y; LOOM accepts its arrays: h, x"
    ),
    "\n#pragma loom access_order(tokens)\n  n++;\n  h[n] += n;": (
        "k.c:2:14: error[C_PRAGMA]: found the pragma loom access_order(tokens), before a "
        "statement without accesses; LOOM accepts it before one that has some"
    ),
    "h[n] += n;\n#pragma loom access_order(tokens)\n": (
        "k.c:2:14: error[C_PRAGMA]: found the pragma loom access_order(tokens), which no statement "
        "follows; LOOM accepts #pragma loom access_order(ORDER) or access_order(NAME, ORDER) "
        'directly before a statement, with "serial" or "tokens" or "comparators" or "queue" or '
        '"auto"'
    ),
}


@pytest.mark.parametrize("body", ERRORS)
def test_other_pragmas_are_refused(body: str) -> None:
    text = APART.format(body.replace("{{", "{").replace("}}", "}"))
    assert refusal(compile_request, Request(text, "k.c")) == ERRORS[body]


def test_another_word_of_an_access_is_refused() -> None:
    found = refusal(compile_text, loads("fast", "auto", "auto"), "k.mlir", options=plain())
    assert found == (
        'k.mlir:9:5: error[LOWER_LOOP]: found loom.memory_order = "fast" of memref.load; LOOM '
        'accepts loom.memory_order of an access, "serial" or "tokens" or "comparators" or "queue" '
        'or "auto"'
    )


@pytest.mark.usefixtures("deep_on_sources")
def test_random_orders_of_accesses_give_what_the_program_gives() -> None:
    found = list(random_comparisons.campaign(range(40, 70), "accesses"))
    assert [each for each in found if each[2]] == []
    assert sum(count > 0 for _, count, _ in found) >= 8
