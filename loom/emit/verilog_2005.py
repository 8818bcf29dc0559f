"""A module's text in Verilog-2005, out of the SystemVerilog that templates write.

Each construct has one rule here, and the result of each is the same value in the same context:

* ``logic`` is ``reg`` where a process assigns it, else a wire. A variable that one branch of a
  generate statement assigns in a process and another one continuously is a ``reg``, and the latter
  is ``always @*``.
* ``'0`` is ``0`` and ``'1`` is ``~0``: both extend to the width of their context, and no reader
  says so, as numbers without a width do.
* A cast is a call of a function (`loom/emit/verilog_casts.py`).
* A packed array of words is one vector, and a word of it a part of that; also where there is an
  array of them.
* Loop variables are declared where the block or function begins; functions have no ``automatic``.

Assertions are left out: Verilog-2005 has none.
"""

from __future__ import annotations

import re

from loom.emit.processes import CHECKS, end_of_statement
from loom.emit.verilog_casts import RANGE, replace_casts
from loom.errors import LoomError, Place

ATTRIBUTES = re.compile(r"\(\* .* \*\)")
"""One each, for that is what Pyverilog reads."""
TYPEDEF = re.compile(
    rf"^ *typedef logic (?P<range>(?P<outer>{RANGE})(?P<inner>{RANGE})?) (?P<name>\w+);\n",
    re.MULTILINE,
)
LITERALS = ((re.compile(r"(?<![\w'])'0\b"), "0"), (re.compile(r"(?<![\w'])'1\b"), "~0"))
FUNCTION = re.compile(
    rf"^(?P<indent> *)function automatic logic (?P<range>{RANGE} )?(?P<name>\w+)\("
    r"(?P<inputs>[^()]*(?:\([^()]*\)[^()]*)*)\);\n(?P<body>.*?)^ *endfunction",
    re.MULTILINE | re.DOTALL,
)
PROCESS = re.compile(r"^(?P<indent> *)(?:always\w*|initial)\b[^\n]*", re.MULTILINE)
LOOP = re.compile(r"\bfor \((?P<kind>int|integer) (?P<name>\w+)")
GENERATE = re.compile(r"\bfor \(genvar (?P<name>\w+)")
STEP = re.compile(r"\b(?P<name>\w+)(?P<sign>\+\+|--)")
ASSIGNED = re.compile(
    rf"(?:^ *|\) |else |: )(?:(?P<name>[a-z]\w*)(?:{RANGE})*|\{{(?P<names>[^{{}}]*)\}}) <?= ",
    re.MULTILINE,
)
DECLARED = re.compile(
    rf"^(?P<indent> *)(?P<attribute>\(\*[^\n]*\*\)\s+)?logic (?P<range>{RANGE} )?(?P<names>[^;]*);",
    re.MULTILINE,
)
PORT = re.compile(
    rf"^  (?P<way>input|output) logic (?P<range>{RANGE} )?(?P<name>\w+)", re.MULTILINE
)
PACKED = re.compile(
    r"^ *logic \[(?P<count>[^\]:]*):0\]\[(?P<width>[^\]:]*):0\] "
    r"(?P<name>\w+)(?P<depth>\[[^\]]*\])?;",
    re.MULTILINE,
)
LEFT = re.compile(
    r"\b(?:logic|bit|byte|shortint|int|longint|always_\w+|typedef|struct|union|enum|package|import"
    r"|interface|unique|priority|assert|assume|cover|automatic|return|void|string|foreach|break"
    r"|continue|inside|final)\b|'[({01]|\+\+|--|::"
)
"""What no Verilog-2005 has."""


def to_verilog_2005(text: str, module: str) -> str:
    """The module's text in Verilog-2005.

    Refused: a template of the user's with SystemVerilog that no rule here is about
    (EMIT_VERILOG_2005).
    """
    text = re.sub(r"\n\n$", "\n", CHECKS.sub("", text))
    text = ATTRIBUTES.sub(lambda found: found[0].replace(", ", " *) (* "), text)
    text = replace_types(text)
    text = replace_packed(text)
    text = replace_casts(text)
    for literal, plain in LITERALS:
        text = literal.sub(plain, text)
    text = FUNCTION.sub(plain_function, text)
    text = STEP.sub(lambda m: f"{m['name']} = {m['name']} {m['sign'][0]} 1", text)
    text, assigned = replace_processes(text)
    text = replace_generates(text)
    text = replace_nets(text, assigned)
    text = re.sub(r"\b(parameter|localparam) logic\b", r"\1", text)
    text = re.sub(r"\n{3,}", "\n\n", text)
    left = LEFT.search(re.sub(r"//[^\n]*|\(\*.*?\*\)", "", text))
    if left:
        what = f"{left[0]!r}, which Verilog-2005 does not have"
        accepted = "SystemVerilog in the form of LOOM's templates, or no --verilog-2005"
        raise LoomError("EMIT_VERILOG_2005", Place(module), what, accepted)
    return text


def width_of(high: str) -> str:
    """The width of ``[HIGH:0]`` [bits]."""
    return high[:-2].strip() if high.endswith("-1") else f"{high} + 1"


def replace_types(text: str) -> str:
    """No types: declarations have ranges, casts widths."""
    for found in TYPEDEF.finditer(text):
        name, range_ = found["name"], found["range"]
        text = re.sub(
            rf"^( *)(localparam )?{name} (?=\w)", rf"\1\2logic {range_} ", text, flags=re.MULTILINE
        )
        sizes = [width_of(each[1:].removesuffix(":0]")) for each in found.group("outer", "inner")
                 if each]  # fmt: skip
        size = sizes[0] if len(sizes) == 1 else "*".join(f"({each})" for each in sizes)
        text = re.sub(rf"\b{name}'\(", f"({size})'(", text)
    text = TYPEDEF.sub("", text)
    return re.sub(r"^( *)localparam logic logic ", r"\1localparam logic ", text, flags=re.MULTILINE)


