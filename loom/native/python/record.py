"""The calls that a Python program makes of its kernel, as activations of the circuit."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

from loom.errors import LoomError, Place
from loom.frontend.python.read import Kernel, read_python
from loom.native.recording import MOST_CALLS, Recording, make_activation, note_omitted_calls
from loom.native.run_options import (
    DEFAULTS,
    RunOptions,
    refuse_excess,
    refuse_long_record,
    refuse_run,
)
from loom.processes.child import KEEP_ERRORS, run_child
from loom.processes.unwind import scratch_folder


def record_python(
    text: str, file: str, top: str | None, most: int | None = None, options: RunOptions = DEFAULTS
) -> Recording | None:
    """Run the file as a program and keep the first `most` calls of the kernel; None if none runs.

    Refused: steps that the circuit does not have (PY_OVERFLOW, PY_INDEX, PY_UNDEFINED, PY_RAISED),
    arrays that share elements which the kernel writes (PY_OVERLAP), no call at all (PY_NO_CALLS), a
    program that raises (PY_CRASHED), does not end (PY_TIMEOUT) or goes beyond another limit
    (PY_LIMIT), any run where none is allowed (PY_NO_RUN).
    """
    kernel = read_python(text, file, top=top).kernel
    if not has_program(kernel):
        return None
    refuse_run(options, file, "PY_NO_RUN", "a program")
    require_numpy()
    found = run_kernel(kernel, MOST_CALLS if most is None else most, options)
    refusal = found["problem"]
    if refusal is not None:
        place = Place(**refusal["where"])
        raise LoomError(refusal["code"], place, refusal["what"], refusal["accepted"])
    calls, count = found["calls"], found["count"]
    if count == 0:
        what = f"a program that never calls {kernel.name}"
        accepted = "programs that call the kernel; or --inputs BUNDLE.json"
        raise LoomError("PY_NO_CALLS", Place(file), what, accepted)
    notes = [found["note"]] if found["note"] else []
    notes += note_omitted_calls(len(calls), count)
    activations = tuple(
        make_activation(call["before"], call["after"], tuple(call["results"]), "Python program")
        for call in calls
    )
    return Recording(kernel.name, activations, count, tuple(notes))


def has_program(kernel: Kernel) -> bool:
    """True if the file does more than define: it names the kernel or __name__, or has a main()."""
    source = kernel.source
    outside = [each for each in source.tree.body if not isinstance(each, ast.FunctionDef)]
    names = {node.id for each in outside for node in ast.walk(each) if isinstance(node, ast.Name)}
    return bool({kernel.name, "__name__"} & names) or "main" in source.functions


def require_numpy() -> None:
    """Refused: PY_NO_NUMPY where NumPy is missing."""
    if importlib.util.find_spec("numpy") is None:
        what, accepted = "no module numpy", "an installation with the extra `python`: pip install "
        raise LoomError("PY_NO_NUMPY", Place("loom"), what, accepted + "'loom-hls[python]'")


def run_kernel(kernel: Kernel, most: int, options: RunOptions) -> dict[str, Any]:
    """The recording of the program's run, which a process of its own makes."""
    file = kernel.source.file
    paths = [str(Path(__file__).resolve().parents[3]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in paths if each)}
    with scratch_folder("loom-run-") as folder:
        answer, text = folder / "record.json", folder / "kernel.py"
        text.write_text(kernel.source.text, encoding="utf-8")
        command = [sys.executable, "-P", "-m", "loom.native.python.child", file, kernel.name,
                   str(text), str(answer), str(most), str(options.elements)]  # fmt: skip
        done = run_child(command, None, environment, options.limits, streams=KEEP_ERRORS)
        refuse_excess(done, options, file, "a program", ("PY_TIMEOUT", "PY_LIMIT"))
        if answer.exists():
            refuse_long_record(answer.stat().st_size, options, file, "PY_LIMIT")
            found = parse_record(answer.read_bytes())
            if found is not None:
                return found
        message = done.output.strip().split("\n")[-1]
        assert "WrongType" not in message, message
        what = f"a program that ended with status {done.status}: {message}"
        raise LoomError("PY_CRASHED", Place(file), what, "programs that end by themselves")


def parse_record(data: bytes) -> dict[str, Any] | None:
    """The recording, or None of one that is not whole: the program may have written to it."""
    try:
        found = json.loads(data)
    except ValueError:
        return None
    names = {"calls", "count", "problem", "note"}
    return found if isinstance(found, dict) and names <= found.keys() else None
