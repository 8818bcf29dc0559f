"""Directives of loops: comments in a line of their own directly before the loop."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Mapping
from io import StringIO

from loom.dialects.facts.loop_attributes import OF_LOOP
from loom.errors import LoomError, Place

COMMENT = re.compile(r"#\s*loom\s+style\b(.*)")
FORM = re.compile(r"\s*\(\s*(\w+)\s*\)\s*")
FORMS = "# loom style(static) or # loom style(dynamic), in the line before a loop"


def find_styles(text: str, tree: ast.Module, file: str) -> Mapping[int, str]:
    """The style of loops by their first lines. Refused (PY_DIRECTIVE): one that is no loop's."""
    if "loom" not in text:
        return {}
    loops = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)}
    found: dict[int, str] = {}
    for token in tokenize.generate_tokens(StringIO(text).readline):
        comment = COMMENT.fullmatch(token.string) if token.type == tokenize.COMMENT else None
        if comment is None:
            continue
        (line, column), said = token.start, FORM.fullmatch(comment[1])
        is_alone = not token.line[:column].strip()
        if said is None or said[1] not in OF_LOOP or not is_alone or line + 1 not in loops:
            what = f"the comment {token.string.strip()}"
            raise LoomError("PY_DIRECTIVE", Place(file, line, column + 1), what, FORMS)
        found[line + 1] = said[1]
    return found
