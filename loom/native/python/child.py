"""``python -m loom.native.python.child``: run a file and record what its kernel does.

Arguments: FILE KERNEL TEXT RECORD MOST ELEMENTS. The file, whose text is in TEXT, runs as a program
of its own; each call of the kernel runs watched, and the first MOST are kept. RECORD is a JSON
object with the calls, their number, and the problem that ended the run, if any.
"""

from __future__ import annotations

import inspect
import json
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place
from loom.frontend.python.read import Kernel, read_python
from loom.input_files import read_text
from loom.native.python.checks import Checks, WrongType
from loom.native.python.instrument import CHECKS, RECORD, instrument_file
from loom.native.python.numpy_types import convert_arguments
from loom.native.python.watch import Call, locate_frame, make_run_error, run_call
from loom.native.run_options import format_elements

FRAMES = 8000
"""Python's recursion limit, as in the command."""


class Recorder:
    """Takes the kernel's place: each call runs watched, and is kept."""

    def __init__(self, kernel: Kernel, most: int, elements: int) -> None:
        self.kernel = kernel
        self.most = most
        self.elements = self.elements_left = elements
        """Elements that may be recorded."""
        self.calls: list[Call] = []
        self.count = 0
        self.names: dict[str, Any] = {}
        self.problem: LoomError | None = None
        """The first refusal, which ends the run though the file may catch it."""
        program = instrument_file(kernel)
        self.tree, self.watched = program.tree, program.kernel
        self.checks = Checks(program.steps)

    def count_elements(self, call: Call, place: Place) -> None:
        """Return if there is room for the call in the recording (PY_LIMIT)."""
        self.elements_left -= sum(map(len, (*call.before.values(), *call.after.values())))
        if self.elements_left < 0:
            what = "calls with more elements than a recording holds"
            error = LoomError("PY_LIMIT", place, what, format_elements(self.elements))
            self.problem = self.problem or error
            raise error

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function that stands in the kernel's place, under its name."""
        signature = inspect.signature(function)

        def recorded(*given: Any, **named: Any) -> Any:
            place = locate_frame(traceback.extract_stack()[:-1], self.kernel.source.file)
            bound = signature.bind(*given, **named).arguments
            try:
                arguments = convert_arguments(self.kernel.parameters, bound, place)
                call, result = run_call(self.kernel, self.names[self.watched], arguments)
            except LoomError as error:
                self.problem = self.problem or error
                raise
            self.count += 1
            if len(self.calls) < self.most:
                self.calls.append(call)
                self.count_elements(call, place)
            return result

        return recorded


def run_file(file: str, top: str, text: str, most: int, elements: int) -> dict[str, object]:
    """The recording of the file's run."""
    recorder = Recorder(read_python(read_text(text), file, top=top).kernel, most, elements)
    names = recorder.names
    names.update({"__name__": "__main__", "__file__": file, "__builtins__": __builtins__,
                  CHECKS: recorder.checks, RECORD: recorder})  # fmt: skip
    sys.argv = [file]
    sys.path.insert(0, str(Path(file).resolve().parent))
    problem: LoomError | None = None
    note = ""
    try:
        exec(compile(recorder.tree, file, "exec", dont_inherit=True), names)
        if not recorder.count and callable(names.get("main")):
            names["main"]()
    except SystemExit as stop:
        if stop.code not in (None, 0):
            note = f"the program ended with {stop.code}"
    except LoomError as error:
        problem = error
    except WrongType:
        raise
    except Exception as error:
        problem = make_run_error(error, file, "PY_CRASHED")
    return format_recording(recorder, recorder.problem or problem, note)


def format_recording(recorder: Recorder, problem: LoomError | None, note: str) -> dict[str, object]:
    """The recording as `record.py` reads it."""
    refusal = None
    if problem is not None:
        refusal = {"code": problem.code, "where": asdict(problem.where), "what": problem.what,
                   "accepted": problem.accepted}  # fmt: skip
    calls = [] if problem is not None else [asdict(call) for call in recorder.calls]
    return {"calls": calls, "count": recorder.count, "problem": refusal, "note": note}


def main() -> None:
    """Run the file of the command line."""
    sys.setrecursionlimit(FRAMES)
    file, top, text, record, most, elements = sys.argv[1:]
    found = run_file(file, top, text, int(most), int(elements))
    Path(record).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
