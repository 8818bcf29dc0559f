"""The controller of a memory in banks: every lane, a port of a RAM, serves an access a cycle."""

from __future__ import annotations

from loom.dialects.operators.lanes import ANY, Lane
from loom.dialects.operators.memories import MemoryKind
from loom.emit.banks import Banked
from loom.emit.memory_text import (
    ADDRESS_TYPE,
    WIDTH,
    Controller,
    Declared,
    LaneText,
    Net,
    Part,
    Pin,
    Side,
    Storage,
    Terms,
    Word,
    answer_part,
    answer_template,
    arbiter_part,
    bits_range,
    done_part,
    load_access,
    parts_needed,
    selected,
    stages,
    store_access,
)
from loom.emit.rams import Ram
from loom.emit.shared_port import WORD, latency_text


def lane_ports(b: Banked, latency: int, kind: MemoryKind, *, checked: bool) -> Controller:
    """What the text of the module lists; `checked`: addresses may miss the array."""
    stores, loads = len(b.lanes.store_banks), len(b.lanes.load_banks)
    sides = [store_side(b, stores, checked)] if stores else []
    sides += [load_side(b, loads, checked)] if loads else []
    listed = (*b.lanes.stores, *(() if b.lanes.registers else b.lanes.loads))
    shared = any(len(lane.accesses) > 1 for lane in listed)
    answers = [answer_of(b, k, latency) for k in range(loads)]
    missing = [("st", k) for k in range(stores)] + [("ld", k) for k in range(loads)]
    errors = tuple(f"({side}_grant[{k}] & {side}_outside{k})" for side, k in missing)
    return Controller(
        f"{b.banks} banks of {b.elements} elements; each lane sustains an access a cycle.",
        latency_text(latency),
        (
            *parts_needed(answers, shared=shared),
            *(f"{ram_template(b, ram, kind)}#{bank}" for bank, ram in b.rams.items()),
        ),
        (),
        ("output logic error_o", *(pins_outside(b) if kind.is_outside else [])),
        None if kind.is_outside else storage(b, kind),
        tuple(sides),
        errors if checked else ("1'b0",),
        words=tuple(word_of(b, k, latency, checked) for k in range(loads)),
        types=(ADDRESS_TYPE,) if checked else (),
        promised=tuple((f"{port_name(lane)}_rd", latency) for lane in b.lanes.loads)
        if kind.is_outside
        else (),
    )


def ram_template(b: Banked, ram: Ram, kind: MemoryKind) -> str:
    """The template of a bank's RAM, or register."""
    dual = kind.is_written and ram.ports == "true_dual"
    name = f"{kind.storage}_true_dual" if dual else kind.storage
    return f"memory/parts/{'word' if b.lanes.registers else name}"


def port_name(lane: Lane) -> str:
    """The prefix of a lane's RAM port: of the bank, or of another copy of its port."""
    return f"bank{lane.bank}" + (f"_copy{lane.copy}" if lane.copy else "")


def store_side(b: Banked, stores: int, checked: bool) -> Side:
    """The stores, each at the lane of its bank."""
    banks = b.lanes.store_banks
    return Side(
        "st",
        "Stores: accepted where there is room for one more done token, one a bank in turn.",
        ("st_request", "st_grant", "st_room"),
        tuple(store_access(k, split(b, "st", k, banks[k], checked)) for k in range(stores)),
        tuple(done_part("st", k) for k in range(stores)),
        lanes=tuple(
            lane_text(b, "st", "wr", number, lane, checked)
            for number, lane in enumerate(b.lanes.stores)
        ),
        grants=tuple(grant(b, "st", "wr", k) for k in range(stores)),
    )


def load_side(b: Banked, loads: int, checked: bool) -> Side:
    """The loads, each at a lane of its bank; registers serve all."""
    banks, registers = b.lanes.load_banks, b.lanes.registers
    order = "all" if registers else "in turn"
    lanes = () if registers else b.lanes.loads
    return Side(
        "ld",
        f"Loads: accepted where there is room for one more datum and one more done token, {order}.",
        ("ld_request", "ld_grant", "ld_room", "ld_spare"),
        tuple(
            load_access(k, "ld_spare", split(b, "ld", k, banks[k], checked)) for k in range(loads)
        ),
        tuple(done_part("ld", k) for k in range(loads)),
        lanes=tuple(
            lane_text(b, "ld", "rd", number, lane, checked) for number, lane in enumerate(lanes)
        ),
        grants=(("ld_grant", ("ld_request",)),)
        if registers
        else tuple(grant(b, "ld", "rd", k) for k in range(loads)),
    )


