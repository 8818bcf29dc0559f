"""The names of the targets; `analysis.timing.targets` knows the rest of them."""

from __future__ import annotations

from typing import Literal

TargetName = Literal["ecp5", "ice40", "xc7", "generic"]
TARGET_NAMES: tuple[TargetName, ...] = ("ecp5", "ice40", "xc7", "generic")
"""The first is the default."""
