"""Watched calls of a kernel: arguments, results, and a check of each step."""

from __future__ import annotations

import ast
import copy
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from types import TracebackType
from typing import Any

import numpy as np

from loom.errors import LoomError, Place
from loom.frontend.python.read import Kernel
from loom.frontend.python.types import ArrayType, Scalar
from loom.model.bundles.activation import Activation
from loom.native.python.checks import Checks, WrongType
from loom.native.python.instrument import CHECKS, RECORD, instrument_file
from loom.native.python.numpy_types import (
    convert_arguments,
    encode_array,
    encode_scalar,
    find_dtype,
    is_exact,
)
from loom.native.recording import make_activation


@dataclass(frozen=True)
class Call:
    """The elements of one call's arguments before and after it, and its results."""

    before: dict[str, list[int]]
    after: dict[str, list[int]]
    results: tuple[int, ...]


def run_call(kernel: Kernel, run: Any, given: Mapping[str, Any]) -> tuple[Call, Any]:
    """One call of the watched function `run` with the arguments, and its result.

    Refused: steps that the circuit does not have, what the function raises (PY_RAISED), arrays
    that share elements which it writes (PY_OVERLAP).
    """
    before = encode_arguments(kernel, given)
    shared = [pair for pair in combinations(list_arrays(kernel), 2)
              if np.shares_memory(given[pair[0]], given[pair[1]])]  # fmt: skip
    try:
        with np.errstate(all="ignore"):
            result = run(**given)
    except (LoomError, WrongType):
        raise
    except Exception as error:
        raise make_run_error(error, kernel.source.file) from error
    results = encode_results(kernel, result)
    after = {name: each for name, each in encode_arguments(kernel, given).items()
             if name in list_arrays(kernel)}  # fmt: skip
    if shared and any(before[name] != each for name, each in after.items()):
        first, second = shared[0]
        what = f"a call of {kernel.name}, in which {first} and {second} share elements"
        accepted = "arrays that do not overlap where the kernel writes; a copy of one"
        raise LoomError("PY_OVERLAP", locate_kernel(kernel), what, accepted)
    return Call(before, after, results), result


def record_call(kernel: Kernel, names: Mapping[str, Any], given: Mapping[str, Any]) -> Activation:
    """One call of the kernel on copies of its arguments; `names` are those of its file."""
    program = instrument_file(kernel)
    file, functions = kernel.source.file, [*program.functions]
    tree = ast.fix_missing_locations(ast.Module([*functions], []))
    inside = {**names, CHECKS: Checks(program.steps), RECORD: None}
    exec(compile(tree, file, "exec", dont_inherit=True), inside)
    arguments = convert_arguments(kernel.parameters, given, locate_kernel(kernel))
    arguments = {name: copy.copy(value) for name, value in arguments.items()}
    found, _ = run_call(kernel, inside[program.kernel], arguments)
    return make_activation(found.before, found.after, found.results, "Python program")


def locate_kernel(kernel: Kernel) -> Place:
    """Where the kernel stands."""
    return Place(kernel.source.file, kernel.function.lineno, 1)


def list_arrays(kernel: Kernel) -> list[str]:
    """The names of the parameters that are arrays."""
    return [name for name, type_ in kernel.parameters if isinstance(type_, ArrayType)]


def encode_arguments(kernel: Kernel, given: Mapping[str, Any]) -> dict[str, list[int]]:
    """The bit patterns of all arguments."""
    return {
        name: encode_array(given[name], type_.element)
        if isinstance(type_, ArrayType)
        else [encode_scalar(given[name], type_)]
        for name, type_ in kernel.parameters
    }


def encode_results(kernel: Kernel, result: Any) -> tuple[int, ...]:
    """The bit patterns of the kernel's results."""
    values = result if isinstance(result, tuple) else () if result is None else (result,)
    if len(values) != len(kernel.results):
        what, accepted = f"a call that returns {result}", "a return at each end of the kernel"
        raise LoomError("PY_UNDEFINED", locate_kernel(kernel), what, accepted)
    return tuple(encode_result(*pair) for pair in zip(values, kernel.results, strict=True))


def encode_result(value: Any, scalar: Scalar) -> int:
    """The bit pattern of a result, whose type the watched kernel has checked."""
    assert isinstance(value, find_dtype(scalar)) or is_exact(value, scalar)
    return encode_scalar(value, scalar)


def make_run_error(error: Exception, file: str, code: str = "PY_RAISED") -> LoomError:
    """The error that a kernel or program raised, as a refusal of the file."""
    message = f": {error}" if str(error) else ""
    what = f"a run that raises {type(error).__name__}{message}"
    return LoomError(code, locate_error(error.__traceback__, file), what, "runs that do not")


def locate_frame(frames: Any, file: str) -> Place:
    """The innermost of the frames that is in the file."""
    for frame in reversed(frames):
        if frame.filename == file:
            return Place(file, frame.lineno or 1, (frame.colno or 0) + 1)
    return Place(file)


def locate_error(trace: TracebackType | None, file: str) -> Place:
    """Where in the file an error was raised."""
    return locate_frame(traceback.extract_tb(trace), file)
