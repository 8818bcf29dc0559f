"""The text of a whole module."""

from __future__ import annotations

from collections.abc import Sequence

from tests.random_programs.print_expressions import value
from tests.random_programs.print_statements import print_block
from tests.random_programs.printing import Place, Text, Value, together
from tests.random_programs.tree import Function, Global, Program, Scalar


def text_of(program: Program) -> str:
    """The program as MLIR."""
    lines: list[str] = []
    for one in program.globals:
        words = " constant" if one.constant else ""
        place = place_of_global(one)
        lines.append(
            f'memref.global "private"{words} @{one.memory.name} : {place.type} = {dense(one)}'
        )
    for number, function in enumerate(program.functions):
        # A function calls those before it: there is no recursion.
        lines += print_function(program, function, program.functions[:number], " private")
    lines += print_function(program, program.top, program.functions, "")
    return "\n".join([*lines, ""])


def place_of_global(one: Global) -> Place:
    """The global, still without a name in a function."""
    return Place("", one.memory, "", one.constant)


def dense(one: Global) -> str:
    """The first words as an attribute."""
    words = list(one.words)

    def nested(shape: Sequence[int]) -> str:
        if not shape:
            return literal(one.memory.type, words.pop(0) if words else 0)
        return f"[{', '.join(nested(shape[1:]) for _ in range(shape[0]))}]"

    return f"dense<{nested(one.memory.shape)}>"


def literal(type_: str, word: int) -> str:
    """A word of a dense attribute."""
    if type_ == "i1":
        return "true" if word & 1 else "false"
    width = 64 if type_ == "index" else int(type_[1:])
    word &= (1 << width) - 1
    return str(word - ((word >> (width - 1)) << width))


def print_function(
    program: Program, function: Function, callable_: Sequence[Function], private: str
) -> list[str]:
    """The lines of one function, which knows the module's memories."""
    text = Text(callable_)
    for one in program.globals:
        place = Place(text.fresh(), one.memory, "", one.constant)
        text.places[one.memory.name] = place
        text.line(f"{place.text} = memref.get_global @{one.memory.name} : {place.type}")
    arguments: list[str] = []
    for parameter in function.parameters:
        name = f"%{parameter.name}"
        if isinstance(parameter, Scalar):
            text.values[parameter.name] = Value(name, parameter.type)
            arguments.append(f"{name}: {parameter.type}")
        else:
            text.places[parameter.name] = Place(name, parameter)
            arguments.append(f"{name}: {text.places[parameter.name].type}")
    print_block(text, function.body)
    types = [result.type for result in function.results]
    values = [value(text, result.value, result.type) for result in function.results]
    text.line(f"func.return{together(values, types)}")
    arrow = f" -> ({', '.join(types)})" if types else ""
    head = f"func.func{private} @{function.name}({', '.join(arguments)}){arrow} {{"
    return [head, *text.lines, "}"]
