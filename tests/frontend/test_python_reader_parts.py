"""The parts of the Python reader, each alone: what it writes into a scope, and what it refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from xdsl.dialects import arith

from loom.errors import LoomError, Place
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Break,
    Choose,
    Compare,
    Continue,
    Convert,
    Copy,
    If,
    Kind,
    Load,
    Loop,
    Memory,
    Number,
    Read,
    Relation,
    Return,
    Store,
)
from loom.frontend.imperative.tree import Scope as InlinedBody
from loom.frontend.imperative.types import TRUTH, Int
from loom.frontend.python.annotations import Annotations
from loom.frontend.python.arithmetic import Arithmetic
from loom.frontend.python.assignments import Assignments
from loom.frontend.python.calls import Calls, FunctionBody
from loom.frontend.python.conditions import Arm, Conditions
from loom.frontend.python.constants import Constants
from loom.frontend.python.diagnostics import Diagnostics
from loom.frontend.python.expressions import Expressions
from loom.frontend.python.functions import Functions
from loom.frontend.python.library import Library
from loom.frontend.python.loops import Loops
from loom.frontend.python.places import Places
from loom.frontend.python.scope import Program, Scope, open_scope
from loom.frontend.python.source import parse_source
from loom.frontend.python.statements import Matches, Statements
from loom.frontend.python.types import (
    BOOL,
    FLOAT64,
    NUMPY,
    PY_FLOAT,
    PY_INT,
    ArrayType,
    Scalar,
    promote_types,
    unify_types,
)
from loom.frontend.python.values import Array, Named, Span, Value, make_constant
from loom.frontend.python.whole_arrays import WholeArrays
from tests.support.python_texts import PRELUDE

HERE = Place("k.py", 1, 1)
INT32, UINT64 = NUMPY["int32"], NUMPY["uint64"]
TEXT = (
    PRELUDE
    + "N = 3\nTABLE = (1, 2, 300)\n"
    + "def g(x, k=2):\n    return x\n"
    + "def f(x, y, a, i, n, b):\n    x = y = a = i = n = b\n"
)
G, F = "g", "f"


class Written:
    """Reads names as variables of np.int32 and constants as they are; a call writes a break."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def read_value(self, node: ast.expr) -> Value:
        if isinstance(node, ast.Constant | ast.UnaryOp):
            return make_constant(ast.literal_eval(node), HERE)
        if isinstance(node, ast.Call):
            self.scope.body.append(Break(HERE))
        return variable(self.scope)

    def read_values(self, *nodes: ast.expr) -> list[Value]:
        return self.scope.body.read_in_order(nodes, self.read_value, self.scope.hold_value)


class NoFunctions:
    """Functions that are never read: what is read without them needs none."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def read_function(
        self,
        function: ast.FunctionDef,
        arguments: Sequence[Named],
        callers: tuple[str, ...],
        levels: int,
    ) -> FunctionBody:
        raise AssertionError(function.name)


class Bodies:
    """Writes a continue for each statement of a body."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def read_statements(self, nodes: Iterable[ast.stmt]) -> None:
        self.scope.body.append(*(Continue(HERE) for _ in nodes))


@pytest.fixture
def program() -> Program:
    source = parse_source(TEXT, "k.py")
    return Program(source, Constants(source))


@pytest.fixture
def scope(program: Program) -> Scope:
    return open_scope(program, program.source.functions[F], callers=(F,))


@pytest.fixture
def expressions(scope: Scope) -> Expressions:
    return Expressions(scope, NoFunctions(scope.program))


def variable(scope: Scope, scalar: Scalar = INT32) -> Value:
    made = scope.body.make_variable("v", scalar.type)
    return Value(Read(scalar.type, HERE, made), scalar)


def array(shape: tuple[int, ...] = (4,), scalar: Scalar = INT32) -> Array:
    return Array(Memory("a", scalar.type, shape, HERE, Kind.ARGUMENT), scalar)


