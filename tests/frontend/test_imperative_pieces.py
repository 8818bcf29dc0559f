"""What the C and the Python reader share: statements in order, limits, conversions."""

from __future__ import annotations

import ast
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, NoReturn

import pytest
from xdsl.dialects import arith

from loom.errors import LoomError, Place
from loom.front.api import compile_text, read_program
from loom.front.request import Request
from loom.frontend.imperative import loops
from loom.frontend.imperative.body_writer import BodyWriter, VariableNumbers
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.effects import Effects, LiveTargets, Variables, is_endless
from loom.frontend.imperative.reading_limits import MOST_CALLS, MOST_LEVELS, InlinedCalls, Nesting
from loom.frontend.imperative.tree import (
    Assign,
    Break,
    Choose,
    Continue,
    Convert,
    Expression,
    If,
    Loop,
    Number,
    Read,
    Return,
    Scope,
    Statement,
    Switch,
)
from loom.frontend.imperative.types import TRUTH, Float, Int
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.support.folders import ROOT

HERE, THERE = Place("k.c", 1, 1), Place("k.c", 2, 1)
INT, BYTE = Int(32, True), Int(8, False)


@pytest.fixture
def writer() -> BodyWriter:
    return BodyWriter(VariableNumbers())


def read_of(writer: BodyWriter) -> Read:
    return Read(INT, HERE, writer.make_variable("x", INT))


def test_variables_have_numbers_of_their_own(writer: BodyWriter) -> None:
    other = BodyWriter(writer.variables)
    made = [each.make_variable("x", INT).number for each in (writer, other, writer)]
    assert made == [1, 2, 3]


def test_a_number_is_not_held(writer: BodyWriter) -> None:
    number = Number(INT, HERE, 3)
    assert writer.hold_expression(number) is number
    assert not writer.statements


def test_a_held_value_stands_in_a_temporary(writer: BodyWriter) -> None:
    value = read_of(writer)
    held = writer.hold_expression(value, THERE)
    (statement,) = writer.statements
    assert isinstance(statement, Assign) and isinstance(held, Read)
    assert statement.value is value and statement.variable is held.variable
    assert (statement.place, held.place) == (THERE, THERE)


def test_a_body_stands_apart(writer: BodyWriter) -> None:
    writer.append(Break(HERE))
    body = writer.write_body(writer.append, Break(THERE))
    assert [each.place for each in body] == [THERE]
    assert [each.place for each in writer.statements] == [HERE]


def test_a_body_that_is_refused_leaves_the_statements_before_it(writer: BodyWriter) -> None:
    writer.append(Break(HERE))
    with pytest.raises(ValueError):
        writer.write_body(int, "x")
    assert [each.place for each in writer.statements] == [HERE]


def test_only_values_before_a_statement_are_held(writer: BodyWriter) -> None:
    first, second, third = (read_of(writer) for _ in range(3))

    def read(value: Expression) -> Expression:
        if value is second:
            writer.append(Break(THERE))
        return value

    values = writer.read_in_order((first, second, third), read, writer.hold_expression)
    temporary, jump = writer.statements
    assert isinstance(temporary, Assign) and temporary.value is first
    assert isinstance(jump, Break)
    assert values[0] is not first and values[1:] == [second, third]


def test_a_level_too_deep_is_refused() -> None:
    def refuse() -> NoReturn:
        raise ValueError("too deep")

    nesting = Nesting(Nesting().most - 1)
    assert nesting.most <= MOST_LEVELS
    with nesting.enter_level(refuse), pytest.raises(ValueError), nesting.enter_level(refuse):
        pass
    assert nesting.levels == nesting.most - 1


@pytest.mark.parametrize(
    ("pattern", "old", "new", "expected"),
    [
        (0xFFFFFFFF, INT, BYTE, 0xFF), (0x80, Int(8, True), INT, 0xFFFFFF80),
        (0x80, BYTE, INT, 0x80), (0x100, INT, TRUTH, 1), (0, INT, TRUTH, 0),
    ],
)  # fmt: skip
def test_constants_convert_at_once(pattern: int, old: Int, new: Int, expected: int) -> None:
    found = convert_expression(Number(old, HERE, pattern), new, THERE)
    assert isinstance(found, Number)
    assert (found.type, found.pattern, found.place) == (new, expected, THERE)