def split(b: Banked, side: str, k: int, bank: int, checked: bool) -> tuple[Net, ...]:
    """Bank and place of an access, and whether it misses: then it goes to the first bank."""
    at, address, outside = f"{side}_at{k}", f"{side}_address{k}_data_i", f"{side}_outside{k}"
    found: list[Net] = []
    if b.elements > 1 or bank == ANY:
        found.append(Net(bits_range(b.bits), at, b.at(address)))
    elif not checked:
        value, why = f"&{{1'b0, {address}}}", "There is one element in the bank."
        found.append(Net("", f"unused_{at}", value, why))
    if b.elements > 1:
        found.append(Net(bits_range(b.place_bits), f"{side}_place{k}", b.place(at)))
    if checked:
        found.append(Net("", outside, f"{address} >= address_t'({b.depth})"))
    if bank == ANY:
        value = f"{outside} ? '0 : {b.bank(at)}" if checked else b.bank(at)
        found.append(Net(bits_range(b.bank_bits), f"{side}_bank{k}", value))
    return tuple(found)


def lane_text(b: Banked, side: str, verb: str, number: int, lane: Lane, checked: bool) -> LaneText:
    """Who requests a lane, and what it shows its RAM."""
    name, port, count = f"{verb}{number}", port_name(lane), len(lane.accesses)
    banks = b.lanes.store_banks if side == "st" else b.lanes.load_banks
    here = f"{b.bank_bits}'d{lane.bank}"
    requests = tuple(
        f"{side}_request[{k}]" + (f" & ({side}_bank{k} == {here})" if banks[k] == ANY else "")
        for k in reversed(lane.accesses)
    )
    shown = [(f"{port}_{verb}_en_o", enables(side, name, lane, checked))]
    if b.elements > 1:
        places = [f"{side}_place{k}" for k in lane.accesses]
        shown.append((f"{port}_{verb}_addr_o", selected(places, f"{name}_grant", b.place_bits)))
    elif not b.lanes.registers:
        shown.append((f"{port}_{verb}_addr_o", ("'0",)))
    if side == "st":
        data = [f"st_data{k}_data_i" for k in lane.accesses]
        shown.append((f"{port}_wr_data_o", selected(data, f"{name}_grant", "T_WIDTH")))
    members = tuple(f"{side}{k}" for k in lane.accesses)
    return LaneText(name, port, members, requests, tuple(shown), arbiter_part(name, count))


def enables(side: str, name: str, lane: Lane, checked: bool) -> Terms:
    """When a RAM's port is used: stores not before the first clock edge of a reset."""
    found: list[str] = []
    for place, k in enumerate(lane.accesses):
        parts = ["rst_ni"] if side == "st" else []
        parts += [f"{name}_grant[{place}]", *([f"~{side}_outside{k}"] if checked else [])]
        whole = " & ".join(parts)
        found.append(f"({whole})" if len(parts) > 1 and len(lane.accesses) > 1 else whole)
    return tuple(found)


def grant(b: Banked, side: str, verb: str, k: int) -> tuple[str, Terms]:
    """The grant of an access, from the lanes that it may take."""
    lanes = b.lanes_for(side == "st", k)
    terms = tuple(f"{verb}{number}_grant[{place}]" for number, place in lanes)
    return f"{side}_grant[{k}]", terms


def answer_of(b: Banked, k: int, latency: int) -> str:
    """The template of what gives the data of a load."""
    return answer_template(latency, alone=latency == 1 and b.lanes.is_alone(k))


def word_of(b: Banked, k: int, latency: int, checked: bool) -> Word:
    """The word that arrives for a load: from its bank, or from the one it asked."""
    registers, any_bank = b.lanes.registers, b.lanes.load_banks[k] == ANY
    lanes = [b.lanes.loads[number] for number, _ in b.lanes_for(False, k)]
    nets = [
        f"bank{lane.bank}_word" if registers else f"{port_name(lane)}_rd_data_i" for lane in lanes
    ]
    bank_net = f"ld_bank{k}" if registers else f"ld_bank{k}_q"
    found = tuple(
        f"({{T_WIDTH{{{bank_net} == {b.bank_bits}'d{lane.bank}}}}} & {net})"
        for lane, net in zip(lanes, nets, strict=True)
    )
    arrives = nets[0] if len(nets) == 1 else f"ld_found{k}"
    kept: list[tuple[str, str, str]] = []
    if any_bank and not registers:
        kept.append((bits_range(b.bank_bits), f"ld_bank{k}", f"ld_bank{k}"))
    if checked:
        kept.append(("", f"ld_outside{k}", f"ld_outside{k}"))
    if registers:
        kept.append((WORD, f"ld_read{k}", arrives))
    declared: list[Declared] = []
    steps: list[tuple[str, str]] = []
    for range_, name, source in kept:
        on_way = [f"{name}{end}" for end in stages(latency)]
        declared += [(range_, each) for each in reversed(on_way)]
        steps += zip(on_way, (source, *on_way), strict=False)
    last = f"ld_read{k}_q" if registers else arrives
    return Word(
        k,
        tuple(declared),
        found if len(nets) > 1 else (),
        registers,
        tuple(steps),
        f"ld_outside{k}_q ? '0 : {last}" if checked else last,
        answer_part(k, answer_of(b, k, latency), "ld_spare", f"ld_word{k}"),
        latency == 1 and b.lanes.is_alone(k),
    )


