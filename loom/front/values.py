"""The values of the command's options: how a text is read, and what a user may write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from loom.front.command_parser import ValueKind
from loom.frontend.c.c_options import MACRO

MOST_ACTIVATIONS = 1_000_000


def whole_number(least: int, most: int | None = None) -> ValueKind:
    """Whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        value = int(text)
        if value < least or (most is not None and value > most):
            raise ValueError
        return value

    end = "and more" if most is None else f"to {most}"
    return ValueKind(read, f"a whole number, {least} {end}")


def one_of(*words: str, elsewhere: tuple[tuple[str, str], ...] = ()) -> ValueKind:
    """One of some words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError
        return text

    listed = f"{', '.join(words[:-1])} or {words[-1]}"
    return ValueKind(read, listed, elsewhere)


def numbers(accepts: Callable[[float], bool], accepted: str) -> ValueKind:
    """Numbers, of which some are accepted."""

    def read(text: str) -> float:
        value = float(text)
        if not accepts(value):
            raise ValueError
        return value

    return ValueKind(read, accepted)


def read_file_name(text: str) -> str:
    """The name of a file or folder."""
    if not text:
        raise ValueError
    return text


def read_latency(text: str) -> tuple[str, int]:
    """The name of an operator and a number of cycles."""
    name, equals, cycles = text.partition("=")
    if not equals or not cycles.isdecimal():
        raise ValueError
    return name, int(cycles)


def read_unroll(text: str) -> tuple[int, int | None]:
    """A line and a number of iterations, None for all."""
    line, _, factor = text.partition("=")
    if factor == "full":
        return positive(line), None
    return positive(line), positive(factor)


def read_partition(text: str) -> tuple[str, str]:
    """The name of an array and its partition."""
    name, _, partition = text.partition(":")
    if not name or not partition:
        raise ValueError
    return name, partition


def read_ports(text: str) -> tuple[str, int]:
    """The name of an array and a number of ports."""
    name, _, count = text.partition(":")
    if not name or not count.isdecimal():
        raise ValueError
    return name, int(count)


def read_answers(text: str) -> tuple[str, tuple[int, int]]:
    """The name of an array and the least and the most cycles to an answer; one number is both."""
    name, equals, cycles = text.partition("=")
    least, dots, most = cycles.partition("..")
    if not name or not equals:
        raise ValueError
    return name, (positive(least), positive(most if dots else least))


def read_size(text: str) -> tuple[str, tuple[int, ...]]:
    """The name of an argument and numbers with x between."""
    name, _, sizes = text.partition("=")
    if not name:
        raise ValueError
    return name, tuple(positive(size) for size in sizes.split("x"))


def read_pass(text: str) -> tuple[str, str]:
    """The name of a pass, and the pass or stage that it runs after."""
    name, _, after = text.partition("@")
    if not name or not after:
        raise ValueError
    return name, after


def positive(text: str) -> int:
    """A number of 1 or more, in decimal digits."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError
    return int(text)


def read_clock_period(text: str) -> float | Literal["default"] | None:
    """A clock period [ns]; None: any."""
    if text == "none":
        return None
    if text == "default":
        return "default"
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise ValueError
    return value


def read_reset(text: str) -> tuple[bool, bool]:
    """Whether a reset is asynchronous, and whether it is active high."""
    kinds = {"sync": False, "async": True}
    levels = {"low": False, "high": True}
    words = text.split(",")
    kind = [kinds[word] for word in words if word in kinds]
    level = [levels[word] for word in words if word in levels]
    if len(kind) + len(level) != len(words) or len(kind) > 1 or len(level) > 1:
        raise ValueError
    return kind == [True], level == [True]


def macro(sign: str) -> ValueKind:
    """A macro as clang takes it, with `-D` or `-U` before it."""

    def read(text: str) -> str:
        if not MACRO.fullmatch(sign + text):
            raise ValueError
        return sign + text

    return ValueKind(read, "NAME or NAME=VALUE" if sign == "-D" else "NAME")


POSITIVE = whole_number(1)
COUNT = whole_number(0)
SEED = ValueKind(int, "a whole number")
INDEX_WIDTH = whole_number(1, 64)
ORDER_DEPTH = whole_number(2, 64)
PARTIAL_SUMS = whole_number(2, 64)
ADDRESS_WIDTH = whole_number(3, 32)
ACTIVATIONS = whole_number(1, MOST_ACTIVATIONS)
ARRAY = ValueKind(str, "the name of an array")
FILE_NAME = ValueKind(read_file_name, "the name of a file or folder")
LATENCY = ValueKind(read_latency, "OPERATOR=CYCLES, such as muli=3")
UNROLL = ValueKind(read_unroll, "LINE=N, N of 1 and more, or LINE=full")
PARTITION = ValueKind(read_partition, "ARRAY:PARTITION, such as a:cyclic:4")
MEMORY = ValueKind(read_partition, "ARRAY:KIND, such as a:channel,latency=40")
ANSWERS = ValueKind(read_answers, "ARRAY=CYCLES or ARRAY=LEAST..MOST, such as a=5..40")
SIZE = ValueKind(read_size, "ARG=N or ARG=NxM, N of 1 and more, such as a=100")
PASS = ValueKind(read_pass, "NAME@PASS or NAME@STAGE, such as simplify@narrow-widths")
PASS_NAME = ValueKind(read_file_name, "the name of a pass")
ARRAY_ORDER = ValueKind(read_partition, "ARRAY:ORDER, such as a:queue")
PORTS = ValueKind(read_ports, "ARRAY:PORTS, such as a:2")
CLOCK_PERIOD = ValueKind(read_clock_period, "a time above 0 [ns], none or default")
RESET = ValueKind(read_reset, "sync or async, low or high, or both: async,high")
SECONDS = numbers(lambda x: 0.0 < x < float("inf"), "a time above 0 [s]")
PROBABILITY = numbers(lambda x: 0.0 <= x < 1.0, "a probability, 0 and more and below 1")
