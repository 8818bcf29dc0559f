"""The examples once more in plain Python, and the inputs that their bundles hold.

``python -m tests.judges.oracles`` writes ``examples/*.json``; a test fails when they are stale.
Nothing of loom is used here: these are the second opinion on the reference interpreter.
"""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.judges.float_kernels import (
    dot_f32,
    draw_dot,
    draw_polynomial,
    draw_smooth,
    newton_f32,
    polynomial_f64,
    single,
    smooth_f16,
)
from tests.judges.memory_kernels import (
    bicg,
    draw_bicg,
    draw_patterns,
    draw_rescale,
    draw_stencil,
    draw_triangular,
    draw_video,
    memory_patterns,
    stencil_2d,
    triangular,
    vector_rescale,
    video_filter,
)
from tests.support.folders import EXAMPLES

Inputs = dict[str, Any]
Expected = dict[str, Any]
MASK32 = (1 << 32) - 1


def signed(value: int, width: int) -> int:
    value %= 1 << width
    return value - (1 << width) if value >> (width - 1) else value


@dataclass(frozen=True)
class Oracle:
    """Draws inputs and says what comes out."""

    draw: Callable[[random.Random], list[Inputs]]
    run: Callable[..., Expected]


def words(rng: random.Random, count: int, low: int, high: int) -> list[int]:
    return [rng.randint(low, high) for _ in range(count)]


def scalars(*rows: Inputs) -> Callable[[random.Random], list[Inputs]]:
    return lambda _: list(rows)


def arrays(**sizes: tuple[int, int, int]) -> Callable[[random.Random], list[Inputs]]:
    def draw(rng: random.Random) -> list[Inputs]:
        return [{name: words(rng, *size) for name, size in sizes.items()} for _ in range(2)]

    return draw


def results(*values: int) -> Expected:
    return {"results": list(values)}


def memories(**values: list[int]) -> Expected:
    return {"memories": values}


def fir(samples: list[int], taps: list[int]) -> Expected:
    total = sum(s * t for s, t in zip(samples, reversed(taps), strict=True))
    return results(signed(total, 32))


def vecadd(a: list[int], b: list[int], c: list[int]) -> Expected:
    return memories(c=[x + y for x, y in zip(a, b, strict=True)])


def gcd(a: int, b: int) -> Expected:
    while b:
        a, b = b, a % b
    return results(a)


def matvec(m: list[int], v: list[int], out: list[int]) -> Expected:
    return memories(out=[sum(m[20 * i + j] * v[j] for j in range(20)) for i in range(20)])


def matmul(a: list[int], b: list[int], c: list[int]) -> Expected:
    cell = lambda i, j: sum(a[8 * i + k] * b[8 * k + j] for k in range(8))  # noqa: E731
    return memories(c=[cell(i, j) for i in range(8) for j in range(8)])


def histogram(feature: list[int], weight: list[int], bins: list[int]) -> Expected:
    bins = list(bins)
    for f, w in zip(feature, weight, strict=True):
        bins[f] += w
    return memories(bins=bins)


def failure_table(pattern: list[int]) -> list[int]:
    table = [0] * len(pattern)
    for q in range(1, len(pattern)):
        k = table[q - 1]
        while k and pattern[k] != pattern[q]:
            k = table[k - 1]
        table[q] = k + (pattern[k] == pattern[q])
    return table


def draw_kmp(rng: random.Random) -> list[Inputs]:
    rows: list[Inputs] = []
    for pattern in ([1, 2, 1, 2], [1, 1, 1, 1], [2, 1, 1, 2]):
        text = words(rng, 96, 1, 2)
        rows.append({"pattern": pattern, "failure": failure_table(pattern), "text": text})
    return rows


def kmp(pattern: list[int], failure: list[int], text: list[int]) -> Expected:
    return results(sum(text[k : k + 4] == pattern for k in range(len(text) - 3)))


def insertion_sort(a: list[int]) -> Expected:
    return memories(a=sorted(a))


def draw_sort(rng: random.Random) -> list[Inputs]:
    return [{"a": words(rng, 16, -99, 99)}, {"a": list(range(16))}, {"a": list(range(16, 0, -1))}]


def draw_spmv(rng: random.Random) -> list[Inputs]:
    rows: list[Inputs] = []
    for starts in ([0, 2, 2, 5, 9, 9, 12, 16, 20, 21, 24], [0] * 10 + [3]):
        rows.append(
            {
                "rows": starts,
                "columns": words(rng, 24, 0, 9),
                "values": words(rng, 24, -50, 50),
                "x": words(rng, 10, -50, 50),
                "y": [0] * 10,
            }
        )
    return rows