def pins_outside(b: Banked) -> list[str]:
    """The ports to the RAMs outside."""
    address = bits_range(b.place_bits)
    found: list[str] = []
    for lane in b.lanes.loads:
        name = f"{port_name(lane)}_rd"
        found += [f"output logic {name}_en_o", f"output logic {address}{name}_addr_o"]
        found.append(f"input logic {WORD}{name}_data_i")
    for lane in b.lanes.stores:
        name = f"{port_name(lane)}_wr"
        found += [f"output logic {name}_en_o", f"output logic {address}{name}_addr_o"]
        found.append(f"output logic {WORD}{name}_data_o")
    return found


def storage(b: Banked, kind: MemoryKind) -> Storage:
    """The RAMs of the banks that are read, with the nets of their ports."""
    groups: list[tuple[tuple[Declared, ...], tuple[Part, ...]]] = []
    unread: list[str] = []
    for bank in range(b.banks):
        written: list[Declared] = []
        if b.writer(bank) is not None:
            written.append(("", f"bank{bank}_wr_en_o"))
            if b.elements > 1:
                written.append((bits_range(b.place_bits), f"bank{bank}_wr_addr_o"))
            written.append((WORD, f"bank{bank}_wr_data_o"))
        lanes = [b.lanes.loads[number] for number in b.readers(bank)]
        if not lanes:
            groups.append((tuple(written), ()))
            names = ("en", "data", "addr") if b.elements > 1 else ("en", "data")
            unread += [f"bank{bank}_wr_{each}_o" for each in names if written]
        elif b.lanes.registers:
            groups.append(((*written, (WORD, f"bank{bank}_word")), (register_part(b, bank),)))
        else:
            read = [net for lane in lanes for net in nets_read(b, lane)]
            groups.append(((*written, *read), ram_parts(b, bank, lanes, kind)))
    note = "Nothing ever reads these banks, so there are none."
    return Storage(tuple(groups), tuple(unread), note)


def nets_read(b: Banked, lane: Lane) -> list[Declared]:
    """The nets of a lane that reads."""
    name = f"{port_name(lane)}_rd"
    address = bits_range(b.place_bits)
    return [("", f"{name}_en_o"), (address, f"{name}_addr_o"), (WORD, f"{name}_data_i")]


def written_pins(bank: int, *verbs: str) -> list[Pin]:
    """The pins by which a bank is written."""
    return [(f"wr_{verb}_i", f"bank{bank}_wr_{verb}_o") for verb in verbs]


def register_part(b: Banked, bank: int) -> Part:
    """A bank of one element."""
    writes = b.writer(bank) is not None
    pins = [("clk_i", "clk_i"), *written_pins(bank, "en", "data")] if writes else []
    word = ("word_o", f"bank{bank}_word")
    return Part(b.rams[bank].name, f"bank{bank}", (*pins, word), (WIDTH,))


def ram_parts(b: Banked, bank: int, lanes: list[Lane], kind: MemoryKind) -> tuple[Part, ...]:
    """The RAM of a bank, or one for each copy of its port."""
    sizes = (WIDTH, ("DEPTH", str(b.elements)), ("ADDRESS_WIDTH", str(b.place_bits)))
    ram, clock = b.rams[bank], ("clk_i", "clk_i")
    if ram.ports == "true_dual":
        pins: list[Pin] = [clock]
        for prefix, lane in zip("ab", lanes, strict=True):
            name = f"{port_name(lane)}_rd"
            unwritten = [(f"{prefix}_wr_en_i", "1'b0")] if kind.is_written else []
            no_data = [(f"{prefix}_wr_data_i", "{T_WIDTH{1'b0}}")] if kind.is_written else []
            pins += [(f"{prefix}_en_i", f"{name}_en_o"), *unwritten]
            pins += [(f"{prefix}_addr_i", f"{name}_addr_o"), *no_data]
            pins += [(f"{prefix}_rd_data_o", f"{name}_data_i")]
        note = "Nobody writes: both ports of the RAM read." if kind.is_written else ""
        return (Part(ram.name, f"bank{bank}", tuple(pins), sizes, note),)
    writes = b.writer(bank) is not None
    written = written_pins(bank, "en", "addr", "data") if writes else []
    found: list[Part] = []
    for lane in lanes:
        name = f"{port_name(lane)}_rd"
        read = [("rd_en_i", f"{name}_en_o"), ("rd_addr_i", f"{name}_addr_o")]
        read.append(("rd_data_o", f"{name}_data_i"))
        found.append(Part(ram.name, port_name(lane), (clock, *written, *read), sizes))
    return tuple(found)
