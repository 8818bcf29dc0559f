"""The passes from the program as written to the normal form, in their order.

Normal form: a module of one func.func and the memref.global it uses. In the function: pure
operations that have a row in the catalogue, under their own names, and arith.constant; scf.for,
while, if, yield and condition; memref.alloc, get_global, load and store of rank 1; func.return.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import ModuleOp

from loom.lower.legalize.drop_assumptions import drop_promises
from loom.lower.legalize.expand_atomics import expand_atomics
from loom.lower.legalize.expand_copies import expand_copies
from loom.lower.legalize.expand_intrinsics import expand_intrinsics
from loom.lower.legalize.expand_operators import expand_operators
from loom.lower.legalize.lower_affine import lower_affine
from loom.lower.legalize.lower_index import lower_index
from loom.lower.loops.flatten_loops import flatten_loops
from loom.lower.loops.hoist_invariants import move_invariants
from loom.lower.loops.interchange_loops import interchange_loops
from loom.lower.loops.loop_directives import ask_loops, drop_hints
from loom.lower.loops.reassociate import balance_sums
from loom.lower.loops.unroll_loops import unroll_loops
from loom.lower.loops.while_to_for import count_loops
from loom.lower.memory.assign_banks import choose_banks
from loom.lower.memory.check_const_globals import check_constants
from loom.lower.memory.drop_subscripts import drop_subscripts
from loom.lower.memory.flatten_memrefs import flatten_memrefs
from loom.lower.memory.partition_arrays import cut_arrays
from loom.lower.memory.scalar_replacement import keep_words
from loom.lower.options import Options
from loom.lower.scalar.reduce_strength import reduce_strength
from loom.lower.scalar.simplify import simplify
from loom.lower.structure.inline_calls import inline_calls
from loom.lower.structure.lift_control_flow import lift_control_flow
from loom.lower.structure.serialize_parallel import run_in_order
from loom.lower.structure.switch_to_if import choose_cases

Rewrite = Callable[[ModuleOp, Options], None]

NORMALIZE: tuple[tuple[str, str, Rewrite], ...] = (
    ("cut-arrays", "sizes and names are those of the program", cut_arrays),
    ("inline-calls", "a circuit has no call stack", inline_calls),
    ("ask-loops", "what is asked is something to ask", ask_loops),
    ("drop-promises", "what only promises costs nothing", drop_promises),
    ("lift-control-flow", "a circuit has no place that control is at", lift_control_flow),
    ("run-in-order", "one kind of loop is left", run_in_order),
    ("choose-cases", "one kind of branch is left", choose_cases),
    ("lower-affine", "one kind of loop, branch and access is left", lower_affine),
    ("lower-index", "one operation a meaning is left", lower_index),
    ("expand-intrinsics", "one operation a meaning is left", expand_intrinsics),
    ("expand-operators", "what is left has hardware", expand_operators),
    ("count-loops", "a counted loop does not wait for its body", count_loops),
    ("expand-copies", "memories are read and written word by word", expand_copies),
    ("expand-atomics", "nothing else accesses the memory", expand_atomics),
    ("flatten-memrefs", "memories are rows of words", flatten_memrefs),
    ("check-constants", "a constant keeps its words", check_constants),
    ("interchange-loops", "what one loop repeats the other need not", interchange_loops),
    ("unroll-loops", "turns in a row run side by side", unroll_loops),
    ("flatten-loops", "an entry of a loop costs a cycle", flatten_loops),
    ("drop-hints", "what was asked is done or left", drop_hints),
    ("reduce-strength", "a shift by a constant is wires", reduce_strength),
    ("keep-words", "a register is nearer than a memory", keep_words),
    ("balance-sums", "a sum of many turns is not as deep as they are many", balance_sums),
    ("simplify", "what the others left behind costs no hardware", simplify),
    ("move-invariants", "what never changes is computed once", move_invariants),
    ("choose-banks", "addresses are as simple as they get", choose_banks),
)
"""Name, reason and function of each pass."""


def normalize(module: ModuleOp, options: Options) -> None:
    """Bring a program that the reader has accepted to normal form.

    Without the subscripts that memory order is told by, which `NORMALIZE` leaves for that.
    """
    for _, _, rewrite in NORMALIZE:
        rewrite(module, options)
    drop_subscripts(module, options)
