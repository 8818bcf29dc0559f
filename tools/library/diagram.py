"""A timing diagram as SVG: clock, and valid, ready and data of every channel, cycle by cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tools.library.trace import Sample, Trace

LABEL, CELL, LANE, HIGH, GAP = 150, 38, 24, 15, 8
"""Of labels, cycles, lanes, waves, and between channels [px]."""
STYLE = (
    "text{font:11px monospace}.w{fill:none;stroke:#222}.t{fill:#cfe8cf}"
    ".b{fill:#eef;stroke:#222}.g{stroke:#ddd}"
)


def diagram(trace: Trace, widths: Mapping[str, int]) -> str:
    """The diagram of a trace; `widths` [bits] by channel. Cycles with a transfer are shaded."""
    cycles = len(next(iter(trace.values())))
    body: list[str] = []
    top = GAP
    body += lane("clk", "".join(clock(k, top) for k in range(cycles)), top)
    top += LANE + GAP
    for name, samples in trace.items():
        lanes = 3 if widths[name] else 2
        body += shading(samples, top, lanes * LANE)
        body += lane(f"{name} valid", wave([s.valid for s in samples], top), top)
        body += lane(f"{name} ready", wave([s.ready for s in samples], top + LANE), top + LANE)
        if widths[name]:
            body += [label(f"{name} data", top + 2 * LANE), *words(samples, top + 2 * LANE)]
        top += lanes * LANE + GAP
    lines = "".join(f'<path class="g" d="M{LABEL + k * CELL} 0V{top}"/>' for k in range(cycles + 1))
    size = f'width="{LABEL + cycles * CELL + GAP}" height="{top}"'
    back = f'<rect {size} fill="#fff"/>'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', f"<style>{STYLE}</style>", back, lines,
        *body, "</svg>", "",
    ])  # fmt: skip


def label(text: str, top: int) -> str:
    """The name of a lane."""
    return f'<text x="4" y="{top + HIGH - 3}">{escape(text)}</text>'


def lane(text: str, path: str, top: int) -> list[str]:
    """A named wave."""
    return [label(text, top), f'<path class="w" d="{path}"/>']


def clock(cycle: int, top: int) -> str:
    """One period: high, then low; the edge is at the beginning of a cycle."""
    left = LABEL + cycle * CELL
    return f"M{left} {top + HIGH}V{top}h{CELL // 2}v{HIGH}h{CELL // 2}"


def wave(levels: Sequence[bool], top: int) -> str:
    """A line that is up where a level is true."""
    heights = [top if level else top + HIGH for level in levels]
    steps = "".join(f"V{y}h{CELL}" for y in heights[1:])
    return f"M{LABEL} {heights[0]}h{CELL}{steps}"


def shading(samples: Sequence[Sample], top: int, height: int) -> Iterator[str]:
    """A mark behind every cycle in which a token is taken."""
    for k, sample in enumerate(samples):
        if sample.valid and sample.ready:
            yield f'<rect class="t" x="{LABEL + k * CELL}" y="{top - 2}" width="{CELL}" ' + (
                f'height="{height}"/>'
            )


def words(samples: Sequence[Sample], top: int) -> Iterator[str]:
    """A box with the datum for each cycle in which one is offered."""
    for k, sample in enumerate(samples):
        if sample.valid:
            left = LABEL + k * CELL
            yield f'<rect class="b" x="{left + 1}" y="{top}" width="{CELL - 2}" height="{HIGH}"/>'
            yield f'<text x="{left + 5}" y="{top + HIGH - 3}">{sample.data:x}</text>'
