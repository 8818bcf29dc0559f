"""A loop that divides bit by bit is a division where it gives the same, and only there."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest
from xdsl.dialects import arith, scf

from loom.front.api import compile_text, read_program
from loom.front.request import Request
from loom.lower.loops import find_divisions as room
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models

pytestmark = pytest.mark.usefixtures("no_clock_period")

MANY = (0, 1, 2, 6, 7, 8, 99, 100, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF)

MANY_NARROW = tuple(range(0, 256, 3)) + tuple(range(129, 1 << 16, 2221))


@dataclass(frozen=True)
class Row:
    """A loop over the bits of `n` in C: what stands before it, its head, body and result."""

    divides: bool
    body: str
    before: str = "uint32_t q = 0, r = 0, d = 7;"
    head: str = "for (int i = 31; i >= 0; i--)"
    after: str = "q + 3 * r"
    type: str = "uint32_t"

    def text(self) -> str:
        """The program."""
        return (
            f"#include <stdint.h>\nuint32_t f({self.type} n, uint32_t m) {{\n  {self.before}\n"
            f"  {self.head} {{\n    {self.body}\n  }}\n  return {self.after};\n}}\n"
        )


BRANCH = "r = r << 1 | (n >> i & 1); if (r >= d) { r -= d; q |= 1u << i; }"
SHIFT_OUT = "r = r << 1 | n >> 31; n <<= 1;"
LONG = "r = r << 1 | (uint32_t)(n >> i & 1); q <<= 1; if (r >= d) { r -= d; q |= 1; }"
BITS = "for (int i = 63; i >= 0; i--)"
BYTE, HALF = "for (int i = 7; i >= 0; i--)", "for (int i = 15; i >= 0; i--)"
ANY = "uint32_t q = 0, r = 0, d = {};"
SMALL = "(m & 63) + 1"
ROWS = {
    "a branch": Row(True, BRANCH),
    "the quotient alone": Row(True, BRANCH, after="q"),
    "the rest alone": Row(True, "r = r << 1 | (n >> i & 1); if (r >= d) r -= d;", after="r"),
    "a choice": Row(
        True, "r = 2 * r + (n >> i & 1); int c = r >= d; q = 2 * q + c; r = c ? r - d : r;"
    ),
    "the other choice": Row(
        True, "r = r + r + (n >> i & 1); int c = d > r; r = c ? r : r - d; q = q << 1 | !c;"
    ),
    "both branches": Row(
        True, "r = r << 1 ^ (n >> i & 1); q <<= 1; if (r < d) { q += 0; } else { q++; r -= d; }"
    ),
    "a bit under a mask": Row(
        True, "r <<= 1; if (n & 1u << i) r |= 1; if (r >= d) { r -= d; q += 1u << i; }"
    ),
    "upwards": Row(
        True,
        "r = r << 1 | (n >> (31 - i) & 1); if (r >= d) { r -= d; q |= 1u << (31 - i); }",
        head="for (int i = 0; i < 32; i++)",
    ),
    "the dividend is shifted out": Row(
        True, SHIFT_OUT + "q <<= 1; if (r >= d) { r -= d; q |= 1; }"
    ),
    "the dividend becomes the quotient": Row(
        True,
        "r = r << 1 | q >> 31; q <<= 1; if (r >= d) { r -= d; q |= 1; }",
        "uint32_t q = n, r = 0, d = 7;",
    ),
    "the sign of the difference": Row(
        True, SHIFT_OUT + "int32_t t = r - d; q <<= 1; if (t >= 0) { r = t; q |= 1; }"
    ),
    "what another one gave": Row(
        True,
        "r = r << 1 | q >> 31; q <<= 1; if (r >= d) { r -= d; q |= 1; }",
        "uint32_t q = n, r = 0, d = 7; for (int i = 0; i < 32; i++) {"
        " r = r << 1 | q >> 31; q <<= 1; if (r >= 10) { r -= 10; q |= 1; } } r = 0;",
    ),
    "by what another one gave": Row(
        True,
        BRANCH,
        "uint32_t q = 0, r = 0, t = 0, d = 0; for (int i = 7; i >= 0; i--) {"
        " t = t << 1 | (m >> i & 1); if (t >= 11) t -= 11; } d = t + 1;",
        "for (int i = 7; i >= 0; i--)",
        type="uint8_t",
    ),
    "signed numbers": Row(
        True,
        "r = r << 1 | (n >> i & 1); if (r >= d) { r -= d; q |= 1u << i; }",
        "int32_t r = 0, d = 7; uint32_t q = 0;",
    ),
    "compared with the number below": Row(
        True, "r = r << 1 | (n >> i & 1); if (r > 6) { r -= 7; q |= 1u << i; }"
    ),
    "a wider rest": Row(True, BRANCH, "uint32_t q = 0, d = 0xFFFFFFF1u; uint64_t r = 0;"),
    "8 bits": Row(
        True, BRANCH, head="for (int i = 7; i >= 0; i--)", type="uint8_t"
    ),
    "the lowest 12 bits": Row(True, BRANCH, head="for (int i = 11; i >= 0; i--)"),
    "a divisor of few bits": Row(
        True, BRANCH, ANY.format(SMALL), "for (int i = 7; i >= 0; i--)", type="uint8_t"
    ),
    "by half of what is there": Row(True, BRANCH, ANY.format("0x80000000u")),
    "by more than half": Row(True, BRANCH, ANY.format("0xFFFFFFFFu")),
    "by 1": Row(True, BRANCH, ANY.format("1")),
    "by half of signed numbers": Row(
        True, BRANCH, "int32_t r = 0, d = 0x40000000; uint32_t q = 0;"
    ),
    "by more than half of signed numbers": Row(
        False, BRANCH, "int32_t r = 0, d = 0x40000001; uint32_t q = 0;"
    ),
    "64 bits": Row(True, LONG, ANY.format("0x80000000u"), BITS, type="uint64_t"),
    "64 bits by more than half": Row(
        False, LONG, ANY.format("0x80000001u"), BITS, type="uint64_t"
    ),
    "numbers of 8 bits": Row(True, BRANCH, "uint8_t q = 0, r = 0, d = 200;", BYTE, type="uint8_t"),
    "numbers of 16 bits": Row(
        True, "r = r << 1 | (n >> i & 1); q <<= 1; if (r >= d) { r = r - d; q |= 1; }",
        "uint16_t q = 0, r = 0, d = 1000;", HALF, type="uint16_t",
    ),
    "8 bits that are shifted out": Row(
        True, "r = r << 1 | n >> 7; n <<= 1; q <<= 1; if (r >= d) { r -= d; q++; }",
        "uint8_t q = 0, r = 0, d = 200;", BYTE, type="uint8_t",
    ),
    "the sign of a difference of 8 bits": Row(
        True, "r = r << 1 | (n >> i & 1); int t = r - d; q <<= 1; if (t >= 0) { r = t; q |= 1; }",
        "uint8_t q = 0, r = 0, d = 130;", BYTE, type="uint8_t",
    ),
    "8 bits, cut at the end": Row(
        True, "int t = r << 1 | (n >> i & 1); q <<= 1; if (t >= d) { t -= d; q |= 1; } r = t;",
        "uint8_t q = 0, r = 0, d = 255;", BYTE, type="uint8_t",
    ),
    "a rest of 8 bits by half": Row(
        True, BRANCH, "uint16_t q = 0; uint8_t r = 0, d = 128;", HALF, type="uint16_t",
        after="r",
    ),
    "a rest of 8 bits by more than half": Row(
        False, BRANCH, "uint16_t q = 0; uint8_t r = 0, d = 129;", HALF, type="uint16_t",
        after="r",
    ),
    "the rest is cut": Row(
        False, BRANCH.replace("r = r << 1 | (n >> i & 1)", "r = (uint8_t)(r << 1 | (n >> i & 1))"),
        "uint16_t q = 0, r = 0, d = 200;", HALF, type="uint16_t",
    ),
    "the quotient is cut": Row(
        False, BRANCH.replace("q |= 1u << i", "c = 1").replace("if", "int c = 0; if")
        + " q = (uint8_t)(q << 1 | c);",
        "uint16_t q = 0, r = 0, d = 7;", HALF, type="uint16_t",
    ),
    "the dividend is cut": Row(
        False, "r = r << 1 | n >> 15; n = (uint8_t)(n << 1); q <<= 1; if (r >= d) { r -= d; q++; }",
        "uint8_t q = 0, r = 0, d = 7;", HALF, type="uint16_t",
    ),
    "the quotient's bit is cut": Row(
        False, BRANCH.replace("1u << i", "(uint8_t)(1u << i)"),
        "uint16_t q = 0, r = 0, d = 7;", HALF, type="uint16_t",
    ),
    "the sign of 8 bits that are widened": Row(
        False, "r = r << 1 | ((int)n < 0); n <<= 1; q <<= 1; if (r >= d) { r -= d; q |= 1; }",
        "uint8_t q = 0, r = 0, d = 7;", BYTE, type="uint8_t",
    ),
    "copies of a sign": Row(
        False, "r = r << 1 | ((int8_t)n >> 7); n <<= 1; q <<= 1; if (r >= d) { r -= d; q |= 1; }",
        "uint8_t q = 0, r = 0, d = 7;", BYTE, type="uint8_t",
    ),
    "by 0": Row(False, BRANCH, ANY.format("m & 3")),
    "by any number": Row(False, BRANCH, ANY.format("m")),
    "by a wide number, for which a divider is large": Row(
        False, BRANCH, ANY.format("(m & 0xFFFFFF) + 1")
    ),
    "from the lowest bit up": Row(False, BRANCH, head="for (int i = 0; i < 32; i++)"),
    "one bit is left out": Row(
        False, SHIFT_OUT + "q <<= 1; if (r >= d) { r -= d; q |= 1; }",
        head="for (int i = 30; i >= 0; i--)",
    ),
    "ends before the lowest bit": Row(False, BRANCH, head="for (int i = 31; i > 0; i--)"),
    "a place twice": Row(
        False, "r = r << 1 | (n >> (i | 1) & 1); if (r >= d) { r -= d; q |= 1u << i; }"
    ),
    "a larger rest stays": Row(False, BRANCH.replace("r >= d", "r > d")),
    "takes another number": Row(False, BRANCH.replace("r -= d", "r -= d - 1")),
    "takes what does not fit": Row(False, BRANCH.replace("r >= d", "r < d")),
    "starts with a rest": Row(False, BRANCH, "uint32_t q = 0, r = 1, d = 7;"),
    "starts with a quotient": Row(False, BRANCH, "uint32_t q = 1, r = 0, d = 7;"),
    "the quotient's bits lie elsewhere": Row(False, BRANCH.replace("q |= 1u << i", "q |= 2u << i")),
    "the quotient counts": Row(False, BRANCH.replace("q |= 1u << i", "q += 1")),
    "the quotient is 8 bits": Row(False, BRANCH, "uint32_t r = 0, d = 7; uint8_t q = 0;"),
    "the dividend changes": Row(False, BRANCH + " n ^= r;"),
    "shifted by two": Row(False, BRANCH.replace("r << 1", "r << 2")),
    "something else is carried": Row(
        False, BRANCH + " s += r;", "uint32_t q = 0, r = 0, d = 7, s = 0;", after="q + s"
    ),
    "with a directive": Row(
        False, BRANCH, head="\n#pragma loom unroll(1)\n  for (int i = 31; i >= 0; i--)"
    ),
    "to be unrolled": Row(
        False, BRANCH, head="\n#pragma loom unroll(2)\n  for (int i = 31; i >= 0; i--)"
    ),
}  # fmt: skip
DIVISIONS = (arith.DivUIOp, arith.RemUIOp)


def loops_and_divisions(text: str) -> tuple[int, int]:
    """The loops and the divisions that are left of a program in C."""
    module = read_program(Request(text, "k.c", None, Options()))
    normalize(module, Options())
    found = list(module.walk())
    loops = sum(isinstance(op, scf.ForOp | scf.WhileOp) for op in found)
    return loops, sum(isinstance(op, DIVISIONS) for op in found)


def differences(text: str) -> tuple[object, ...]:
    """Where the circuit of a program computes something else than the program."""
    circuit = compile_text(text, "k.c")
    mask = next((1 << b) - 1 for b in (8, 16, 32, 64) if f"uint{b}_t n" in text)
    many = (*MANY, *(MANY_NARROW if mask < MANY[-1] else ()))
    given = [Activation({"n": n & mask, "m": m}) for n in many for m in (0, 3, n)]
    if "uint64_t n" in text:
        given += [Activation({"n": (n << 32) + 5 * n, "m": n}) for n in MANY]
    found = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=1_000_000)
    return found.differences


@pytest.mark.parametrize("name", ROWS)
def test_loop(name: str) -> None:
    row = ROWS[name]
    loops, divisions = loops_and_divisions(row.text())
    if row.divides:
        assert loops == 0
    else:
        assert (loops, divisions) == (1, 0)
    assert differences(row.text()) == ()


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("by more than half of signed numbers", "is_right"),
        ("64 bits by more than half", "is_right"),
        ("by 0", "is_right"),
        ("a larger rest stays", "UGE"),
        ("from the lowest bit up", "counts_down"),
        ("ends before the lowest bit", "counts_down"),
        ("starts with a rest", "starts_with_zero"),
        ("starts with a quotient", "starts_with_zero"),
        ("the rest is cut", "truncated"),
        ("the quotient is cut", "truncated"),
        ("the dividend is cut", "truncated"),
    ],
)
def test_a_check_that_is_left_out_is_seen(
    name: str, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row that is no division computes something else if it is taken for one."""
    if check == "is_right":
        monkeypatch.setattr(room, "is_right", lambda *_: True)
        monkeypatch.setattr(room, "is_smaller", lambda *_: True)
    elif check == "UGE":
        monkeypatch.setattr(room, "UGT", room.UGE)
        monkeypatch.setattr(room, "UGE", 8)
    elif check == "truncated":
        monkeypatch.setattr(room._Matcher, check, lambda self, op: self.term(op.input))
    else:
        monkeypatch.setattr(room._Matcher, check, lambda *_: True)
    text = ROWS[name].text()
    assert loops_and_divisions(text)[0] == 0
    assert differences(text) != ()


