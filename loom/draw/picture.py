"""What is drawn: boxes in nested frames, and lines between boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["compute", "memory", "steer", "buffer", "port"]
"""What a box does: it computes, serves a memory, steers tokens, holds them, or is a port."""


@dataclass(frozen=True)
class Frame:
    """A loop, a branch or a function around boxes; `parent` is the frame around it."""

    name: str
    title: str
    parent: str = ""


@dataclass(frozen=True)
class Box:
    """A unit, an operation or a port; `lines` are its text, `line` that of the source, or 0."""

    name: str
    lines: tuple[str, ...]
    kind: Kind
    frame: str = ""
    line: int = 0


@dataclass(frozen=True)
class Line:
    """A channel or a use of a value: `type` as text, `is_control` where it carries no data."""

    source: str
    target: str
    name: str
    type: str
    is_control: bool = False


@dataclass(frozen=True)
class Picture:
    """Everything that a drawing shows, in the order of the circuit or program."""

    title: str
    frames: tuple[Frame, ...]
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
