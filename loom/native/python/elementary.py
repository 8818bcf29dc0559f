"""np.exp, math.exp and others as circuits compute them: what a watched kernel calls.

A machine's own function may differ by a unit in the last place, and does from machine to machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from loom.dialects.floats.elementary.functions import function_of

FORMS: dict[str, tuple[str, type[np.unsignedinteger[Any]]]] = {
    "float16": ("f16", np.uint16),
    "float32": ("f32", np.uint32),
    "float64": ("f64", np.uint64),
}
"""By the name of NumPy's type: the format, and the integers of its patterns."""


def make_function(module: str, short: str) -> Callable[[Any], Any]:
    """The function of this module: that of NumPy keeps the type, that of math gives a float.

    The function of math raises what Python's own does: ValueError without a real result,
    OverflowError where a finite number has an infinite one.
    """

    def apply(value: Any) -> Any:
        number = np.float64(value) if isinstance(value, float | int) else value
        form, pattern = FORMS[type(number).__name__]
        found = function_of(f"math.{short}", form)(int(number.view(pattern)))
        return pattern(found).view(type(number))

    def apply_to_float(value: Any) -> float:
        number, found = float(value), float(apply(np.float64(value)))
        has_none = np.isnan(found) and not np.isnan(number)
        if has_none or (short == "log" and number == 0):
            raise ValueError("math domain error")
        if np.isinf(found) and not np.isinf(number):
            raise OverflowError("math range error")
        return found

    return apply_to_float if module == "math" else apply
