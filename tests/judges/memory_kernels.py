"""Oracles of the examples whose turns meet in memory, or just do not, in plain Python."""

from __future__ import annotations

import random
from typing import Any

Inputs = dict[str, Any]
Expected = dict[str, Any]
SIDE = 16
"""Rows and columns of the images and matrices here."""


def wrapped(value: int) -> int:
    """The number as 32 bits hold it."""
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)


def words(rng: random.Random, count: int, most: int) -> list[int]:
    """Words from minus `most` to `most`."""
    return [rng.randint(-most, most) for _ in range(count)]


def draw_rescale(rng: random.Random) -> list[Inputs]:
    return [{"a": words(rng, 128, 1 << 31), "c": c} for c in (3, -70000)]


def vector_rescale(a: list[int], c: int) -> Expected:
    return {"memories": {"a": [wrapped(x * c) for x in a]}}


def draw_video(rng: random.Random) -> list[Inputs]:
    def planes() -> Inputs:
        return {plane: words(rng, SIDE * SIDE, 255) for plane in "rgb"}

    return [{**planes(), "offset": 16, "scale": 19}, {**planes(), "offset": -5, "scale": -40}]


def video_filter(r: list[int], g: list[int], b: list[int], offset: int, scale: int) -> Expected:
    def filtered(plane: list[int]) -> list[int]:
        return [wrapped((p - offset) * scale) >> 4 for p in plane]

    return {"memories": {"r": filtered(r), "g": filtered(g), "b": filtered(b)}}


def draw_stencil(rng: random.Random) -> list[Inputs]:
    return [
        {"image": words(rng, 144, 255), "filter": words(rng, 9, 8), "out": words(rng, 100, 9)}
        for _ in range(2)
    ]


def stencil_2d(image: list[int], filter: list[int], out: list[int]) -> Expected:
    def cell(i: int, j: int) -> int:
        places = [(di, dj) for di in range(3) for dj in range(3)]
        return sum(image[12 * (i + di) + j + dj] * filter[3 * di + dj] for di, dj in places)

    return {"memories": {"out": [cell(i, j) for i in range(10) for j in range(10)]}}


def draw_triangular(rng: random.Random) -> list[Inputs]:
    return [{"a": words(rng, 144, 99), "x": words(rng, 12, 99), "n": n} for n in (0, 1, 2, 11)]


def triangular(a: list[int], x: list[int], n: int) -> Expected:
    a = list(a)
    for k in range(n):
        a[12 * k + n] -= sum(a[12 * k + i] * x[i] for i in range(k))
    return {"memories": {"a": a}}


def draw_bicg(rng: random.Random) -> list[Inputs]:
    sizes = {"a": SIDE * SIDE, "s": SIDE, "q": SIDE, "p": SIDE, "r": SIDE}
    return [{name: words(rng, size, 99) for name, size in sizes.items()} for _ in range(2)]


def bicg(a: list[int], s: list[int], q: list[int], p: list[int], r: list[int]) -> Expected:
    span = range(SIDE)
    column = [s[j] + sum(a[SIDE * i + j] * r[i] for i in span) for j in span]
    row = [q[i] + sum(a[SIDE * i + j] * p[j] for j in span) for i in span]
    return {"memories": {"s": column, "q": row}}


def draw_patterns(rng: random.Random) -> list[Inputs]:
    return [{name: words(rng, 64, 2) for name in "abcd"} | {"n": n} for n in (1, -2)]


def memory_patterns(a: list[int], b: list[int], c: list[int], d: list[int], n: int) -> Expected:
    b, c = list(b), list(c)
    for i in range(1, 64):
        b[i] += b[i - 1]
    for i in range(2, 64):
        c[i] = c[i - 2] ^ n
    moved = [*(x + n for x in a[1:]), a[63]]
    return {"memories": {"a": moved, "b": b, "c": c, "d": [0 if x == n else x for x in d]}}
