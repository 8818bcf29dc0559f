"""Programs in C and Python that run natively call the functions that circuits compute."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

from loom.dialects.floats.elementary.functions import function_of
from loom.frontend.c.read import read_c
from loom.frontend.python.read import read_python
from loom.model.reference.reference import compile_reference
from loom.native.c import compile as native_compile
from loom.native.c.record import record_c
from loom.native.python.elementary import make_function
from loom.native.python.record import record_python

COUNT = 2000
PROGRAM = f"""#include <math.h>
static float x[{COUNT}], y[{COUNT}];
void f(const float x[{COUNT}], float y[{COUNT}])
{{
  for (int i = 0; i < {COUNT}; i++) y[i] = FUNCTIONf(x[i]);
}}
int main(void)
{{
  for (int i = 0; i < {COUNT}; i++) x[i] = 0.37f + 0.0531f * i;
  f(x, y);
  return 0;
}}
"""


def results_of(text: str) -> tuple[list[int], list[int]]:
    """What the native run leaves in y, and what the reference says."""
    program = read_c(text, "k.c", top="f")
    (given,) = record_c(text, program.interface).activations
    outcome = compile_reference(program.module, "f").run([*given.inputs.values()])
    return list(given.expected.memories["y"] or ()), list(outcome.memories["y"])


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("function", ["exp", "log", "sin", "cos"])
def test_a_c_program_calls_the_functions_of_circuits(function: str) -> None:
    found, due = results_of(PROGRAM.replace("FUNCTION", function))
    assert found == due


def test_the_functions_of_the_machine_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: expf stays that of the C library, which is off by a unit once in a while."""
    text = native_compile.write_library().replace(" expf(", " loom_unused(")
    text += "float expf(float x) { return (float)__builtin_exp(x) * 1.0000002f; }\n"
    monkeypatch.setattr(native_compile, "write_library", lambda: text)
    found, due = results_of(PROGRAM.replace("FUNCTION", "exp"))
    assert found != due


def test_a_function_of_the_program_s_own_stays() -> None:
    text = PROGRAM.replace("FUNCTION", "own_exp").replace(
        "static float x", "float own_expf(float v) { return v + 1.0f; }\n"
        "double exp(double v) { return v; }\nstatic float x", 1
    )  # fmt: skip
    found, due = results_of(text.replace("#include <math.h>\n", ""))
    assert found == due


def pattern_of(number: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


@pytest.mark.parametrize("short", ["exp", "log", "sin", "cos"])
def test_functions_of_numpy_keep_the_type(short: str) -> None:
    function = make_function("numpy", short)
    for type_, form in ((np.float16, "f16"), (np.float32, "f32"), (np.float64, "f64")):
        found = function(type_(0.7))
        assert type(found) is type_
        pattern = int(type_(0.7).view(f"u{type_().itemsize}"))
        assert int(found.view(f"u{type_().itemsize}")) == function_of(f"math.{short}", form)(
            pattern
        )
    assert pattern_of(make_function("math", short)(0.7)) == function_of(f"math.{short}", "f64")(
        pattern_of(0.7)
    )


@pytest.mark.parametrize(
    ("short", "number", "error"),
    [("log", 0.0, ValueError), ("log", -1.0, ValueError), ("sin", math.inf, ValueError),
     ("exp", 1000.0, OverflowError)],
)  # fmt: skip
def test_functions_of_math_refuse_what_python_s_do(
    short: str, number: float, error: type[Exception]
) -> None:
    with pytest.raises(error):
        getattr(math, short)(number)
    with pytest.raises(error):
        make_function("math", short)(number)
    assert math.isnan(make_function("math", short)(math.nan))


def test_a_python_program_calls_the_functions_of_circuits(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    body = (
        "import math\nfrom typing import Annotated\nimport numpy as np\n"
        "from numpy.typing import NDArray\nimport loom\n\n\n@loom.kernel\n"
        "def f(b: Annotated[NDArray[np.float32], 40], a: Annotated[NDArray[np.float32], 40],"
        " x: np.float64) -> np.float64:\n"
        "    for i in range(40):\n"
        "        a[i] = np.exp(b[i]) + np.log(b[i]) * np.sin(b[i]) - np.cos(b[i])\n"
        "    return np.float64(math.exp(x) + math.log(x) * math.sin(x) - math.cos(x))\n\n\n"
        "b = np.linspace(0.3, 20, 40).astype(np.float32)\n"
        "f(b, np.zeros(40, np.float32), np.float64(1.7))\n"
    )
    file.write_text(body)
    found = record_python(body, str(file), None, None)
    assert found is not None
    (given,) = found.activations
    outcome = compile_reference(read_python(body, str(file)).module, "f").run(
        [*given.inputs.values()]
    )
    assert outcome.results == given.expected.results
    assert outcome.memories == given.expected.memories