def expression(text: str) -> Any:
    return ast.parse(text, mode="eval").body


def statement(text: str) -> Any:
    return ast.parse(text).body[0]


def code_of(read: Any, *given: Any) -> str:
    with pytest.raises(LoomError) as caught:
        read(*given)
    return caught.value.code


# Types, constants, names


def test_types_are_promoted() -> None:
    assert promote_types(INT32, PY_INT) == INT32
    assert promote_types(INT32, UINT64) == FLOAT64
    assert promote_types(BOOL, PY_FLOAT) == FLOAT64


def test_types_are_unified() -> None:
    assert unify_types(None, INT32) == unify_types(PY_INT, INT32) == INT32
    assert unify_types(INT32, UINT64) is None
    assert unify_types(INT32, PY_FLOAT) is None


def test_nodes_are_located() -> None:
    node = expression("x + (y)").right
    assert Diagnostics("k.py").locate(node) == Place("k.py", 1, 6)
    assert code_of(Diagnostics("k.py").refuse, node, "PY_TYPE", "x", "y") == "PY_TYPE"


def test_constants_are_evaluated(program: Program) -> None:
    constants = program.constants
    assert constants.evaluate_number(expression("N * 2 - len(TABLE)")) == 3
    assert constants.evaluate_number(expression("x")) is None
    table = constants.evaluate_table(expression("np.full((2, N), 7, dtype=np.int8)"))
    assert table is not None
    assert (table.shape, {*table.elements}, table.scalar.name) == ((2, 3), {7}, "np.int8")
    found = constants.find("TABLE", expression("TABLE"))
    assert isinstance(found, Array) and found.scalar == PY_INT
    assert found.memory.type == Int(16, True)
    assert code_of(constants.find, "x", expression("x")) == "PY_NAME"
    assert code_of(constants.evaluate_sizes, [expression("0")], expression("0")) == "PY_SIZE"


def test_annotations_are_read(program: Program) -> None:
    annotations = Annotations(program.constants)
    assert annotations.read_argument_type(expression("np.int32")) == INT32
    assert annotations.read_argument_type(expression("'A4'")) == ArrayType(INT32, (4,))
    assert annotations.read_results(expression("tuple[np.int32, bool]")) is not None
    assert annotations.read_results(None) is None
    assert code_of(annotations.read_argument_type, expression("int")) == "PY_ANNOTATION"


def test_a_variable_has_the_type_of_all_its_values(scope: Scope) -> None:
    symbols, node = scope.symbols, expression("x")
    symbols.assign_variable("x", make_constant(1, HERE), node)
    assert symbols.inferred["x"] == PY_INT
    symbols.assign_variable("x", variable(scope), node)
    assert symbols.inferred["x"] == INT32 and not symbols.conflicts
    symbols.assign_variable("x", variable(scope, UINT64), node)
    (conflict,) = symbols.conflicts
    assert conflict.code == "PY_TYPE" and "np.int32 above and np.uint64 here" in conflict.what


def test_the_types_of_the_last_reading_are_assumed(program: Program) -> None:
    scope = open_scope(program, program.source.functions[F], {"x": INT32})
    scope.symbols.assign_variable("x", make_constant(1, HERE), expression("x"))
    (assign,) = scope.body.statements
    assert isinstance(assign, Assign) and assign.variable.type == INT32.type
    assert scope.symbols.inferred["x"] == PY_INT


def test_an_array_has_a_name_of_its_own(scope: Scope) -> None:
    symbols, node = scope.symbols, expression("a")
    symbols.bind_array("a", array(), node)
    assert code_of(symbols.bind_array, "a", array(), node) == "PY_TYPE"
    assert code_of(symbols.assign_variable, "a", variable(scope), node) == "PY_TYPE"


