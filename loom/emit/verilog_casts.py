"""Casts of SystemVerilog as functions of Verilog-2005, without a difference of widths.

The function is named after the width that it gives and the one that it takes: ``8'(a)`` of an ``a``
of WIDTH bits is ``to_8_from_WIDTH(a)``. So no reader finds operands of different widths. An operand
with operators in it stands in braces: its width is its own, not that of the function's argument.
"""

from __future__ import annotations

import re
import string

from loom.emit.processes import end_of_parentheses

RANGE = r"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]"
CONSTANT = re.compile(r"(?:\$clog2|[A-Z][A-Z0-9_]*|\d+|[-+*/%()<>= ])+")
"""A number of parameters, which are integers."""
PRIMARY = re.compile(rf"!?\w+(?:{RANGE}|\.\w+)*|\$?\w+\([^()]*\)|\{{[^{{}}]*\}}")
"""What keeps its width in any context."""
DECLARED = re.compile(
    rf"^ *(?:(?:input|output|localparam|parameter) )?logic (?P<range>{RANGE} )?(?P<names>[^;=]*)",
    re.MULTILINE,
)
ARGUMENT = re.compile(rf"\binput logic (?P<range>{RANGE} )?(?P<name>\w+)")
RESULT = re.compile(rf"\bfunction (?:automatic logic )?(?P<range>{RANGE} )?(?P<name>\w+)(?= ?[(;])")
NUMBER = re.compile(r"(\d+)'[bdh]\w+")
NUMBER_ALONE = re.compile(r"[01]?")
"""What fits every width: it takes that of its context, if that is no concatenation."""
NAME = re.compile(r"(?:\w+(?:\[[^\[\]]*\])?\.)*(?P<name>[A-Za-z_]\w*)(?P<select>\[)?")
INTEGER = "32"
"""The width of parameters, loop variables and numbers that say none [bits]."""
WORD_CHARACTERS = string.ascii_letters + string.digits + "_"


def replace_casts(text: str) -> str:
    """No casts, but functions above the first item of the module that needs them."""
    widths = declared_widths(text)
    functions: dict[str, str] = {}
    while (at := text.rfind("'(")) >= 0:
        start = start_of_width(text, at)
        width = text[start:at]
        width = width[1:-1] if width.startswith("(") else width
        end = end_of_parentheses(text, at)
        operand = text[at + 2 : end - 1].strip()
        if NUMBER_ALONE.fullmatch(operand) and not is_in_braces(text, start):
            call = f"({operand})"
        else:
            constant = operand not in widths and CONSTANT.fullmatch(operand) is not None
            taken = INTEGER if constant else width_of_operand(operand, widths)
            name = f"to_{as_name(width)}_from_{as_name(taken)}"
            # A number has a sign, which a wider result repeats.
            fill = f"value[{INTEGER} - 1]" if constant else "1'b0"
            functions[name] = cast_function(name, width, taken, fill)
            widths[name] = width
            if not CONSTANT.fullmatch(operand) and not PRIMARY.fullmatch(operand):
                operand = f"{{{operand}}}"
            call = f"{name}({operand})"
        text = text[:start] + call + text[end:]
    for name, function in functions.items():
        at = place_of_function(text, name)
        text = text[:at] + function + text[at:]
    return text


def start_of_width(text: str, at: int) -> int:
    """Where the width of the cast begins whose apostrophe stands there."""
    if text[at - 1] != ")":
        return len(text[:at].rstrip(WORD_CHARACTERS))
    depth, start = 0, at
    while True:
        start -= 1
        depth += {")": 1, "(": -1}.get(text[start], 0)
        if not depth:
            return start


def is_in_braces(text: str, at: int) -> bool:
    """True inside a concatenation, which begins and ends in one statement."""
    statement = text[text.rfind(";", 0, at) + 1 : at]
    return statement.count("{") > statement.count("}")


