"""Watched calls of a kernel: what goes in, what comes out, and that each step has its type."""

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
from loom.native.python.instrument import RECORD, watched
from loom.native.python.numpy_types import dtype_of, is_exact, taken, word_of, words_of
from loom.native.python.record import activation_of
from loom.native.python.steps import CHECKS


@dataclass(frozen=True)
class Call:
    """The words of one call: before it, after it, and its results."""

    before: dict[str, list[int]]
    after: dict[str, list[int]]
    results: tuple[int, ...]


def call_of(kernel: Kernel, run: Any, given: Mapping[str, Any]) -> tuple[Call, Any]:
    """What the watched function `run` does with the arguments, and its result.

    Refused: steps that the circuit does not have, what the function raises (PY_RAISED), arrays
    that share words which it writes (PY_OVERLAP).
    """
    before = words(kernel, given)
    shared = [pair for pair in combinations(arrays_of(kernel), 2)
              if np.shares_memory(given[pair[0]], given[pair[1]])]  # fmt: skip
    try:
        with np.errstate(all="ignore"):
            result = run(**given)
    except (LoomError, WrongType):
        raise
    except Exception as error:
        raise raised(error, kernel.source.file) from error
    found = results(kernel, result)
    after = {name: each for name, each in words(kernel, given).items()
             if name in arrays_of(kernel)}  # fmt: skip
    if shared and any(before[name] != each for name, each in after.items()):
        first, second = shared[0]
        what = f"a call of {kernel.name}, in which {first} and {second} share words"
        accepted = "arrays that do not overlap where the kernel writes; a copy of one"
        raise LoomError("PY_OVERLAP", place_of(kernel), what, accepted)
    return Call(before, after, found), result


def watched_call(kernel: Kernel, names: Mapping[str, Any], given: Mapping[str, Any]) -> Activation:
    """One call of the kernel on copies of its arguments; `names` are those of its file."""
    program = watched(kernel)
    file, functions = kernel.source.file, [*program.functions]
    tree = ast.fix_missing_locations(ast.Module([*functions], []))
    inside = {**names, CHECKS: Checks(program.steps), RECORD: None}
    exec(compile(tree, file, "exec", dont_inherit=True), inside)
    mine = taken(kernel.parameters, given, place_of(kernel))
    mine = {name: copy.copy(value) for name, value in mine.items()}
    found, _ = call_of(kernel, inside[program.kernel], mine)
    return activation_of(found.before, found.after, [*found.results])


def place_of(kernel: Kernel) -> Place:
    """Where the kernel stands."""
    return Place(kernel.source.file, kernel.function.lineno, 1)


def arrays_of(kernel: Kernel) -> list[str]:
    """The names of the parameters that are arrays."""
    return [name for name, form in kernel.parameters if isinstance(form, ArrayType)]


def words(kernel: Kernel, given: Mapping[str, Any]) -> dict[str, list[int]]:
    """The words of all arguments."""
    return {
        name: words_of(given[name], form.element)
        if isinstance(form, ArrayType)
        else [word_of(given[name], form)]
        for name, form in kernel.parameters
    }


def results(kernel: Kernel, result: Any) -> tuple[int, ...]:
    """The words of the kernel's results."""
    values = result if isinstance(result, tuple) else () if result is None else (result,)
    if len(values) != len(kernel.results):
        what, accepted = f"a call that returns {result}", "a return at each end of the kernel"
        raise LoomError("PY_UNDEFINED", place_of(kernel), what, accepted)
    return tuple(word(*pair) for pair in zip(values, kernel.results, strict=True))


def word(value: Any, scalar: Scalar) -> int:
    """The word of a result, which the watched kernel has settled."""
    assert isinstance(value, dtype_of(scalar)) or is_exact(value, scalar)
    return word_of(value, scalar)


def raised(error: Exception, file: str, code: str = "PY_RAISED") -> LoomError:
    """What a kernel or program raised, as a problem of the file."""
    told = f": {error}" if str(error) else ""
    what = f"a run that raises {type(error).__name__}{told}"
    return LoomError(code, place_of_error(error.__traceback__, file), what, "runs that do not")


def place_in_file(frames: Any, file: str) -> Place:
    """The innermost of the frames that is in the file."""
    for frame in reversed(frames):
        if frame.filename == file:
            return Place(file, frame.lineno or 1, (frame.colno or 0) + 1)
    return Place(file)


def place_of_error(trace: TracebackType | None, file: str) -> Place:
    """Where in the file an error was raised."""
    return place_in_file(traceback.extract_tb(trace), file)