def test_a_scope_refuses_nests_too_deep(scope: Scope) -> None:
    scope.nesting.levels = scope.nesting.most
    with pytest.raises(LoomError, match="PY_TOO_DEEP"), scope.enter_level(expression("x")):
        pass


# Places


@pytest.fixture
def places(scope: Scope) -> Places:
    scope.symbols.bound["a"] = array((2, 4))
    return Places(scope, Written(scope))


def test_rows_and_elements_are_found(places: Places) -> None:
    row = places.find_array(expression("a[1]"))
    assert row is not None and row.shape == (4,)
    element = places.find_array(expression("a[1][-1]"))
    assert element is not None and element.shape == ()
    assert [each.pattern for each in element.indices if isinstance(each, Number)] == [1, 3]
    assert places.find_array(expression("x")) is None


def test_an_index_is_held_before_what_follows(places: Places) -> None:
    places.find_array(expression("a[x][g()]"))
    held, jump = places.scope.body.statements
    assert isinstance(held, Assign) and isinstance(jump, Break)


@pytest.mark.parametrize("text", ["a[2]", "a[0, 0, 0]", "a[1.5]", "a.shape[2]"])
def test_indices_out_of_range(places: Places, text: str) -> None:
    node = expression(text)
    read = places.find_size if "shape" in text else places.find_array
    assert code_of(read, node) == "PY_INDEX"


def test_sizes_are_constants(places: Places) -> None:
    assert places.find_size(expression("a.size")) == 8
    assert places.find_size(expression("a[0].shape[0]")) == 4
    assert places.find_size(expression("a[0]")) is None


def test_constants_are_no_targets(places: Places) -> None:
    assert places.find_target(expression("a[0, 1]")).shape == ()
    assert places.find_target(expression("a[0]")).shape != ()
    assert code_of(places.find_target, expression("TABLE[0]")) == "PY_CONSTANT"


# Operators and choices


def test_constants_are_folded(scope: Scope) -> None:
    arithmetic, node = Arithmetic(scope), expression("x")
    sides = make_constant(7, HERE), make_constant(-2, HERE)
    assert arithmetic.apply_binary(ast.FloorDiv, *sides, node).known == -4
    assert arithmetic.compare_values(ast.Lt, *sides, node).known is False
    assert arithmetic.apply_unary(ast.USub, sides[0], node).known == -7
    assert not scope.body.statements


@pytest.mark.parametrize(
    ("operator", "amount", "operation"),
    [
        (ast.Add, 3, arith.AddiOp), (ast.RShift, 40, arith.ShRSIOp), (ast.Mod, 8, arith.AndIOp),
        (ast.FloorDiv, 8, arith.ShRSIOp), (ast.FloorDiv, 7, arith.FloorDivSIOp),
        (ast.Pow, 2, arith.MuliOp), (ast.Mod, 7, arith.SelectOp),
    ],
)  # fmt: skip
def test_operators_are_operations(
    scope: Scope, operator: type[ast.operator], amount: int, operation: Any
) -> None:
    sides = variable(scope), make_constant(amount, HERE)
    found = Arithmetic(scope).apply_binary(operator, *sides, expression("x"))
    assert found.scalar == INT32
    assert isinstance(found.expression, Apply) and found.expression.operation is operation


def test_integers_compare_as_numbers(scope: Scope) -> None:
    arithmetic, node = Arithmetic(scope), expression("x")
    signed, unsigned = variable(scope), variable(scope, UINT64)
    found = arithmetic.compare_values(ast.Lt, signed, unsigned, node).expression
    assert isinstance(found, Apply) and found.operation is arith.SelectOp
    large = make_constant(1 << 40, HERE)
    found = arithmetic.compare_values(ast.Lt, signed, large, node).expression
    assert isinstance(found, Number) and found.pattern == 1


