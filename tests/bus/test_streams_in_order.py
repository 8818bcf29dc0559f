"""Arrays that are streams are accessed in order, or refused with the access that is not."""

from __future__ import annotations

import pytest

import loom
from loom.errors import LoomError, LoomErrors
from loom.lower.options import Options

FUNCTION = (
    "void f(const int x[8], int y[12]) {{\n{0}\n  for (int i = 0; i < 12; i++) y[i] = t;\n}}\n"
)
IN_ORDER = {
    "a loop": "int t = 0;\n  for (int k = 0; k < 8; k++) t += x[k];",
    "backwards, yet in order": "int t = 0;\n  for (int k = 7; k >= 0; k--) t += x[7 - k];",
    "from another number": "int t = 0;\n  for (int k = 4; k < 12; k++) t += x[k - 4];",
    "a nest": "int t = 0;\n  for (int k = 0; k < 2; k++)\n"
    "    for (int j = 0; j < 4; j++) t += x[4 * k + j];",
    "a loop of one iteration": "int t = 0;\n  for (int k = 0; k < 8; k++)\n"
    "    for (int j = k; j < k + 1; j++) t += x[j];",
    "a condition about the value": "int t = 0;\n  for (int k = 0; k < 8; k++) {\n"
    "    int v = x[k];\n    if (v > t) t = v;\n  }",
}  # fmt: skip
SUM = "int t = 0;\n  for (int k = 0; k < {0}; k++) t += x[{1}];"
OUT_OF_ORDER = {
    "backwards": (SUM.format(8, "7 - k"), "k.c:3:36", "a read of x that begins at element 7"),
    "every second": (
        SUM.format(4, "2 * k"), "k.c:3:36",
        "a read of x that goes on by 2 elements in each iteration of the loop at line 3, not by 1"),
    "by columns": (
        "int t = 0;\n  for (int k = 0; k < 2; k++)\n"
        "    for (int j = 0; j < 4; j++) t += x[2 * j + k];", "k.c:4:38",
        "a read of x that goes on by 2 elements in each iteration of the loop at line 4, not by 1"),
    "an element again": (
        "int t = 0;\n  for (int k = 0; k < 8; k++)\n"
        "    for (int j = 0; j < 3; j++) t += x[k] * j;", "k.c:4:38",
        "a read of x that goes on by 0 elements in each iteration of the loop at line 4, not by 1"),
    "elements are left": (SUM.format(7, "k"), "k.c:3:36", "a read of x of 7 elements of 8"),
    "from the second": (
        SUM.format(7, "k + 1"), "k.c:3:36", "a read of x that begins at element 1"),
    "at random": (
        SUM.format(8, "k ^ 1"), "k.c:3:36",
        "a read of x at an address that is not affine in its loops"),
    "beside the loop": (
        "int t = x[0];\n  for (int k = 0; k < 8; k++) t += x[k];", "k.c:3:36",
        "a second read of x"),
    "under a condition": (
        "int t = 0;\n  for (int k = 0; k < 8; k++)\n    if (t < 9) t += x[k];", "k.c:4:21",
        "a read of x under the condition at line 4"),
    "until a condition": (
        "int t = 0, k = 0;\n  while (t < 9) t += x[k++];", "k.c:3:22",
        "a read of x in the loop at line 3, whose trip count is not constant"),
    "never": ("int t = 3;", "k.c:1:6", "no access to x"),
}  # fmt: skip


def streamed(body: str) -> loom.Circuit:
    options = Options(streams=("x",), clock_period=None)
    return loom.compile_text(FUNCTION.format(body), "k.c", options=options)


@pytest.mark.parametrize("case", IN_ORDER)
def test_an_array_in_order_has_one_access(case: str) -> None:
    netlist = streamed(IN_ORDER[case]).netlist
    (unit,) = (u for u in netlist.units if u.attributes.get("memory") == "x")
    assert unit.operator.name == "handshake.chanmemory" and unit.attributes["loads"] == 1


@pytest.mark.parametrize("case", OUT_OF_ORDER)
def test_an_array_out_of_order_is_refused(case: str) -> None:
    """LOWER_STREAM, at the access."""
    body, place, what = OUT_OF_ORDER[case]
    with pytest.raises((LoomError, LoomErrors)) as refused:
        streamed(body)
    assert str(refused.value) == (
        f"{place}: error[LOWER_STREAM]: found {what}; LOOM accepts a single access that takes each "
        "element once, from element 0 to the last"
    )


def test_an_array_that_is_read_and_written_is_refused() -> None:
    text = "void f(int x[8]) { for (int k = 0; k < 8; k++) x[k] = x[k] + 1; }\n"
    with pytest.raises((LoomError, LoomErrors), match=r"found a write of x beside a read;"):
        loom.compile_text(text, "k.c", options=Options(streams="all"))


@pytest.mark.parametrize(
    ("options", "message"),
    [(Options(streams=("q",)), "streams: error[LOWER_ARRAY]: found the stream 'q'; LOOM accepts "
      "arguments: x, y"),
     (Options(streams=("x",), memories=(("x", "ram"),)), "k.c:1:6: error[LOWER_ARRAY]: found the "
      "stream x as the memory ram; LOOM accepts channel, or nothing, for a stream")],
)  # fmt: skip
def test_what_is_no_stream_of_the_program_is_refused(options: Options, message: str) -> None:
    with pytest.raises((LoomError, LoomErrors)) as refused:
        loom.compile_text(FUNCTION.format(IN_ORDER["a loop"]), "k.c", options=options)
    assert str(refused.value) == message