SIGN = """func.func @f(%n: i8) -> i8 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %bits = arith.constant 8 : index
  %none = arith.constant 0 : i8
  %step = arith.constant 1 : i8
  %five = arith.constant 5 : i8
  %top = arith.constant 7 : i8
  %all:3 = scf.for %i = %zero to %bits step %one
      iter_args(%q = %n, %r = %none, %c = %five) -> (i8, i8, i8) {
    %next = arith.xori %c, %step : i8
    %p = arith.index_cast %i : index to i8
    %bit = arith.shrui %q, %top : i8
    %r2 = arith.addi %r, %r : i8
    %q2 = arith.addi %q, %q : i8
    %x = arith.ori %r2, %bit : i8
    %d = DIVISOR : i8
    %t = arith.subi %x, %d : i8
    %fits = arith.cmpi sge, %t, %none : i8
    %b = arith.extui %fits : i1 to i8
    %q3 = arith.ori %q2, %b : i8
    %left = arith.select %fits, %t, %x : i8
    scf.yield %q3, %left, %next : i8, i8, i8
  }
  return %all#0 : i8
}
"""
ONE_BIT = """func.func @f(%n: i8) -> i8 {
  %c0 = arith.constant 0 : i8
  %c1 = arith.constant 1 : i8
  %c2 = arith.constant 2 : i8
  %none = arith.constant 0 : i1
  %d = arith.constant 1 : i1
  %all:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%r = %none, %q = %c0) -> (i1, i8) : i8 {
    %place = arith.subi %c1, %i : i8
    %to = arith.shrui %n, %place : i8
    %bit = arith.trunci %to : i8 to i1
    %r2 = arith.addi %r, %r : i1
    %x = arith.ori %r2, %bit : i1
    %fits = arith.cmpi sge, %x, %d : i1
    %t = arith.subi %x, %d : i1
    %b = arith.extui %fits : i1 to i8
    %q2 = arith.addi %q, %q : i8
    %q3 = arith.ori %q2, %b : i8
    %left = arith.select %fits, %t, %x : i1
    scf.yield %left, %q3 : i1, i8
  }
  return %all#1 : i8
}
"""
NO_DIVISIONS = {
    "by the place and one": SIGN.replace("DIVISOR", "arith.addi %p, %step"),
    "by the place doubled": SIGN.replace("DIVISOR", "arith.addi %p, %p"),
    "by what is carried": SIGN.replace("DIVISOR", "arith.maxsi %c, %step"),
    "signed numbers of one bit": ONE_BIT,
}