def test_types_without_an_operator(scope: Scope) -> None:
    sides = variable(scope), variable(scope, UINT64)
    node = expression("x")
    assert code_of(Arithmetic(scope).apply_binary, ast.BitAnd, *sides, node) == "PY_TYPE"
    assert code_of(Arithmetic(scope).apply_binary, ast.MatMult, *sides, node) == "PY_EXPRESSION"


@pytest.fixture
def conditions(scope: Scope) -> Conditions:
    return Conditions(scope, Arithmetic(scope), Written(scope))


def test_an_operand_without_statements_is_chosen(conditions: Conditions) -> None:
    found = conditions.read_condition(expression("x and y"))
    assert isinstance(found, Choose)
    assert not conditions.scope.body.statements


def test_an_operand_with_statements_is_a_branch(conditions: Conditions) -> None:
    conditions.read_condition(expression("x or g()"))
    (branch,) = conditions.scope.body.statements
    assert isinstance(branch, If)
    assert [type(each) for each in branch.first] == [Assign]
    assert [type(each) for each in branch.second] == [Break, Assign]


def test_a_constant_condition_leaves_one_arm(conditions: Conditions) -> None:
    yes, no = (Arm(make_constant(each, HERE), (Break(HERE),)) for each in (1, 2))
    truth = Number(TRUTH, HERE, 0)
    found = conditions.choose_arm(truth, yes, no, PY_INT, expression("x"))
    assert isinstance(found.expression, Number) and found.expression.pattern == 2
    assert len(conditions.scope.body.statements) == 1


def test_comparisons_in_a_row_hold_the_middle(conditions: Conditions) -> None:
    conditions.read_comparison(expression("x < y < x"))
    assert [type(each) for each in conditions.scope.body.statements] == [Assign]
    assert code_of(conditions.read_comparison, expression("x in y")) == "PY_EXPRESSION"


def test_values_that_do_not_mix(conditions: Conditions) -> None:
    read = conditions.find_common_type
    assert code_of(read, INT32, UINT64, expression("x")) == "PY_TYPE"


# Calls


@pytest.fixture
def library(scope: Scope, conditions: Conditions, places: Places) -> Library:
    return Library(scope, conditions, places, Written(scope))


def test_functions_of_the_library(library: Library) -> None:
    found = library.read_call(expression("np.float64(x)"), "numpy.float64")
    assert found.scalar == FLOAT64 and isinstance(found.expression, Convert)
    assert library.read_call(expression("len(a)"), "len").known == 2
    assert library.read_call(expression("abs(-3)"), "abs").known == 3
    assert code_of(library.read_call, expression("max(x)"), "max") == "PY_CALL"
    assert code_of(library.read_call, expression("np.sqrt(x)"), "numpy.sqrt") == "PY_TYPE"
    assert code_of(library.read_call, expression("int(x=3)"), "int") == "PY_CALL"


class OneFunction(NoFunctions):
    """Every function has one statement and returns an np.int32."""

    def read_function(
        self,
        function: ast.FunctionDef,
        arguments: Sequence[Named],
        callers: tuple[str, ...],
        levels: int,
    ) -> FunctionBody:
        self.given = arguments
        return FunctionBody((function.name, ()), (Return(HERE),), (INT32,))


@pytest.fixture
def calls(scope: Scope, library: Library, places: Places) -> Calls:
    values = Written(scope)
    whole = WholeArrays(scope, library.conditions.arithmetic, places, values, library.cast_value)
    return Calls(scope, library, places, whole, values, OneFunction(scope.program))


def test_a_function_of_the_file_is_inlined(calls: Calls) -> None:
    node = expression("g(k=x, x=1)")
    (result,) = calls.read_call(node)
    held, inlined = calls.scope.body.statements
    assert isinstance(held, Assign) and isinstance(inlined, InlinedBody)
    assert isinstance(result.expression, Read)
    assert (result.expression.variable,) == inlined.results
    assert isinstance(calls.functions, OneFunction)
    first, _ = calls.functions.given
    assert isinstance(first, Value) and first.known == 1
    assert calls.scope.specialization.callees[node] == ("g", ())


