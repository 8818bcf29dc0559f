"""The passes from the source program to a graph of units: one table, in the order they run.

Normal form, where the stage "normalize" ends: a module of one func.func and the memref.global it
uses. In the function: pure operations that have a row in the catalogue, under their own names, and
arith.constant; scf.for, while, if, yield and condition; memref.alloc, get_global, load and store of
rank 1; func.return.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError, Place
from loom.lower.dataflow.build_queues import build_queues
from loom.lower.dataflow.choose_units import check_units, choose_units, period_of
from loom.lower.dataflow.compare_addresses import compare_addresses, size_comparators
from loom.lower.dataflow.forward_values import choose_waiting
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.dataflow.place_buffers import place_buffers
from loom.lower.dataflow.scf_to_dataflow import scf_to_dataflow
from loom.lower.dataflow.share_loops import share_loops
from loom.lower.dataflow.share_multipliers import share_multipliers
from loom.lower.lean.build_accumulators import build_accumulators
from loom.lower.lean.drop_idle_control import drop_idle_control
from loom.lower.lean.drop_implied_dones import drop_implied_dones
from loom.lower.lean.drop_implied_order import drop_implied_order
from loom.lower.lean.fold_constants import fold_constants
from loom.lower.lean.join_before_branches import join_before_branches
from loom.lower.lean.merge_equal_units import merge_equal_units
from loom.lower.lean.narrow_addresses import narrow_addresses
from loom.lower.lean.narrow_buffers import narrow_buffers
from loom.lower.lean.prove_addresses import prove_addresses
from loom.lower.lean.remove_dead_units import remove_dead_units
from loom.lower.lean.share_fork_registers import share_fork_registers
from loom.lower.lean.take_from_sources import take_from_sources
from loom.lower.legalize.drop_assumptions import drop_assumptions
from loom.lower.legalize.expand_atomics import expand_atomics
from loom.lower.legalize.expand_copies import expand_copies
from loom.lower.legalize.expand_functions import expand_functions
from loom.lower.legalize.expand_intrinsics import expand_intrinsics
from loom.lower.legalize.expand_operators import expand_operators
from loom.lower.legalize.expand_remainders import expand_remainders
from loom.lower.legalize.lower_affine import lower_affine
from loom.lower.legalize.lower_index import lower_index
from loom.lower.loops.divmod_to_counters import divmod_to_counters
from loom.lower.loops.find_divisions import find_divisions
from loom.lower.loops.flatten_loops import flatten_loops
from loom.lower.loops.guard_loops import guard_loops
from loom.lower.loops.hoist_invariants import hoist_invariants
from loom.lower.loops.interchange_loops import interchange_loops
from loom.lower.loops.interleave_loops import interleave_loops
from loom.lower.loops.interleaved_nests import InterleavedNests
from loom.lower.loops.loop_directives import check_loop_directives, drop_directives
from loom.lower.loops.reassociate import reassociate
from loom.lower.loops.roll_loops import roll_loops
from loom.lower.loops.unroll_loops import unroll_loops
from loom.lower.loops.while_to_for import while_to_for
from loom.lower.memory.assign_banks import assign_banks
from loom.lower.memory.check_const_globals import check_const_globals
from loom.lower.memory.check_streams import check_streams, choose_streams
from loom.lower.memory.choose_memories import choose_memories
from loom.lower.memory.drop_subscripts import drop_subscripts
from loom.lower.memory.flatten_memrefs import flatten_memrefs
from loom.lower.memory.partition_arrays import partition_arrays
from loom.lower.memory.reuse_loads import reuse_loads
from loom.lower.memory.scalar_replacement import replace_scalars
from loom.lower.memory.thread_memory_order import thread_memory_order
from loom.lower.options import Options
from loom.lower.run_passes import Pass, insert_passes, run_passes
from loom.lower.scalar.check_index_width import check_index_width
from loom.lower.scalar.convert_ifs import convert_ifs
from loom.lower.scalar.divide_by_constants import divide_by_constants
from loom.lower.scalar.divide_floats import multiply_by_reciprocals
from loom.lower.scalar.extend_factors import extend_factors
from loom.lower.scalar.extract_bits import extract_bits
from loom.lower.scalar.narrow_widths import narrow_widths, simplify_casts
from loom.lower.scalar.reduce_strength import reduce_strength
from loom.lower.scalar.select_operands import select_operands
from loom.lower.scalar.simplify import simplify
from loom.lower.static.build_pipeline import Schedule
from loom.lower.static.carry_tests import carry_tests
from loom.lower.static.choose_static_period import StaticSchedule, choose_static_period
from loom.lower.static.flatten_whiles import FlattenedWhiles
from loom.lower.static.forward_carried_stores import forward_carried_stores
from loom.lower.static.known_addresses import KnownAddresses
from loom.lower.static.loads_inside import clamp_loads
from loom.lower.static.lower_static import lower_static
from loom.lower.static.outline_islands import outline_islands
from loom.lower.static.speculate_loads import speculate_loads
from loom.lower.static.trial import FIRST, Trial
from loom.lower.structure.inline_calls import inline_calls, inline_single_calls
from loom.lower.structure.lift_control_flow import lift_control_flow
from loom.lower.structure.serialize_parallel import serialize_parallel
from loom.lower.structure.switch_to_if import switch_to_if


def schedule_islands(module: ModuleOp, options: Options) -> None:
    """Every loop with the style static is one operation that runs its schedule."""
    steps = [step for step in PASSES if step.is_static]
    plain = replace(options, watch=None)

    def schedule(function: ModuleOp) -> ModuleOp:
        known = KnownAddresses()
        run_passes(function, plain, [*before_schedules(known), *steps])
        lower_static(function, plain, known=known)
        return function

    outline_islands(module, options, schedule)


PASSES: tuple[Pass, ...] = (
    Pass("check", check_index_width, "no index constant loses bits silently"),
    Pass("check", check_units, "operations name hardware that exists"),
    Pass("normalize", partition_arrays, "sizes and names are still those of the program"),
    Pass("normalize", choose_streams, "a stream is a memory behind channels"),
    Pass("normalize", choose_memories, "partitions are known, and names are the program's"),
    Pass("normalize", inline_calls, "a circuit has no call stack"),
    Pass(
        "normalize", check_loop_directives, "a directive of a loop is one that the loop can follow"
    ),
    Pass("normalize", drop_assumptions, "assumptions cost no hardware"),
    Pass("normalize", lift_control_flow, "a circuit has no program counter: blocks become scf"),
    Pass(
        "normalize",
        serialize_parallel,
        "one kind of loop is left: parallel loops become sequential",
    ),
    Pass("normalize", switch_to_if, "one kind of branch is left: switches become scf.if"),
    Pass("normalize", lower_affine, "affine loops, branches and accesses become scf and memref"),
    Pass("normalize", lower_index, "one operation per meaning is left: index becomes arith"),
    Pass("normalize", expand_intrinsics, "one operation per meaning is left: intrinsics expand"),
    Pass("normalize", expand_operators, "every operation that is left has hardware"),
    Pass("normalize", expand_functions, "exp, log, sin and cos are integers and tables"),
    Pass("normalize", expand_remainders, "the remainder of floats is a loop of subtractions"),
    Pass(
        "normalize", while_to_for, "a counted loop starts iterations without waiting for its body"
    ),
    Pass("normalize", find_divisions, "a divider is faster than a loop that divides bit by bit"),
    Pass("normalize", expand_copies, "memories are read and written element by element"),
    Pass("normalize", expand_atomics, "no other agent accesses the memory: load, compute, store"),
    Pass("normalize", flatten_memrefs, "every memory has one dimension"),
    Pass("normalize", check_const_globals, "constant globals are never written"),
    Pass("normalize", interchange_loops, "the carried dependence moves to the outer loop"),
    Pass("normalize", roll_loops, "loops alike that follow each other are iterations of one"),
    Pass("normalize", unroll_loops, "consecutive iterations run side by side"),
    Pass("normalize", flatten_loops, "each entry of an inner loop costs a cycle"),
    Pass("normalize", drop_directives, "directives have been followed, or left as hints"),
    Pass("normalize", reduce_strength, "a shift by a constant is wires"),
    Pass("normalize", extract_bits, "one selector instead of one for each bit of a shift"),
    Pass("normalize", multiply_by_reciprocals, "a float multiplier is smaller than a divider"),
    Pass("normalize", replace_scalars, "scalar replacement: a register is nearer than a memory"),
    Pass("normalize", reuse_loads, "what an iteration has loaded the next ones need not load"),
    Pass("normalize", convert_ifs, "if-conversion: a select is smaller than a branch and a merge"),
    Pass("normalize", select_operands, "what a loop carries passes one operator, and no select"),
    Pass("normalize", reassociate, "a sum of unrolled iterations becomes a balanced tree"),
    Pass("normalize", simplify, "what the passes before left behind costs no hardware"),
    Pass("normalize", hoist_invariants, "a loop-invariant value is computed once"),
    Pass("normalize", assign_banks, "addresses are now as simple as they get"),
    Pass("prepare", check_streams, "an array that is a stream is accessed in order"),
    Pass("prepare", schedule_islands, "a loop of style static is one unit with a schedule"),
    Pass("prepare", interleave_loops, "independent iterations take turns where one waits"),
    Pass("prepare", thread_memory_order, "memory order becomes data dependence"),
    Pass("prepare", drop_subscripts, "subscripts have served the dependence test", is_static=True),
    Pass(
        "prepare",
        prove_addresses,
        "no address is compared that cannot miss",
        is_lean=True,
        is_static=True,
    ),
    Pass("prepare", guard_loops, "loops with a non-zero trip count are marked; guard: all are"),
    Pass("prepare", share_loops, "loops alike that never run together are one circuit"),
    Pass("prepare", narrow_widths, "no value has bits that are never used", is_static=True),
    Pass("prepare", simplify_casts, "a number is cast once", is_static=True),
    Pass(
        "prepare",
        inline_single_calls,
        "a circuit that one place calls is part of it",
        is_static=True,
    ),
    Pass("prepare", divmod_to_counters, "a counter is smaller than a divider"),
    Pass(
        "prepare",
        divide_by_constants,
        "a product with a reciprocal is smaller than a divider",
        is_static=True,
    ),
    Pass("prepare", extend_factors, "a product with zeros takes nothing", is_static=True),
    Pass("prepare", drop_implied_order, "an address or a datum orders its access", is_lean=True),
    Pass("dataflow", scf_to_dataflow, "regions become streams of tokens"),
    Pass("dataflow", build_queues, "a load-store queue orders the accesses of an array"),
    Pass("dataflow", fold_constants, "a constant is a parameter, not a token", is_lean=True),
    Pass("dataflow", merge_equal_units, "equal units on equal channels are one", is_lean=True),
    Pass("dataflow", drop_implied_dones, "a datum says that its load is done", is_lean=True),
    Pass("dataflow", compare_addresses, "a load waits for stores of its own address alone"),
    Pass("dataflow", drop_idle_control, "an address starts its access", is_lean=True),
    Pass("dataflow", build_accumulators, "a total is a register and an operator", is_lean=True),
    Pass("dataflow", remove_dead_units, "every unit has an effect", is_lean=True),
    Pass("dataflow", join_before_branches, "tokens of one way are one token", is_lean=True),
    Pass("dataflow", take_from_sources, "what says nothing is there at once", is_lean=True),
    Pass("dataflow", share_multipliers, "multipliers take no more DSP blocks than the user says"),
    Pass("dataflow", choose_waiting, "values are forwarded where the clock leaves time"),
    Pass("dataflow", materialize_forks, "every value gets exactly one reader"),
    Pass(
        "dataflow",
        choose_units,
        "latencies are known before buffers are placed",
        is_static=True,
    ),
    Pass("dataflow", place_buffers, "combinational cycles end in registers, paths are balanced"),
    Pass("dataflow", size_comparators, "as many addresses are compared as iterations overlap"),
    Pass(
        "dataflow", narrow_addresses, "an index outside the array is as good as any", is_lean=True
    ),
    Pass("dataflow", narrow_buffers, "a value is held before it is widened", is_lean=True),
    Pass("dataflow", share_fork_registers, "what is taken together has one register", is_lean=True),
)
"""From a verified module to one handshake function that is a netlist, operation by operation."""


BEFORE_SCHEDULES = (
    Pass(
        "prepare",
        speculate_loads,
        "a test waits for no load that an earlier iteration can make",
        is_static=True,
    ),
    Pass("prepare", carry_tests, "the next iteration waits for a test alone", is_static=True),
    Pass(
        "prepare",
        forward_carried_stores,
        "a load waits for no store whose datum a register has",
        is_static=True,
    ),
)
"""What a static schedule has first behind the normal form, and a dynamic circuit has not."""
BEHIND_ANALYSIS = Pass("prepare", clamp_loads, "no load leaves its array", is_static=True)
"""What is not known of addresses any more: which of them are speculative."""


def before_schedules(known: KnownAddresses) -> tuple[Pass, ...]:
    """Those passes, and what a schedule has to know from before the others."""
    reason = "subscripts tell more of an address than what is left of it"
    analyse = Pass("prepare", known.analyse, reason, title="analyse-addresses", is_static=True)
    return (*BEFORE_SCHEDULES, analyse, BEHIND_ANALYSIS)


def reshaping(nests: InterleavedNests, whiles: FlattenedWhiles) -> tuple[Pass, ...]:
    """The passes that make other loops of those of a program, which are tried."""
    first = "independent iterations take turns where one waits"
    second = "an entry of a loop costs a cycle"
    return (
        Pass("prepare", nests.build, first, title="interleave-nests", is_static=True),
        Pass("prepare", whiles.build, second, title="flatten-whiles", is_static=True),
    )


def lower(module: ModuleOp, options: Options) -> None:
    """Run every pass of `PASSES` on `module`, and those of the user; with `--lean off` no lean one.

    Refused (LOWER_PASS): a pass of the user's that fails, or leaves what is no valid module.
    """
    steps = insert_passes(PASSES, options.passes)
    run_passes(
        module, options, [each for each in steps if options.lean == "on" or not each.is_lean]
    )


def schedule_statically(
    module: ModuleOp,
    options: Options,
    schedule: Schedule | None = None,
    trial: Trial = FIRST,
) -> StaticSchedule:
    """The static schedule of a verified module, its loops by `schedule` or the options' way.

    With a `schedule` it is one for the period of the options; `trial` is what is tried. The module
    itself is as it is before its operations are scheduled. Refused: STATIC_OPERATION; STATIC_OPTION
    for a pass of the user's behind one that static schedules do not have; LOWER_LOOP for a loop
    that is to be interleaved and cannot.
    """
    steps = insert_passes(PASSES, options.passes)
    for each in steps:
        if each.is_added and not each.is_in_static_flow:
            what = f"--pass {each.name}@{each.after} with a static schedule"
            accepted = "passes of the stages check and normalize"
            raise LoomError("STATIC_OPTION", Place("--pass"), what, accepted)
    flow = [each for each in steps if each.is_in_static_flow]
    first = sum(each.stage in ("check", "normalize") for each in flow)
    known, nests = KnownAddresses(), InterleavedNests(chooses=trial.interleaves)
    whiles = FlattenedWhiles(chooses=trial.flattens)
    flow[first:first] = [*reshaping(nests, whiles), *before_schedules(known)]
    run_passes(module, options, flow)

    def attempt(period: float | None) -> StaticSchedule:
        found = module.clone()
        now = replace(options, clock_period=period)
        limits = lower_static(found, now, schedule, known, trial)
        return StaticSchedule(found, limits, period, nests, whiles)

    return attempt(period_of(options)) if schedule else choose_static_period(options, attempt)


def normalize(module: ModuleOp, options: Options) -> None:
    """Bring a program that the reader has accepted to normal form.

    Without the subscripts that decide memory order, which the stage "normalize" leaves for that.
    """
    for step in PASSES:
        if step.stage == "normalize":
            step.rewrite(module, options)
    drop_subscripts(module, options)


def list_passes() -> Iterator[str]:
    """The table as text, a pass a line: its stage, its name, its reason."""
    width = max(len(step.name) for step in PASSES)
    for step in PASSES:
        yield f"{step.stage:9}  {step.name:{width}}  {step.reason}"
