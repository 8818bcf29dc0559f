"""The order of one array: followed, or a note or an error says why not."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.errors import LoomError
from loom.front.api import compile_request, compile_text, load_graph
from loom.front.cli import main
from loom.front.request import Request
from loom.front.styles.choose import compile_in_style
from loom.frontend.c.c_options import COptions
from loom.lower.explain_order import arrays_with_queue
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.support.folders import DOCS, EXAMPLES
from tests.support.refusals import refusal

STATIC = (
    "void f(const int x[8], int h[8], int n) {\n"
    "#pragma loom style(static)\n"
    "  for (int i = 0; i < n; i++) h[x[i]] += i;\n"
    "LAST}\n"
)
"""A static loop over h, and what may come after it."""
DYNAMIC = "  for (int i = 0; i < n; i++) h[x[i]] += 2;\n"
WHY = "this loop is static, and its schedule orders them; choose the style dynamic here"
OF_QUEUE = f"k.c:3:3: no load-store queue for accesses of h: {WHY}"
OF_COMPARATORS = f"k.c:3:3: no comparators for accesses of h: {WHY}"


def plain(order: str = "", **more: Any) -> Options:
    """The options of a dynamic circuit without a clock, with an order of h."""
    orders = (("h", order),) if order else ()
    return Options(style="dynamic", clock_period=None, array_orders=orders, **more)


@pytest.mark.parametrize(
    ("order", "last", "notes"),
    [
        ("queue", "", (OF_QUEUE,)),
        ("queue", DYNAMIC, (OF_QUEUE,)),
        ("comparators", "", (OF_COMPARATORS,)),
        ("comparators", DYNAMIC, ()),
        ("tokens", "", ()),
    ],
)
def test_an_order_without_effect_on_a_static_loop_is_told(
    order: str, last: str, notes: tuple[str, ...]
) -> None:
    text = STATIC.replace("LAST", last)
    pragma = text.replace("#pragma", f"#pragma loom memory_order(h, {order})\n#pragma")
    by_pragma = [note.replace("k.c:4:", "k.c:3:") for note in
                 compile_text(pragma, "k.c", options=plain()).notes]  # fmt: skip
    assert compile_text(text, "k.c", options=plain(order)).notes == notes == tuple(by_pragma)


def test_the_note_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text(STATIC.replace("LAST", DYNAMIC), encoding="utf-8")
    words = ["lower", str(file), "--style", "dynamic", "--array-order", "h:queue"]
    assert main([*words, "-o", str(tmp_path / "k.mlir")]) == 0
    assert f"f: note: {OF_QUEUE.replace('k.c', str(file))}" in capfd.readouterr().err.splitlines()


def test_a_static_circuit_has_the_note_too() -> None:
    options = Options(style="auto", clock_period=None, array_orders=(("h", "queue"),))
    found = compile_in_style(Request(STATIC.replace("LAST", ""), "k.c", options=options))
    assert OF_QUEUE in found.circuit.notes


def test_a_queue_that_nothing_needs_is_told() -> None:
    text = "void f(int h[8], int n) {\n  for (int i = 0; i < 4; i++) h[i + 4] = h[i] + n;\n}\n"
    found = compile_text(text, "k.c", options=plain("queue"))
    assert found.notes == (
        "k.c:2:31: no load-store queue for accesses of h: no load may alias a store, "
        "so none has to wait",
    )
    assert compile_text(text, "k.c", options=plain("comparators")).notes == ()


@pytest.mark.parametrize("order", ["queue", "comparators", "tokens"])
def test_an_array_of_a_loop_has_its_order(order: str) -> None:
    text = (
        "int f(const int x[8], int n) {\n  int s = 0;\n  for (int j = 0; j < n; j++) {\n"
        "    int h[8] = {0};\n    if (j & 1) { int g[8] = {0}; int k = 0;\n"
        "      while (k < 8) { g[x[k]] += h[x[k]] + k; k++; } s += g[3]; }\n"
        "    for (int i = 0; i < 8; i++) h[x[i]] += h[(i + j) & 7] + i;\n    s += h[j & 7];\n"
        "  }\n  return s;\n}\n"
    )
    orders = (("h", order), ("g", "queue"))
    options = Options(style="dynamic", clock_period=None, array_orders=orders)
    found = compile_text(text, "k.c", options=options)
    assert len([*arrays_with_queue(found.graph)]) == 1 + (order == "queue")
    assert found.notes == ()
    given = [Activation({"x": [3, 3, 1, 0, 7, 3, 2, 1], "n": n}) for n in (0, 1, 5)]
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
    assert report.differences == ()


def test_an_order_that_is_made_is_not_in_the_graph() -> None:
    """A graph with it is refused."""
    said = "int h[8] = {0};\n#pragma loom memory_order(h, queue)\n"
    text = (
        f"int f(const int x[8]) {{ {said} for (int i = 0; i < 8; i++) h[x[i]] += h[i]; "
        "return h[2]; }"
    )
    found = compile_text(text, "k.c", options=plain())
    assert [*arrays_with_queue(found.graph)] and "memory_order" not in found.dfg_text
    graph = load_graph(Request(found.dfg_text, "g.mlir"))
    assert graph is not None and len(graph.netlist.units) == len(found.netlist.units)


def test_a_graph_has_its_order() -> None:
    found = compile_text(STATIC.replace("LAST", DYNAMIC), "k.c", options=plain())
    page = (DOCS / "graphs.md").read_text(encoding="utf-8")
    for text, file in ((found.dfg_text, "g.mlir"), (found.netlist_text, "n.json")):
        for name, options in (
            ("--array-order", plain("queue")),
            ("--memory-order", plain(memory_order="queue")),
            ("--order-depth", plain(order_depth=4)),
        ):
            said = refusal(load_graph, Request(text, file, options=options))
            assert said == (
                f"{name}: error[LOWER_ARRAY]: found {name} for a graph or a netlist; LOOM accepts "
                "it for a program; a graph has its order"
            )
            assert (said in page) == (name == "--memory-order")


def test_names_may_be_a_mapping() -> None:
    orders: Any = {"h": "queue"}
    assert Options(array_orders=orders).array_orders == (("h", "queue"),)
    lists: Any = [["h", "queue"]]
    assert hash(Options(array_orders=lists).array_orders) == hash((("h", "queue"),))
    given: Any = {"latencies": {"muli": 3}, "partitions": {"h": "cyclic:2"}, "ports": {"h": 2},
                  "memories": {"*": "channel"}}  # fmt: skip
    found = Options(**given)
    assert found.latencies == (("muli", 3),) and found.ports == (("h", 2),)
    assert found.partitions == (("h", "cyclic:2"),) and found.memories == (("*", "channel"),)


@pytest.mark.parametrize("given", ["h:queue", ("h", "queue"), ("h:queue",), ("hq",), {"h"}])
def test_names_without_pairs_are_refused(given: Any) -> None:
    with pytest.raises(LoomError) as caught:
        Options(array_orders=given)
    assert str(caught.value) == (
        f"Options: error[CLI_VALUE]: found array_orders = {given!r}; LOOM accepts a mapping from "
        "names, or pairs: {'x': ..} or (('x', ..),)"
    )


CALLED = """static int g(int h[8], const int x[8], int n) {
  int t[8] = {0};
#pragma loom memory_order(NAME, queue)
  for (int i = 0; i < n; i++) { t[x[i]] += t[i]; h[x[i]] += t[i]; }
  return t[2];
}
int f(int a[8], int h[8], const int x[8], int n) {
  int t[8] = {0};
  for (int i = 0; i < n; i++) { t[x[i]] += t[i]; h[x[i]] += t[i]; }
  return g(a, x, n) + t[1];
}
"""


def test_a_pragma_of_a_called_function_is_not_of_the_kernels_arrays() -> None:
    """`h` is a parameter of both, `t` an array of both, and `a` one of the kernel alone."""
    found = refusal(compile_text, CALLED.replace("NAME", "h"), "k.c", options=plain())
    assert found == (
        "k.c:3:14: error[C_PRAGMA]: found the pragma loom memory_order(h, queue), of a parameter "
        "of g; LOOM accepts it in f, of the array that is passed"
    )
    for name, count in (("t", 1), ("a", 1)):
        circuit = compile_text(CALLED.replace("NAME", name), "k.c", options=plain())
        queued = [*arrays_with_queue(circuit.graph)]
        assert len(queued) == count and (queued == ["a"]) == (name == "a")


def test_an_array_of_another_file_is_not_meant(tmp_path: Path) -> None:
    """Its lines are those of the called function in its own file."""
    called, kernel = CALLED.replace("NAME", "t").split("int f(")
    (tmp_path / "g.c").write_text(called.replace("static ", ""), encoding="utf-8")
    text = f"int g(int h[8], const int x[8], int n); int f({kernel}"
    request = Request(text, "k.c", "f", plain(), c=COptions(files=(str(tmp_path / "g.c"),)))
    assert len([*arrays_with_queue(compile_request(request).graph)]) == 1


def test_the_page_of_python_says_how_an_array_has_its_order() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^circuit = (histogram\.circuit\(.*\))$", page, re.MULTILINE)
    names = runpy.run_path(str(EXAMPLES / "python" / "histogram.py"))
    circuit = eval(line, {"loom": loom, "histogram": names["histogram"]})
    assert [*arrays_with_queue(circuit.graph)] == ["bins"]
