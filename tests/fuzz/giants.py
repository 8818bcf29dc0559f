"""Texts of any size that are wrong, or right, in one way all over."""

from __future__ import annotations

from collections.abc import Callable

Giant = Callable[[int], str]
"""A text of about that many characters."""

HEAD = "func.func @f(%a: i32) -> i32 {\n"
TAIL = "  return %a : i32\n}\n"
LOAD = """func.func @f(%i: index) -> i8 {{
  %m = memref.get_global @g : memref<{0}xi8>
  %v = memref.load %m[%i] : memref<{0}xi8>
  return %v : i8
}}
"""


def repeated(piece: str, before: str = "", after: str = "") -> Giant:
    """`before`, `piece` again and again, `after`."""
    return lambda size: before + piece * max(1, size // len(piece)) + after


def numbered(line: str, before: str = HEAD, after: str = TAIL) -> Giant:
    """Lines with a number where the braces are."""
    width = len(line) + 5
    return lambda size: (
        before + "".join(line.replace("{}", str(k)) for k in range(max(1, size // width))) + after
    )


def dense(word: str, opening: str, closing: str, separator: str) -> Giant:
    """A memory with an initial value for each word."""

    def text(size: int) -> str:
        count = max(1, size // len(word + separator))
        words = separator.join([word] * count)
        declared = f"memref.global @g : memref<{count}xi8> = dense<{opening}{words}{closing}>\n"
        return declared + LOAD.format(count)

    return text


PROGRAMS: dict[str, Giant] = {
    "one name": repeated("a"),
    "one line of names": repeated("a "),
    "one operation's name": repeated("a", "func.", "a"),
    "a string that never closes": repeated("a", '"'),
    "escapes that never close": repeated("\\\\", '"'),
    "one string": repeated("a", HEAD.replace("{", 'attributes {x = "'), '"} {\n' + TAIL),
    "a comment": repeated("a", "//"),
    "comments": repeated("// a\n", after=HEAD + TAIL),
    "spaces": repeated(" "),
    "lines": repeated("\n", after="x"),
    "zeros": repeated("\0"),
    "digits": repeated("9", HEAD + "%c = arith.constant ", " : i32\n" + TAIL),
    "a wide type": repeated("9", HEAD + "%c = arith.constant 1 : i", "\n" + TAIL),
    "a name of many numbers": repeated("_1", HEAD + "%c", "x = arith.constant 1 : i8\n" + TAIL),
    "a long name of a value": repeated("c", HEAD + "%", " = arith.constant 1 : i32\n" + TAIL),
    "a long name of a function": repeated("f", "func.func @", "() {\n  return\n}\n"),
    "open brackets": repeated("("),
    "open regions": repeated("module {"),
    "open angles": repeated("<"),
    "open operations": repeated('"builtin.module"() ({'),
    "a long type": repeated("i32, ", "func.func @f(%a: tuple<", "i32>) {\n  return\n}"),
    "many dimensions": repeated("1x", "func.func @f(%a: memref<", "i32>) {\n  return\n}"),
    "large dimensions": repeated(
        "9" * 4000 + "x", "func.func @f(%a: memref<", "i8>) {\n return\n}"
    ),
    "a long attribute": repeated("1, ", HEAD.replace("{", "attributes {x = ["), "1]} {\n" + TAIL),
    "a sum without end": repeated("d0 + ", "#m = affine_map<(d0) -> (", "d0)>\n" + HEAD + TAIL),
    "minus signs": repeated("-", "#m = affine_map<(d0) -> (", "d0)>\n" + HEAD + TAIL),
    "many results of a map": repeated("d0, ", "#m = affine_map<(d0) -> (", "d0)>\n" + HEAD + TAIL),
    "aliases": numbered("#a{} = 1 : i32\n", before="", after=HEAD + TAIL),
    "a chain of aliases": lambda size: (
        "#a0 = [1]\n" + "".join(f"#a{k + 1} = [#a{k}]\n" for k in range(size // 15)) + HEAD + TAIL
    ),
    "operations": numbered("  %b{} = arith.addi %a, %a : i32\n"),
    "a chain of operations": lambda size: (
        HEAD
        + "".join(f"  %{k + 1} = arith.xori %{k}, %a : i32\n" for k in range(size // 36)).replace(
            "%0,", "%a,"
        )  # the first of them
        + TAIL
    ),
    "branches": numbered("  scf.if %c {\n  }\n", "func.func @f(%c: i1, %a: i32) -> i32 {\n"),
    "branches in one line": repeated("scf.if %c {} ", "func.func @f(%c: i1) {", "return }"),
    "undefined values": numbered("  %b{} = arith.addi %u{}, %u{} : i32\n"),
    "unknown operations": numbered('  "x.y{}"() : () -> ()\n'),
    "twins": numbered("  %b = arith.constant {} : i32\n"),
    "functions": numbered(
        "func.func private @f{}() {\n  return\n}\n", before="", after=HEAD + TAIL
    ),
    "public functions": numbered("func.func @f{}() {\n  return\n}\n", before="", after=""),
    "blocks": numbered("^bb{}:\n  cf.br ^bb{}\n"),
    "arguments": lambda size: (
        "func.func @f(" + ", ".join(f"%a{k}: i8" for k in range(size // 12)) + ") {\n  return\n}\n"
    ),
    "words of a memory": dense("12", "[", "]", ", "),
    "words of a memory in hexadecimal": dense("7F", '"0x', '"', ""),
    "locations": repeated("  %b = arith.constant 1 : i32 loc(fused[", HEAD, TAIL),
}
"""MLIR by what is large in it."""

NETLIST = '{"schema": "loom-netlist-1", "name": "n", "index_width": 64, '
EMPTY = '"ports": [], "memories": [], "units": [], "channels": []}'


def netlist(section: str, entry: str) -> Giant:
    """A netlist of many entries of one kind."""

    def text(size: int) -> str:
        entries = ",\n".join(entry.replace("{}", str(k)) for k in range(size // len(entry)))
        return NETLIST + EMPTY.replace(f'"{section}": []', f'"{section}": [{entries}]')

    return text


def fork(size: int) -> str:
    """A fork with a channel to a port for each of its outputs."""
    end = '"source": ["f", "out{}"], "target": ["", "p{}"]}'
    text = netlist("channels", '{"name": "c{}", "type": "i8", ' + end)(size)
    return text.replace('"units": []', '"units": [{"name": "f", "operator": "handshake.fork"}]')


JSONS: dict[str, Giant] = {
    "open lists": repeated("["),
    "open objects": repeated('{"a":'),
    "numbers": repeated("1, ", "[", "1]"),
    "lists": repeated("[], ", "[", "[]]"),
    "one number": repeated("9"),
    "one string": repeated("a", '"', '"'),
    "a string that never closes": repeated("a", '"'),
    "escapes that never close": repeated("\\\\", '"'),
    "spaces": repeated(" "),
    "zeros": repeated("\0"),
    "keys": numbered('"k{}": 1, ', "{", '"x": 1}'),
    "twin keys": numbered('"k{}": 1, ', "{", '"x": 1, "x": 2}'),
    "activations": repeated('{"inputs": {"a": 1}}, ', "[", '{"inputs": {"a": 1}}]'),
    "wrong activations": repeated('{"inputs": {}}, ', "[", '{"inputs": {}}]'),
}
"""JSON that is neither netlist nor bundle, or a bundle of one scalar `a`."""

NETLISTS: dict[str, Giant] = JSONS | {
    "ports": netlist("ports", '{"name": "p{}", "direction": "input", "type": "i8"}'),
    "sinks": netlist("units", '{"name": "u{}", "operator": "handshake.sink"}'),
    "twin units": netlist("units", '{"name": "u", "operator": "handshake.sink"}'),
    "channels": netlist(
        "channels", '{"name": "c{}", "type": "i8", "source": ["", "a"], "target": ["", "b"]}'
    ),
    "memories": netlist(
        "memories", '{"name": "m{}", "kind": "internal", "type": "i8", "depth": 1}'
    ),
    "a fork of many": fork,
}
"""Netlists by what is large in them."""

GIANTS: dict[str, dict[str, Giant]] = {"program": PROGRAMS, "netlist": NETLISTS, "bundle": JSONS}
KERNEL = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
"""What the bundles are for."""
