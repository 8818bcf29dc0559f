"""Where the gotos of a function lead: forward, to a label behind them in a block around them."""

from __future__ import annotations

from collections.abc import Sequence

from loom.frontend.c.library import Cursor, list_children, load_libclang, locate, walk_nodes
from loom.frontend.c.scope import Scope
from loom.frontend.imperative.tree import Label


class Gotos:
    """Finds the labels that gotos of one function lead to."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.known: dict[int, Label] = {}
        """The labels to which a goto may lead where the reader is, by the hash of the label."""

    def find_labels(self, statements: Sequence[Cursor]) -> list[tuple[int, int, Cursor]]:
        """The labels of these statements to which one before them goes, in their order.

        With each the number of the first such statement, and that of its own.
        """
        kinds = load_libclang().CursorKind
        found: list[tuple[int, int, Cursor]] = []
        sources: dict[int, int] | None = None
        for number, each in enumerate(statements):
            while each.kind == kinds.LABEL_STMT:
                if sources is None:
                    sources = find_sources(statements)
                first = sources.get(each.hash)
                if first is not None and first < number:
                    found.append((first, number, each))
                each = list_children(each)[-1]
        return found

    def open_label(self, cursor: Cursor) -> None:
        """Gotos may lead to the label."""
        self.known[cursor.hash] = Label(str(cursor.spelling))

    def close_label(self, cursor: Cursor) -> Label:
        """The label, to which no goto may lead from here on."""
        return self.known.pop(cursor.hash)

    def find_target(self, goto: Cursor) -> Label:
        """The label that the goto leads to.

        Refused (C_STATEMENT): one before the goto, and one in a statement that the goto is not in.
        """
        target = list_children(goto)[0].referenced
        found = self.known.get(target.hash)
        if found is not None:
            return found
        name, line = target.spelling, locate(target).line
        if target.extent.start.offset <= goto.extent.start.offset:
            what = f"a goto back to {name} in line {line}"
            accepted = "a loop: for, while or do, with break and continue"
        else:
            what = f"a goto to {name} in line {line}, into another statement"
            accepted = "a goto to a label behind it in a block around it"
        return self.scope.refuse(goto, "C_STATEMENT", what, accepted)


def find_sources(statements: Sequence[Cursor]) -> dict[int, int]:
    """The number of the first statement with a goto to each label, by the label's hash."""
    kinds = load_libclang().CursorKind
    found: dict[int, int] = {}
    for number, each in enumerate(statements):
        for node in walk_nodes(each):
            if node.kind == kinds.GOTO_STMT:
                found.setdefault(list_children(node)[0].referenced.hash, number)
    return found
