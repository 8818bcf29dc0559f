"""Wrongs in what is asked of a program before it is compiled."""

from __future__ import annotations

from tools.mutation.mutant import in_file

FRONTEND = [
    *in_file(
        "loom/frontend/rules/acceptance.py",
        ("1 <= type_.width.data <= 64", "1 <= type_.width.data <= 65", "i65 is compiled"),
        ("1 <= type_.width.data <= 64", "0 <= type_.width.data <= 64", "i0 is compiled"),
        (
            "    elif extent(layout) == 0:\n",
            "    elif extent(layout) < 0:\n",
            "an empty memory is compiled",
        ),
        (
            "elif extent(layout) > MOST_WORDS:",
            "elif extent(layout) > 2 * MOST_WORDS:",
            "a memory deeper than any netlist",
        ),
        (
            "elif not 0 <= number < rank:",
            "elif not 0 <= number <= rank:",
            "a dimension one too far is asked for",
        ),
        (
            "memories=len(function.body.blocks) == 1)",
            "memories=True)",
            "several blocks return several memories",
        ),
    ),
    *in_file(
        "loom/frontend/rules/verify.py",
        (
            "    return problems or list(",
            "    return problems and list(",
            "values used before their definition",
        ),
        (
            "            defined.difference_update(leaving)\n",
            "",
            "a value of a region is seen behind it",
        ),
        (
            '        return "it ends a block, but operations follow"',
            "        return None",
            "operations behind a terminator",
        ),
    ),
    *in_file(
        "loom/frontend/rules/region_rules.py",
        (
            "    if op.results and not otherwise.blocks:\n",
            "    if False:\n",
            "a branch with results and one side",
        ),
        (
            "    if op.step.value.data <= 0:\n",
            "    if op.step.value.data < 0:\n",
            "an affine loop of step 0",
        ),
        (
            "if not 0 <= op.predicate.value.data <= 9:",
            "if not 0 <= op.predicate.value.data <= 10:",
            "a predicate that is none",
        ),
        (
            "        takes(before.block, carried),\n",
            "",
            "the before region of a while takes other types",
        ),
        (
            "    if found.type != op.memref.type:\n",
            "    if False:\n",
            "a global under another type",
        ),
        (
            "    if len(value) != prod(type_.get_shape()):\n",
            "    if False:\n",
            "fewer initial values than words",
            "a literal with fewer is refused before, as text",
        ),
    ),
    *in_file(
        "loom/frontend/rules/affine_rules.py",
        ("rhs.value <= 0", "rhs.value < 0", "an affine division by 0"),
        (
            "yield from expression_problem(place, [expression.lhs, rhs])",
            "pass",
            "a division by 0 inside an expression",
        ),
    ),
    *in_file(
        "loom/frontend/functions.py",
        (
            'if state.get(name) == "open":',
            'if state.get(name) == "opened":',
            "recursion is followed for ever",
        ),
        (
            "public = [op for op in bodies.values() if not is_private(op)]",
            "public = list(bodies.values())",
            "private functions are candidates for the top",
        ),
    ),
    *in_file(
        "loom/nesting.py",
        (
            "if depth > MOST_NESTED), None)",
            "if depth > 100 * MOST_NESTED), None)",
            "nests of thousands",
        ),
    ),
    *in_file(
        "loom/frontend/mlir/aliases.py",
        (
            "self.expanded - before + len(text), nested)",
            "len(text), nested)",
            "aliases of aliases count as their own text",
        ),
        (
            "nested = self.deepest_use + 1 + deepest(text)",
            "nested = 1 + deepest(text)",
            "a chain of aliases has no depth",
        ),
    ),
    *in_file(
        "loom/frontend/mlir/lexer.py",
        (
            '"nt\\\\]|[0-9A-Fa-f]{2}))*+"',
            '"nt\\\\]|[0-9A-Fa-f]{2}))*"',
            "one of two possessive repetitions",
            "the inner one alone already leaves nothing to try again",
        ),
    ),
]
