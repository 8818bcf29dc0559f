"""A program as a tree that can be cut anywhere and still be printed as a well-typed program.

Names are references, not links: where a name is not in scope the printer writes a constant, where
its type is another one it writes a cast, and what needs a memory or a function that is not there
it leaves out. So growing and shrinking need not keep anything together.
"""

from __future__ import annotations

from dataclasses import dataclass

Type = str
"""``index`` or ``i<width>``."""


@dataclass(frozen=True)
class Const:
    """A constant; a value of another type where one is wanted."""

    type: Type
    value: int


@dataclass(frozen=True)
class Ref:
    """A value that a statement around or before has named."""

    name: str


@dataclass(frozen=True)
class Op:
    """Result number `result` of a pure operator on values of one `type`."""

    operator: str
    type: Type
    operands: tuple[Expr, ...]
    predicate: str = ""
    result: int = 0


@dataclass(frozen=True)
class Cast:
    """A value of type `source` under another type."""

    operator: str
    source: Type
    type: Type
    operand: Expr


@dataclass(frozen=True)
class Load:
    """A word of a memory; the printer keeps addresses in range."""

    memory: str
    addresses: tuple[Expr, ...]


Expr = Const | Ref | Op | Cast | Load


@dataclass(frozen=True)
class Memory:
    """A memory of `shape` words; rank 0 has the empty shape."""

    name: str
    shape: tuple[int, ...]
    type: Type


@dataclass(frozen=True)
class Let:
    """The value gets a name."""

    name: str
    value: Expr


@dataclass(frozen=True)
class Store:
    """A word of a memory is written."""

    memory: str
    addresses: tuple[Expr, ...]
    value: Expr


@dataclass(frozen=True)
class Local:
    """A memory inside the circuit; every word is set to `fill` at once."""

    memory: Memory
    on_stack: bool
    fill: Expr


@dataclass(frozen=True)
class View:
    """Another name for a memory, or a part of it: `kind` is one of `views.KINDS`."""

    name: str
    memory: str
    kind: str
    offset: Expr


@dataclass(frozen=True)
class Choice:
    """A result of a branch."""

    name: str
    type: Type
    then: Expr
    otherwise: Expr


@dataclass(frozen=True)
class If:
    """A branch; without `otherwise` there may be no choices, and an empty one stands for it."""

    test: Expr
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] | None
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class Carried:
    """A value from turn to turn: `inner` names it inside, `outer` what the loop returns."""

    inner: str
    outer: str
    type: Type
    start: Expr
    next: Expr


@dataclass(frozen=True)
class For:
    """A counted loop from `base` plus `lower` to `base` plus `upper`, each from 0 to `most`."""

    variable: str
    type: Type
    unsigned: bool
    base: int
    most: int
    lower: Expr
    upper: Expr
    step: Expr
    carried: tuple[Carried, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Passed:
    """A value from the condition of a while loop to its body, and out of it."""

    inner: str
    outer: str
    type: Type
    value: Expr


@dataclass(frozen=True)
class While:
    """A loop of up to `fuel` turns, from 0 to `most`, that `test` may end earlier.

    A hidden counter of `type` ends it; `counts_first` says in which of its regions that counts.
    """

    type: Type
    most: int
    fuel: Expr
    test: Expr | None
    counts_first: bool
    carried: tuple[Carried, ...]
    passed: tuple[Passed, ...]
    before: tuple[Statement, ...]
    after: tuple[Statement, ...]


@dataclass(frozen=True)
class Call:
    """A call of a function with scalars and memories in the order of its parameters."""

    function: str
    scalars: tuple[Expr, ...]
    memories: tuple[str, ...]
    results: tuple[str, ...]


Statement = Let | Store | Local | View | If | For | While | Call


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter."""

    name: str
    type: Type


@dataclass(frozen=True)
class Result:
    """A result of a function."""

    type: Type
    value: Expr


@dataclass(frozen=True)
class Global:
    """A memory of the module with its first words."""

    memory: Memory
    constant: bool
    words: tuple[int, ...]


@dataclass(frozen=True)
class Function:
    """A function; parameters are scalars and memories in any order."""

    name: str
    parameters: tuple[Scalar | Memory, ...]
    body: tuple[Statement, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Program:
    """Memories of the module, functions that others may call, and the one to run."""

    globals: tuple[Global, ...]
    functions: tuple[Function, ...]
    top: Function
