"""The style of a function's circuit: dynamic, static, or the one that costs least (`auto`).

`auto` compiles both circuits, runs both models on the same inputs, and compares cycles, time
(cycles by estimated period) and LUTs. The rule is in docs/static.md. In the same way it chooses
what orders the accesses of a dynamic circuit (`choose_order`), and its static loops
(`choose_loops`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.loop_attributes import STYLE
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, LoomErrors, raise_all
from loom.front.api import compile_module, read_program, refuse_schedule
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit, compile_ports, compile_static
from loom.front.styles.compare import compare, judge_drawn
from loom.front.styles.loops import choose_loops, loops_to_try
from loom.front.styles.orders import choose_order, is_open, with_order
from loom.front.styles.styled import Choice, Styled
from loom.frontend.functions import top_function
from loom.input_files import MOST_MEGABYTES, read_text
from loom.lower.dataflow.choose_units import period_of
from loom.lower.options import Options, Style
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference

DEFAULT: Style = "auto"
"""The style of what is compiled, run or reported, where neither option nor function says one."""


DRAWN = 2
"""Activations that are drawn where no inputs are given."""


STATIC = " with --style static"
"""Ends what is refused of a static schedule only."""


ASKED_FOR = frozenset({"LOWER_NO_SOLVER"})
"""Where a static schedule is refused with one of these it is not that it has none. A program that
it refuses with others has its dynamic circuit."""


Inputs = Callable[[Circuit], Sequence[Activation]]
"""The activations that `auto` runs a circuit on."""


def compile_in_style(
    request: Request,
    given: Sequence[Activation] | Inputs = (),
    default: Style = DEFAULT,
) -> Styled:
    """The circuit of a program in the style of the options, else of its attribute, else `default`.

    With `auto` the models run `given`, or drawn inputs.
    """
    source, options = read_program(request), request.options
    style = requested_style(source, request.top, options, default)
    if style == "static":
        return Styled(compile_static(source, top=request.top, options=options))
    plain = without_schedule(options)
    if style == "dynamic":
        refuse_schedule(options, place_of(top_function(source, request.top)))
        return Styled(compile_module(source, top=request.top, options=plain))
    dynamic = compile_open(source, request.top, plain.unwatched)
    found = choose_style(dynamic, options.unwatched, given)
    if options.watch == options.unwatched.watch:
        return found
    if isinstance(found.circuit, StaticCircuit):
        seen = compile_in_style(replace(request, options=replace(options, style="static")))
        return replace(seen, choice=found.choice)
    taken = with_order(plain, found.choice)  # its source says which loops are static
    return replace(
        found, circuit=compile_module(found.circuit.source, top=request.top, options=taken)
    )


def compile_dynamic(request: Request, options: Options) -> Circuit:
    """The dynamic circuit of a program; that of its ports alone where `options` make it static, or
    leave the style to `auto` and the dynamic circuit is refused."""
    source, plain = read_program(request), without_schedule(request.options)
    style = requested_style(source, request.top, options)
    if style == "static":
        return compile_ports(source, request.top, plain)
    if style == "auto":
        return compile_open(source, request.top, plain)
    return compile_module(source, top=request.top, options=plain)


def compile_open(source: ModuleOp, top: str | None, options: Options) -> Circuit:
    """The dynamic circuit of a program; where that is refused, one with its ports alone.

    Refused: what neither has.
    """
    try:
        return compile_module(source, top=top, options=options)
    except (LoomError, LoomErrors) as refusal:
        try:
            ports = compile_ports(source, top, options)
        except (LoomError, LoomErrors):
            raise refusal from None
        return replace(ports, refusal=refusal)


def without_schedule(options: Options) -> Options:
    """The options of the dynamic circuit."""
    return replace(options, style="dynamic", schedule="iterative")


def requested_style(
    source: ModuleOp, top: str | None, options: Options, default: Style = DEFAULT
) -> Style:
    """The style of the options, else of the function's attribute, else `default`.

    Refused (LOWER_LOOP): a style of a function that is called.
    """
    called = {op.callee.string_value() for op in source.walk() if isinstance(op, func.CallOp)}
    raise_all([
        LoomError(
            "LOWER_LOOP", place_of(op), f"{STYLE} of @{op.sym_name.data}, which is called",
            f"{STYLE} of the top function: a call has the style of its caller",
        )
        for op in source.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data in called and STYLE.is_on(op)
    ])  # fmt: skip
    if options.style is not None:
        return options.style
    return cast("Style", STYLE.of(top_function(source, top)) or default)


def choose_style(
    dynamic: Circuit,
    options: Options,
    given: Sequence[Activation] | Inputs = (),
) -> Styled:
    """The dynamic circuit, or the static one of the same program where that costs no more.

    What orders the accesses of the dynamic one, and which of its loops are static, is chosen then,
    if it is taken. Where one of both is refused it is the other; refused: what neither has.
    """
    static, refusal = find_static(dynamic, options)
    if dynamic.refusal is not None:
        is_clock = first_of(dynamic.refusal).code == "LOWER_CLOCK_PERIOD"
        if static is None or (is_clock and static.misses_clock):
            raise dynamic.refusal
        reason = f"no dynamic circuit: {describe_refusal(dynamic.refusal)}"
        return Styled(static, Choice("static", reason))
    plain = without_schedule(options)
    is_final = not is_open(dynamic, options) and not loops_to_try(dynamic, plain)
    if static is None and is_final:
        return Styled(dynamic, Choice("dynamic", refusal))
    activations = given(dynamic) if callable(given) else given
    are_drawn = not activations
    if are_drawn:
        try:
            activations = draw_inputs(dynamic, options)
        except LoomError as error:
            reason = f"no inputs to compare with: {error.code}, {error.what}; --inputs gives some"
            return Styled(dynamic, Choice("dynamic", refusal or reason))
    if static is None:
        return improve(dynamic, Choice("dynamic", refusal), plain, activations, are_drawn)
    choice = compare(dynamic, static, activations, period_of(options))
    if are_drawn:
        choice = judge_drawn(dynamic, static, choice)
    if choice.style == "static":
        return Styled(static, choice)
    return improve(dynamic, choice, plain, activations, are_drawn)


def improve(
    dynamic: Circuit,
    choice: Choice,
    options: Options,
    given: Sequence[Activation],
    are_drawn: bool,
) -> Styled:
    """The dynamic circuit with the memory order and the static loops that pay."""
    found = choose_order(dynamic, choice, options, given, are_drawn)
    ordered = with_order(options, found.choice)
    return choose_loops(found.dynamic, found.choice or choice, ordered, given, are_drawn)


def find_static(dynamic: Circuit, options: Options) -> tuple[StaticCircuit | None, str]:
    """The static circuit of the same program, or why it has none."""
    try:
        return compile_static(dynamic.source, top=dynamic.top, options=options, dynamic=dynamic), ""
    except (LoomError, LoomErrors) as error:
        first = first_of(error)
        if first.code in ASKED_FOR:
            raise
        if first.code == "STATIC_OPTION":
            return None, f"no static schedule takes {first.what.removesuffix(STATIC)}"
        return None, f"no static schedule: {describe_refusal(error)}"


def first_of(error: LoomError | LoomErrors) -> LoomError:
    """The error, or the first of several."""
    return error if isinstance(error, LoomError) else error.problems[0]


def describe_refusal(error: LoomError | LoomErrors) -> str:
    """What was refused first: its code, place and what was found."""
    first = first_of(error)
    return f"{first.code}, {first.where}: {first.what}"


def bundle_inputs(file: str, most: int = MOST_MEGABYTES) -> Inputs:
    """The activations of a bundle, a file of `most` [Mi characters]."""

    def read(circuit: Circuit) -> Sequence[Activation]:
        function = top_function(circuit.source, circuit.top)
        signature = signature_of(function, circuit.netlist.index_width)
        return read_bundle(read_text(file, most), file, signature)

    return read


def draw_inputs(circuit: Circuit, options: Options) -> list[Activation]:
    """Random inputs that the program accepts."""
    reference = compile_reference(circuit.source, circuit.top, options.index_width)
    signature = signature_of(top_function(circuit.source, circuit.top), options.index_width)
    return accepted_activations(reference, signature, 1, DRAWN)
