"""Each object of the C reader alone over a scope, with stubs for the objects that it calls."""

from __future__ import annotations

from dataclasses import dataclass

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
    get_binary_operator,
    list_children,
    locate,
    parse_text,
)
from loom.frontend.c.loops import Loops
from loom.frontend.c.lvalues import Lvalues
from loom.frontend.c.operators import RELATIONS
from loom.frontend.c.places import (
    Element,
    Named,
    Pointer,
    PointerVariable,
    Struct,
    list_memories,
    make_arrays,
    read_place,
    select_only,
)
from loom.frontend.c.pointers import as_base, compare_pointers
from loom.frontend.c.pragmas.loop_pragmas import LoopPragmas
from loom.frontend.c.scope import Program, Scope, open_scope
from loom.frontend.c.statements import Statements
from loom.frontend.c.types import find_shape, is_pointer
from loom.frontend.c.units import Unit
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Body,
    Break,
    Choose,
    Compare,
    Continue,
    Convert,
    Copy,
    Expression,
    If,
    Kind,
    Load,
    Loop,
    Number,
    Read,
    Return,
    Statement,
    Store,
    Switch,
    Variable,
)
from loom.frontend.imperative.tree import Scope as InlinedBody
from loom.frontend.imperative.types import OFFSET, Float, Int
from tests.support.refusals import refusal


@dataclass
class Function:
    """The last function of a text, whose parameters are known in a scope of its own."""

    scope: Scope
    definition: Cursor
    statements: list[Cursor]

    @property
    def expression(self) -> Cursor:
        """The last statement, where that is an expression."""
        return self.statements[-1]

    def format_body(self) -> str:
        """The statements that were written so far."""
        return format_body(tuple(self.scope.body.statements))


def open_function(parameters: str, statements: str, before: str = "") -> Function:
    """The function `f` with these parameters and statements; arrays have 8 elements."""
    text = f"{before}\nvoid f({parameters}) {{ {statements} }}"
    unit = Unit(text, "k.c", parse_text(text, "k.c"))
    definition = unit.definitions[-1]
    program = Program(unit.alone, Globals(frozenset(), unit.alone), LoopPragmas(unit.texts))
    scope = open_scope(program, definition)
    for parameter in list_parameters(definition):
        name, place = parameter.spelling, locate(parameter)
        named: Named
        if is_pointer(parameter.type):
            element = parameter.type.get_pointee()
            _, inner = find_shape(element)
            named = make_arrays(name, inner, (8,), place, Kind.ARGUMENT)
        else:
            named = scope.make_declared(parameter, place)
        scope.define_symbol(parameter, named)
    return Function(scope, definition, list_children(list_children(definition)[-1]))


def format_expression(expression: Expression) -> str:
    match expression:
        case Number(type=Int() as type_, pattern=pattern):
            return str(type_.decode(pattern))
        case Number(type=type_, pattern=pattern):
            return f"{type_.name}:{pattern:x}"
        case Read(variable=variable):
            return variable.name
        case Load(memory=memory, indices=indices):
            return f"{memory.name}[{', '.join(map(format_expression, indices))}]"
        case Apply(operation=operation, operands=operands):
            name = operation.name.removeprefix("arith.")
            return f"{name}({', '.join(map(format_expression, operands))})"
        case Compare(relation=relation, left=left, right=right):
            return f"{relation.name.lower()}({format_expression(left)}, {format_expression(right)})"
        case Convert(type=type_, value=value):
            width = type_.name if isinstance(type_, Float) else f"i{type_.width}"
            return f"{width}({format_expression(value)})"
        case Choose(condition=condition, first=first, second=second):
            parts = map(format_expression, (condition, first, second))
            return f"choose({', '.join(parts)})"


def format_body(body: Body) -> str:
    return "; ".join(map(format_statement, body))


