"""Pragmas of loops in C: which loop they are of, what they ask for, and which are left."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects import scf
from xdsl.ir import Operation

from loom.dialects.facts.loop_attributes import LOOPS
from loom.dialects.facts.places import place_of
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.frontend.c.c_options import COptions
from loom.frontend.c.read import read_c

pytestmark = pytest.mark.usefixtures("no_clock_period")

FOUR, HINT = "4 : i64", " hint"
ROWS: dict[str, str | None] = {
    "#pragma loom unroll": '"full"',
    "#pragma loom unroll(4)": FOUR,
    "  #  pragma  loom  unroll ( 4 )  // so": FOUR,
    "#pragma loom /* so */ unroll(4)": FOUR,
    "#pragma loom \\\n unroll(4)": FOUR,
    "#pragma loom unroll(4)\n\n/* a\n comment */\n#pragma GCC ivdep\n//": FOUR,
    "#pragma loom flatten": "flatten",
    "#pragma loom interchange": "interchange",
    "#pragma loom pipeline": "pipeline",
    "#pragma loom ii(4)": f"ii {FOUR}",
    "#pragma loom interleave(4)": f"interleave {FOUR}",
    "#pragma loom partial_sums(4)": f"partial_sums {FOUR}",
    "#pragma loom flatten\n#pragma loom unroll(4)\n#pragma unroll": "4 : i64 flatten",
    "#pragma unroll": '"full"' + HINT,
    "#pragma unroll 4": FOUR + HINT,
    "#pragma unroll(4)": FOUR + HINT,
    "#pragma nounroll": "1 : i64" + HINT,
    "#pragma GCC unroll 4": FOUR + HINT,
    "#pragma GCC unroll 1": "1 : i64" + HINT,
    "#pragma clang loop unroll_count(4)": FOUR + HINT,
    "#pragma clang loop unroll(full)": '"full"' + HINT,
    "#pragma clang loop unroll(enable)": '"full"' + HINT,
    "#pragma clang loop unroll(disable)": "1 : i64" + HINT,
    "#pragma unroll 2\n#pragma loom unroll(4)": FOUR,
    "#pragma HLS unroll factor=4": None,
    "#pragma GCC ivdep": None,
    "#pragma clang loop vectorize(enable)": None,
    "#pragma omp parallel for": None,
    "/*\n#pragma loom unroll(4)\n*/": None,
    "#if 0 // ä\n#pragma loom unroll(4)\n#endif": None,
    "#ifdef OTHER\n#pragma loom fast\n#else\n#pragma loom unroll(4)\n#endif": FOUR,
    "#ifndef OTHER\n#pragma loom unroll(4)\n#else\n#pragma loom unroll\n#endif": FOUR,
}


def asked(loop: Operation) -> str | None:
    """What the loop's attributes ask."""
    wish = loop.attributes.get("loom.unroll")
    words = [] if wish is None else [str(wish)]
    units = ("flatten", "interchange", "pipeline")
    words += [name for name in units if f"loom.{name}" in loop.attributes]
    for name in ("ii", "interleave", "partial_sums"):
        number = loop.attributes.get(f"loom.{name}")
        words += [] if number is None else [f"{name} {number}"]
    return " ".join(words) + HINT * ("loom.hint" in loop.attributes) if words else None


def loops(text: str) -> dict[int, str | None]:
    """What is asked of the loop at each line."""
    module = read_c(text, "k.c").module
    return {place_of(op).line: asked(op) for op in module.walk() if isinstance(op, LOOPS)}


@pytest.mark.parametrize("pragma", ROWS)
def test_before_a_loop(pragma: str) -> None:
    loop = "for (int i = 0; i < 8; i++)\n    n += n;"
    text = f"int f(int n) {{\n{pragma}\n  {loop}\n  return n;\n}}\n"
    assert list(loops(text).values()) == [ROWS[pragma]]


INSIDE = {
    "#pragma HLS unroll": '"full"' + HINT,
    "#pragma HLS UNROLL": '"full"' + HINT,
    "#pragma hls Unroll Factor = 4": FOUR + HINT,
    "#pragma HLS unroll skip_exit_check factor=4": FOUR + HINT,
    "#pragma HLS unroll factor=4 skip_exit_check": FOUR + HINT,
    "#pragma HLS unroll off=true": "1 : i64" + HINT,
    "#pragma HLS pipeline II=1": None,
    "#pragma HLS dependence variable=a inter false": None,
}


