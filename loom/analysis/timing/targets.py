"""The devices that LOOM knows, and the clock period of each unless the user chooses one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A device: its name in options, its name in texts, and its default clock period [ns]."""

    name: str
    title: str
    period: float


ECP5 = Target("ecp5", "ECP5", 10.0)