def format_statement(statement: Statement) -> str:
    match statement:
        case Assign(variable=variable, value=value):
            return f"{variable.name} = {format_expression(value)}"
        case Store(memory=memory, indices=indices, value=value):
            found = ", ".join(map(format_expression, indices))
            return f"{memory.name}[{found}] = {format_expression(value)}"
        case If(condition=condition, first=first, second=second):
            arms = f"{{{format_body(first)}}} {{{format_body(second)}}}"
            return f"if {format_expression(condition)} {arms}"
        case Copy(source=source, target=target):
            return f"copy {source.name} {(*source.initial,)} {target.name}"
        case Return(values=values):
            return f"return {', '.join(map(format_expression, values))}".rstrip()
        case _:
            return type(statement).__name__.lower()


def evaluate_as_seven(cursor: Cursor) -> Expression:
    """A stub: every expression is 7."""
    return Number(OFFSET, locate(cursor), 7)


def make_no_struct(cursor: Cursor) -> Named:
    """A stub: there are no calls and literals that give structs."""
    raise AssertionError(cursor.spelling)


def inline_no_call(cursor: Cursor) -> tuple[Expression, ...]:
    """A stub: there are no calls."""
    raise AssertionError(cursor.spelling)


def make_lvalues(scope: Scope) -> Lvalues:
    return Lvalues(scope, evaluate_as_seven, make_no_struct)


def make_expressions(scope: Scope) -> Expressions:
    """Expressions without calls; those inside of lvalues are 7."""
    lvalues = make_lvalues(scope)
    assignments = Assignments(scope, lvalues, evaluate_as_seven)
    return Expressions(scope, lvalues, assignments, inline_no_call, inline_no_call, inline_no_call)


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


def test_a_pointer_that_goes_to_another_array_asks_for_another_reading() -> None:
    function = open_function("int *a, int *b", "a; b;")
    lvalues, program = make_lvalues(function.scope), function.scope.program
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    first, second = map(lvalues.find_pointer, function.statements)
    place = locate(function.expression)
    variable = function.scope.make_pointer("p", place)
    assignments.set_pointer(variable, first, function.expression)
    assert function.format_body() == "p = 0" and not program.kept.is_grown
    assignments.set_pointer(variable, second, function.expression)
    assert program.kept.is_grown and len(variable.bases) == 2
    again = open_function("int *a", "a;").scope
    again.program.kept = program.kept
    assert again.make_pointer("p", place) is variable
    found = lvalues.use_as_pointer(variable, function.expression)
    assert format_expression(read_place(select_only(found, place), place)) == (
        "choose(eq(p_in, 0), a[p], b[p])"
    )


def test_a_store_by_a_pointer_that_is_one_of_two() -> None:
    function = open_function("int *a, int *b, int n", "*(n ? a : b) = 3;")
    reader = FunctionReader(function.scope)
    reader.assignments.read_assignment(function.expression, needed=False)
    assert function.format_body() == "if i1(n) {a[0] = 3} {b[0] = 3}"


@pytest.mark.parametrize(
    ("relation", "found"), [("a < b", "0"), ("a != b", "1"), ("a + n >= a", "ge(7, 0)")]
)
def test_pointers_compare(relation: str, found: str) -> None:
    function = open_function("int *a, int *b, int n", f"{relation};")
    lvalues = make_lvalues(function.scope)
    left, right = map(lvalues.find_pointer, list_children(function.expression))
    operator = RELATIONS[get_binary_operator(function.expression)]
    compared = compare_pointers(operator, left, right, locate(function.expression))
    assert format_expression(compared) == found


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


@pytest.mark.parametrize(
    ("condition", "found"),
    [("a", "1"), ("0 ? a : (int *)0", "0"), ("n ? a : 0", "eq(choose(i1(n), 0, 1), 0)")],
)
def test_a_pointer_as_a_condition_is_not_null(condition: str, found: str) -> None:
    function = open_function("int *a, int n", f"{condition};")
    value = FunctionReader(function.scope).expressions.read_condition(function.expression)
    assert format_expression(value) == found


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
