"""A circuit of remainders of floats gives the exact ones, bit by bit; so do // and % of Python."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from random import Random

import numpy as np
import pytest

from loom.dialects.floats.arithmetic import remainder
from loom.dialects.floats.elementary import remainder as program
from loom.dialects.floats.elementary.words import Word
from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.operators.cores import ANY, Core
from loom.front.api import compile_text, read_program
from loom.front.cli import main
from loom.front.request import Request
from loom.frontend.python.read import read_python
from loom.lower.legalize import expand_remainders
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import ModelReport, compare_models
from loom.model.reference.reference import Reference, compile_reference

KERNEL = """func.func @f(%a: TYPE, %b: TYPE) -> TYPE {
  %r = arith.remf %a, %b : TYPE
  return %r : TYPE
}
"""
FAST = Options(clock_period=None)


def special(form: Format) -> list[int]:
    """Zeros, ends of the subnormal and normal numbers, 1 and its neighbours, infinities, NaN."""
    found = [
        0, 1, 2, 3, form.hidden_bit - 1, form.hidden_bit, form.hidden_bit + 1,
        2 * form.hidden_bit - 1, 2 * form.hidden_bit, form.one - 1, form.one, form.one + 1,
        form.infinity - 1, form.infinity, form.nan, form.infinity + 1,
    ]  # fmt: skip
    return found + [each | form.sign_bit for each in found]


def draw(form: Format, dice: Random) -> int:
    """A pattern: any one, a subnormal one, one of a number near 1, one with few digits."""
    sign = dice.getrandbits(1) * form.sign_bit
    match dice.randrange(5):
        case 0:
            return sign | dice.getrandbits(form.fraction_width)
        case 1:
            return sign | (form.one + dice.randrange(-4 * form.hidden_bit, 4 * form.hidden_bit))
        case 2:
            dropped = dice.randrange(form.fraction_width)
            return dice.getrandbits(form.width) >> dropped << dropped
        case 3:
            return dice.choice(special(form))
        case _:
            return dice.getrandbits(form.width)


def pairs(form: Format, dice: Random, count: int) -> list[tuple[int, int]]:
    """All pairs of special numbers, and so many others."""
    numbers = special(form)
    found = [(one, other) for one in numbers for other in numbers]
    return found + [(draw(form, dice), draw(form, dice)) for _ in range(count)]


def lowered(form: str) -> Reference:
    """The reference of the program whose remainder is a loop."""
    module = read_program(Request(KERNEL.replace("TYPE", form), "k.mlir"))
    normalize(module, Options())
    assert "remf" not in str(module) and "scf.for" in str(module)
    return compile_reference(module, "f")


def wrong(form: str, count: int) -> list[tuple[int, int]]:
    """The operands whose remainder is another one."""
    reference, exact = lowered(form), remainder(FORMATS[form])
    given = pairs(FORMATS[form], Random(form), count)
    return [each for each in given if reference.run([*each]).results != (exact(*each),)]


@pytest.mark.parametrize("form", FORMATS)
def test_the_loop_leaves_the_exact_remainder(form: str) -> None:
    assert wrong(form, 2000) == []


def test_the_remainder_of_doubles_is_that_of_the_host() -> None:
    reference, form = lowered("f64"), FORMATS["f64"]
    for one, other in pairs(form, Random(2), 1000):
        numbers = [float(np.uint64(each).view(np.float64)) for each in (one, other)]
        (found,) = reference.run([one, other]).results
        try:
            host = int(np.float64(math.fmod(*numbers)).view(np.uint64))
        except ValueError:
            host = form.nan
        assert found == host or (form.is_nan(found) and form.is_nan(host))


FAULTS = {
    "a subnormal divisor does not move back": ("number = rest >> resize", "number = rest | resize"),
    "the rest falls below the least exponent": ("& (below.below(step) ^ 1)", "& 1"),
    "an equal rest is kept": ("rest.below(wide).select", "(wide.below(rest) ^ 1).select"),
    "a small dividend is divided": ("is_below.select(one.pattern", "has_none.select(one.pattern"),
    "a divisor of zero has a remainder": ("| other.is_zero", ""),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_words_is_seen(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(str(program.__file__)).read_text(encoding="utf-8")
    before, after = FAULTS[fault]
    assert text.count(before) == 1
    space: dict[str, object] = {"__name__": program.__name__}
    exec(compile(text.replace(before, after), "faulty.py", "exec"), space)
    monkeypatch.setattr(expand_remainders, "remainder_of", space["remainder_of"])
    assert wrong("f16", 300)


def test_an_iteration_has_one_subtraction() -> None:
    def find_kinds(word: Word) -> list[str]:
        return [word.kind, *(kind for each in word.operands for kind in find_kinds(each))]

    words = program.remainder_of("bf16")
    # 8 bits: the rest is below twice the divisor.
    assert words.rest.width == words.next.width == 9
    assert "product" not in find_kinds(words.next)


def compared(form: str, count: int, options: Options = FAST) -> ModelReport:
    """The source program beside the token model of its circuit."""
    circuit = compile_text(KERNEL.replace("TYPE", form), options=options)
    given = Random(3).sample(pairs(FORMATS[form], Random(4), 300), count)
    activations = [Activation({"a": one, "b": other}) for one, other in given]
    return compare_models(circuit.source, "f", circuit.netlist, activations, max_cycles=9000)


@pytest.mark.parametrize("form", FORMATS)
def test_the_circuit_computes_the_meaning(form: str) -> None:
    assert compared(form, 40).differences == ()


def test_a_narrow_index_counts_the_iterations_too() -> None:
    assert compared("f64", 10, Options(clock_period=None, index_width=8)).differences == ()


@pytest.mark.parametrize(("core", "is_kept"), [(ANY, True), ("f16", True), ("f32", False)])
def test_a_core_of_the_format_is_kept(core: str, is_kept: bool) -> None:
    options = Options(clock_period=None, cores={"arith.remf": Core("remf", "", {core: 1})})
    netlist = compile_text(KERNEL.replace("TYPE", "f16"), options=options).netlist
    assert ("arith.remf" in {unit.operator.name for unit in netlist.units}) == is_kept


# Python


def floored(type_: str) -> Reference:
    """The reference of a kernel with both operators."""
    text = (
        "import numpy as np\nimport loom\n@loom.kernel\n"
        f"def g(a: np.{type_}, b: np.{type_}) -> tuple[np.{type_}, np.{type_}]:\n"
        "    return a // b, a % b\n"
    )
    return compile_reference(read_python(text, "k.py").module, "g")


@pytest.mark.parametrize(("type_", "form"), [("float32", "f32"), ("float64", "f64")])
def test_floored_division_is_that_of_numpy(type_: str, form: str) -> None:
    reference, layout = floored(type_), FORMATS[form]
    number, pattern = getattr(np, type_), getattr(np, type_.replace("float", "uint"))
    dice = Random(5)
    given = pairs(layout, dice, 2000)
    small = [int(number(k / 10).view(pattern)) for k in range(-60, 60)]
    given += [(dice.choice(small), dice.choice(small)) for _ in range(1000)]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for one, other in given:
            a, b = pattern(one).view(number), pattern(other).view(number)
            wanted = [int(each.view(pattern)) for each in (a // b, a % b)]
            found = reference.run([one, other]).results
            for want, got in zip(wanted, found, strict=True):
                both_nan = layout.is_nan(want) and layout.is_nan(got)
                assert want == got or both_nan, (a, b, wanted, found)


def test_floored_division_is_that_of_python() -> None:
    reference, dice = floored("float64"), Random(6)
    for _ in range(2000):
        numbers = [dice.choice((dice.uniform(-9, 9), dice.randrange(-9, 9) / 4)) for _ in range(2)]
        if numbers[1] == 0:
            continue
        given = [int(np.float64(each).view(np.uint64)) for each in numbers]
        wanted = numbers[0] // numbers[1], numbers[0] % numbers[1]
        patterns = tuple(int(np.float64(each).view(np.uint64)) for each in wanted)
        assert reference.run(given).results == patterns, numbers


PYTHON = """from typing import Annotated
import numpy as np
from numpy.typing import NDArray
import loom

