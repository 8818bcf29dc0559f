"""The folder in which LOOM keeps what it has made, for one user."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """`$LOOM_CACHE`, else `$XDG_CACHE_HOME/loom`, else `~/.cache/loom`; it need not exist."""
    if os.environ.get("LOOM_CACHE"):
        return Path(os.environ["LOOM_CACHE"])
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "loom"
    return Path.home() / ".cache" / "loom"