def test_defaults_follow_the_arguments(calls: Calls) -> None:
    function = calls.scope.program.source.functions[G]
    pairs = calls.match_arguments(expression("g(x)"), function)
    assert [(name, ast.unparse(node)) for name, node in pairs] == [("x", "x"), ("k", "2")]
    assert code_of(calls.match_arguments, expression("g()"), function) == "PY_CALL"


def test_calls_that_are_refused(calls: Calls) -> None:
    assert code_of(calls.read_call, expression("f(x)")) == "PY_RECURSION"
    assert code_of(calls.read_call, expression("print(x)")) == "PY_CALL"
    calls.scope.program.calls.count = 2000
    assert code_of(calls.read_call, expression("g(x)")) == "PY_CALL"


# Expressions and statements


def test_values_are_typed(expressions: Expressions) -> None:
    expressions.scope.symbols.bound["x"] = variable(expressions.scope)
    node = expression("x * 2 + N")
    assert expressions.read_value(node).scalar == INT32
    scalars = expressions.scope.specialization.scalars
    assert {scalars[node], scalars[node.left.left]} == {INT32}
    assert scalars[node.right] == PY_INT
    assert code_of(expressions.read_value, expression("[x for x in y]")) == "PY_EXPRESSION"
    assert code_of(expressions.read_value, expression("unknown")) == "PY_NAME"


@pytest.fixture
def assignments(scope: Scope, expressions: Expressions) -> Assignments:
    scope.symbols.bound["a"] = array()
    return Assignments(scope, expressions)


def test_targets_are_assigned(assignments: Assignments) -> None:
    body = assignments.scope.body
    assignments.read_assignment(statement("x, a[0] = 1, 2"))
    assert [type(each) for each in body.statements] == [Assign, Store]
    assert code_of(assignments.read_assignment, statement("x, y = 1, 2, 3")) == "PY_STATEMENT"
    assert code_of(assignments.read_assignment, statement("x.y = 1")) == "PY_STATEMENT"


def test_an_element_is_loaded_and_stored(assignments: Assignments) -> None:
    assignments.read_augmented_assignment(statement("a[1] += 3"))
    (store,) = assignments.scope.body.statements
    assert isinstance(store, Store) and isinstance(store.value, Apply)
    assert isinstance(store.value.operands[0], Load)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("b = np.zeros(4, dtype=np.int8)", [Assign, Loop]), ("b = np.empty(4, np.int8)", []),
        ("b = np.array((1, 2), np.int8)", [Copy]), ("b = (1, 2)", []),
    ],
)  # fmt: skip
def test_arrays_begin(assignments: Assignments, text: str, kinds: list[type]) -> None:
    assignments.read_assignment(statement(text))
    assert isinstance(assignments.scope.symbols.bound["b"], Array)
    assert [type(each) for each in assignments.scope.body.statements] == kinds


@pytest.fixture
def loops(scope: Scope, expressions: Expressions, assignments: Assignments) -> Loops:
    return Loops(scope, expressions, assignments, Bodies(scope))


def loop_of(loops: Loops, text: str) -> Loop:
    loops.read_for(statement(text))
    (found,) = (each for each in loops.scope.body.statements if isinstance(each, Loop))
    return found


def test_a_range_counts(loops: Loops) -> None:
    loop = loop_of(loops, "for i in range(2, 9, 3): pass")
    test = loop.condition
    assert isinstance(test, Compare) and test.relation is Relation.LT
    assert [type(each) for each in loop.body] == [Assign, Continue]
    assert len(loop.advance) == 1


def test_a_reversed_range_counts_down(loops: Loops) -> None:
    test = loop_of(loops, "for i in reversed(range(4)): pass").condition
    assert isinstance(test, Compare) and test.relation is Relation.GT
    assert isinstance(test.right, Number) and test.right.pattern & 0xFF == 0xFF


