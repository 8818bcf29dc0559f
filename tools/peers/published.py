"""Cycles of kernels of a published table beside LOOM's, whose period and area are placed.

The others are Dynamatic's, its maintainers' report of 2025-09 (5 ns target): the better of two
columns, FPGA20 placement and on-merges. The kernels are ours, written
anew from their descriptions, at the same sizes, with inputs of our own: where cycles depend on the
inputs, the kernel is in `BY_INPUT`, and its ratio says less. Of gsum and gsumif one value in six is
added: the bounds published with them, 1052 and 1038 cycles for 1000 values with additions of six
cycles, leave room for no more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tools.peers.sides import Row
from tools.peers.table import figures, geometric_mean

CYCLES: Mapping[str, int] = {
    "fir_1000": 1010, "matvec_100": 11007, "matrix_30": 27944, "bicg_30": 948, "stencil_2d": 515,
    "video_filter": 949, "gaussian": 5834, "triangular": 133, "if_loop_1": 208,
    "threshold_1000": 6091, "vector_rescale": 6008, "two_scans": 210, "kmp_1000": 4715,
    "insertion_sort_30": 1420, "while_loop_1": 3614, "binary_gcd": 135, "spmv_csr": 83,
    "histogram_float": 2022, "gsum": 2251, "gsumif": 2212, "memory_1": 17, "memory_2": 17,
    "memory_3": 28, "memory_4": 17, "memory_5": 18, "memory_6": 19,
}  # fmt: skip
"""By kernel, the fewest cycles published."""
BY_INPUT = frozenset(
    ("two_scans", "kmp_1000", "insertion_sort_30", "while_loop_1", "binary_gcd", "spmv_csr",
     "histogram_float", "gsum", "gsumif", "threshold_1000", "if_loop_1", "memory_3")
)  # fmt: skip
"""Kernels whose cycles depend on their inputs."""
HEAD = (
    "| kernel | bound | **cycles** | **LUT4** | **FF** | **ns** | **us** | published cycles "
    "| LOOM's by published |",
    "|" + "---|" * 9,
)


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table of those kernels that are published, and its geometric means."""
    by_name = {row.name.removesuffix(".c"): row for row in rows}
    ratios: dict[str, float] = {}
    yield from HEAD
    for name, cycles in CYCLES.items():
        if name not in by_name:
            continue
        row = by_name[name]
        ratios[name] = row.ours.cycles / cycles
        mark = " *" if name in BY_INPUT else ""
        cells = [f"{name}{mark}", str(row.bound), *figures(row.ours)]
        yield f"| {' | '.join([*cells, str(cycles), f'{ratios[name]:.2f}'])} |"
    regular = [ratio for name, ratio in ratios.items() if name not in BY_INPUT]
    yield ""
    yield "(*) the cycles depend on the inputs, and ours are others."
    everything = geometric_mean(list(ratios.values()))
    yield f"Geometric mean of LOOM's by published: {everything:.2f} over all {len(ratios)},"
    yield f"{geometric_mean(regular):.2f} over the {len(regular)} that do not depend on inputs."