def spmv(
    rows: list[int], columns: list[int], values: list[int], x: list[int], y: list[int]
) -> Expected:
    spans = [range(rows[i], rows[i + 1]) for i in range(10)]
    return memories(y=[sum(values[k] * x[columns[k]] for k in span) for span in spans])


def draw_triangle(rng: random.Random) -> list[Inputs]:
    return [{"n": n, "a": words(rng, 12, -9, 9)} for n in (0, 1, 2, 12)]


def triangle(n: int, a: list[int]) -> Expected:
    a, total = list(a), 0
    for i in range(n):
        a[i] = sum(a[:i])
        total += a[i]
    return {"results": [total], "memories": {"a": a}}


def draw_threshold(rng: random.Random) -> list[Inputs]:
    planes = lambda: {p: words(rng, 64, 0, 255) for p in "rgb"}  # noqa: E731
    return [{**planes(), "limit": limit} for limit in (380, 0, 800)]


def threshold(r: list[int], g: list[int], b: list[int], limit: int) -> Expected:
    keep = [x + y + z > limit for x, y, z in zip(r, g, b, strict=True)]
    planes = {
        name: [x if k else 0 for x, k in zip(plane, keep, strict=True)]
        for name, plane in (("r", r), ("g", g), ("b", b))
    }
    return {"results": [sum(keep)], "memories": planes}


def draw_search(rng: random.Random) -> list[Inputs]:
    a = rng.sample(range(-1000, 1000), 32)
    return [{"a": a, "key": key} for key in (a[0], a[17], a[31], 5000)]


def linear_search(a: list[int], key: int) -> Expected:
    return results(a.index(key) if key in a else -1)


def checksum(bytes: list[int], mask: list[int]) -> Expected:
    low = high = wide = 0
    for byte, selected in zip(bytes, mask, strict=True):
        if selected:
            low = (low + byte) % 255 if low + byte >= 255 else low + byte
            high = high + low - 255 if high + low >= 255 else high + low
            wide = wide * 3 + signed(byte, 8)
    return results(signed(high << 8 | low, 16), signed(wide, 64))


