"""Native code runs on the oldest processor of the machine's kind, and with what that one lacks.

MLIR's execution engine compiles for the processor that it runs on: a conversion is an instruction
here and a call of a routine there, and no library of the process needs to have that routine. So
every function is compiled for the same old processor, and the routines stand in the program: the
conversions between formats of floats, by integers alone.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from typing import Any

OLDEST = {
    "x86_64": ("x86-64", ("+cx8", "+fxsr", "+mmx", "+sse", "+sse2", "+x87")),
    "AMD64": ("x86-64", ("+cx8", "+fxsr", "+mmx", "+sse", "+sse2", "+x87")),
    "aarch64": ("generic", ("+fp-armv8", "+neon")),
    "arm64": ("generic", ("+fp-armv8", "+neon")),
}
"""LLVM's names of the oldest processor of a machine's kind, and of all that it has."""

C_FLAGS = {"x86-64": ("-march=x86-64",), "generic": ("-march=armv8-a",)}
"""What gcc and clang call it."""


def c_flags(machine: str = platform.machine()) -> tuple[str, ...]:
    """Options of the system's C compiler for the oldest processor."""
    return C_FLAGS[OLDEST[machine][0]] if machine in OLDEST else ()


@dataclass(frozen=True, slots=True)
class Layout:
    """A format of floats in memory; `letters` as the names of LLVM's routines have it [bits]."""

    type: str
    letters: str
    width: int
    fraction: int

    @property
    def bias(self) -> int:
        """What is added to the exponent."""
        return (1 << (self.width - self.fraction - 2)) - 1

    @property
    def infinity(self) -> int:
        """The magnitude of infinity, as an integer."""
        return ((1 << (self.width - self.fraction - 1)) - 1) << self.fraction


HALF, BRAIN = Layout("f16", "hf", 16, 10), Layout("bf16", "bf", 16, 7)
SINGLE, DOUBLE = Layout("f32", "sf", 32, 23), Layout("f64", "df", 64, 52)
NARROWED = ((SINGLE, HALF), (SINGLE, BRAIN), (DOUBLE, HALF), (DOUBLE, BRAIN))


def narrowing(wide: Layout, narrow: Layout) -> str:
    """MLIR of the routine that rounds `wide` to the nearest `narrow`, a tie to the even one."""
    word, rebias = f"i{wide.width}", wide.bias - narrow.bias
    gone = wide.fraction - narrow.fraction
    constants = {
        "zero": 0,
        "one": 1,
        "sign_at": wide.width - 1,
        "sign_to": narrow.width - 1,
        "magnitude_mask": (1 << (wide.width - 1)) - 1,
        "infinity": wide.infinity,
        "fraction_mask": (1 << wide.fraction) - 1,
        "hidden": 1 << wide.fraction,
        "fraction": wide.fraction,
        "gone": gone,
        "rebias": rebias << wide.fraction,
        "least": rebias + 1 if rebias else 0,
        "all_gone": wide.fraction + 2,
        "narrow_infinity": narrow.infinity,
        "quiet": narrow.infinity | 1 << (narrow.fraction - 1),
        "payload_mask": (1 << narrow.fraction) - 1,
    }
    declared = "\n".join(
        f"  %{name} = arith.constant {value} : {word}" for name, value in constants.items()
    )
    # From the least normal number on, and where both formats have the same exponents, the bits stay
    # in place. Below it more of them go, of the significand with its hidden bit; where all go, the
    # number is less than half of the least.
    name = f"__trunc{wide.letters}{narrow.letters}2"
    return f"""func.func @{name}(%x: {wide.type}) -> {narrow.type} {{
{declared}
  %bits = arith.bitcast %x : {wide.type} to {word}
  %sign = arith.shrui %bits, %sign_at : {word}
  %signed = arith.shli %sign, %sign_to : {word}
  %magnitude = arith.andi %bits, %magnitude_mask : {word}
  %exponent = arith.shrui %magnitude, %fraction : {word}
  %low = arith.andi %magnitude, %fraction_mask : {word}
  %significand = arith.ori %low, %hidden : {word}
  %below = arith.subi %least, %exponent : {word}
  %more = arith.addi %below, %gone : {word}
  %shift_below = arith.minui %more, %all_gone : {word}
  %is_in_place = arith.cmpi uge, %exponent, %least : {word}
  %rebiased = arith.subi %magnitude, %rebias : {word}
  %number = arith.select %is_in_place, %rebiased, %significand : {word}
  %shift = arith.select %is_in_place, %gone, %shift_below : {word}
  %down = arith.shrui %number, %shift : {word}
  %odd = arith.andi %down, %one : {word}
  %half_shift = arith.subi %shift, %one : {word}
  %half = arith.shli %one, %half_shift : {word}
  %less = arith.subi %half, %one : {word}
  %to_even = arith.addi %less, %odd : {word}
  %raised = arith.addi %number, %to_even : {word}
  %nearest = arith.shrui %raised, %shift : {word}
  %finite = arith.minui %nearest, %narrow_infinity : {word}
  %payload_wide = arith.shrui %magnitude, %gone : {word}
  %payload = arith.andi %payload_wide, %payload_mask : {word}
  %nan = arith.ori %payload, %quiet : {word}
  %is_nan = arith.cmpi ugt, %magnitude, %infinity : {word}
  %unsigned = arith.select %is_nan, %nan, %finite : {word}
  %whole = arith.ori %unsigned, %signed : {word}
  %out = arith.trunci %whole : {word} to i{narrow.width}
  %y = arith.bitcast %out : i{narrow.width} to {narrow.type}
  return %y : {narrow.type}
}}
"""


