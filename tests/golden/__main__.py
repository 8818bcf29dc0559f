"""``python -m tests.golden`` writes the golden SystemVerilog anew; read the difference."""

from __future__ import annotations

import shutil

from loom.emit import emit, write_files
from tests.golden.designs import DESIGNS, FOLDER

for design in DESIGNS:
    shutil.rmtree(FOLDER / design.name, ignore_errors=True)
    write_files(FOLDER / design.name, emit(design))
