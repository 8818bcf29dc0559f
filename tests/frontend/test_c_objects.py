"""Each object of the C reader alone over a scope, with stubs for the objects that it calls."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.frontend.c.assignments import Assignments
from loom.frontend.c.calls import Calls
from loom.frontend.c.declarations import Declarations
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.function_reader import FunctionReader
from loom.frontend.c.functions import list_parameters
from loom.frontend.c.globals import Globals
from loom.frontend.c.initializers import find_initializer, find_patterns, flatten_initializer
from loom.frontend.c.library import (
    Cursor,
    list_children,
    locate,
)
from loom.frontend.c.places import (
    Element,
    Pointer,
    PointerVariable,
    Struct,
    list_memories,
)
from loom.frontend.c.pointers import as_base
from loom.frontend.c.scope import Scope
from loom.frontend.c.statements.loops import Loops
from loom.frontend.c.statements.statements import Statements
from loom.frontend.imperative.tree import (
    Body,
    Break,
    Continue,
    Expression,
    Kind,
    Loop,
    Number,
    Return,
    Switch,
    Variable,
)
from loom.frontend.imperative.tree import Scope as InlinedBody
from loom.frontend.imperative.types import Int
from tests.frontend.c_functions import (
    Function,
    evaluate_as_seven,
    format_body,
    format_expression,
    make_expressions,
    make_lvalues,
    open_function,
)
from tests.support.refusals import refusal

# The scope


def test_symbols_and_globals() -> None:
    function = open_function("int a", "a; k;", "int k;")
    local, outside = (each.referenced for each in function.statements)
    named = function.scope.find_symbol(local)
    assert isinstance(named, Variable) and named.name == "a"
    known = function.scope.find_symbol(outside)
    assert isinstance(known, Element) and known.memory.kind is Kind.STATE
    assert function.scope.find_symbol(outside) is known


def test_what_has_its_address_taken_is_in_a_memory() -> None:
    function = open_function("int a, int b", "&a; b = 1;")
    symbols = [function.scope.symbols[each.hash] for each in list_parameters(function.definition)]
    assert list(map(type, symbols)) == [Element, Variable]
    assert len(function.scope.targets.assigned) == len(function.scope.targets.addressed) == 1


def test_a_refusal_has_the_place_of_its_node() -> None:
    function = open_function("int a", "a;")
    assert (
        refusal(function.scope.refuse, function.expression, "C_CALL", "this", "that")
        == "k.c:2:17: error[C_CALL]: found this; LOOM accepts that"
    )


def test_levels_are_counted_and_limited() -> None:
    function = open_function("int a", "a;")
    function.scope.nesting.levels = function.scope.nesting.most - 1
    enter = function.scope.enter_level
    with enter(function.expression), pytest.raises(LoomError, match="C_TOO_DEEP"):
        enter(function.expression).__enter__()
    assert function.scope.nesting.levels == function.scope.nesting.most - 1


# Lvalues


@pytest.mark.parametrize(
    ("expression", "memory", "indices"),
    [("a[n]", "a", "7"), ("n[a]", "a", "7"), ("*a", "a", "0"), ("p->x", "p_x", "0"),
     ("p[n].y[n]", "p_y", "7, 7"), ("(a + n)[n]", "a", "14"), ("*&a[n]", "a", "7"),
     ("(*(a - n))", "a", "-7")],
)  # fmt: skip
def test_elements(expression: str, memory: str, indices: str) -> None:
    before = "struct s { int x; int y[4]; };"
    function = open_function("int *a, int n, struct s *p", f"{expression};", before)
    found = make_lvalues(function.scope).find_place(function.expression)
    assert isinstance(found, Element) and found.memory.name == memory
    assert ", ".join(map(format_expression, found.indices)) == indices


def test_a_pointer_variable_counts_elements() -> None:
    function = open_function("int *a, int n", "n; a[n]; a;")
    lvalues = make_lvalues(function.scope)
    base = lvalues.find_pointer(function.expression)
    variable = function.scope.make_pointer("p", locate(function.expression))
    with pytest.raises(LoomError, match="the pointer p before it points anywhere"):
        lvalues.use_as_pointer(variable, function.expression)
    variable.bases.append(as_base(base))
    found = lvalues.use_as_pointer(variable, function.expression)
    assert isinstance(found, Pointer) and found.position is not None
    assert format_expression(found.position) == "p"
    lvalues.advance_pointer(variable, evaluate_as_seven(function.expression), function.expression)
    assert function.format_body() == "p = addi(p, 7)"


@pytest.mark.parametrize(
    ("expression", "code"),
    [("f", "C_CALL"), ("n + 1", "C_EXPRESSION")],
)
def test_what_is_no_place(expression: str, code: str) -> None:
    before = "struct s { int x; };"
    function = open_function("int n, struct s s", f"{expression};", before)
    with pytest.raises(LoomError, match=code):
        make_lvalues(function.scope).find_place(function.expression)


# Assignments


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("n = 1", "n = 7"), ("a[0] = 1", "a[7] = 7"),
        ("n += 1", "n = i32(addi(i64(n), 7))"), ("n <<= 1", "n = shli(n, 7)"),
        ("c += 1", "c = addi(c, 7)"), ("c *= 2", "c = i8(muli(i64(c), 7))"),
    ],
)  # fmt: skip
def test_assignments(statement: str, written: str) -> None:
    function = open_function("int *a, int n, signed char c", f"{statement};")
    assignments = Assignments(function.scope, make_lvalues(function.scope), evaluate_as_seven)
    is_compound = statement.split()[1] != "="
    if is_compound:
        assignments.read_compound(function.expression)
    else:
        assignments.read_assignment(function.expression, needed=False)
    assert function.format_body() == written


@pytest.mark.parametrize(
    ("step", "value", "written"),
    [
        ("n++", "t", "t = n; n = addi(n, 1)"), ("--n", "n", "n = subi(n, 1)"),
        ("a[0]++", "t", "t = a[7]; t = addi(a[7], 1); a[7] = t"),
        ("b--", "t", "t = b; b = i1(subi(i32(b), 1))"),
        ("++x", "x", "x = addf(x, SINGLE:3f800000)"),
    ],
)  # fmt: skip
def test_steps(step: str, value: str, written: str) -> None:
    function = open_function("int *a, int n, _Bool b, float x", f"{step};")
    assignments = Assignments(function.scope, make_lvalues(function.scope), evaluate_as_seven)
    found = assignments.read_step(function.expression)
    assert (format_expression(found), function.format_body()) == (value, written)


# Expressions


@pytest.mark.parametrize(
    ("expression", "value", "written"),
    [
        ("n + 3", "addi(n, 3)", ""),
        ("2 + 3 * 4", "14", ""),
        ("u / 3u", "divui(u, 3)", ""),
        ("n >> 2", "shrsi(n, 2)", ""),
        ("c + c", "addi(i32(c), i32(c))", ""),
        ("n < 3", "i32(lt(n, 3))", ""),
        ("!n", "i32(eq(i1(n), 0))", ""),
        ("-x", "negf(x)", ""),
        ("~n", "xori(n, -1)", ""),
        ("(long)u", "i64(u)", ""),
        ("sizeof(int)", "4", ""),
        ("a[n]", "a[7]", ""),
        ("n && u", "i32(choose(i1(n), i1(u), 0))", ""),
        ("n || u++", "i32(t)", "t = i1(n); if t {} {t = u; u = addi(u, 1); t = i1(t)}"),
        ("n ? 1 : 2", "choose(i1(n), 1, 2)", ""),
        ("n ? n++ : 2", "t", "if i1(n) {t = n; n = addi(n, 1); t = t} {t = 2}"),
        ("(n = 1, n)", "n", "n = 7"),
        ("n + n++", "addi(t, t)", "t = n; t = n; n = addi(n, 1)"),
    ],
)
def test_values(expression: str, value: str, written: str) -> None:
    function = open_function("int *a, int n, unsigned u, signed char c, float x", f"{expression};")
    found = make_expressions(function.scope).evaluate(function.expression)
    assert (format_expression(found), function.format_body()) == (value, written)
    assert function.scope.nesting.levels == 0


def test_a_call_in_an_expression() -> None:
    function = open_function("int n", "g(n) + n;", "int g(int);")
    lvalues = make_lvalues(function.scope)
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    calls: list[str] = []

    def inline_call(cursor: Cursor) -> tuple[Expression, ...]:
        calls.append(cursor.spelling)
        return (Number(Int(32, True), locate(cursor), 5),)

    expressions = Expressions(
        function.scope, lvalues, assignments, inline_call, inline_call, inline_call
    )
    assert format_expression(expressions.evaluate(function.expression)) == "addi(5, n)"
    expressions.read_effect(function.expression)
    assert calls == ["g", "g"]


def test_an_effect_needs_no_temporary() -> None:
    function = open_function("int n", "(void)n++;")
    make_expressions(function.scope).read_effect(function.expression)
    assert function.format_body() == "n = addi(n, 1)"


# Declarations, initializers and globals


@pytest.mark.parametrize(
    ("declaration", "kind", "written"),
    [
        ("int x;", Variable, ""), ("int x = 1;", Variable, "x = 7"),
        ("const int x = 1;", Number, "x = 7"), ("int *x = a;", PointerVariable, "x = 0"),
        ("int x[3] = {1, 2};", Pointer, "copy x (1, 2, 0) x"),
        ("const int x[2] = {3, 4};", Pointer, ""),
        ("int x[2] = {1, n};", Pointer, "x[0] = 7; x[1] = 7"),
        ("struct { int p, q; } x = {1};", Struct, "x_p = 7; x_q = 0"),
        ("static int x = 3;", Element, ""),
    ],
)  # fmt: skip
def test_declarations(declaration: str, kind: type, written: str) -> None:
    function = open_function("int *a, int n", declaration)
    lvalues = make_lvalues(function.scope)
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    declarations = Declarations(function.scope, lvalues, assignments, evaluate_as_seven)
    declarations.read_declaration(function.expression)
    variable = list_children(function.expression)[-1]
    assert isinstance(function.scope.symbols[variable.hash], kind)
    assert function.format_body() == written


@pytest.mark.parametrize(
    ("declaration", "patterns"),
    [
        ("int x[4] = {1, 2};", (1, 2, 0, 0)), ("int x[2][2] = {{1}, 2, 3};", (1, 0, 2, 3)),
        ("int x[2][2] = {1, 2, 3};", (1, 2, 3, 0)), ('char x[4] = "ab";', (97, 98, 0, 0)),
        ("int x[2] = {1 - 2, sizeof(int)};", (0xFFFFFFFF, 4)), ("int k; int x[2] = {1, k};", None),
    ],
)  # fmt: skip
def test_initializers(declaration: str, patterns: tuple[int, ...] | None) -> None:
    function = open_function("", declaration)
    variable = list_children(function.expression)[-1]
    initial = find_initializer(variable)
    assert initial is not None
    is_text = "char" in declaration
    given = flatten_initializer(initial, variable.type)
    found = find_patterns(given, Int(8 if is_text else 32, True))
    assert (None if found is None else (*found,)) == patterns


def test_globals_are_state_constants_or_arguments() -> None:
    before = (
        "static int k = 3; const int c = 4; int shared[2];"
        "const struct { int p, q; } t[2] = {1, 2, 3};"
    )
    function = open_function("", "k; c; shared; t;", before)
    declarations = [each.referenced for each in function.statements]
    units = function.scope.program.units
    globals_ = Globals(frozenset({units.make_key(declarations[2])}), units)
    state, constant, argument, table = map(globals_.find_global, declarations)
    assert isinstance(state, Element) and state.memory.kind is Kind.STATE
    assert state.memory.initial is not None and [*state.memory.initial] == [3]
    assert isinstance(constant, Number) and constant.pattern == 4
    assert isinstance(argument, Pointer) and argument.memory.kind is Kind.ARGUMENT
    assert [(*(each.initial or ()),) for each in list_memories(table)] == [(1, 3), (2, 0)]
    assert [named for _, named in globals_.arguments] == [argument]


# Calls


def test_a_call_is_inlined_in_a_scope_of_its_own() -> None:
    before = "static int g(int x, int *p, int y) { y++; return x; }"
    function = open_function("int *a, int n", "g(n, a, n);", before)
    lvalues = make_lvalues(function.scope)
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    scopes: list[Scope] = []

    def read_function(scope: Scope, definition: Cursor) -> Body:
        scopes.append(scope)
        return (Return(locate(definition)),)

    calls = Calls(function.scope, lvalues, assignments, evaluate_as_seven, read_function)
    (value,) = calls.inline_call(function.expression)
    assert format_expression(value) == "g_result"
    assert function.format_body() == "x = 7; y = 7; scope"
    inlined = function.scope.body.statements[-1]
    assert isinstance(inlined, InlinedBody) and format_body(inlined.body) == "return"
    (callee,) = scopes
    assert [type(each) for each in callee.symbols.values()] == [Variable, Pointer, Variable]
    assert callee.nesting.levels == function.scope.nesting.levels + 1
    assert len(callee.callers) == 2 and callee.program is function.scope.program


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("f(1)", "error[C_RECURSION]: found a call of f from within f"),
        ("g(1)", "error[C_CALL]: found a call of g, whose body is not in the file"),
        ("p(1)", "error[C_CALL]: found a call through a pointer"),
    ],
)
def test_calls_that_are_refused(call: str, message: str) -> None:
    before = "int g(int); void (*p)(int);"
    function = open_function("int n", f"{call};", before)
    lvalues = make_lvalues(function.scope)
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    calls = Calls(function.scope, lvalues, assignments, evaluate_as_seven, lambda *_: ())
    with pytest.raises(LoomError) as caught:
        calls.inline_call(function.expression)
    assert message in str(caught.value)


def test_a_function_of_the_library() -> None:
    function = open_function("int n", "abs(n);", "int abs(int);")
    reader = FunctionReader(function.scope)
    found = reader.calls.inline_call(function.expression)
    assert format_expression(found[0]) == "choose(lt(t, 0), subi(0, t), t)"


# Loops and statements


def make_loops(function: Function) -> Loops:
    """Loops whose statements are read as a Continue."""

    def read_statement(cursor: Cursor) -> None:
        function.scope.body.append(Continue(locate(cursor)))

    return Loops(function.scope, make_expressions(function.scope), read_statement)


def test_a_for_loop() -> None:
    function = open_function("int n", "for (n = 0; n < 9; n++) n += n;")
    make_loops(function).read_for(function.expression)
    first, loop = function.scope.body.statements
    assert isinstance(first, Continue) and isinstance(loop, Loop)
    assert format_expression(loop.condition) == "lt(n, 9)"
    assert (format_body(loop.body), format_body(loop.advance)) == ("continue", "n = addi(n, 1)")
    assert not loop.runs_first and not loop.before


def test_the_parts_of_a_for_that_are_not_there() -> None:
    function = open_function("int n", "for (; n--;) n += n;")
    make_loops(function).read_for(function.expression)
    (loop,) = function.scope.body.statements
    assert isinstance(loop, Loop) and not loop.advance
    assert format_body(loop.before) == "t = n; n = subi(n, 1)"


def test_a_do_loop_runs_first() -> None:
    function = open_function("int n", "do n++; while (n < 9);")
    make_loops(function).read_do(function.expression)
    (loop,) = function.scope.body.statements
    assert isinstance(loop, Loop) and loop.runs_first


def test_a_loop_has_its_directives() -> None:
    function = open_function("int n", "\n#pragma loom unroll(4)\nwhile (n < 9) n++;")
    make_loops(function).read_while(function.expression)
    (loop,) = function.scope.body.statements
    assert isinstance(loop, Loop) and [name for name, _ in loop.attributes] == ["loom.unroll"]
    assert loop.required is not None and loop.required.line == 3


def test_a_loop_without_an_end_is_refused() -> None:
    function = open_function("int n", "while (1) n++;")
    with pytest.raises(LoomError, match="C_ENDLESS"):
        make_loops(function).read_while(function.expression)


def make_statements(function: Function, declared: list[Cursor]) -> Statements:
    """Statements whose declarations are only listed."""
    scope = function.scope
    return Statements(scope, make_expressions(scope), make_lvalues(scope), declared.append)


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        ("if (n) n++; else n--;", "if i1(n) {n = addi(n, 1)} {n = subi(n, 1)}"),
        ("if (0) n++; else n--;", "n = subi(n, 1)"), ("if (0) n++;", ""), (";", ""),
        ("{ n++; { n--; } }", "n = addi(n, 1); n = subi(n, 1)"), ("return;", "return"),
        ("do { n++; } while (0);", "n = addi(n, 1)"), ("while (n) break;", "loop"),
    ],
)  # fmt: skip
def test_statements(statement: str, written: str) -> None:
    function = open_function("int n", statement)
    make_statements(function, []).read_statement(function.expression)
    assert function.format_body() == written
    assert function.scope.nesting.levels == 0


def test_a_switch() -> None:
    text = "switch (n) { case 1: case 3: n++; break; default: n--; }"
    function = open_function("int n", text)
    make_statements(function, []).read_statement(function.expression)
    (switch,) = function.scope.body.statements
    assert isinstance(switch, Switch) and isinstance(switch.bodies[0][-1], Break)
    assert (switch.cases, switch.default) == (((1, 3), ()), 1)


def test_declarations_are_handed_on() -> None:
    function = open_function("int n", "int k = n;")
    declared: list[Cursor] = []
    make_statements(function, declared).read_statement(function.expression)
    assert declared == [function.expression] and not function.scope.body.statements


# All together


def test_the_reader_of_a_function_joins_the_objects() -> None:
    before = "struct s { int x; }; static struct s g(int n) { struct s r = {n + 1}; return r; }"
    text = "int k = (struct s){n}.x; n = g(k).x;"
    function = open_function("int n", text, before)
    body = FunctionReader(function.scope).read_body(function.definition)
    literal, call = "literal_x = n; k = literal_x", "n = k; scope; result_x = g_result_x"
    assert format_body(body) == f"{literal}; {call}; n = result_x"
