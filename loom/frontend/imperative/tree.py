"""A program of statements: what a reader of C or Python makes, and `module.py` turns into MLIR.

Expressions read variables and memories and change nothing: what an expression of the source
changes stands in statements before it. Every number is a bit pattern, every operation one of MLIR's
on values of the same type; conversions and truths are written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from xdsl.ir import Attribute, Operation

from loom.elements import Elements
from loom.errors import Place
from loom.frontend.imperative.types import TRUTH, Type

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*[A-Za-z]|[A-Za-z]")
"""Names that MLIR's text keeps as they are."""


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    """A scalar that statements assign; `number` is its own in the function."""

    name: str
    type: Type
    number: int

    @property
    def hint(self) -> str | None:
        """Its name where values may be called so."""
        return self.name if PLAIN.fullmatch(self.name) else None


class Kind(Enum):
    """Where the elements of a memory come from."""

    ARGUMENT = "given by who runs the function"
    LOCAL = "unknown when the function begins"
    STATE = "kept from one run to the next"
    CONSTANT = "never changed"


@dataclass(frozen=True, eq=False, slots=True)
class Memory:
    """An array of scalars; `initial` are bit patterns in row-major order."""

    name: str
    type: Type
    shape: tuple[int, ...]
    place: Place
    kind: Kind
    initial: Elements | None = None


OperationClass = type[Operation]

# Expressions


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A constant."""

    type: Type
    place: Place
    pattern: int


@dataclass(frozen=True, eq=False, slots=True)
class Read:
    """The value of a variable."""

    type: Type
    place: Place
    variable: Variable


@dataclass(frozen=True, eq=False, slots=True)
class Load:
    """An element of a memory: an index a dimension, or one position in row-major order."""

    type: Type
    place: Place
    memory: Memory
    indices: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Apply:
    """A pure operation of MLIR that is built from its operands alone."""

    type: Type
    place: Place
    operation: OperationClass
    operands: tuple[Expression, ...]


class Relation(Enum):
    """How two numbers compare; the value are the predicates of MLIR: signed, unsigned, float."""

    EQ = (0, 0, 1)
    NE = (1, 1, 13)
    LT = (2, 6, 4)
    LE = (3, 7, 5)
    GT = (4, 8, 2)
    GE = (5, 9, 3)


@dataclass(frozen=True, eq=False, slots=True)
class Compare:
    """Whether the relation holds; the sides have one type, whose sign counts."""

    place: Place
    relation: Relation
    left: Expression
    right: Expression
    type: Type = field(default=TRUTH, init=False)


@dataclass(frozen=True, eq=False, slots=True)
class Convert:
    """The value in another type."""

    type: Type
    place: Place
    value: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Choose:
    """One of two values; only the chosen one is computed."""

    type: Type
    place: Place
    condition: Expression
    first: Expression
    second: Expression


Expression = Number | Read | Load | Apply | Compare | Convert | Choose


# Statements


@dataclass(frozen=True, eq=False, slots=True)
class Assign:
    """The variable has the value from here on."""

    place: Place
    variable: Variable
    value: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Store:
    """The element of the memory has the value from here on."""

    place: Place
    memory: Memory
    indices: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Copy:
    """The memory has the elements of a constant of the same shape from here on."""

    place: Place
    source: Memory
    target: Memory


@dataclass(frozen=True, eq=False, slots=True)
class If:
    """One of two bodies runs."""

    place: Place
    condition: Expression
    first: Body
    second: Body = ()


@dataclass(frozen=True, eq=False, slots=True)
class Loop:
    """`before` and `condition` decide, then `body` and `advance` run, and all begins anew.

    A Continue in the body goes to `advance`. A loop that `runs_first` begins with the body.
    `attributes` are its directives; `required` is the place of one that must be followed, and
    `refusal` the code of the error if that cannot be.
    """

    place: Place
    before: Body
    condition: Expression
    body: Body
    advance: Body = ()
    runs_first: bool = False
    attributes: tuple[tuple[str, Attribute], ...] = ()
    required: Place | None = None
    refusal: str = "C_PRAGMA"


@dataclass(frozen=True, eq=False, slots=True)
class Switch:
    """The bodies run from the one whose numbers have the value's; a Break leaves.

    A body that ends falls through to the next one. `default` is the number of the body for all
    other values, or None.
    """

    place: Place
    value: Expression
    cases: tuple[tuple[int, ...], ...]
    bodies: tuple[Body, ...]
    default: int | None


@dataclass(frozen=True, eq=False, slots=True)
class Scope:
    """The body of a called function: a Return in it gives values to `results` and leaves it."""

    place: Place
    body: Body
    results: tuple[Variable, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Label:
    """The name of a place behind some statements, or before them."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Labelled:
    """Statements the end of which has a label: a Leave with that label in them goes there."""

    place: Place
    label: Label
    body: Body


@dataclass(frozen=True, eq=False, slots=True)
class Repeated:
    """Statements with a label before them: a Leave with that label in them begins them anew."""

    place: Place
    label: Label
    body: Body


@dataclass(frozen=True, eq=False, slots=True)
class Leave:
    """Go to the label of statements around this one: the end of Labelled, the start of Repeated."""

    place: Place
    label: Label


@dataclass(frozen=True, eq=False, slots=True)
class Break:
    """Leave the innermost loop or switch."""

    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class Continue:
    """Go on with the innermost loop's next iteration."""

    place: Place


@dataclass(frozen=True, eq=False, slots=True)
class Return:
    """Leave the innermost scope, or the function, with these values."""

    place: Place
    values: tuple[Expression, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Failure:
    """An assertion that does not hold: `text` says which one."""

    place: Place
    text: str


Jump = Break | Continue | Return | Leave
Statement = (
    Assign | Store | Copy | If | Loop | Switch | Scope | Labelled | Repeated | Failure | Jump
)
Body = tuple[Statement, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Function:
    """What becomes a circuit: values and memories come in under `names`, values go out."""

    name: str
    place: Place
    parameters: tuple[Variable | Memory, ...]
    names: tuple[str, ...]
    results: tuple[Type, ...]
    body: Body


def list_operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is directly made of."""
    match expression:
        case Load():
            return expression.indices
        case Apply():
            return expression.operands
        case Compare():
            return (expression.left, expression.right)
        case Convert():
            return (expression.value,)
        case Choose():
            return (expression.condition, expression.first, expression.second)
        case _:
            return ()


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of, from the front; however deep they nest."""
    stack = [expression]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(list_operands(found))


def list_expressions(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of the statement itself, without those of its bodies."""
    match statement:
        case Assign():
            return (statement.value,)
        case Store():
            return (*statement.indices, statement.value)
        case If() | Loop():
            return (statement.condition,)
        case Switch():
            return (statement.value,)
        case Return():
            return statement.values
        case _:
            return ()


def list_bodies(statement: Statement) -> tuple[Body, ...]:
    """The bodies of the statement."""
    match statement:
        case If():
            return (statement.first, statement.second)
        case Loop():
            return (statement.before, statement.body, statement.advance)
        case Switch():
            return statement.bodies
        case Scope() | Labelled() | Repeated():
            return (statement.body,)
        case _:
            return ()


def walk_statements(body: Body) -> Iterator[Statement]:
    """All statements of a body, with those of the bodies in it."""
    for statement in body:
        yield statement
        for below in list_bodies(statement):
            yield from walk_statements(below)