@pytest.mark.parametrize("text", NO_DIVISIONS.values(), ids=NO_DIVISIONS)
def test_a_loop_in_mlir_that_does_not_divide(text: str) -> None:
    circuit = compile_text(text, "k.mlir")
    given = [Activation({"n": n}) for n in range(0, 256, 5)]
    found = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=100_000)
    assert found.differences == ()


PARTS = (
    ("r << 1", "r << 2", "2 * r", "r + r"),
    ("n >> i & 1", "n >> (31 - i) & 1", "n >> i & 3", "n >> i", "(n & 1u << i) != 0"),
    ("|", "+", "^", "-", "&"),
    ("r >= d", "r > d", "d <= r", "!(r < d)", "r >= d + 1", "(int32_t)r >= (int32_t)d"),
    ("r -= d", "r = r - d", "r -= 1", "r -= d & 15", "r = d - r"),
    ("q |= 1u << i", "q += 1u << i", "q ^= 1u << i", "q |= 1u << (31 - i)", "q |= i"),
)
HEADS = (
    "for (int i = 31; i >= 0; i--)", "for (int i = 31; i > 0; i--)",
    "for (int i = 30; i >= 0; i--)", "for (int i = 0; i < 32; i++)",
    "for (unsigned i = 31; i < 32; i--)",
)  # fmt: skip
DIVISORS = ("7", "1", "10", "100", "65521", "0x80000000u", "0x80000001u", "(m & 7) + 1", "m")


