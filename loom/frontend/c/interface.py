"""What a kernel of a C file takes and gives, in the order of its circuit's arguments."""

from __future__ import annotations

from dataclasses import dataclass

from loom.frontend.imperative.tree import Function
from loom.frontend.imperative.types import Type


@dataclass(frozen=True, slots=True)
class Slot:
    """A scalar or an array of the circuit, and how C reads it.

    `text` is an expression of C in which `{0}`, `{1}` are the indices of the dimensions `shape`.
    """

    name: str
    type: Type
    shape: tuple[int, ...]
    text: str

    @property
    def is_array(self) -> bool:
        """True for a memory."""
        return bool(self.shape)


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A header, its text, and the file and line of the #include; line 0 for one of -include."""

    file: str
    line: int
    header: str
    text: str


@dataclass(frozen=True, slots=True)
class Interface:
    """The kernel `name`: its arguments, and what of its result each result of the circuit is.

    `header` is all of its definition before the body, `begin` and `end` where that stands in the
    file [bytes]; `arguments` are the names of its parameters; `extents` an address and a size, as
    C has them, for each of its arrays. Results are parts of `loom_result`, whose type is `result`.
    """

    file: str
    line: int
    name: str
    header: tuple[str, ...]
    begin: int
    end: int
    result: str
    arguments: tuple[str, ...]
    extents: tuple[tuple[str, str], ...]
    slots: tuple[Slot, ...]
    results: tuple[Slot, ...]
    has_main: bool
    inclusions: tuple[Inclusion, ...] = ()
    """The headers around the kernel from the C file inwards, the last one holds its definition."""
    sources: tuple[str, ...] = ()
    """The names of all files of the user's that the program is made of."""

    function: Function | None = None
    """The kernel as a program of statements."""

    @property
    def unit(self) -> str:
        """The C file that the kernel is compiled with."""
        return self.inclusions[0].file if self.inclusions else self.file
