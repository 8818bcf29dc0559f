"""How many tokens the macros of a C text stand for: an estimate, for the place of a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass

TOKEN = re.compile(r"""[A-Za-z_]\w*|\.?\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\S""")
DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)(?:\(([^()\n]*)\))?((?:[^\n\\]|\\\n|\\.)*)$",
    re.MULTILINE,
)
MOST_DIGITS = 12
"""More tokens than of so many digits are not told apart."""


@dataclass(frozen=True, slots=True)
class Size:
    """Tokens that a macro stands for, besides those of its arguments, and how often these do."""

    tokens: int
    copies: int


def find_largest_expansion(text: str) -> tuple[int, str, int] | None:
    """The use of a macro of the text that has most tokens: its position, name and tokens [tokens].

    None where no macro of the text is used outside of other macros.
    """
    bodies: dict[str, tuple[frozenset[str], list[str]]] = {}
    for match in DEFINE.finditer(text):
        parameters = frozenset(filter(None, (each.strip() for each in (match[2] or "").split(","))))
        bodies[match[1]] = (parameters, TOKEN.findall(match[3]))
    sizes = measure_macros(bodies)
    outside = DEFINE.sub(lambda match: " " * len(match[0]), text)
    uses = [
        (sizes[match[0]].tokens + sizes[match[0]].copies, -match.start(), match[0])
        for match in TOKEN.finditer(outside)
        if match[0] in sizes
    ]
    if not uses:
        return None
    tokens, position, name = max(uses)
    return -position, name, tokens


def measure_macros(bodies: dict[str, tuple[frozenset[str], list[str]]]) -> dict[str, Size]:
    """The size of each macro: those of the macros in it are known first, without recursion."""
    sizes: dict[str, Size] = {}
    for root in bodies:
        work, begun = [root], {root}
        while work:
            name = work[-1]
            parameters, tokens = bodies[name]
            missing = [each for each in tokens
                       if each in bodies and each not in sizes and each not in begun]  # fmt: skip
            if missing:
                work.append(missing[0])
                begun.add(missing[0])
                continue
            count = copies = 0
            for each in tokens:
                inner = sizes.get(each, Size(1, 0))
                count += inner.tokens + (0 if each in parameters else inner.copies)
                copies += (1 if each in parameters else 0) + inner.copies
            sizes.setdefault(name, Size(min(count, 10**MOST_DIGITS), min(copies, 10**MOST_DIGITS)))
            work.pop()
    return sizes