def random_row(numbers: random.Random) -> Row:
    """A division, with a part or none that is changed."""
    parts = [choices[0] if numbers.random() < 0.8 else numbers.choice(choices) for choices in PARTS]
    double, bit, join, fits, take, mark = parts
    body = f"r = ({double}) {join} ({bit}); if ({fits}) {{ {take}; {mark}; }}"
    head = HEADS[0] if numbers.random() < 0.7 else numbers.choice(HEADS)
    return Row(False, body, ANY.format(numbers.choice(DIVISORS)), head)


NARROW = ("uint8_t", "uint16_t", "uint32_t")
CUTS = (*([""] * 12), "(uint8_t)", "(uint16_t)", "(int8_t)")


def narrow_row(numbers: random.Random) -> Row:
    """A division of numbers of 8 to 32 bits, with parts that are changed or cut."""
    number, rest, quotient, divisor = (numbers.choice(NARROW) for _ in range(4))
    bits = 8 if number == "uint8_t" else 16
    cut = [numbers.choice(CUTS) for _ in range(3)]
    join = "|" if numbers.random() < 0.9 else "+"
    bit, shift = "(n >> i & 1)", ""
    if numbers.random() < 0.3:
        bit, shift = f"(n >> {bits - 1})", f" n = {numbers.choice(CUTS)}(n << 1);"
    step = f"r = {cut[0]}((r << 1) {join} {bit}); int c = r >= d;{shift}"
    if numbers.random() < 0.5:
        step = f"{quotient} t = (r << 1) {join} {bit}; int c = t - d >= 0; r = t;{shift}"
    take = f"if (c) r = {cut[1]}(r - d);"
    mark = numbers.choice((f"q = {cut[2]}(q << 1 | c);", f"if (c) q |= {cut[2]}(1u << i);"))
    chosen = numbers.choice((1, 7, 100, 127, 128, 129, 200, 255, 256, 1000, 32768, 40000))
    before = f"{rest} r = 0; {quotient} q = 0; {divisor} d = {chosen};"
    head = f"for (int i = {bits - 1}; i >= 0; i--)"
    return Row(False, f"{step} {take} {mark}", before, head, type=number)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_loops_that_nearly_divide_narrow_numbers() -> None:
    numbers = random.Random(20261130)
    divisions = 0
    for _ in range(50):
        row = narrow_row(numbers)
        divisions += loops_and_divisions(row.text())[0] == 0
        assert differences(row.text()) == (), row.text()
    assert 5 <= divisions <= 45


@pytest.mark.usefixtures("deep_on_sources")
def test_random_loops_that_nearly_divide() -> None:
    numbers = random.Random(20261129)
    divisions = 0
    for _ in range(60):
        row = random_row(numbers)
        divisions += loops_and_divisions(row.text())[0] == 0
        assert differences(row.text()) == (), row.text()
    assert 10 <= divisions <= 50
