"""Reads a C file in a process of its own, and says what LOOM must not read itself.

It is run as a file, not imported: ``probe.py REQUEST`` with the name of a file of JSON, an object
of ``path`` (where the module clang is), ``file``, ``text``, ``arguments`` of clang, ``roots``
(folders of which files may be included), and the limits ``nodes``, ``nested`` and ``memory``. The
last line of its output is JSON: an object of ``verdict`` and the ``place`` that it is about:

| verdict | |
|---|---|
| ``fine`` | LOOM can read the file |
| ``foreign`` | a file outside of the roots is included; ``what`` is the name as written |
| ``nodes`` | more nodes than `nodes` in a function, with macros expanded |
| ``nested`` | statements and expressions nested deeper than `nested`; sums do not nest |

Without that line, clang has given up or crashed: over a program that nests deeper than its stack,
or needs more memory than `memory`.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
from pathlib import Path
from typing import Any

STACK = 1 << 30
"""The stack on which clang parses [bytes]; what is not used costs nothing."""


def main(request: dict[str, Any]) -> None:
    """Print the verdict on the file of the request."""
    sys.path.append(request["path"])
    resource.setrlimit(resource.RLIMIT_AS, (request["memory"], request["memory"]))
    # clang makes a thread of a fixed stack otherwise.
    os.environ["LIBCLANG_NOTHREADS"] = "1"
    threading.stack_size(STACK)
    thread = threading.Thread(target=lambda: print(json.dumps(judge(request)), flush=True))
    thread.start()
    thread.join()
    os._exit(0)  # a tree of many nodes takes long to take apart


def judge(request: dict[str, Any]) -> dict[str, Any]:
    """The verdict on the file."""
    from clang import cindex

    file = request["file"]
    unit = cindex.Index.create().parse(
        file, args=request["arguments"], unsaved_files=[(file, request["text"])]
    )
    foreign = find_foreign(unit, request)
    if foreign is not None:
        return foreign
    for each in unit.cursor.get_children():
        name = each.location.file.name if each.location.file is not None else file
        if not is_below(name, request["roots"]["system"]):
            found = measure(each, request["nodes"], request["nested"], cindex)
            if found is not None:
                return found
    return {"verdict": "fine"}


def find_foreign(unit: Any, request: dict[str, Any]) -> dict[str, Any] | None:
    """The verdict on the first file that is included from outside of the folders."""
    roots = [*request["roots"]["system"], *request["roots"]["user"]]
    for each in unit.get_includes():
        name = each.include.name
        # A file of -include has no source; the file itself begins there.
        source = each.source.name if each.source is not None else request["file"]
        if name != request["file"] and not is_below(name, roots) and (
            source == request["file"] or is_below(source, roots)
        ):  # fmt: skip
            return {"verdict": "foreign", "place": place(each.location), "what": name}
    return None


def is_below(name: str, roots: list[str]) -> bool:
    """True if the file stands in one of the folders, which are real paths, or below."""
    path = Path(os.path.realpath(name))
    return any(path.is_relative_to(root) for root in roots)


def measure(top: Any, nodes: int, nested: int, cindex: Any) -> dict[str, Any] | None:
    """The verdict on what is too large or nests too deep in a declaration."""
    operator = cindex.CursorKind.BINARY_OPERATOR
    left = nodes
    stack = [(top, 0)]
    while stack:
        node, depth = stack.pop()
        left -= 1
        if left < 0 or depth > nested:
            return {"verdict": "nodes" if left < 0 else "nested", "place": place(node.location)}
        below = list(node.get_children())
        is_operator = node.kind == operator
        for number, each in reversed(list(enumerate(below))):
            is_flat = is_operator and number == 0 and each.kind == operator
            stack.append((each, depth if is_flat else depth + 1))
    return None


def place(location: Any) -> list[Any]:
    """File, line and column of a location."""
    name = location.file.name if location.file is not None else ""
    return [name, location.line, location.column]


if __name__ == "__main__":
    main(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