def replace_packed(text: str) -> str:
    """No packed arrays of words."""
    for found in list(PACKED.finditer(text)):
        name, width = found["name"], f"({width_of(found['width'])})"
        count = width_of(found["count"])
        text = text.replace(found[0], found[0].replace(
            f"[{found['count']}:0][{found['width']}:0]", f"[({count})*{width}-1:0]"))  # fmt: skip
        # In an array of vectors the second index is the word's.
        place = rf"{name}\[[^\[\]]*\]" if found["depth"] else name
        text = re.sub(rf"\b({place})\[([^\[\]]*)\]", rf"\1[(\2)*{width}+:{width}]", text)
    return text


def plain_loops(body: str) -> tuple[str, list[str]]:
    """A process or function whose loop variables are declared elsewhere, and their names.

    They end in ``_index``, so none hides the variable of a generate loop.
    """
    names = list(dict.fromkeys(found["name"] for found in LOOP.finditer(body)))
    body = LOOP.sub(r"for (\g<name>", body)
    for name in names:
        body = re.sub(rf"(?<![\w.']){name}\b", f"{name}_index", body)
    return body, [f"{name}_index" for name in names]


def plain_function(function: re.Match[str]) -> str:
    """A function with declarations in its body, and its statements in one block."""
    indent, body = f"{function['indent']}  ", function["body"]
    body, names = plain_loops(body)
    inputs = re.sub(r"\s+", " ", function["inputs"]).replace(" logic", "").strip()
    lines = [f"{indent}{each.strip()};\n" for each in re.split(r",(?= input )", inputs)]
    local = [found[0] + "\n" for found in re.finditer(r"^ *logic [^;]*;", body, re.MULTILINE)]
    body = re.sub(r"^ *logic [^;]*;\n", "", body, flags=re.MULTILINE)
    lines += [re.sub(r"\blogic\b", "reg", each) for each in local]
    lines += [f"{indent}integer {name};\n" for name in names]
    outer, body = function["indent"], re.sub("(?m)^(?=.)", "  ", body)
    head = f"{outer}function {function['range'] or ''}{function['name']};\n{''.join(lines)}"
    return f"{head}{indent}begin\n{body}{indent}end\n{outer}endfunction"


def replace_processes(text: str) -> tuple[str, set[str]]:
    """Processes of Verilog-2005, and the names that they assign."""
    done, at, assigned = "", 0, set[str]()
    while found := PROCESS.search(text, at):
        head = re.compile(r" *(?:always\w*|initial)(?: @\([^)]*\)| @\*)?").match(
            text, found.start()
        )
        assert head is not None
        end = end_of_statement(text, head.end())
        body = text[head.end() : end]
        body, names = plain_loops(body)
        hoisted = re.findall(r"^ *localparam [^;]*;\n", body, re.MULTILINE)
        body = re.sub(r"^ *localparam [^;]*;\n", "", body, flags=re.MULTILINE)
        body = re.sub(r"^( *)logic ", r"\1reg ", body, flags=re.MULTILINE)
        inner = found["indent"] + "  "
        declared = "".join(f"{inner}integer {name};\n" for name in names)
        body = re.sub(r"^ begin : \w+\n", rf"\g<0>{declared}", body, count=1)
        for each in ASSIGNED.finditer(body):
            listed = [each["name"]] if each["name"] else re.findall(r"[a-z]\w*", each["names"])
            assigned |= set(listed) - set(names)
        start = head[0].replace("always_comb", "always @*").replace("always_ff", "always")
        moved = "".join(f"{found['indent']}{each.strip()}\n" for each in hoisted)
        done += text[at : found.start()] + moved + start + body
        at = end
    return done + text[at:], assigned


def replace_generates(text: str) -> str:
    """Variables of generate loops are declared at the module's begin."""
    names = dict.fromkeys(found["name"] for found in GENERATE.finditer(text))
    text = GENERATE.sub(r"for (\g<name>", text)
    at = 0
    while found := re.compile(r"^  (?=(?:for|if) \()", re.MULTILINE).search(text, at):
        end = end_of_statement(text, found.end())
        wrapped = f"  generate\n{text[found.start() : end]}\n  endgenerate"
        text = text[: found.start()] + wrapped + text[end:]
        at = found.start() + len(wrapped)
    header = text.index("\n);\n") + len("\n);\n")
    return text[:header] + "".join(f"  genvar {name};\n" for name in names) + text[header:]


def replace_nets(text: str, assigned: set[str]) -> str:
    """Nets and variables instead of ``logic``."""

    def port(found: re.Match[str]) -> str:
        kind = " reg" if found["way"] == "output" and found["name"] in assigned else ""
        return f"  {found['way']}{kind} {found['range'] or ''}{found['name']}"

    def declaration(found: re.Match[str]) -> str:
        lines = []
        listed = [" ".join(each.split()) for each in found["names"].split(",")]
        for kind in ("wire", "reg"):
            mine = [n for n in listed if (re.split(r"\W", n)[0] in assigned) == (kind == "reg")]
            if mine:
                head = f"{found['indent']}{found['attribute'] or ''}{kind} {found['range'] or ''}"
                lines.append(f"{head}{', '.join(mine)};")
        return "\n".join(lines)

    text = DECLARED.sub(declaration, PORT.sub(port, text))
    return re.sub(
        rf"^( *)assign (\w+)(?=(?:{RANGE})* =)",
        lambda m: f"{m[1]}always @* {m[2]}" if m[2] in assigned else m[0],
        text, flags=re.MULTILINE,
    )  # fmt: skip