def test_values_convert_when_they_are_known(writer: BodyWriter) -> None:
    value = read_of(writer)
    assert convert_expression(value, INT) is value
    found = convert_expression(value, Float.DOUBLE)
    assert isinstance(found, Convert) and found.value is value and found.place is value.place


def test_a_choice_of_values_is_an_expression(writer: BodyWriter) -> None:
    condition, first, second = Number(TRUTH, HERE, 1), read_of(writer), Number(INT, HERE, 2)
    chosen = writer.choose_value(condition, ((), first), ((), second), THERE)
    assert isinstance(chosen, Choose) and not writer.statements
    assert (chosen.first, chosen.second, chosen.type) == (first, second, INT)


def test_a_choice_with_statements_is_an_if(writer: BodyWriter) -> None:
    condition, first, second = Number(TRUTH, HERE, 1), read_of(writer), Number(INT, HERE, 2)
    chosen = writer.choose_value(condition, ((Break(HERE),), first), ((), second), THERE)
    (branch,) = writer.statements
    assert isinstance(branch, If) and isinstance(chosen, Read)
    jump, assign = branch.first
    assert isinstance(jump, Break) and isinstance(assign, Assign)
    assert assign.variable is chosen.variable and assign.value is first
    assert len(branch.second) == 1


def refuse_recursion(what: str, accepted: str) -> NoReturn:
    raise ValueError(f"{what}; {accepted}")


def refuse_count(what: str, accepted: str) -> NoReturn:
    raise OverflowError(f"{what}; {accepted}")


def test_recursion_is_refused() -> None:
    calls = InlinedCalls()
    calls.add_call("g", "g", ("f",), refuse_recursion, refuse_count)
    with pytest.raises(ValueError, match="a call of f from within f; loops"):
        calls.add_call("f", "f", ("f", "g"), refuse_recursion, refuse_count)
    assert calls.count == 1


def test_too_many_calls_are_refused() -> None:
    calls = InlinedCalls(MOST_CALLS - 1)
    calls.add_call("g", "g", (), refuse_recursion, refuse_count)
    with pytest.raises(OverflowError, match=f"more than {MOST_CALLS} calls"):
        calls.add_call("g", "g", (), refuse_recursion, refuse_count)


@pytest.mark.parametrize("jump", [Break(HERE), Return(HERE)])
def test_a_loop_that_a_jump_leaves_ends(jump: Break | Return) -> None:
    always = Number(TRUTH, HERE, 1)
    assert not is_endless(always, (If(HERE, always, (jump,)),))
    assert not is_endless(Number(TRUTH, HERE, 0), ())


def test_a_loop_that_only_inner_statements_leave_has_no_end() -> None:
    always = Number(TRUTH, HERE, 1)
    inner = Loop(HERE, (), always, (Break(HERE), Continue(HERE)))
    switch = Switch(HERE, Number(INT, HERE, 0), ((0,),), ((Break(HERE),),), None)
    assert is_endless(always, (inner, switch, Scope(HERE, (Return(HERE),)), Continue(HERE)))


