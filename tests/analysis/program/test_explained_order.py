"""What orders each access is said, and every two accesses that conflict are among what is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from loom.analysis.order import explained_order
from loom.analysis.order.explained_order import ExplainedOrder, explain
from loom.analysis.program.memory_accesses import Accesses
from loom.analysis.program.memory_dependence import Dependences
from loom.front.cli import main
from tests.analysis.program.test_memory_dependence import last_of_module
from tests.grow.random_nests import Nest, drawn
from tests.support.folders import ROOT

SUMS = """void sums(const int x[8], const int w[8], int h[8], int g[16], int d) {
  for (int i = 1; i < 8; i++) {
    h[x[i]] += w[i];
    g[i] = g[i - 1] + g[i + 8];
    if (g[15] > i)
      g[d & 7] = 1;
  }
}
"""


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """What `loom check --order` says."""
    assert main(["check", "--order", *arguments]) == 0
    return capsys.readouterr().out.splitlines()[1:]


@pytest.mark.parametrize(
    ("body", "order", "why"),
    [
        ("h[x[i]] += w[i];", "auto", "comparator: the loop's II is 1 instead of 2 by tokens; "
         "values are forwarded if the clock allows: the II with one address is 1 instead of 2"),
        ("h[x[i]] += w[i];", "comparators", "comparator: it is asked for; "
         "values are forwarded if the clock allows: the II with one address is 1 instead of 2"),
        ("h[x[i]] += w[i];", "tokens", None),
        ("h[i] = h[i - 1] * w[i];", "auto", None),
        ("for (int k = 0; k < (x[i] & 7); k++) h[k] = h[k] * 3 + w[k] - h[k ^ 1];", "auto",
         "no comparator: no loop's II is shorter by one"),
        ("for (int j = i + 1; j < 8; j++) for (int k = 0; k < 2; k++) g[2 * j + k] = "
         "g[2 * j + k] * 3 - g[2 * i + k] * w[j];", "auto",
         "comparator: an inner loop's entry need not wait for stores of the last one"),
    ],
)  # fmt: skip
def test_a_load_says_why_it_compares_its_address(
    body: str,
    order: str,
    why: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    head = "void f(const int x[8], const int w[8], int h[8], int g[16]) {\n"
    Path("k.c").write_text(f"{head}  for (int i = 1; i < 8; i++) {{ {body} }}\n}}\n")
    found = told(capsys, "k.c", "--memory-order", order, "--clock-period", "none")
    said = [line.strip() for line in found if "comparator: " in line]
    assert (why in said) if why else said == []
    main(["check", "--order", "--json", "k.c", "--memory-order", order, "--clock-period", "none"])
    rows = json.loads(capsys.readouterr().out)["order"]
    assert {row["comparator"] for row in rows} - {None} == set(said)
    assert all(row["comparator"] is None for row in rows if row["stores"])


def test_each_access_says_what_it_waits_for_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.c").write_text(SUMS)
    lines = told(capsys, "k.c", "--memory-order", "comparators")
    place = lines.index("store h at k.c:3:5")
    assert lines[place + 1 : place + 3] == [
        "  waits for load h at k.c:3:5: may alias (WAR), already by data flow",
        "  waits for itself of the previous iteration of the loop at k.c:2:3: may alias (WAW), "
        "by the order of its port",
    ]
    text = "\n".join(lines)
    raw = "waits for store h at k.c:3:5 of the previous iteration of the loop at k.c:2:3: "
    assert f"load h at k.c:3:5\n  {raw}may alias (RAW), by comparator" in text
    bounds = "their addresses are never equal within the bounds of the loops and the array"
    assert f"load g at k.c:4:23\n  independent of store g at k.c:4:5: {bounds}" in text
    assert (
        "load g at k.c:4:12\n  waits for store g at k.c:4:5 of the previous iteration of the loop "
        "at k.c:2:3: may alias (RAW), follows from other waits"
    ) in text
    assert (
        "store g at k.c:6:7\n  waits for load g at k.c:4:12: may alias (WAR), by done token" in text
    )
    assert "  waits for nothing" in lines
    by_tokens = "\n".join(told(capsys, "k.c", "--memory-order", "tokens"))
    assert f"{raw}may alias (RAW), by done token" in by_tokens


def test_a_store_behind_a_channel_follows_one_that_is_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "for (int i = 0; i < 8; i++) { h[x[i]] = i; h[w[i]] = 5; }"
    Path("k.c").write_text(f"void f(const int x[8], const int w[8], int h[8]) {{ {body} }}\n")
    within = "waits for store h at k.c:1:82: may alias (WAW), by "
    carried = "waits for store h at k.c:1:95 of the previous iteration of the loop at k.c:1:52: "
    for memory, word in (("channel", "the token that it is accepted"), ("ram", "done token")):
        found = "\n".join(told(capsys, "k.c", "--memory", f"h:{memory}"))
        assert within + word in found and f"{carried}may alias (WAW), by {word}" in found


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "examples" / "histogram.mlir")
    assert main(["check", "--order", "--json", file]) == 0
    found = json.loads(capsys.readouterr().out)["order"]
    assert [(row["array"], row["stores"], [w["by"] for w in row["waits"]]) for row in found] == [
        ("feature", False, []),
        ("weight", False, []),
        ("bins", False, ["comparator"]),
        ("bins", True, ["data flow", "port"]),
    ]
    assert main(["check", "--json", file]) == 0
    assert "order" not in json.loads(capsys.readouterr().out)


def test_a_graph_has_no_program_to_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = tmp_path / "g.mlir"
    assert main(["lower", str(ROOT / "examples" / "add.mlir"), "-o", str(graph)]) == 0
    assert told(capsys, str(graph)) == ["no program: the tokens of a graph are its order"]


def conflicts(nest: Nest) -> Iterator[tuple[int, int]]:
    """Numbers of the earlier and the later of two accesses that conflict, turn by turn."""
    last: dict[int, list[int]] = {}
    count = len(nest.spots)
    turns = [values for _, values in nest.turns()]
    for values, following in pairwise([*turns, None]):
        assert values is not None
        made = [(k, spot, values) for k, spot in enumerate(nest.spots)]
        if following is None or following[0] != values[0]:
            made += [(count + k, spot, values[:1]) for k, spot in enumerate(nest.outer)]
        for number, spot, at in made:
            before = last.setdefault(nest.address(spot, at), [])
            for earlier in before:
                if spot.stores or [*nest.spots, *nest.outer][earlier].stores:
                    yield earlier, number
            if number not in before:
                before.append(number)


def missing(nest: Nest) -> set[tuple[int, int]]:
    """Conflicts that are not among the waits, or are said to be none."""
    function = last_of_module(nest.text(constant=True))
    accesses = Accesses(function, nest.index_width)
    found = explain(function, accesses, Dependences(accesses, "auto"))
    waits = {(wait.earlier.number, wait.later.number) for wait in found.waits}
    apart = {(each.first.number, each.second.number) for each in found.apart}
    happened = set(conflicts(nest))
    assert not {(b, a) for a, b in waits} & apart | waits & apart
    return happened - waits


NESTS = [nest for seed in range(120) if not (nest := drawn(Random(seed))).outer or nest.turns()]


@pytest.mark.usefixtures("deep_on_sources")
def test_every_conflict_of_random_nests_is_a_wait() -> None:
    found = [nest for nest in NESTS if missing(nest)]
    assert found == []
    assert sum(bool(set(conflicts(nest))) for nest in NESTS) > len(NESTS) // 2


def test_a_wait_that_is_not_said_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: no loop carries a wait."""
    monkeypatch.setattr(explained_order, "nearest", lambda *_: iter(()))
    assert any(missing(nest) for nest in NESTS)


