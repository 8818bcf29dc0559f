"""Wrongs in the rows of the operators: what the token model takes an operator to do."""

from __future__ import annotations

from tools.mutation.mutant import in_file

MEANINGS = [
    *in_file(
        "loom/dialects/operators/dataflow_operators.py",
        (
            "    while True:\n        first = True\n",
            "    first = True\n    while True:\n",
            "a gate's second burst keeps its first condition",
        ),
        ('"<=": python.le,', '"<=": python.lt,', "a stream of <= ends one too early"),
        (
            "        index_out.append(index)\n        continue_out.append(0)\n",
            "        continue_out.append(0)\n",
            "a stream has no last index",
        ),
        (
            'half = 0 if shape.attributes["unsigned"] else',
            'half = 0 if not shape.attributes["unsigned"] else',
            "signed streams compare unsigned",
        ),
        (
            "proceeds(advance(index, step), bound)",
            "proceeds(index, bound)",
            "a rotated stream tests what it gives",
        ),
        ("if goes_on or rotated:", "if goes_on:", "a rotated loop's last turn gets no value"),
        ("        if by == 0:\n            env.report(ZERO_STEP)\n", "", "a step of 0 goes unseen"),
        (
            "return (quotient if (lhs < 0) == (rhs < 0) else -quotient) & mask",
            "return quotient & mask",
            "a stream divides without sign",
        ),
        (
            "o = d{'' if is_rotated(s) else '?1'}",
            "o = d",
            "the rates of replicate are an invariant's",
        ),
    ),
    *in_file(
        "loom/dialects/operators/handshake_operators.py",
        (
            "(true_result if condition.popleft() else false_result)",
            "(false_result if condition.popleft() else true_result)",
            "cond_br sends to the other side",
        ),
        (
            "                if where < depth:\n",
            "                if where <= depth:\n",
            "a store one behind the end",
        ),
        (
            "                if where >= depth:\n",
            "                if where > depth:\n",
            "a load one behind the end goes unseen",
        ),
        (
            "contents[where] if where < depth else 0",
            "contents[where % depth]",
            "a load outside wraps around",
        ),
        (
            'by_hand = 2 if kind == "seq" else 1',
            "by_hand = 1",
            "a seq buffer of two slots is a ring's name",
        ),
    ),
    *in_file(
        "loom/dialects/operators/integer_meanings.py",
        (
            "return quotient if (lhs < 0) == (rhs < 0) else -quotient",
            "return quotient",
            "signed division has no sign",
        ),
        (
            "return lhs // rhs if rhs else 0",
            "return truncated_division(lhs, rhs)",
            "floordivsi rounds towards zero",
        ),
        (
            '"sle": lambda lhs, rhs: int(lhs ^ half <= rhs ^ half)',
            '"sle": lambda lhs, rhs: int(lhs ^ half < rhs ^ half)',
            "sle is slt",
        ),
        (
            '"ult": lambda lhs, rhs: int(lhs < rhs)',
            '"ult": lambda lhs, rhs: int(lhs ^ half < rhs ^ half)',
            "ult is slt",
        ),
        (
            "return product & mask, (product >> width) & mask",
            "return product & mask, (lhs * rhs >> width) & mask",
            "the high half of a signed product is that of the unsigned one",
        ),
        ("if rhs >= width else", "if rhs > width else", "a shift by the width is defined"),
        (
            "((lhs + rhs) & mask, (lhs + rhs) >> width)",
            "((lhs + rhs) & mask, 0)",
            "addui_extended has no carry",
        ),
    ),
]