@pytest.mark.parametrize("kind", ["for (int i = 0; i < 8; i++) {", "while (n < 80) {", "do {"])
@pytest.mark.parametrize("pragma", INSIDE)
def test_in_the_body_of_a_loop(pragma: str, kind: str) -> None:
    end = "} while (n < 80);" if kind == "do {" else "}"
    body = f"    n++;\n  {pragma}\n    n += n;"
    text = f"int f(int n) {{\n  {kind}\n{body}\n  {end}\n  return n;\n}}\n"
    assert list(loops(text).values()) == [INSIDE[pragma]]


def test_each_loop_has_its_own() -> None:
    text = """int f(int n) {
#pragma loom unroll(2)
  for (int i = 0; i < 8; i++) {
#pragma unroll 4
    while (n < 9)
      n += 3;
    for (int j = 0; j < 8; j++) {
      if (n > j) {
#pragma HLS unroll
        n -= j;
      }
#pragma HLS unroll factor=5
    }
  }
  do n--; while (n > 9);
  return n;
}
"""
    wanted = {3: "2 : i64", 5: FOUR + HINT, 7: "5 : i64" + HINT, 15: None}
    assert loops(text) == wanted


def test_a_nest_is_flattened_from_the_loop_with_the_pragma_outward() -> None:
    text = """int f(int n) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      n += n;
      for (int k = 0; k < 8; k++) {
#pragma HLS LOOP_FLATTEN
        for (int l = 0; l < 8; l++)
          n -= l;
      }
    }
  for (int i = 0; i < 8; i++) n ^= i;
  return n;
}
"""
    hint = "flatten" + HINT
    assert loops(text) == {2: hint, 3: hint, 5: None, 7: None, 11: None}


def test_a_function_that_is_called_twice_asks_twice() -> None:
    text = """static int g(int n) {
  #pragma loom unroll(2)
  for (int i = 0; i < 8; i++) n += n;
  return n;
}
int f(int n) { return g(n) + g(n + 1); }
"""
    module = read_c(text, "k.c", top="f").module
    found = [asked(op) for op in module.walk() if isinstance(op, scf.ForOp)]
    assert found == ["2 : i64"] * 2


def test_a_hint_for_a_loop_that_is_left_is_ignored() -> None:
    text = """int f(int a[9], int n) {
#pragma GCC unroll 4
  for (int i = 0; i < 9; i++) if (a[i] == n) return i;
  return 9;
}
"""
    assert compile_text(text, "k.c").loops


def test_bytes_and_characters_are_not_mixed_up() -> None:
    text = "// äöü €\nint f(int n) {\n#pragma loom unroll(4)\n  LOOP\n  return n;\n}\n"
    assert loops(text.replace("LOOP", "for (int i = 0; i < 8; i++) n += n;")) == {4: FOUR}


def test_what_is_asked_in_vain_is_told_with_the_loop_s_place() -> None:
    text = """int f(int n) {
#pragma loom unroll
  for (int i = 0; i < n; i++) n += n;
  return n;
}
"""
    with pytest.raises(LoomError) as caught:
        compile_text(text, "k.c")
    assert str(caught.value).startswith("k.c:3:3: error[LOWER_LOOP]: found a loop to be unrolled")


def test_pragmas_of_hls_tools_that_are_not_followed_are_named_once() -> None:
    text = (
        "int f(const int x[8]) {\n#pragma HLS array_partition variable=x complete\n"
        "#pragma HLS ARRAY_PARTITION variable=x\n  int s = 0;\n  for (int i = 0; i < 8; i++) {\n"
        "#pragma HLS pipeline II=1\n#pragma HLS dependence variable=x\n    s += x[i];\n  }\n"
        "  return s;\n}\n"
    )
    assert [note for note in compile_text(text, "k.c").notes if "HLS" in note] == [
        "k.c:2:13: #pragma HLS array_partition is not followed (docs/loops.md)",
        "k.c:7:13: #pragma HLS dependence is not followed (docs/loops.md)",
    ]


def test_an_option_chooses_the_pragmas_of_a_header(tmp_path: Path) -> None:
    """What the preprocessor leaves out of a header is none of its text either."""
    header = "#ifndef G\n#define G\n#ifdef FULL\n#pragma loom unroll\n#else\n#if 0\n}\n#endif\n"
    header += "#pragma loom unroll(4)\n#endif\nfor (int i = 0; i < 8; i++) n += i;\n#endif\n"
    (tmp_path / "g.h").write_text(header, encoding="utf-8")
    text = 'int f(int n) {\n#include "g.h"\n  return n;\n}\n'
    for macros, found in (((), FOUR), (("-DFULL",), '"full"')):
        options = COptions(macros=macros)
        module = read_c(text, str(tmp_path / "k.c"), options=options).module
        assert [asked(op) for op in module.walk() if isinstance(op, LOOPS)] == [found]