def test_liveness_of_loops_in_loops_takes_time_with_the_square_of_their_depth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sum in the innermost of 20 loops; what is live is looked for in each at most 22 times."""
    calls: Counter[Statement] = Counter()
    compute = Effects._compute_live_before

    def counted(
        effects: Effects, statement: Statement, end: Variables, targets: LiveTargets
    ) -> Variables:
        calls[statement] += 1
        return compute(effects, statement, end, targets)

    monkeypatch.setattr(Effects, "_compute_live_before", counted)
    loops = "".join(f"for (int i{k} = 0; i{k} < n; i{k}++) " for k in range(20))
    text = f"int f(int n, int a[8]) {{ int s = 0; {loops}s += a[s & 7]; return s; }}"
    read_program(Request(text, "k.c"))
    assert 20 < max(calls.values()) <= 22


def test_a_captured_body_has_a_value(writer: BodyWriter) -> None:
    def read() -> int:
        writer.append(Break(HERE))
        return 7

    value, body = writer.capture_body(read)
    assert value == 7 and len(body) == 1
    assert not writer.statements


def find_imports(folder: Path) -> dict[str, set[str]]:
    """The modules that each module of a folder imports, those for type checkers too."""
    imports: dict[str, set[str]] = {}
    for file in folder.rglob("*.py"):
        module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
        nodes = [each for each in ast.walk(ast.parse(file.read_text()))
                 if isinstance(each, ast.ImportFrom)]  # fmt: skip
        imports[module] = {node.module for node in nodes if node.module is not None}
    return imports


def test_readers_do_not_import_in_a_circle() -> None:
    imports = find_imports(ROOT / "loom" / "frontend")
    assert "loom.frontend.imperative.flow" in imports["loom.frontend.imperative.statements"]
    TopologicalSorter(imports).prepare()
    imports["loom.frontend.imperative.flow"].add("loom.frontend.imperative.statements")
    with pytest.raises(CycleError):
        TopologicalSorter(imports).prepare()


READERS = ("c", "python", "imperative")


def list_derived_classes(text: str) -> list[str]:
    """The classes of a module that inherit from one of LOOM's."""
    known = {"Enum", "Protocol", "NamedTuple", "ABC", "Exception"}
    return [
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).partition("[")[0] not in known for base in node.bases)
    ]


def test_readers_compose_objects_and_inherit_nothing() -> None:
    files = [f for room in READERS for f in (ROOT / "loom" / "frontend" / room).glob("*.py")]
    assert len(files) > 40
    assert not [found for file in files for found in list_derived_classes(file.read_text())]
    assert list_derived_classes("class A(Enum): ...\nclass B(A): ...") == ["B"]


def iterations(type_: str, low: int, last: int) -> int | None:
    """How often a circuit runs `for (j = low; j <= last; j++)`; None if it does not end."""
    loop = f"for ({type_} j = low; j <= m; j++) n++;"
    text = f"int f({type_} low, {type_} m) {{ int n = 0; {loop} return n; }}"
    netlist = compile_text(text, "k.c", options=Options(style="dynamic")).netlist
    try:
        (run,) = run_timed(netlist, [Activation({"low": low, "m": last})], most=200)
    except LoomError as error:
        assert error.code == "MODEL_LIMIT"
        return None
    return run.outputs["out0"][0]


@pytest.mark.parametrize(
    ("type_", "low", "last", "expected"),
    [
        ("int", 5, 4, 0), ("int", -2 % 2**32, 1, 4), ("int", 2**31 - 4, 2**31 - 2, 3),
        ("unsigned", 2**32 - 4, 2**32 - 2, 3), ("unsigned char", 250, 254, 5),
        ("long", 2**40, 2**40 + 2, 3), ("int", 2**31 - 2, 2**31 - 1, None),
        ("unsigned", 2**32 - 2, 2**32 - 1, None),
    ],
)  # fmt: skip
def test_a_bound_that_is_included_may_be_the_last_of_its_type(
    type_: str, low: int, last: int, expected: int | None
) -> None:
    """A loop that C never ends goes on; up to one less it counts as C does."""
    assert iterations(type_, low, last) == expected


def test_a_counter_without_room_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: the bound and one in the bound's own type, where the largest has none above."""

    def without_room(emitter: Any, count: Any, low: Any, high: Any, place: Place) -> Any:
        one = emitter.emit_constant(1, count.type, place)
        return low, emitter.insert_value(arith.AddiOp(high, one), place), count.type

    monkeypatch.setattr(loops, "emit_inclusive_bounds", without_room)
    assert iterations("int", 2**31 - 4, 2**31 - 2) == 3
    assert iterations("int", 2**31 - 2, 2**31 - 1) == 0
