"""Where a change is planted: in templates, in Python that runs here, in Python of the simulator.

Each is a context: at its end everything is as it was.
"""

from __future__ import annotations

import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from inspect import CO_NEWLOCALS
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any
from unittest import mock

from jinja2 import DictLoader, Environment
from loom_sim import harness

from loom.emit import render
from tests.planted_faults.change import Change, FaultNotFoundError
from tests.support.folders import ROOT


@contextmanager
def plant_in_template(change: Change) -> Iterator[None]:
    """Circuits are emitted with the change in a file of rtl_templates."""
    sound = render.environment()
    name = change.file.removeprefix("rtl_templates/")
    files = {
        file.relative_to(render.template_folder()).as_posix(): file.read_text(encoding="utf-8")
        for file in render.template_folder().rglob("*.j2")
    }
    faulty: Environment = sound.overlay(loader=DictLoader({**files, name: change.text()}))
    with mock.patch.object(render, "environment", lambda: faulty):
        yield


@contextmanager
def plant_in_harness(change: Change) -> Iterator[None]:
    """The harness is rendered with the change in one of its files."""
    with tempfile.TemporaryDirectory(prefix="loom-planted-") as name:
        folder = Path(name)
        for file in (ROOT / change.file).parent.glob("*.*"):
            if file.is_file():
                shutil.copy2(file, folder)
        (folder / Path(change.file).name).write_text(change.text(), encoding="utf-8")
        with mock.patch.object(harness, "TEMPLATES", folder):
            yield


@contextmanager
def plant_in_python(change: Change) -> Iterator[None]:
    """Every function of a module runs as the changed text says, wherever it has been imported.

    Refused: a change that is in no function, for what has run cannot run anew.
    """
    file = ROOT / change.file
    module = importlib.import_module(module_name(change.file))
    text = file.read_text(encoding="utf-8")
    sound, faulty = functions_of(text, file), functions_of(change.apply(text), file)
    changed = [name for name, code in faulty.items() if code != sound.get(name)]
    if not changed or sound.keys() != faulty.keys():
        raise FaultNotFoundError(f"{change.file}: a change that is in no function: {change.new}")
    before: list[tuple[FunctionType, CodeType]] = []
    try:
        for name in changed:
            function = function_named(module, name)
            before.append((function, function.__code__))
            function.__code__ = faulty[name]
        yield
    finally:
        for function, code in before:
            function.__code__ = code


@contextmanager
def plant_in_simulator(change: Change) -> Iterator[None]:
    """The Python inside of the simulator imports a copy of `loom_sim` with the change."""
    with tempfile.TemporaryDirectory(prefix="loom-planted-") as name:
        package = Path(name) / "loom_sim"
        package.mkdir()
        for file in (ROOT / "sim/loom_sim").glob("*.py"):
            shutil.copy2(file, package)
        (package / Path(change.file).name).write_text(change.text(), encoding="utf-8")
        with mock.patch.object(sys, "path", [name, *sys.path]):
            yield


def module_name(file: str) -> str:
    """The module that a file of the tree is."""
    return file.removeprefix("sim/").removesuffix(".py").replace("/", ".")


def functions_of(text: str, file: Path) -> dict[str, CodeType]:
    """Qualified name to code of the functions of a module's text and of its classes."""
    found: dict[str, CodeType] = {}
    left: list[object] = [compile(text, str(file), "exec")]
    while left:
        code = left.pop()
        if not isinstance(code, CodeType):
            continue
        if code.co_flags & CO_NEWLOCALS:
            found[code.co_qualname] = code
        else:
            # A module or the body of a class; functions inside of functions are in their codes.
            left += code.co_consts
    return found


def function_named(module: Any, name: str) -> FunctionType:
    """The function of that qualified name, behind its decorators."""
    *owners, last = name.split(".")
    owner = module
    for each in owners:
        owner = getattr(owner, each)
    found: Any = vars(owner)[last]
    if isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property):
        found = found.func
    elif isinstance(found, staticmethod | classmethod):
        found = found.__func__
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    assert isinstance(found, FunctionType), name
    return found
