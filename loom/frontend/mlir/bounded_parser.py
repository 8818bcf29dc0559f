"""A parser that refuses what would take more time or memory to read than the text is worth.

xDSL's has no limits: a type of two thousand million bits, a dense value for as many elements, or
thirty lines of aliases of aliases keep it busy until memory ends.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from xdsl.context import Context
from xdsl.ir import BlockArgument, TypeAttribute
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input, Span

from loom.errors import LoomError, Place
from loom.frontend.mlir.affine_expressions import ExpressionParser
from loom.frontend.mlir.aliases import Aliases
from loom.frontend.mlir.lexer import LoomLexer

MOST_RANK = 64
"""Dimensions of a shape."""
MOST_SIZE = (1 << 63) - 1
"""The largest dimension, as in MLIR itself."""
MOST_ARGUMENTS = 4096
"""Arguments of a block."""

INTEGER_TYPE = re.compile(r"[su]?i0*([0-9]+)", re.ASCII)
MAX_WIDTH = 4096
"""The widest type that is read [bits]."""


class BoundedParser(Parser):
    """A parser that knows the places of its text and what a text may hold."""

    def __init__(self, context: Context, text: str, file: str) -> None:
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.file = file
        self.rank = 0
        self.next_dimension = -1
        # The parser lexes the first token at once, so it gets its text after its lexer.
        super().__init__(context, "", file)
        self._resume_from(ParserState(LoomLexer(Input(text, file))))
        self.aliases = self.attribute_aliases = Aliases(lambda: self.place(self.pos))

    def place(self, position: int) -> Place:
        """The place of a position in the text."""
        line = bisect_right(self.line_starts, position)
        return Place(self.file, line, position - self.line_starts[line - 1] + 1)

    def _parse_optional_integer_or_float_type(self) -> TypeAttribute | None:
        # A number takes as many bytes as the type it is checked against has bits.
        digits = INTEGER_TYPE.fullmatch(self._current_token.text)
        if digits is not None and (len(digits[1]) > 4 or int(digits[1]) > MAX_WIDTH):
            accepted = f"integers of up to {MAX_WIDTH} bits"
            what = f"the type {digits[0]}"
            raise LoomError("MLIR_UNSUPPORTED_TYPE", self.place(self.pos), what, accepted)
        return super()._parse_optional_integer_or_float_type()

    def parse_affine_map(self) -> AffineMap:
        """``(d0)[s0] -> (d0 * s0)``."""
        return ExpressionParser(self._parser_state).parse_affine_map()

    def parse_affine_set(self) -> AffineSet:
        """``(d0)[s0] : (d0 mod s0 == 0)``."""
        return ExpressionParser(self._parser_state).parse_affine_set()

    def parse_shape_dimension(self, allow_dynamic: bool = True) -> int:
        """A dimension, or the mark of a dynamic one."""
        start = self.pos
        # Every dimension is lexed together with all that follow it.
        self.rank = self.rank + 1 if start == self.next_dimension else 1
        if self.rank > MOST_RANK:
            raise self.too_large(start, "a shape of more dimensions", MOST_RANK)
        size = super().parse_shape_dimension(allow_dynamic)
        if size > MOST_SIZE:
            raise self.too_large(start, "a dimension of more elements", MOST_SIZE)
        self.next_dimension = self.pos + len("x")
        return size

    def check_argument(self, argument: BlockArgument, span: Span) -> None:
        """Return unless the block has too many arguments: each one costs the time of all."""
        if argument.index >= MOST_ARGUMENTS:
            raise self.too_large(span.start, "a block of more arguments", MOST_ARGUMENTS)

    def too_large(self, position: int, what: str, most: int) -> LoomError:
        """The refusal of what there is too much of."""
        return LoomError("MLIR_TOO_LARGE", self.place(position), what, f"up to {most} of them")

    def _parse_alias_def(self) -> None:
        position = self.pos

        def parse() -> str:
            super(BoundedParser, self)._parse_alias_def()  # type: ignore[no-untyped-call]  # xDSL's
            return self.lexer.input.content[position : self.pos]

        self.aliases.define(self._current_token.text, self.place(position), parse)
