"""A random program as a static schedule: the source reference and its machine do the same.

With `--style auto` where that is chosen: then it takes no more cycles than the rule says. Where a
dynamic circuit with static loops is chosen, its token model does the same, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from xdsl.dialects import memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp

from loom.dialects.facts.arrays import PORTS, arrays_of
from loom.dialects.ops.partition_attribute import PARTITION
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.front.static_circuit import StaticCircuit, compile_static
from loom.front.styles.choose import choose_style
from loom.front.styles.compare import MORE_AT_ENDS, more_cycles
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.dataflow.choose_units import period_of
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from tests.random_programs.replay import Way
from tests.random_programs.verdict import Finding, Setting, Verdict, crash, with_results

IN_BANKS = 0.5
"""How probable it is that a program has arrays in banks, that an array or a dimension is."""
WITH_PORTS = 0.5
"""How probable it is that an array made in a program has two read ports."""
MOST_BANKS = 5
"""A dimension makes no more [banks]."""
MOST_CYCLES = 20_000
"""No random program's machine takes as long [cycles]."""
Chosen = StaticCircuit | Circuit | str | None
"""A static circuit, one with static loops, None for any other dynamic one, or a finding."""
Compiled = Callable[[ModuleOp, Options, Sequence[Activation]], Chosen]
"""The circuit of a program."""
REFUSED = frozenset({"STATIC_OPERATION", "LOWER_CLOCK_PERIOD"})
"""What a static schedule does not have, and a drawn period that the dynamic circuit cannot meet."""


def judge_statically(text: str, setting: Setting) -> Verdict:
    """Reference against machine, activation after activation; a refused program is no finding."""
    return judge(text, setting, schedule)


def judge_automatically(text: str, setting: Setting) -> Verdict:
    """The same of the circuit that `--style auto` takes; one all dynamic has nothing to compare."""
    return judge(text, setting, choose)


def judge(text: str, setting: Setting, compiled: Compiled) -> Verdict:
    """The verdict on a program; a refused one is no finding."""
    try:
        return on_inputs(read_mlir(text, "program.mlir"), setting, compiled)
    except (LoomError, LoomErrors) as error:
        code = error.code if isinstance(error, LoomError) else error.problems[0].code
        if code in REFUSED:
            return Verdict(dropped=setting.activations)
        return Verdict(finding=Finding(f"refused {code}", str(error)))
    except Exception as error:
        return Verdict(finding=crash(error))


def schedule(module: ModuleOp, options: Options, given: Sequence[Activation]) -> StaticCircuit:
    """The static circuit of a program."""
    return compile_static(module, top=None, options=options)


def choose(module: ModuleOp, options: Options, given: Sequence[Activation]) -> Chosen:
    """The circuit with a schedule, None where there is none, or what is wrong with the choice.

    The choice is measured anew, by the models without a budget.
    """
    dynamic = compile_module(module, options=options)
    found = choose_style(dynamic, options, given)
    assert found.choice is not None
    if isinstance(found.circuit, Circuit):
        mixed = found.circuit if found.choice.mixed is not None else None
        return mixed if found.choice.style == "dynamic" else "a dynamic circuit, said static"
    ours = sum(found.circuit.cycles(given, MOST_CYCLES))
    theirs = sum(run.cycles for run in run_timed(dynamic.netlist, given))
    assert found.choice.static is not None and found.choice.dynamic is not None
    more = more_cycles(found.choice.static, found.choice.dynamic, period_of(options))
    if ours > more * theirs + MORE_AT_ENDS * len(given):
        return f"a static schedule of {ours} cycles, where the dynamic circuit takes {theirs}"
    return found.circuit


def on_inputs(module: ModuleOp, setting: Setting, compiled: Compiled) -> Verdict:
    """The verdict on inputs that give the program results."""
    signature = signature_of(top_function(module), setting.index_width)
    drawn = random_activations(signature, setting.seed, setting.activations)
    given = with_results(module, signature.name, setting, drawn)
    # A global that keeps its words may lead one activation to what has no result.
    kept: Sequence[Activation] = given
    options = Options(index_width=setting.index_width, clock_period=setting.period)
    draw_partitions(module, setting.seed)
    draw_ports(module, setting.seed)
    if not kept:
        return Verdict(dropped=len(drawn))
    circuit = compiled(module, options, kept)
    if isinstance(circuit, str):
        return Verdict(finding=Finding("choice", circuit, tuple(kept)))
    if circuit is None:
        return Verdict(tokens=len(kept), dropped=len(drawn) - len(kept))
    try:
        if isinstance(circuit, Circuit):
            top, netlist = circuit.top, circuit.netlist
            report = compare_models(module, top, netlist, kept, max_cycles=MOST_CYCLES)
            found = list(report.differences)
        else:
            found = list(circuit.differences(kept, MOST_CYCLES))
    except LoomError as error:
        if error.code in ("REF_UNDEFINED", "REF_BUDGET"):
            return Verdict(dropped=len(drawn))
        raise
    if found:
        return Verdict(finding=Finding("difference", "\n".join(found), tuple(kept)))
    return Verdict(tokens=len(kept), dropped=len(drawn) - len(kept))


def draw_partitions(module: ModuleOp, seed: int) -> None:
    """In half of the programs about half of the arrays lie in banks, by one dimension or several.

    Those made in the program, and the arguments of its circuit.
    """
    random, top = Random(f"{seed}"), top_function(module)
    for array in arrays_of(module) if random.random() < IN_BANKS else ():
        said: list[str] = []
        for number, size in enumerate(array.type.get_shape()):
            if random.random() < IN_BANKS:
                banks = random.randint(1, min(size, MOST_BANKS))
                schemes = [f"cyclic:{banks}", f"block:{banks}"]
                schemes += ["complete"] * (size <= MOST_BANKS)
                said.append(f"{random.choice(schemes)}:{number}")
        if said and (array.argument is None or array.maker is top):
            array.say(PARTITION, StringAttr(" ".join(said)))


def draw_ports(module: ModuleOp, seed: int) -> None:
    """About half of the arrays made in the program have two read ports."""
    random = Random(f"ports of {seed}")
    for array in arrays_of(module):
        if array.argument is None and random.random() < WITH_PORTS:
            array.say(PORTS, IntegerAttr(2, 64))


def move_inside(module: ModuleOp) -> None:
    """The circuit's function works on arrays of its own, which it loads first and stores last."""
    function = top_function(module)
    block = function.body.blocks[0]
    first = block.first_op
    assert first is not None
    ends = [op for op in function.walk() if isinstance(op, ReturnOp)]
    for argument in function.args:
        if not isinstance(argument.type, MemRefType):
            continue
        own = memref.AllocOp([], [], argument.type)
        own.memref.name_hint = f"{argument.name_hint or 'array'}_inside"
        argument.replace_all_uses_with(own.memref)
        block.insert_ops_before([own, memref.CopyOp(argument, own.memref)], first)
        for end in ends:
            holder = end.parent
            assert holder is not None
            holder.insert_op_before(memref.CopyOp(own.memref, argument), end)


STATICALLY = Way(" --static", judge_statically)
AUTOMATICALLY = Way(" --auto", judge_automatically)
