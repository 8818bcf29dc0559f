"""The clocked processes of a module's text: where they stand, and the statements in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

HEAD = re.compile(
    r"^(?P<indent> *)(?P<kind>always\w*) @\((?P<edges>[^)\n]*\b(?:pos|neg)edge\b[^)\n]*)\)", re.M
)
"""Of a clocked process."""
CHECKS = re.compile(r"^`ifdef (?:SIMULATION|FORMAL)\n.*?^`endif$", re.MULTILINE | re.DOTALL)
"""What is no hardware."""
SPACE = re.compile(r"(?:\s|//[^\n]*)*")
WORD = re.compile(r"[A-Za-z_]\w*|.", re.DOTALL)
END = re.compile(r"end\b")
CONDITION = r"(?P<also>[^()]*(?:\([^()]*\)[^()]*)*)"
ELSE = re.compile(rf"{SPACE.pattern}else\s+")
EDGES = re.compile(r"\s*@(?:\s*\([^()]*\)|\s*\*)")
LABEL = re.compile(r"\s*:\s*\w+")


@dataclass(frozen=True, slots=True)
class Process:
    """A clocked process: `kind` is the keyword, `edges` its sensitivity, `label` that of its block.

    `statements` are those of its block, or its only one; `checks`: it is no hardware.
    """

    indent: str
    kind: str
    edges: str
    label: str
    statements: tuple[str, ...]
    checks: bool

    @property
    def text(self) -> str:
        """The process as templates write it."""
        head = f"{self.indent}{self.kind} @({self.edges})"
        if not self.label:
            return f"{head} {self.statements[0]}"
        inside = "".join(f"{self.indent}  {each}\n" for each in self.statements)
        return f"{head} begin : {self.label}\n{inside}{self.indent}end"

    def under(self, condition: str) -> Process:
        """The process whose statements run under the condition."""
        if not self.label:
            return replace(self, statements=(f"if ({condition}) {self.statements[0]}",))
        indent = f"{self.indent}  "
        inside = f"\n{indent}".join(self.statements)
        return replace(self, statements=(block(f"if ({condition})", inside, indent),))


def block(head: str, inside: str, indent: str) -> str:
    """A block at the indent, of statements that stood there.

    A block in one of the same name is no good style: a register may have two enables.
    """
    moved = inside.replace("\n", "\n  ")
    name = "enabled_too" if "begin : enabled" in inside else "enabled"
    return f"{head} begin : {name}\n{indent}  {moved}\n{indent}end"


@dataclass(frozen=True, slots=True)
class Register:
    """The statement of registers with a reset: under `also`, as in reset, `action` sets them.

    `comment` stands above it, and `otherwise` is what it does else.
    """

    comment: str
    reset: str
    also: str
    action: str
    otherwise: str

    def statement(self, enable: str, indent: str) -> str:
        """The statement with the reset alone first, and under `enable` what else it does.

        `indent` is that of its process.
        """
        indent += "  "
        gap = " " if self.action.endswith("end") else f"\n{indent}"
        otherwise = self.otherwise
        if self.also:
            otherwise = f"if ({self.also}) {self.action}" + (
                f"\n{indent}else {otherwise}" if otherwise else ""
            )
        if enable and otherwise.startswith("begin"):
            otherwise = f"if ({enable}) {otherwise}"
        elif enable and otherwise:
            otherwise = block(f"if ({enable})", otherwise, indent)
        head = f"{self.comment}if (!{self.reset}) {self.action}"
        return f"{head}{gap}else {otherwise}" if otherwise else head


def split_reset(process: Process, reset: str) -> Register | None:
    """The register of a process; None if the reset is not its first condition, and read once."""
    if len(process.statements) > 1:
        return None
    (text,) = process.statements
    start = skip_space(text, 0)
    first = re.compile(rf"if \(!{reset}(?: \|\| {CONDITION})?\)\s*").match(text, start)
    if first is None:
        return None
    end = end_of_statement(text, first.end())
    action, otherwise = text[first.end() : end], ELSE.sub("", text[end:], count=1)
    also = first["also"] or ""
    if re.search(rf"\b{reset}\b", also + action + otherwise) or (also and action[:5] == "begin"):
        return None
    return Register(text[:start], reset, also, action, otherwise)


def rewrite_processes(text: str, change: Callable[[Process], Process]) -> str:
    """The module's text with other processes in the places of its clocked ones."""
    checks = [each.span() for each in CHECKS.finditer(text)]
    found, done = [], 0
    for head in HEAD.finditer(text):
        start, end = head.start(), end_of_statement(text, head.end())
        body = text[head.end() : end].strip()
        label = re.match(r"begin : (\w+)\n", body)
        statements = tuple(statements_of(body, label.end())) if label else (body,)
        inside = any(a <= start < b for a, b in checks)
        name = label[1] if label else ""
        process = Process(head["indent"], head["kind"], head["edges"], name, statements, inside)
        changed = change(process)
        found += [text[done:start], text[start:end] if changed == process else changed.text]
        done = end
    return "".join([*found, text[done:]])


def statements_of(text: str, at: int) -> Iterator[str]:
    """The statements of a block from `at`, behind its ``begin``, to its ``end``.

    A comment belongs to the statement behind it.
    """
    while (start := skip_space(text, at)) < len(text) and not END.match(text, start):
        end = end_of_statement(text, start)
        yield text[at:end].strip()
        at = end


def skip_space(text: str, at: int) -> int:
    """The position behind blanks and comments."""
    found = SPACE.match(text, at)
    return found.end() if found else at


def end_of_statement(text: str, at: int) -> int:
    """The position behind the statement that begins at `at`, or behind blanks and comments."""
    at = skip_space(text, at)
    first = WORD.match(text, at)
    word = first[0] if first else ""
    at += len(word)
    if word == "begin":
        label = LABEL.match(text, at)
        at = skip_space(text, label.end() if label else at)
        while at < len(text) and not END.match(text, at):
            at = skip_space(text, end_of_statement(text, at))
        return at + len("end")
    if word.startswith("case"):
        return text.index("endcase", at) + len("endcase")
    if word.startswith(("always", "initial")):
        edges = EDGES.match(text, at)
        return end_of_statement(text, edges.end() if edges else at)
    if word in ("if", "for"):
        at = end_of_statement(text, end_of_parentheses(text, at))
        other = ELSE.match(text, at) if word == "if" else None
        return end_of_statement(text, other.end()) if other else at
    return text.index(";", at) + 1


def end_of_parentheses(text: str, start: int) -> int:
    """The position behind the parenthesis that closes the first one from `start`."""
    depth, at = 0, text.index("(", start)
    while True:
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if not depth:
            return at
