"""The MLIR lexer: xDSL's, whose time grows with the text and not with 2 to its length."""

from __future__ import annotations

import re

from xdsl.utils.mlir_lexer import MLIRLexer


class LoomLexer(MLIRLexer):
    """Tokens of MLIR text.

    xDSL's pattern of a string repeats a repetition, so on a string that never closes it tries
    every way to split the text. Possessive repetitions give nothing back.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
