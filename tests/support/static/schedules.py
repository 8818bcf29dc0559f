"""Static schedules, and for every rule one that breaks it beside one that just keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PREFIX = "a static schedule against its rules: "

SUM = """func.func @sum(%A: memref<8xi32>, %k: i32, %zero: i32) -> (index, i32) {
  %low = arith.constant 3 : index
  %high = arith.constant 14 : index
  %one = arith.constant 1 : index
  %last, %total = staticlogic.pipeline II = 2 trip_count = 11 clock = 9.0
      ports = {%A = 1r1w : memref<8xi32>} res = {arith.muli = 1}
      iv(%i = %low : index) iter_args(%acc = %zero : i32) -> (index, i32)
    condition {
      %more = arith.cmpi slt, %i, %high : index
      staticlogic.yield %more : i1
    } update {
      %next = arith.addi %i, %one : index
      staticlogic.yield %next : index
    } stages {
      %a = staticlogic.stage start = 0 {
        %v = memref.load %A[%i] {lat = 1} : memref<8xi32>
        staticlogic.register %v : i32
      } : i32
      %m, %p = staticlogic.stage start = 1 {
        %q = arith.muli %a, %k {lat = 3} : i32
        %odd = arith.trunci %a : i32 to i1
        staticlogic.register %q, %odd : i32, i1
      } : i32, i1
      %s = staticlogic.stage start = 4 {
        %t = arith.addi %acc, %m : i32
        staticlogic.register %t : i32
      } : i32
      staticlogic.stage start = 5 when %p {
        memref.store %s, %A[%i] : memref<8xi32>
        staticlogic.register
      }
      staticlogic.return iter_args(%s : i32)
    }
  return %last, %total : index, i32
}
"""
"""A loop of which every rule but those of while loops and sequences has something to say."""

SEARCH = """func.func @search(%A: memref<8xi32>, %B: memref<8xi32>, %a: index, %z: i32) -> index {
  %one = arith.constant 1 : index
  %found = staticlogic.pipeline II = 3
      iter_args(%x = %a : index) -> (index)
    condition {
    } update {
    } stages {
      %v = staticlogic.stage start = 0 {
        %l = memref.load %A[%x] {lat = 1} : memref<8xi32>
        staticlogic.register %l : i32
      } : i32
      %more = staticlogic.stage start = 1 {
        %c = arith.cmpi ne, %v, %z : i32
        staticlogic.register %c : i1
      } : i1
      %next = staticlogic.stage start = 2 {
        memref.store %v, %B[%x] : memref<8xi32>
        %n = arith.addi %x, %one : index
        staticlogic.register %n : index
      } : index
      staticlogic.return cond(%more : i1) iter_args(%next : index)
    }
  return %found : index
}
"""
"""A while loop whose test needs a load."""

NEST = """func.func @nest(%A: memref<8xi32>, %n: index, %x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = staticlogic.seq -> (i32) {
    %y = arith.addi %x, %x : i32
    scf.for %i = %zero to %n step %one {
      memref.store %y, %A[%i] : memref<8xi32>
    } {sequential}
    %z = arith.addi %y, %x : i32
    staticlogic.yield %z : i32
  }
  return %r : i32
}
"""

IDLE = """func.func @idle(%c: i1) {
  staticlogic.pipeline II = 1
    condition {
      staticlogic.yield %c : i1
    } update {
    } stages {
      staticlogic.stage start = 0 {
        staticlogic.register
      }
      staticlogic.return
    }
  return
}
"""
"""A loop that does nothing."""

Edits = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Row:
    """A rule, its code and message; edits of `text` that break it and that just keep it.

    The place of the message is that of `at` in the broken text.
    """

    rule: str
    code: str
    message: str
    at: str
    red: Edits
    green: Edits = ()
    text: str = SUM

    @property
    def broken(self) -> str:
        """The text that breaks the rule."""
        return edited(self.text, self.red)

    @property
    def kept(self) -> str:
        """The text that keeps it."""
        return edited(self.text, self.green)

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of the message."""
        before = self.broken[: self.broken.index(self.at)]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


def edited(text: str, edits: Edits) -> str:
    """The text with each of the pieces, which are there once, in another form."""
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