def as_name(width: str) -> str:
    """The width as a part of a name."""
    return re.sub(r"\W+", "_", width.replace("-", "less").replace("+", "more")).strip("_")


def cast_function(name: str, width: str, taken: str, fill: str) -> str:
    """A function from values of `taken` bits to those of `width` bits, as text."""
    return (
        f"\n\n  function [{width}-1:0] {name};\n    input [{taken}-1:0] value;\n"
        f"    integer bit_index;\n    begin\n      {name} = {{({width}){{{fill}}}}};\n"
        f"      for (bit_index = 0; bit_index < {width} && bit_index < {taken};"
        f" bit_index = bit_index + 1)\n"
        f"        {name}[bit_index] = value[bit_index];\n    end\n  endfunction\n"
    )


def place_of_function(text: str, name: str) -> int:
    """Above the first item of the module that calls it, and above that one's comments."""
    called = next(re.finditer(rf"\b{name}\(", text)).start()
    item = text.rfind("\n  ", 0, called)
    while (
        text[item + 3] in " \n)"
        or text.startswith("end", item + 3)
        or text.startswith("//", item + 3)
    ):
        item = text.rfind("\n  ", 0, item)
    while text[text.rfind("\n", 0, item) + 1 : item].startswith("  //"):
        item = text.rfind("\n", 0, item)
    return item


def width_of_range(found: str | None) -> str:
    """The width of ``[HIGH:LOW]``, or of one bit without it."""
    if not found:
        return "1"
    inside = found.strip()[1:-1]
    if "+:" in inside:
        return inside.split("+:")[1].strip()
    high, low = (each.strip() for each in inside.split(":"))
    if low != "0":
        return f"({high}) - ({low}) + 1"
    if high.isdigit():
        return str(int(high) + 1)
    return re.sub(r" ?- ?1$", "", high) if re.search(r"- ?1$", high) else f"{high} + 1"


def declared_widths(text: str) -> dict[str, str]:
    """The width of each declared name; that of the words of an array is under ``name[]``."""
    widths: dict[str, str] = {}
    for found in (*RESULT.finditer(text), *ARGUMENT.finditer(text)):
        widths[found["name"]] = width_of_range(found["range"])
    for found in DECLARED.finditer(text):
        for name in found["names"].split(","):
            if words := re.match(r"\s*(\w+)\s*(\[)?", name):
                key = f"{words[1]}[]" if words[2] else words[1]
                widths[key] = width_of_range(found["range"])
    return widths


def width_of_operand(operand: str, widths: dict[str, str]) -> str:
    """The width that the operand has by itself, as text [bits].

    Of a sum it is that of the first term, also in parentheses: templates have terms of one width.
    """
    operand = operand.strip().lstrip("(").removeprefix("-")
    if operand.startswith(("!", "|", "&", "^")):
        return "1"
    if operand.startswith("{"):
        parts = split_parts(operand[1 : operand.rindex("}")])
        return " + ".join(width_of_operand(each, widths) for each in parts)
    if number := NUMBER.match(operand):
        return number[1]
    operand = operand.removeprefix("~")
    found = NAME.match(operand)
    if not found or re.search(r"[=!<>]=| [<>] |&&|\|\|", operand):
        return "1" if found else INTEGER
    if found["select"]:
        end = operand.index("]", found.end())
        inside = operand[found.end() - 1 : end + 1]
        one = widths.get(f"{found['name']}[]", "1")
        return width_of_range(inside) if ":" in inside else one
    return widths.get(found["name"], INTEGER)


def split_parts(inside: str) -> list[str]:
    """The parts of a concatenation."""
    parts, depth = [""], 0
    for each in inside:
        depth += {"[": 1, "(": 1, "{": 1, "]": -1, ")": -1, "}": -1}.get(each, 0)
        if each == "," and not depth:
            parts.append("")
        else:
            parts[-1] += each
    return parts
