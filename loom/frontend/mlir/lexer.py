"""The MLIR lexer: xDSL's, whose time grows with the text and not with 2 to its length."""

from __future__ import annotations

import re

from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from loom.errors import LoomError
from loom.nesting import place_in

MOST_DIGITS = 1300
"""Characters of a number: enough for the widest integer that is read. Python prints thrice as many.
"""


class LoomLexer(MLIRLexer):
    """Tokens of MLIR text.

    xDSL's pattern of a string repeats a repetition, so on a string that never closes it tries
    every way to split the text. Possessive repetitions give nothing back.
    """

    def _lex_number(self, start_pos: int) -> MLIRToken:
        """A number; refused (MLIR_TOO_LARGE) where it has more digits than any type holds."""
        found = super()._lex_number(start_pos)
        digits = len(found.text)
        if digits > MOST_DIGITS:
            place = place_in(self.input.content, self.input.name, start_pos)
            what, accepted = f"a number of {digits} characters", f"up to {MOST_DIGITS} of them"
            raise LoomError("MLIR_TOO_LARGE", place, what, accepted)
        return found

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
