"""The kinds of difference that the judge can report, read from its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.support.folders import ROOT

JUDGES: Mapping[str, tuple[str, ...]] = {
    "sim/loom_sim/results.py": ("",),
    "sim/loom_sim/jobs.py": ("Run.problems", "JobResult.problems"),
    "sim/loom_sim/ports.py": ("TokenScoreboard.compare",),
    "sim/loom_sim/kernel.py": ("differences", "run_differences", "token_differences"),
    "loom/model/comparison.py": (
        "compare_models",
        "compare_with_expected",
        "compare_with_tokens",
        "find_unclean_end",
    ),
    "loom/model/graph_run.py": ("run_graph",),
    "loom/model/tokens/check_counts.py": (
        "Counted.differences",
        "Counted.trip_counts",
        "Counted.accesses",
    ),
    "tests/support/timed_streams.py": ("timing_differences",),
}
"""Files and the functions in them that put a difference into words; "": the module's constants."""
IN_ACTIVATION = re.compile(r"activation \d+: ")
ANY = ".*"
WORD = re.compile(r"[A-Za-z]{2,}")


def kinds() -> dict[str, str]:
    """Where a text comes from (``file: the text``), and the pattern of what it becomes."""
    found: dict[str, str] = {}
    for file, functions in JUDGES.items():
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        for name in functions:
            for pattern in patterns_of(node_named(tree, name)):
                readable = re.sub(r"\\(.)", r"\1", pattern).replace(ANY, "..")
                found[f"{Path(file).name}: {readable}"] = pattern
    return found


def node_named(tree: ast.Module, name: str) -> list[ast.stmt]:
    """The statements of a function, or those that define the module's constants."""
    if not name:
        return [node for node in tree.body if isinstance(node, ast.Assign)]
    body: list[ast.stmt] = tree.body
    owner: ast.FunctionDef | ast.ClassDef
    for each in name.split("."):
        (owner,) = (
            node
            for node in body
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == each
        )
        body = owner.body
    return body[1:] if ast.get_docstring(owner) else body


def patterns_of(body: Iterable[ast.AST]) -> Iterator[str]:
    """The texts of several words in the statements, as patterns; of variables those of ``text``."""
    for node in body:
        if isinstance(node, ast.JoinedStr | ast.Constant):
            pattern = pattern_of(node)
            if len(WORD.findall(pattern)) > 1:
                yield pattern
        elif not isinstance(node, ast.Assign) or is_reported(node):
            yield from patterns_of(ast.iter_child_nodes(node))


def is_reported(node: ast.Assign) -> bool:
    """True of a constant, of a list of texts, and of the variable ``text``, reported as it is.

    Other variables are parts of texts.
    """
    names = [target.id for target in node.targets if isinstance(target, ast.Name)]
    return isinstance(node.value, ast.ListComp) or any(n == "text" or n.isupper() for n in names)


def pattern_of(node: ast.AST) -> str:
    """What a text becomes, as a pattern."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(pattern_of, node.values))
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    return ANY if isinstance(node, ast.FormattedValue) else ""


def without_fault(patterns: Mapping[str, str], reported: Iterable[str]) -> list[str]:
    """The kinds that no reported text is of."""
    texts = {IN_ACTIVATION.sub("", text, count=1) for text in reported}
    seen = {kind for text in texts for kind in kinds_of(patterns, text)}
    return [kind for kind in patterns if kind not in seen]


def kinds_of(patterns: Mapping[str, str], text: str) -> list[str]:
    """The kinds of a text: those that say most of it; two functions may say the same."""
    fitting = {
        kind: len(pattern.replace(ANY, ""))
        for kind, pattern in patterns.items()
        if re.fullmatch(f"(.*: )?{pattern}", text)
    }
    return [kind for kind, said in fitting.items() if said == max(fitting.values())]
