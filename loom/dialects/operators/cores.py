"""Cores of the user's: templates that take the place of an operator's own, or of none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from loom.dialects.operators.operator import Operator, Shape

ANY = ""
"""Stands for every format, and for operators that have none."""


@dataclass(frozen=True)
class Core:
    """A template for one operator: its file, its text, and its latencies by format [cycles]."""

    file: str
    text: str
    latencies: Mapping[str, int]

    def latency_of(self, shape: Shape) -> int | None:
        """The latency of an instance [cycles], None for a format that the core is not for."""
        return self.latencies.get(str(shape.attributes.get("format")), self.latencies.get(ANY))


Cores = Mapping[str, Core]
"""Cores by the operator's name."""


def computed_by(operator: Operator, shape: Shape, cores: Cores) -> Operator:
    """The operator of one instance, with the core that computes it if there is one."""
    core = cores.get(operator.name)
    latency = None if core is None else core.latency_of(shape)
    if core is None or latency is None:
        return operator
    # What the operator's own templates leave open is not open here.
    hardware = replace(
        operator.hardware,
        template=core.file,
        core=core.text,
        latency=latency,
        interval=1,
        forms={},
        with_constants="",
    )
    return replace(operator, hardware=hardware)