def test_a_step_of_unknown_sign_has_both_tests(loops: Loops) -> None:
    loops.scope.symbols.bound["n"] = variable(loops.scope)
    assert isinstance(loop_of(loops, "for i in range(0, 9, n): pass").condition, Choose)


def test_arrays_give_their_elements(loops: Loops) -> None:
    loop = loop_of(loops, "for i, x in enumerate(a): pass")
    assert [type(each) for each in loop.body] == [Assign, Assign, Continue]


def test_an_else_needs_a_flag(loops: Loops) -> None:
    text = "for i in range(4):\n    break\nelse:\n    pass"
    loop_of(loops, text)
    assert isinstance(loops.scope.body.statements[-1], If)
    assert not loops.break_flags


def test_loops_that_are_refused(loops: Loops) -> None:
    assert code_of(loops.read_for, statement("for i in 3: pass")) == "PY_STATEMENT"
    assert code_of(loops.read_for, statement("for i in range(0, 4, 0): pass")) == "PY_UNDEFINED"
    assert code_of(loops.read_while, statement("while True: pass")) == "PY_ENDLESS"


def test_a_match_is_a_chain_of_branches(scope: Scope, expressions: Expressions) -> None:
    scope.symbols.bound["x"] = variable(scope)
    matches = Matches(scope, expressions, Bodies(scope))
    matches.read_match(
        statement("match x:\n    case 1 | 2:\n        pass\n    case 3 if x > 0:\n        pass")
    )
    held, branch = scope.body.statements
    assert isinstance(held, Assign) and isinstance(branch, If)
    (second,) = branch.second
    assert isinstance(second, If) and second.second == ()


def test_statements_behind_a_jump_are_not_read(program: Program, scope: Scope) -> None:
    statements = Statements(scope, NoFunctions(program))
    statements.read_statements(ast.parse("x = 1\nreturn x\nunknown()").body)
    assert [type(each) for each in scope.body.statements] == [Assign, Return]
    assert statements.find_result_types() == (PY_INT,)


def test_returns_have_one_count(program: Program, scope: Scope) -> None:
    statements = Statements(scope, NoFunctions(program))
    statements.read_return(statement("return 1"))
    assert code_of(statements.read_return, statement("return 1, 2")) == "PY_STATEMENT"
    assert code_of(statements.read_statement, statement("raise x")) == "PY_STATEMENT"


def test_a_function_is_read_until_its_types_stay() -> None:
    text = "def f(v):\n    n = 0\n    for i in range(4):\n        n += v\n    return n\n"
    source = parse_source(text, "k.py")
    program = Program(source, Constants(source))
    functions = Functions(program)
    argument = Value(
        Read(INT32.type, HERE, program.variables.make_variable("v", INT32.type)), INT32
    )
    found = functions.read_function(source.functions["f"], [argument])
    assert found.results == (INT32,)
    assert program.specializations[found.signature].variables["n"] == INT32
    first = found.statements[0]
    assert isinstance(first, Assign) and first.variable.type == INT32.type


def test_slices_are_found(places: Places) -> None:
    part = places.find_array(expression("a[1:, 3:0:-2]"))
    assert part is not None and part.shape == (1, 2)
    inner = places.find_array(expression("a[:, 1:][:, ::-1][0]"))
    assert inner is not None and inner.dimensions[1] == Span(3, -1, 3)


def test_dimensions_are_counted_before_anything_is_read(places: Places) -> None:
    counted = {"a": 2, "a[0]": 1, "a[0, 1]": 0, "a[:, 1]": 1, "-a[1:]": 2, "a + 1": 2, "x": 0,
               "a[0] @ a[1]": 0, "a @ a[0]": 1, "not a": 0, "a[0][1] + 1": 0}  # fmt: skip
    found = {text: places.count_dimensions(expression(text)) for text in counted}
    assert found == counted
    assert not places.scope.body.statements
