"""``loom new``: a folder with a first kernel, its loom.toml, and what to do with it."""

from __future__ import annotations

import argparse
import keyword
import re
from pathlib import Path

from loom.errors import LoomError, Place
from loom.front.command_parser import ValueKind
from loom.front.verbs import MATCH

IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,60}")
RESERVED = frozenset(
    "auto break case char const continue default do double else enum extern float goto inline "
    "int long main module register restrict return short signed sizeof static struct switch "
    "typedef union unsigned void volatile".split()
)
"""Names that C has, or that no module may have."""
C = """// The sum of the products of two arrays. `loom sim` replays the calls of main() in RTL.
int {name}(const int x[64], const int y[64]) {{
  int sum = 0;
  for (int i = 0; i < 64; i++)
    sum += x[i] * y[i];
  return sum;
}}

int main(void) {{
  int x[64], y[64];
  for (int i = 0; i < 64; i++) {{
    x[i] = i;
    y[i] = 2 * i;
  }}
  return {name}(x, y) == 170688 ? 0 : 1;
}}
"""
PYTHON = '''"""The sum of the products of two arrays. `loom sim` replays the call below in RTL."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

Numbers = Annotated[NDArray[np.int32], 64]


@loom.kernel
def {name}(x: Numbers, y: Numbers) -> np.int32:
    total = np.int32(0)
    for i in range(64):
        total += x[i] * y[i]
    return total


if __name__ == "__main__":
    numbers = np.arange(64, dtype=np.int32)
    assert {name}(numbers, 2 * numbers) == 170688
'''
SETTINGS = """# What `loom regress` expects of the kernels here (docs/regress.md).
[defaults]
timeout = 120

[kernels.{name}]
expect = "match"
"""
README = """# {name}

    loom sim {file}                       # the program, the token model and the RTL must agree
    loom compile {file} -o out            # SystemVerilog in out/rtl
    loom explore {file}                   # which options give which time and area
    loom regress .                        # every kernel of this folder
    loom regress . --baseline baseline.json --update
    loom regress . --baseline baseline.json     # fails where cycles or area grew
"""
LANGUAGES = {"c": (".c", C), "python": (".py", PYTHON)}


def read_name(text: str) -> str:
    """The name of a kernel; ValueError for what no function in C and Python is called."""
    if not IDENTIFIER.fullmatch(text) or text in RESERVED or keyword.iskeyword(text):
        raise ValueError
    return text


NAME = ValueKind(read_name, "a small letter, then small letters, digits and _: no keyword")


def new(options: argparse.Namespace) -> int:
    """``loom new``."""
    file = write_kernel(Path(options.name), options.name, options.language)
    print(f"a kernel in {options.name}: cd {options.name}, then loom sim {file}")
    return MATCH


def write_kernel(folder: Path, name: str, language: str) -> str:
    """The folder has a kernel, whose file is returned, its loom.toml and a README.

    Refused (NEW_TAKEN): a place where something stands.
    """
    from loom.emit.files import write_files

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        what = "a place where something stands"
        raise LoomError("NEW_TAKEN", Place(str(folder)), what, "a new folder, or an empty one")
    end, kernel = LANGUAGES[language]
    file = name + end
    texts = {file: kernel, "loom.toml": SETTINGS, "README.md": README}
    write_files(folder, {n: text.format(name=name, file=file) for n, text in texts.items()})
    return file
