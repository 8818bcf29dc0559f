"""A request: one text, and everything that the user chose about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loom.frontend.c.c_options import COptions as COptions
from loom.frontend.languages import Language, language_of
from loom.lower.options import Options

DEFAULTS = Options()
C_DEFAULTS = COptions()

GraphBuffers = Literal["auto", "keep", "place"]
"""Whether a graph gets buffers: where a cycle needs one, never, or always."""


@dataclass(frozen=True)
class Request:
    """What every function of the front door takes: a program, a graph or a netlist as text."""

    text: str

    file: str = "<text>"
    """The name of the text in places, and, without `language`, what tells its language."""

    top: str | None = None
    """The function to compile; None: the only public one."""

    options: Options = DEFAULTS
    """What the user chose about the circuit."""

    language: Language | None = None
    """The language of the text; None: the one that the name of the file stands for."""

    graph_buffers: GraphBuffers = "auto"
    """Of a graph: whether buffers are added; programs get them in any case."""

    c: COptions = C_DEFAULTS
    """Of C: folders of headers, macros, the standard, and further files of the program."""

    sizes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Of MLIR: arguments of type ``memref<?x..>``, each with a size for each ? [elements]."""

    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Of MLIR: the sizes of arrays that are given as inputs, for arguments without any."""

    @property
    def source_language(self) -> Language:
        """The language that the text is read as."""
        return self.language or language_of(self.file)

    @property
    def is_netlist(self) -> bool:
        """True of a file that ends in ``.json``, or of text that begins as JSON objects do."""
        if self.source_language != "mlir":
            return False
        return self.file.endswith(".json") or begins_as_json(self.text)

    def __repr__(self) -> str:
        top = "" if self.top is None else f" @{self.top}"
        return f"<Request {self.file}{top}: {self.source_language}, {len(self.text)} characters>"


def begins_as_json(text: str) -> bool:
    """True of text that begins as JSON objects do, not as the resources of an MLIR file."""
    begin = text.lstrip()[:3]
    return begin[:1] == "{" and begin != "{-#"