WIDENING = """func.func @__extendhfsf2(%x: f16) -> f32 {
  %zero = arith.constant 0 : i32
  %sign_mask = arith.constant 0x8000 : i32
  %magnitude_mask = arith.constant 0x7fff : i32
  %infinity = arith.constant 0x7c00 : i32
  %normal = arith.constant 0x400 : i32
  %sixteen = arith.constant 16 : i32
  %up = arith.constant 13 : i32
  %rebias = arith.constant 0x38000000 : i32
  %least = arith.constant 0x33800000 : i32
  %half = arith.bitcast %x : f16 to i16
  %bits = arith.extui %half : i16 to i32
  %sign = arith.andi %bits, %sign_mask : i32
  %signed = arith.shli %sign, %sixteen : i32
  %magnitude = arith.andi %bits, %magnitude_mask : i32
  %shifted = arith.shli %magnitude, %up : i32
  %finite = arith.addi %shifted, %rebias : i32
  %special = arith.addi %finite, %rebias : i32
  %count = arith.sitofp %magnitude : i32 to f32
  %unit = arith.bitcast %least : i32 to f32
  %product = arith.mulf %count, %unit : f32
  %subnormal = arith.bitcast %product : f32 to i32
  %is_normal = arith.cmpi uge, %magnitude, %normal : i32
  %is_special = arith.cmpi uge, %magnitude, %infinity : i32
  %number = arith.select %is_normal, %finite, %subnormal : i32
  %unsigned = arith.select %is_special, %special, %number : i32
  %whole = arith.ori %unsigned, %signed : i32
  %y = arith.bitcast %whole : i32 to f32
  return %y : f32
}
"""
"""MLIR of the routine that widens f16 to f32; of bf16 the bits are those of f32, above zeros."""
ROUTINES = WIDENING + "".join(narrowing(wide, narrow) for wide, narrow in NARROWED)
"""Every routine that code for an old processor calls for formats of 16 bits."""


def restrict(functions: Any, machine: str = platform.machine()) -> None:
    """Each LLVM function of the module's body is compiled for the oldest processor alone.

    It stays a function of its own: the engine's entry points are compiled for this processor.
    """
    from mlir.ir import Attribute, StringAttr, UnitAttr

    if machine not in OLDEST:
        return
    name, has = OLDEST[machine]
    listed = ", ".join(f'"{one}"' for one in has)
    features = Attribute.parse(f"#llvm.target_features<[{listed}]>")
    for function in functions:
        if function.operation.name == "llvm.func":
            function.operation.attributes["target_cpu"] = StringAttr.get(name)
            function.operation.attributes["target_features"] = features
            function.operation.attributes["no_inline"] = UnitAttr.get()
