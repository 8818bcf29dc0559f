"""C functions on random arguments: native code of the system's compiler against LOOM.

All functions of a text stand in one native program, which reads the words of every argument from
standard input, calls, and writes the words of every argument and result to standard output.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal

from loom.front.circuit import Circuit
from loom.front.static_circuit import compile_static
from loom.frontend.c.c_options import COptions
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.c.library import find_compiler, parse_text
from loom.frontend.c.read import CProgram, read_unit
from loom.frontend.c.units import Unit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import check_module
from loom.lower.options import Options
from loom.model.bundles.activation import Activation, Expected
from loom.model.bundles.signature import Signature, random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.judges.oldest_processor import c_flags
from tests.random_programs.periods import compile_at

FLAGS = ("-std=gnu17", "-fwrapv", "-ffp-contract=off", "-O1", "-w", "-lm", *c_flags())
Period = float | None | Literal["default"]
CALLS = 5
"""Calls of each function; the first one with zeros [calls]."""


@dataclass(frozen=True)
class Case:
    """A function as LOOM reads it, and what it is called with."""

    program: CProgram
    signature: Signature
    activations: tuple[Activation, ...]

    @property
    def interface(self) -> Interface:
        return self.program.interface


def case_of(unit: Unit, name: str) -> Case:
    program = read_unit(unit, name)
    check_module(program.module)
    signature = signature_of(top_function(program.module))
    zeros = random_activations(signature, 0, 1, 1)
    drawn = random_activations(signature, 1, CALLS - 2)
    small = random_activations(signature, 2, 1, 12)
    return Case(program, signature, (*zeros, *small, *drawn))


def unit_of(text: str) -> Unit:
    return Unit(text, "program.c", parse_text(text, "program.c"), COptions())


def in_c(slot: Slot, action: str) -> str:
    """C that reads or writes the words of a slot."""
    indices = [f"i{k}" for k in range(len(slot.shape))]
    loops = "".join(
        f"for (int {i} = 0; {i} < {n}; {i}++) " for i, n in zip(indices, slot.shape, strict=True)
    )
    text = slot.text.format(*indices)
    return f"{loops}{action}(&{text}, sizeof {text});"


def call_of(interface: Interface, number: int) -> str:
    """A C function that calls the kernel once."""
    header = " ".join(interface.header)
    parameters = header[header.index("(") + 1 : header.rindex(")")]
    first = {slot.text.partition("[")[0].partition(".")[0]: slot for slot in interface.slots}
    declared = ""
    for each, name in zip(parameters.split(" , "), interface.arguments, strict=False):
        size = f"[{first[name].shape[0]}]" if first[name].shape else ""
        plain = re.sub(r"\bconst\b", "", each).replace(f"* {name}", f"{name}{size}")
        declared += f"{plain.strip()}; "
    given = ", ".join(interface.arguments)
    kept = f"{interface.result} loom_result = " if interface.results else ""
    reads = " ".join(in_c(slot, "get") for slot in interface.slots)
    writes = " ".join(in_c(slot, "put") for slot in (*interface.slots, *interface.results))
    return (
        f"static void call{number}(void) {{ {declared}{reads} "
        f"{kept}{interface.name}({given}); {writes} }}"
    )


def natively(text: str, cases: Sequence[Case], folder: Path) -> list[list[Activation]]:
    """The activations of each case with what native code makes of them."""
    calls = [call_of(case.interface, number) for number, case in enumerate(cases)]
    runs = "".join(
        f"call{number}();" for number, case in enumerate(cases) for _ in case.activations
    )
    source, made = folder / "judge.c", folder / "judge"
    begin = (
        "#include <stdio.h>\n#include <unistd.h>\n"
        "static FILE *answers;\n"
        "static void get(void *p, size_t n) { if (fread(p, n, 1, stdin) != 1) __builtin_trap(); }\n"
        "static void put(void *p, size_t n) { fwrite(p, n, 1, answers); }\n"
    )
    # What the functions print is no answer.
    opens = 'answers = fdopen(dup(1), "w"); if (!freopen("/dev/null", "w", stdout)) return 1;'
    main = f"\nint main(void) {{ {opens} {runs} fclose(answers); return 0; }}\n"
    source.write_text(f"{text}\n{begin}" + "\n".join(calls) + main)
    found = find_compiler()
    assert found is not None
    subprocess.run([found, str(source), "-o", str(made), *FLAGS], check=True)
    words = b"".join(
        word for case in cases for given in case.activations for word in words_in(case, given)
    )
    done = subprocess.run([str(made)], input=words, stdout=subprocess.PIPE, check=True, timeout=600)
    answer = iter_words(done.stdout)
    return [[judged(case, given, answer) for given in case.activations] for case in cases]


def words_in(case: Case, given: Activation) -> Iterator[bytes]:
    """The bytes of the arguments in their order."""
    for slot in case.interface.slots:
        size = (slot.type.width + 7) // 8
        words = given.inputs[slot.name]
        for word in words if isinstance(words, list) else [words]:
            yield word.to_bytes(size, "little")


def iter_words(data: bytes) -> Iterator[bytes]:
    yield from (data[k : k + 1] for k in range(len(data)))


def judged(case: Case, given: Activation, answer: Iterator[bytes]) -> Activation:
    """The activation with what the answer says of it."""

    def word(slot: Slot) -> int:
        size = (slot.type.width + 7) // 8
        data = b"".join(next(answer) for _ in range(size))
        return int.from_bytes(data, "little") & ((1 << slot.type.width) - 1)

    memories: dict[str, list[int | None]] = {}
    for slot in case.interface.slots:
        found: list[int | None] = [word(slot) for _ in product(*map(range, slot.shape))]
        if slot.is_array:
            memories[slot.name] = found
    results = tuple(word(slot) for slot in case.interface.results)
    return replace(given, expected=Expected(results, memories))


def differences(
    case: Case, activations: Sequence[Activation], tokens: bool = False, period: Period = "default"
) -> list[str]:
    """Where the program, or its circuit at a clock period [ns], is not as native code."""
    name = case.interface.name
    found: list[str] = []
    if tokens:
        options = Options(clock_period=period)
        circuit: Circuit = compile_at(case.program.module, options, name)
        report = compare_models(
            circuit.source, name, circuit.netlist, activations, max_cycles=100_000
        )
        return [f"{name}: {text}" for text in report.differences]
    reference = compile_reference(case.program.module, name)
    for given in activations:
        outcome = reference.run(case.signature.in_order(given), budget=5_000_000)
        want: Mapping[str, list[int | None]] = given.expected.memories
        if (outcome.results, dict(outcome.memories)) != (given.expected.results, dict(want)):
            found.append(f"{name}{given.inputs}: {outcome.results} {outcome.memories}, "
                         f"natively {given.expected.results} {want}")  # fmt: skip
    return found


def static_differences(
    case: Case, activations: Sequence[Activation], period: Period = "default"
) -> list[str]:
    """Where the machine of the static schedule at a clock period [ns] is not as native code."""
    name = case.interface.name
    options = Options(clock_period=period)
    circuit = compile_static(case.program.module, top=name, options=options)
    return [f"{name}, static: {text}" for text in circuit.differences(activations, 200_000)]
