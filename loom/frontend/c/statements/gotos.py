"""Where the gotos of a function lead: to a label in a block around them, behind or before them.

A label to which a goto behind it leads begins a group: the statements from the label to the last
such goto, which begin again. A goto never leads into a group from before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.frontend.c.library import Cursor, list_children, load_libclang, locate, walk_nodes
from loom.frontend.c.scope import Scope
from loom.frontend.imperative.tree import Label

Group = tuple[int, int, Cursor]
"""The number of the first statement, that of the one behind the last one, and a label."""


class Gotos:
    """Finds the labels that gotos of one function lead to."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.known: dict[int, Label] = {}
        """The labels to which a goto may lead where the reader is, by the hash of the label."""

    def find_labels(self, statements: Sequence[Cursor]) -> tuple[list[Group], list[Group]]:
        """The labels of these statements to which one before them goes, and one behind, in order.

        With each of the former the number of the first such statement, and that of its own; with
        each of the latter the number of its own, and that behind the last such statement.
        """
        forward, back = list[Group](), list[Group]()
        sources: dict[int, list[int]] | None = None
        for number, each in enumerate(statements):
            for label in list_labels(each):
                if sources is None:
                    sources = find_sources(statements)
                numbers = sources.get(label.hash, [number])
                if numbers[0] < number:
                    forward.append((numbers[0], number, label))
                is_left = label.hash in sources and label.hash not in self.known
                if numbers[-1] >= number and is_left:
                    back.append((number, numbers[-1] + 1, label))
        return forward, back

    def open_label(self, cursor: Cursor) -> Label:
        """The label, to which gotos may lead."""
        label = self.known[cursor.hash] = Label(str(cursor.spelling))
        return label

    def close_label(self, cursor: Cursor) -> Label:
        """The label, to which no goto may lead from here on."""
        return self.known.pop(cursor.hash)

    def find_target(self, goto: Cursor) -> Label:
        """The label that the goto leads to.

        Refused (C_STATEMENT): one in a statement, or in a group, that the goto is not in.
        """
        target = list_children(goto)[0].referenced
        found = self.known.get(target.hash)
        if found is not None:
            return found
        name, line = target.spelling, locate(target).line
        what = f"a goto to {name} in line {line}, into another statement or into a loop of gotos"
        accepted = "a goto to a label in a block around it"
        return self.scope.refuse(goto, "C_STATEMENT", what, accepted)


def find_groups(back: Sequence[Group]) -> list[Group]:
    """The groups that are in no other one; two that cross are one, which begins at the first."""
    groups: list[Group] = []
    for first, end, label in back:
        if groups and first < groups[-1][1]:
            groups[-1] = (groups[-1][0], max(end, groups[-1][1]), groups[-1][2])
        else:
            groups.append((first, end, label))
    return groups


def list_labels(statement: Cursor) -> list[Cursor]:
    """The labels directly in front of the statement."""
    found: list[Cursor] = []
    while statement.kind == load_libclang().CursorKind.LABEL_STMT:
        found.append(statement)
        statement = list_children(statement)[-1]
    return found


def find_sources(statements: Sequence[Cursor]) -> dict[int, list[int]]:
    """The numbers of the statements with a goto to each label, by the label's hash."""
    kinds = load_libclang().CursorKind
    found: dict[int, list[int]] = {}
    for number, each in enumerate(statements):
        for node in walk_nodes(each):
            if node.kind == kinds.GOTO_STMT:
                found.setdefault(list_children(node)[0].referenced.hash, []).append(number)
    return found