PIPELINE = "%last, %total = staticlogic.pipeline"
SLOW = ("clock = 9.0", "clock = 30.0")
TWO_LOADS = (
    (
        "        %odd = ",
        "        %w = memref.load %A[%i] {lat = 1} : memref<8xi32>\n        %odd = ",
    ),
    ("staticlogic.register %q, %odd : i32, i1", "staticlogic.register %q, %odd, %w : i32, i1, i32"),
    ("%m, %p = ", "%m, %p, %w1 = "),
    ("} : i32, i1\n", "} : i32, i1, i32\n"),
)
UNITS = " res = {arith.muli = 1}"
STORE_FIRST = (UNITS, " memdep = [#staticlogic.dep<store 1 -> load 0, dist 1>]")
WAR = " memdep = [#staticlogic.dep<load 2 -> store 1"
LOAD_LAST = (
    ("1r1w", "2r1w"),
    ("      staticlogic.return", "      staticlogic.stage start = 6 {\n        %w = memref.load "
     "%A[%i] : memref<8xi32>\n        staticlogic.register\n      }\n      staticlogic.return"),
)  # fmt: skip
TEST = "%c = arith.cmpi ne, %v, %z : i32"
LATE_TEST = '%c = "arith.cmpi"(%v, %z) <{predicate = 1 : i64}> {lat = 2} : (i32, i32) -> i1'
ROWS = [
    Row("1", "STATIC_II", "'II' must be a positive integer, found 0", PIPELINE,
        [("II = 2", "II = 0")], [("II = 2", "II = 6")]),
    Row("2", "STATIC_CONDITION", "'condition' must yield an i1 first, found 'index'",
        "staticlogic.yield %i :", [("yield %more : i1", "yield %i : index")]),
    Row("2", "STATIC_CONDITION", "'condition' must yield an i1 first, found ()",
        "staticlogic.yield\n", [("yield %more : i1", "yield")]),
    Row("2", "STATIC_CONDITION",
        "'condition' may hold only combinational ops, found 'memref.load'", "%l = memref",
        [("      %more =", "      %l = memref.load %A[%i] : memref<8xi32>\n      %more =")],
        [("      %more =", "      %l = arith.shli %i, %one : index\n      %more =")]),
    Row("2", "STATIC_CONDITION",
        "'condition' may hold only combinational ops, found 'arith.muli'", "%l = arith",
        [("      %more =", "      %l = arith.muli %i, %one : index\n      %more =")]),
    Row("2", "STATIC_CONDITION", "'condition' must be empty where 'return' gives the test",
        "staticlogic.return",
        [("return iter_args", "return cond(%p : i1) iter_args")]),
    Row("3", "STATIC_UPDATE", "'update' must yield 1 value(s) of types ('index'), found ()",
        "staticlogic.yield\n", [("staticlogic.yield %next : index", "staticlogic.yield")]),
    Row("3", "STATIC_UPDATE",
        "'update' may hold only combinational ops, found 'arith.divui'", "%next = arith",
        [("arith.addi %i, %one", "arith.divui %i, %one")],
        [("arith.addi %i, %one", "arith.subi %i, %one"), ("trip_count = 11 ", "")]),
    Row("3", "STATIC_UPDATE", "'update' may use only ivs, found iter_arg 'acc'", "%w = arith",
        [("      %next =", "      %w = arith.addi %acc, %k : i32\n      %next =")],
        [("      %next =", "      %w = arith.addi %k, %k : i32\n      %next =")]),
    Row("4", "STATIC_STAGES", "'stages' needs at least one stage", "staticlogic.pipeline",
        [("      staticlogic.stage start = 0 {\n        staticlogic.register\n      }\n", "")],
        text=IDLE),
    Row("4", "STATIC_STAGES",
        "'stages' may hold only 'staticlogic.stage' and 'staticlogic.return', found 'arith.addi'",
        "%w = arith", [("      %a = ", "      %w = arith.addi %i, %i : index\n      %a = ")]),
    Row("4", "STATIC_STAGES",
        "a stage may hold only operators, loads and stores, found 'memref.alloc'", "%w = memref",
        [("        %v = ", "        %w = memref.alloc() : memref<4xi8>\n        %v = ")]),
    Row("5", "STATIC_START", "stage 'start' must be >= 0, found -1", "%a = staticlogic.stage",
        [("start = 0", "start = -1")]),
    Row("5", "STATIC_START", "stage 'start' 1 must be greater than the previous 'start' 1",
        "%m, %p = ", [("start = 0", "start = 1")]),
    Row("6", "STATIC_REGISTER", "stage registers types ('i32') but has results ('i1')",
        "staticlogic.register %v", [("register %v : i32\n      } : i32",
                                     "register %v : i32\n      } : i1"),
                                    ("arith.muli %a", "arith.muli %k"),
                                    ("%odd = arith.trunci %a", "%odd = arith.trunci %k")]),
    Row("7", "STATIC_AVAILABLE",
        "value is used at cycle 2 but is available at cycle 4 (start 1 + latency 3)", "%t = arith",
        [("%s = staticlogic.stage start = 4", "%s = staticlogic.stage start = 2")],
        [("%s = staticlogic.stage start = 4", "%s = staticlogic.stage start = 2"),
         ("{lat = 3}", "{lat = 1}"), SLOW]),
    Row("7", "STATIC_AVAILABLE",
        "value is used at cycle 5 but is available at cycle 6 (start 4 + latency 2)",
        "memref.store %s", [("%acc, %m : i32", "%acc, %m {lat = 2} : i32")],
        [("%acc, %m : i32", "%acc, %m {lat = 1} : i32")]),
    Row("8", "STATIC_OWN_STAGE", "result of a 3-cycle op cannot be used in its own stage",
        "%odd = arith", [("arith.trunci %a", "arith.trunci %q")],
        [("arith.trunci %a", "arith.trunci %q"), ("{lat = 3} ", ""), SLOW]),
    Row("9", "STATIC_RECURRENCE",
        "iter_arg 'acc' of iteration n+1 is used at cycle 4+II(2)=6 but is available at cycle 7; "
        "II must be at least 3", "%t = arith",
        [("%acc, %m : i32", "%acc, %m {lat = 3} : i32"), ("start = 5", "start = 7")],
        [("%acc, %m : i32", "%acc, %m {lat = 2} : i32"), ("start = 5", "start = 7")]),
    Row("9", "STATIC_RECURRENCE",
        "iter_arg 'acc' of iteration n+1 is used at cycle 0+II(2)=2 but is available at cycle 5; "
        "II must be at least 5", "%more = arith",
        [("arith.cmpi slt, %i, %high : index", "arith.cmpi slt, %acc, %k : i32")],
        [("arith.cmpi slt, %i, %high : index", "arith.cmpi slt, %acc, %k : i32"),
         ("II = 2", "II = 5")]),
    Row("10", "STATIC_PORTS", "memref 'A' has 2 accesses in cycle 0 mod II 1 but 1 read port",
        "%w = memref", [*TWO_LOADS, ("II = 2", "II = 1")], TWO_LOADS),
    Row("10", "STATIC_PORTS",
        "memref 'A' has 2 accesses in cycle 1 mod II 2 but 1 read and write port", "memref.store",
        [*TWO_LOADS, ("1r1w", "1rw")], [*TWO_LOADS, ("1r1w", "2rw")]),
    Row("10", "STATIC_UNITS",
        "operator 'arith.muli' has 2 operations in cycle 1 mod II 2 but 1 unit", "%u = arith",
        [("        %odd", "        %u = arith.muli %a, %a : i32\n        %odd")],
        [("        %odd", "        %u = arith.muli %a, %a : i32\n        %odd"),
         ("arith.muli = 1", "arith.muli = 2"), SLOW]),
    Row("11", "STATIC_DEPENDENCE",
        "store to 'A' at cycle 5 and load at cycle 0 of the iteration 1 later need "
        "6 <= 0 + 1*II(2)", "%v = memref", [STORE_FIRST],
        [(STORE_FIRST[0], STORE_FIRST[1].replace("dist 1", "dist 3"))]),
    Row("11", "STATIC_DEPENDENCE",
        "store to 'A' at cycle 5 and load at cycle 0 of the iteration 1 later need "
        "6 <= 0 + 1*II(5)", "%v = memref", [STORE_FIRST, ("II = 2", "II = 5")],
        [STORE_FIRST, ("II = 2", "II = 6")]),
    Row("11", "STATIC_DEPENDENCE",
        "load of 'A' at cycle 6 and store at cycle 5 of the iteration 0 later need "
        "7 <= 5 + 0*II(2)", "memref.store", [*LOAD_LAST, (UNITS, f"{WAR}, dist 0>]")],
        [*LOAD_LAST, (UNITS, f"{WAR}, dist 1>]")]),
    Row("11", "STATIC_DEPENDENCE", "'memdep' names store 0, but access 0 is a load", PIPELINE,
        [(STORE_FIRST[0], STORE_FIRST[1].replace("store 1", "store 0"))]),
    Row("12", "STATIC_EFFECT_BEFORE_TEST",
        "stage at start 2 has side effects but the loop condition is known only at cycle 3",
        "memref.store", [(TEST, LATE_TEST)],
        [(TEST, LATE_TEST), ("start = 2", "start = 3"), ("II = 3", "II = 4")], text=SEARCH),
    Row("13", "STATIC_TEST_LATE",
        "loop condition is available at cycle 4, after the next issue at II 3",
        "staticlogic.return", [(TEST, LATE_TEST.replace("lat = 2", "lat = 3"))],
        [(TEST, LATE_TEST.replace("lat = 2", "lat = 3")), ("start = 2", "start = 4"),
         ("II = 3", "II = 5")],
        text=SEARCH),
    Row("14", "STATIC_RETURN",
        "'return' gives 0 iter_arg(s) of types () but the pipeline has 1 of types ('i32')",
        "staticlogic.return", [(" iter_args(%s : i32)\n", "\n")]),
    Row("14", "STATIC_RETURN", "'return' gives 'acc' as iter_arg, which is no stage result",
        "staticlogic.return", [("return iter_args(%s", "return iter_args(%acc")]),
    Row("14", "STATIC_RESULTS",
        "the pipeline has results ('i32', 'i32') but the ivs and iter_args are ('index', 'i32')",
        PIPELINE, [("-> (index, i32)\n    ", "-> (i32, i32)\n    "),
                   ("return %last, %total : index, i32", "return %low, %total : index, i32")],
        [("%last, %total = static", "static"), ("-> (index, i32)\n    ", "\n    "),
         ("return %last, %total : index, i32", "return %low, %k : index, i32")]),
    Row("15", "STATIC_CHAIN",
        "chain of 7.6 ns in cycle 1 exceeds clock 7.5 ns (register 1.0 -> muli 6.6)", "%q = arith",
        [("clock = 9.0", "clock = 7.5")], [("clock = 9.0", "clock = 7.7")]),
    Row("16", "STATIC_TRIP_COUNT", "trip_count 10 disagrees with the bounds (11)", PIPELINE,
        [("trip_count = 11", "trip_count = 10")]),
    Row("17", "STATIC_WHEN", "'when' must be available at cycle 5, it is available at cycle 7",
        "staticlogic.stage start = 5", [("arith.trunci %a : ", "arith.trunci %a {lat = 6} : ")],
        [("arith.trunci %a : ", "arith.trunci %a {lat = 4} : ")]),
    Row("17", "STATIC_WHEN", "'when' must be an i1, found 'i32'", "\"staticlogic.stage\"(%a)",
        [("staticlogic.stage start = 5 when %p {\n        memref.store %s, %A[%i] : memref<8xi32>"
          "\n        staticlogic.register\n      }", "\"staticlogic.stage\"(%a) "
          "<{start = 5 : i64}> ({\n        staticlogic.register\n      }) : (i32) -> ()")]),
    Row("18", "STATIC_SEQ", "seq step must produce only values used by later steps", "%w = arith",
        [("    scf.for", "    %w = arith.addi %x, %x : i32\n    scf.for")],
        [("    scf.for", "    %w = arith.addi %x, %x : i32\n    scf.for"),
         ("%z = arith.addi %y, %x", "%z = arith.addi %y, %w")], text=NEST),
    Row("18", "STATIC_SEQ", "a seq may hold only steps, found 'scf.for' without 'sequential'",
        "scf.for", [(" {sequential}", "")], text=NEST),
    Row("18", "STATIC_SEQ", "a seq has results ('i32') but yields ('index')", "staticlogic.yield",
        [("yield %z : i32", "yield %n : index")], text=NEST),
    Row("19", "STATIC_UPDATE_BEFORE_TEST",
        "iter_arg 'x' would be updated at cycle 1 before the loop condition (cycle 2)",
        "%more, %next = ", [
            ("        %n = arith.addi %x, %one : index\n        staticlogic.register %n : index\n"
             "      } : index", "        staticlogic.register\n      }"),
            ("%next = staticlogic.stage", "staticlogic.stage"), ("%more = ", "%more, %next = "),
            ("        staticlogic.register %c : i1\n      } : i1",
             "        %n = arith.addi %x, %one : index\n"
             "        staticlogic.register %c, %n : i1, index\n      } : i1, index")],
        text=SEARCH),
    Row("", "STATIC_LATENCY", "'lat' must be a number of cycles, found -1 : i64", "%v = memref",
        [("%A[%i] {lat = 1}", "%A[%i] {lat = -1}")]),
    Row("", "STATIC_LIMITS", "'clock' must be a positive number of ns, found -9.0", PIPELINE,
        [("clock = 9.0", "clock = -9.0")]),
    Row("", "STATIC_LIMITS", "'res' of arith.muli must be a positive integer, found 0 : i64",
        PIPELINE, [("arith.muli = 1", "arith.muli = 0")]),
    Row("", "STATIC_REGION", "a stage must be one block without arguments",
        "%a = \"staticlogic.stage\"", [
            ("staticlogic.stage start = 0 {\n        %v", "\"staticlogic.stage\"() <{start = 0 : "
             "i64}> ({\n      ^bb0(%b: i32):\n        %v"),
            ("staticlogic.register %v : i32\n      } : i32",
             "staticlogic.register %v : i32\n      }) : () -> i32")]),
]  # fmt: skip
"""At least one row a rule; rules without a number are about what the text says beside them."""