def collatz(n: int) -> Expected:
    steps = 0
    while n > 1:
        n, steps = (3 * n + 1 if n % 2 else n // 2), steps + 1
    return results(steps)


def draw_crc32(rng: random.Random) -> list[Inputs]:
    check = [*b"123456789", 0, 0, 0, 0, 0, 0, 0]
    return [
        {"data": check, "length": 9},
        {"data": words(rng, 16, 0, 255), "length": 16},
        {"data": check, "length": 0},
    ]


def crc32(data: list[int], length: int) -> Expected:
    return results(zlib.crc32(bytes(data[:length])))


def blur(image: list[int], out: list[int]) -> Expected:
    pixel = lambda y, x: image[12 * (y + 1) + x + 2]  # noqa: E731
    found = []
    for i in range(6):
        for j in range(8):
            total = sum(pixel(i + di, j + dj) for di in range(3) for dj in range(3))
            found.append(int(total / 9))
    return memories(out=found)


def window(image: list[int], out: list[int]) -> Expected:
    weights = (1, 2, 1)
    found = []
    for i in range(8):
        for j in range(10):
            total = sum(
                weights[di] * weights[dj] * image[12 * (i + di) + j + dj]
                for di in range(3)
                for dj in range(3)
            )
            found.append(total >> 4)
    return memories(out=found)


def bits(n: int, seed: int) -> Expected:
    ones, x = 0, seed % (1 << 32)
    for i in range(0, n % 256, 3):
        x = (x * 0x9E3779B9) & MASK32 ^ i
        ones += bin(x).count("1") + 32 - x.bit_length()
    return results(ones, x)


def draw_clamp(rng: random.Random) -> list[Inputs]:
    return [{"a": words(rng, 20, -500, 500), "low": -100, "high": high} for high in (100, -200)]


def clamp_sum(a: list[int], low: int, high: int) -> Expected:
    clamped = [min(max(x, low), high) for x in a]
    return results(sum(2 * x if x < 0 else x for x in clamped))


def draw_digits(_: random.Random) -> list[Inputs]:
    return [{"number": number, "out": [0] * 10} for number in (0, 7, 90125, MASK32)]


def digits(number: int, out: list[int]) -> Expected:
    found = [int(digit) for digit in reversed(str(number))]
    return {
        "results": [len(found)],
        "memories": {"out": found + [0] * (10 - len(found))},
    }


def fibonacci(n: int) -> Expected:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return results(a)


def draw_bfs(_: random.Random) -> list[Inputs]:
    first = [0, 2, 5, 7, 9, 11, 13, 15, 16]
    edges = [1, 2, 0, 3, 4, 0, 5, 1, 4, 1, 3, 2, 6, 5, 7, 6]
    return [{"first": first, "edges": edges, "root": root, "level": [9] * 8} for root in (0, 7)] + [
        {"first": [0] * 9, "edges": [0] * 16, "root": 3, "level": [0] * 8}
    ]


def bfs(first: list[int], edges: list[int], root: int, level: list[int]) -> Expected:
    level, frontier, depth = [-1] * 8, [root], 0
    while frontier:
        for node in frontier:
            level[node] = depth
        around = {e for node in frontier for e in edges[first[node] : first[node + 1]]}
        frontier, depth = [node for node in around if level[node] < 0], depth + 1
    return memories(level=level)


ORACLES: dict[str, Oracle] = {
    "absolute_difference": Oracle(
        scalars({"a": 3, "b": 10}, {"a": 10, "b": 3}, {"a": -5, "b": 5}, {"a": 4, "b": 4}),
        lambda a, b: results(abs(a - b)),
    ),
    "add": Oracle(
        scalars({"a": 1, "b": 2}, {"a": -7, "b": 3}, {"a": 2**31 - 1, "b": 1}),
        lambda a, b: results(signed(a + b, 32)),
    ),
    "bfs": Oracle(draw_bfs, bfs),
    "bicg": Oracle(draw_bicg, bicg),
    "bits": Oracle(
        scalars({"n": 0, "seed": 5}, {"n": 1, "seed": -1}, {"n": 250, "seed": 12345}), bits
    ),
    "blur": Oracle(arrays(image=(120, -40, 255), out=(48, 0, 0)), blur),
    "checksum": Oracle(arrays(bytes=(40, 0, 255), mask=(40, 0, 1)), checksum),
    "clamp_sum": Oracle(draw_clamp, clamp_sum),
    "collatz": Oracle(scalars({"n": 1}, {"n": 6}, {"n": 27}), collatz),
    "crc32": Oracle(draw_crc32, crc32),
    "digits": Oracle(draw_digits, digits),
    "dot_f32": Oracle(draw_dot, dot_f32),
    "fibonacci": Oracle(scalars({"n": 0}, {"n": 1}, {"n": 2}, {"n": 90}), fibonacci),
    "fir": Oracle(arrays(samples=(100, -1000, 1000), taps=(100, -1000, 1000)), fir),
    "gcd": Oracle(scalars({"a": 1071, "b": 462}, {"a": 7, "b": 7}, {"a": 1, "b": 9}), gcd),
    "histogram": Oracle(
        arrays(feature=(64, 0, 15), weight=(64, -100, 100), bins=(16, 0, 5)), histogram
    ),
    "insertion_sort": Oracle(draw_sort, insertion_sort),
    "kmp": Oracle(draw_kmp, kmp),
    "linear_search": Oracle(draw_search, linear_search),
    "matmul": Oracle(arrays(a=(64, -99, 99), b=(64, -99, 99), c=(64, 0, 0)), matmul),
    "matvec": Oracle(arrays(m=(400, -99, 99), v=(20, -99, 99), out=(20, 0, 0)), matvec),
    "memory_patterns": Oracle(draw_patterns, memory_patterns),
    "newton_f32": Oracle(
        scalars(*({"x": x} for x in (2.0, 0.0, 1.0, single(1e30), single(1e-38), "inf"))),
        newton_f32,
    ),
    "polynomial_f64": Oracle(draw_polynomial, polynomial_f64),
    "reverse": Oracle(arrays(a=(24, -999, 999)), lambda a: memories(a=a[::-1])),
    "smooth_f16": Oracle(draw_smooth, smooth_f16),
    "spmv": Oracle(draw_spmv, spmv),
    "stencil_2d": Oracle(draw_stencil, stencil_2d),
    "threshold": Oracle(draw_threshold, threshold),
    "triangle": Oracle(draw_triangle, triangle),
    "triangular": Oracle(draw_triangular, triangular),
    "vecadd": Oracle(arrays(a=(100, -999, 999), b=(100, -999, 999), c=(100, 0, 0)), vecadd),
    "vector_rescale": Oracle(draw_rescale, vector_rescale),
    "video_filter": Oracle(draw_video, video_filter),
    "window": Oracle(arrays(image=(120, -40, 255), out=(80, 0, 0)), window),
}


def bundle_text(name: str) -> str:
    """The bundle of one example: inputs drawn from the name, outputs from the oracle."""
    oracle = ORACLES[name]
    rows = [
        {"inputs": inputs, "expected": oracle.run(**inputs)}
        for inputs in oracle.draw(random.Random(name))
    ]
    return "[\n" + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n]\n"


def main() -> None:
    """Write every bundle."""
    for name in ORACLES:
        (EXAMPLES / f"{name}.json").write_text(bundle_text(name))


if __name__ == "__main__":
    main()
