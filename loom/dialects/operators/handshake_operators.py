"""Rows and meanings of the handshake operators.

Source: CIRCT's handshake dialect documentation; memory ports: docs/spec/memory-order.md,
"Memories".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from loom.dialects.operators.memories import CHANNEL, EXTERNAL, INTERNAL, ROM, MemoryKind
from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Port,
    Queue,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)
from loom.dialects.operators.partitions import WHOLE
from loom.errors import LoomError, Place

BUFFER_KINDS = ("seq", "fifo", "stage")
OUT_OF_RANGE = "RT_MEMORY_ADDRESS_OUT_OF_RANGE"
ERROR_RESPONSE = "RT_MEMORY_ERROR_RESPONSE"


def fork(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Put each token on every output."""
    (source,) = inputs
    while True:
        while source:
            token = source.popleft()
            for queue in outputs:
                queue.append(token)
        yield source


def sink(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Take every token."""
    (source,) = inputs
    while True:
        while source:
            source.popleft()
        yield source


def cond_br(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Send each datum to the side its condition names."""
    condition, data = inputs
    true_result, false_result = outputs
    while True:
        for _ in range(min(len(condition), len(data))):
            (true_result if condition.popleft() else false_result).append(data.popleft())
        yield data if condition else condition


def mux(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Pass a token of the input that each select token names, the last for all numbers beyond.

    The select stays on its channel until the datum is there, as in the circuit.
    """
    select, *data = inputs
    (out,) = outputs
    last = len(data) - 1
    while True:
        while not select:
            yield select
        chosen = data[min(select[0], last)]
        while not chosen:
            yield chosen
        select.popleft()
        out.append(chosen.popleft())


def buffer(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Pass every token on, behind the initial ones."""
    (source,), (out,) = inputs, outputs
    initial = shape.attributes.get("initial", ())
    assert isinstance(initial, tuple)
    for token in initial:
        out.append(token)
    while True:
        while source:
            out.append(source.popleft())
        yield source


def load(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Send an address when the control token is there; pass the memory's data on."""
    address, data_in, ctrl = inputs
    data, address_out = outputs
    while True:
        for _ in range(min(len(address), len(ctrl))):
            ctrl.popleft()
            address_out.append(address.popleft())
        while data_in:
            data.append(data_in.popleft())
        yield address


def store(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Send address and datum when the control token is there."""
    address, data, ctrl = inputs
    data_out, address_out = outputs
    while True:
        for _ in range(min(len(address), len(data), len(ctrl))):
            ctrl.popleft()
            address_out.append(address.popleft())
            data_out.append(data.popleft())
        yield next(queue for queue in inputs if not queue)


def constant(shape: Shape) -> Callable[[int], int]:
    """The attribute `value`, once for each control token."""
    value = shape.integer("value")
    return lambda _: value


def join(shape: Shape) -> Callable[..., int]:
    """One control token for a token from every input."""
    return lambda *_: 0


def join_variant(shape: Shape) -> str:
    """Which inputs have data, if any has."""
    return data_word(shape.inputs) if any(shape.inputs) else ""


def data_word(widths: Sequence[int]) -> str:
    """A letter for each port: d for one with data, c for control."""
    return "".join("d" if width else "c" for width in widths)


FEW = 8
"""The most slots whose tokens are counted by a bit each."""
LUT_RAM = 32
"""The most slots of a ring; of more, a tool may take a block RAM, whose words come late."""
CHOSEN = 5
"""The most slots of a shift register whose next word multiplexers choose."""
SHIFTED = 10
"""The most bits behind the first word of a shift register of 3 to `FEW` slots."""
NARROW = 24
"""The same of one of more slots, whose place a ring without a bit for each slot would take."""


def buffer_variant(shape: Shape) -> str:
    """Kind and form: ``1`` or ``2`` slots by hand, a shift register or a ring of words.

    A stage of several slots is a ``line`` of registers that move together. A shift register has a
    word in each slot; multiplexers (``shift``) or a bit for each slot (``select``) choose the next
    one. A ``short`` ring and a ``ring`` have their words in a RAM of LUTs and two places, a
    ``deep`` one in any RAM behind a register. Rings of more than `FEW` slots count their tokens,
    all others of these have a bit for each slot. The smallest of the forms is taken
    (docs/decisions/0057, 0161).
    """
    kind, slots = shape.text("kind"), shape.integer("slots")
    if initial := shape.attributes.get("initial", ()):
        assert isinstance(initial, tuple)
        return f"{kind}_ring_{len(initial)}_initial"
    if slots <= (2 if kind == "seq" else 1):
        return f"{kind}_{slots}"
    if kind == "stage":
        return "stage_line"
    width = shape.inputs[0]
    if slots == 2 or (slots - 1) * max(width, 1) <= (SHIFTED if slots <= FEW else NARROW):
        return f"{kind}_{'select' if width and slots > CHOSEN else 'shift'}"
    if slots <= FEW:
        return f"{kind}_short"
    return f"{kind}_{'deep' if is_deep_buffer(shape) else 'ring'}"


def is_deep_buffer(shape: Shape) -> bool:
    """Whether it is a buffer that has its words in a RAM behind its first ones."""
    slots = shape.attributes.get("slots", 0)
    moves = shape.attributes.get("kind") == "stage" or shape.attributes.get("initial", ())
    return isinstance(slots, int) and slots > LUT_RAM and max(shape.inputs) > 0 and not moves


def buffer_latency(shape: Shape) -> int:
    """By instance: of a stage its registers, of a seq buffer 1, of a fifo 0 [cycles]."""
    kind = shape.text("kind")
    return shape.integer("slots") if kind == "stage" else int(kind == "seq")


def buffer_misfit(shape: Shape) -> tuple[str, str] | None:
    """Initial values that the buffer cannot hold."""
    initial, kind, slots = (shape.attributes.get(n) for n in ("initial", "kind", "slots"))
    if not initial or not isinstance(initial, tuple) or not isinstance(slots, int):
        return None
    if kind == "seq" and slots >= 2 and len(initial) <= slots:
        width = shape.inputs[0]
        if all(0 <= value < 1 << width for value in initial):
            return None
        return f"an initial value of more than {width} bits", f"values of {width} bits"
    found = f"{len(initial)} initial values in a {kind} buffer of {slots} slots"
    return found, "seq buffers of 2 slots and more, with no more values than slots"


def mux_misfit(shape: Shape) -> tuple[str, str] | None:
    """A select too narrow to name every input."""
    return too_narrow("a select", shape.inputs[0], len(shape.inputs) - 1)


def mux_rates(shape: Shape) -> str | None:
    """Each input as often as it is named, where a select names every input by one number."""
    exact = shape.inputs[0] == 1 and len(shape.inputs) == 3
    return "in* = select?*; out = select" if exact else None


def too_narrow(what: str, width: int, inputs: int) -> tuple[str, str] | None:
    """What is wrong with a number of `width` [bits] that names one of `inputs`, if anything."""
    least = max(1, (inputs - 1).bit_length())
    return (
        None if width >= least else (f"{what} of {width} bits", f"{least} bits for {inputs} inputs")
    )


def memory(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Serve every access that is there; an address outside reads 0 and writes nothing."""
    stores, loads = shape.integer("stores"), shape.integer("loads")
    contents, accepts = env.contents, bool(shape.attributes.get("accepts"))
    depth = len(contents)
    while True:
        for k in range(stores):
            data, address = inputs[2 * k], inputs[2 * k + 1]
            while data and address:
                where, word = address.popleft(), data.popleft()
                if where < depth:
                    contents[where] = word
                else:
                    report_outside(shape, where, depth, env)
                outputs[loads + k].append(0)
                if accepts:
                    outputs[2 * loads + stores + k].append(0)
        for k in range(loads):
            address = inputs[2 * stores + k]
            while address:
                where = address.popleft()
                if where >= depth:
                    report_outside(shape, where, depth, env)
                outputs[k].append(contents[where] if where < depth else 0)
                outputs[loads + stores + k].append(0)
        yield inputs[0]


def report_outside(shape: Shape, where: int, depth: int, env: Environment) -> None:
    """Raise the run-time error of an address outside the array.

    Refused (MODEL_IN_RANGE): one of a memory that states `in_range`, which has no compare.
    """
    if shape.attributes.get("in_range"):
        name = shape.text("memory")
        raise LoomError(
            "MODEL_IN_RANGE",
            Place(name),
            f"address {where} of {name}, which has {depth} elements and states in_range",
            "in_range of memories whose every address is below their size",
        )
    env.report(OUT_OF_RANGE)


def memory_ports(shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Ports of a memory with `stores` and `loads` accesses, stores first."""
    stores, loads = range(shape.integer("stores")), range(shape.integer("loads"))
    inputs = [
        port for k in stores for port in (Port(f"st_data{k}", "T"), Port(f"st_address{k}", "A"))
    ]
    inputs += [Port(f"ld_address{k}", "A") for k in loads]
    outputs = [Port(f"ld_data{k}", "T") for k in loads]
    outputs += [Port(f"st_done{k}", "none") for k in stores]
    outputs += [Port(f"ld_done{k}", "none") for k in loads]
    if shape.attributes.get("accepts"):
        outputs += [Port(f"st_accepted{k}", "none") for k in stores]
    return tuple(inputs), tuple(outputs)


MEMORY_PORTS = "st_data*:T st_address*:A ld_address*:A -> ld_data*:T st_done*:none ld_done*:none"


def memory_row(name: str, kind: MemoryKind, summary: str) -> Operator:
    """A memory of this kind; `memory` names it in the netlist."""
    return Operator(
        name,
        summary,
        Signature(
            *parse_ports(MEMORY_PORTS + " st_accepted*:none" * kind.answers),
            attributes=(
                *("memory", "stores", "loads"),
                *("partition", "load_banks", "store_banks"),
                *("load_requesters", "store_requesters", "in_range"),
                *(("accepts",) if kind.answers else ()),
            ),
            defaults={
                "latency": 1,
                "ports": 1,
                "partition": WHOLE,
                "load_banks": (),
                "store_banks": (),
                "load_requesters": (),
                "store_requesters": (),
                "in_range": False,
                **({"accepts": False} if kind.answers else {}),
            },
            arrange=memory_ports,
            misfit=kind.misfit,
        ),
        Semantics(
            process=memory,
            rates="st_data* = st_address*; st_done* = st_address*; "
            "ld_data* = ld_address*; ld_done* = ld_address*"
            + "; st_accepted* = st_address*"
            * kind.answers,
            waits_for_any=True,
            error=OUT_OF_RANGE,
            refusal=ERROR_RESPONSE if kind.answers else "",
        ),
        Hardware(
            kind.template,
            latency=kind.latency_of,
            interval=kind.interval_of,
            cuts_ready=lambda shape: not kind.loads_alone(shape),
            ways=kind.ways_of,
            options=kind.options,
            memory_kind=kind,
        ),
    )


HANDSHAKE_OPERATORS: tuple[Operator, ...] = (
    Operator(
        "handshake.fork",
        "Puts each token on every output; each output takes it when it likes.",
        Signature(*parse_ports("in:T -> out*:T")),
        Semantics(process=fork, rates="out* == in", rest="in"),
        Hardware("primitives/fork"),
    ),
    Operator(
        "handshake.join",
        "One control token when every input has a token.",
        Signature(*parse_ports("in*:T* -> out:none")),
        Semantics(join, passes_control=True),
        Hardware("primitives/join", variant=lambda s: join_variant(s)),
    ),
    Operator(
        "handshake.sink",
        "Takes every token.",
        Signature(*parse_ports("in:T ->")),
        Semantics(process=sink, rates="", rest="in"),
        Hardware("primitives/sink"),
    ),
    Operator(
        "handshake.constant",
        "Its value, once for each control token.",
        Signature(*parse_ports("ctrl:none -> result:T"), attributes=("value",)),
        Semantics(constant),
        Hardware("primitives/constant"),
    ),
    Operator(
        "handshake.cond_br",
        "Sends each datum to the side its condition names.",
        Signature(*parse_ports("condition:i1 data:T -> true_result:T false_result:T")),
        Semantics(
            process=cond_br,
            rates="data = condition; true_result = condition?1; false_result = condition?0",
            rest="condition",
        ),
        Hardware("primitives/cond_br"),
    ),
    Operator(
        "handshake.mux",
        "Passes a token of the input that each select token names; a number beyond names the last.",
        Signature(*parse_ports("select:S in*:T -> out:T"), misfit=mux_misfit),
        Semantics(process=mux, rates=mux_rates),
        Hardware("primitives/mux"),
    ),
    Operator(
        "handshake.buffer",
        "Holds up to `slots` tokens in order, the `initial` ones first; seq is registered both "
        "ways, fifo passes an empty buffer at once, stage is registers in line that pass ready.",
        Signature(
            *parse_ports("in:T -> out:T"),
            attributes=("kind", "slots", "initial"),
            choices={"kind": BUFFER_KINDS},
            defaults={"initial": ()},
            misfit=buffer_misfit,
        ),
        Semantics(
            process=buffer,
            rates=lambda s: None if s.attributes.get("initial") else "out == in",
        ),
        Hardware(
            "primitives/buffer",
            latency=lambda s: buffer_latency(s),
            interval=lambda s: 2 if s.text("kind") == "seq" and s.integer("slots") == 1 else 1,
            cuts_ready=lambda s: s.text("kind") != "stage",
            variant=buffer_variant,
        ),
    ),
    Operator(
        "handshake.load",
        "Sends its address once the control token is there; passes the memory's data on.",
        Signature(*parse_ports("address:A data_in:T ctrl:none -> data:T address_out:A")),
        Semantics(
            process=load,
            rates="ctrl = address; address_out = address; data = data_in",
            waits_for_any=True,
            ways={"data_in": "data", "data": "data"},
        ),
        Hardware("memory/load"),
    ),
    Operator(
        "handshake.store",
        "Sends address and datum once the control token is there.",
        Signature(*parse_ports("address:A data:T ctrl:none -> data_out:T address_out:A")),
        Semantics(
            process=store,
            rates="data = address; ctrl = address; data_out = address; address_out = address",
            rest="address",
        ),
        Hardware("memory/store"),
    ),
    memory_row(
        "handshake.memory",
        INTERNAL,
        "A memory inside the circuit: one read and one write a cycle.",
    ),
    memory_row(
        "handshake.extmemory",
        EXTERNAL,
        "A memory outside the circuit, a synchronous RAM with a read and a write port.",
    ),
    memory_row(
        "handshake.chanmemory",
        CHANNEL,
        "A memory outside the circuit behind channels of requests and of responses.",
    ),
    memory_row("handshake.rom", ROM, "A table inside the circuit that is never written."),
)