def test_ways_of_one_wait() -> None:
    """Data flow is said before tokens, and a comparator only of a store's previous iteration."""
    order = explained(SIMPLE)
    (wait,) = [wait for wait in order.waits if wait.hazard == "RAW"]
    assert wait.by == "done token"
    place = wait.later.place
    (compared,) = [
        w for w in order.with_ways(set(), set(), {place}, set()).waits if w.hazard == "RAW"
    ]
    assert compared.by == "comparator"
    pair = {(wait.later.number, wait.earlier.number)}
    ways = {w.hazard: w.by for w in order.with_ways(pair, set(), set(), set()).waits}
    assert ways == {"RAW": "done token", "WAR": "data flow", "WAW": "port"}


def test_all_waits_of_an_array_with_a_queue_are_its() -> None:
    order = explained(SIMPLE)
    numbers = {each.number for each in order.spots if each.array == "m"}
    queued = order.with_ways(set(), set(), set(), set(), numbers)
    assert {wait.by for wait in queued.waits} == {"queue"}
    assert "by the load-store queue" in "\n".join(queued.lines())


def test_a_load_behind_its_store_compares_where_it_does() -> None:
    """Of its own iteration too, but not if a store before the loop is meant."""
    order = explained(BEHIND)
    (wait,) = [w for w in order.waits if w.hazard == "RAW" and not w.iterations]
    beside = {(wait.earlier.number, wait.later.number)}
    for pairs, by in ((beside, "comparator"), (set[tuple[int, int]](), "done token")):
        found = order.with_ways(set(), set(), {wait.later.place}, pairs).waits
        assert [w.by for w in found if w.hazard == "RAW" and not w.iterations] == [by]


SIMPLE = """func.func @f(%n: index, %m: memref<8xi8>, %x: i8) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %v = memref.load %m[%1] : memref<8xi8>
    memref.store %v, %m[%1] : memref<8xi8>
  }
  return
}"""


def explained(text: str) -> ExplainedOrder:
    """What orders the accesses of a function in normal form, by tokens alone."""
    function = last_of_module(text)
    accesses = Accesses(function, 64)
    return explain(function, accesses, Dependences(accesses, "tokens"))


BEHIND = """func.func @f(%n: index, %m: memref<8xi8>, %j: index, %x: i8) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    memref.store %x, %m[%j] : memref<8xi8>
    %v = memref.load %m[%1] : memref<8xi8>
  }
  return
}"""