A = Annotated[NDArray[np.float32], 12]

@loom.kernel
def f(a: A, b: A, q: A, r: A, m: A):
    q[:] = a // b
    for i in range(12):
        r[i] = a[i] % b[i]
        m[i] = np.fmod(a[i], b[i])
        m[i] %= np.float32(2.5)

if __name__ == "__main__":
    inf = np.inf
    a = np.array([7.5, -7.5, 7.5, -7.5, 0, -0.0, inf, 5, 5, -5, 1e30, 3e-42], dtype=np.float32)
    b = np.array([2, 2, -2, -2, -3, 3, 2, inf, -inf, 0, 0.1, -9e-44], dtype=np.float32)
    f(a, b, *(np.zeros(12, np.float32) for _ in range(3)))
"""
C = """#include <math.h>
float f(float a[8], float b[8]) {
  float s = 0;
  for (int i = 0; i < 8; i++) {
    float r = fmodf(a[i], b[i]);
    a[i] = r;
    if (r == r) s += (float)fmod(r, 0.75);
  }
  return s;
}
int main(void) {
  float a[8] = {5.5f, -5.5f, 1e30f, 0.0f, -0.0f, 1.0f / 0.0f, 3, 1e-40f};
  float b[8] = {2, 2, 3, 1, 1, 2, 0, 3e-42f};
  f(a, b);
  return 0;
}
"""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(
    ("file", "text", "style"),
    [("k.py", PYTHON, "dynamic"), ("k.c", C, "dynamic"), ("k.c", C, "static")],
)
def test_rtl_computes_the_meaning(
    file: str, text: str, style: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / file
    kernel.write_text(text)
    assert main(["sim", str(kernel), "--style", style, "--stalls", "0.3"]) == 0
    assert "source, token model and RTL agree on 1 activations" in capsys.readouterr().out
