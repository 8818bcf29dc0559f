"""The controller of a memory in one piece: stores share one port of its RAM, and loads another."""

from __future__ import annotations

from collections.abc import Sequence

from loom.dialects.operators.memories import MemoryKind
from loom.emit.memory_text import (
    ADDRESS_TYPE,
    WIDTH,
    Controller,
    Declared,
    Part,
    Pin,
    Side,
    Storage,
    Terms,
    answer_part,
    answer_template,
    arbiter_part,
    bits_range,
    done_part,
    load_access,
    parts_needed,
    requesters_among,
    selected,
    stages,
    store_access,
)
from loom.emit.rams import Ram

ADDRESS = "[ADDRESS_WIDTH-1:0] "
WORD = "[T_WIDTH-1:0] "


def shared_port(
    requesters: tuple[Sequence[int], Sequence[int]], ram: Ram, kind: MemoryKind, *, checked: bool
) -> Controller:
    """What the text of the module lists; `checked`: addresses may miss the array.

    `requesters` are those of the stores and of the loads, by access.
    """
    of_stores, of_loads = requesters
    stores, loads = len(of_stores), len(of_loads)
    sides = [store_side(of_stores, checked)] if stores else []
    sides += [load_side(of_loads, checked)] if loads else []
    alone = loads == 1 and ram.latency == 1
    answer = answer_template(ram.latency, alone=alone)
    needs = parts_needed([answer] * loads, shared=any(side.arbiter for side in sides))
    inside = not kind.is_outside
    has_depth = checked or (inside and loads > 0)
    return Controller(
        f"Each port sustains one access a cycle alone; ready waits for {waits_text(alone)}.",
        latency_text(ram.latency),
        (*needs, *([f"memory/parts/{kind.storage}"] if inside and loads else [])),
        (*([("depth", "integer", 1024)] if has_depth else []), ("address_width", "integer", 10)),
        ("output logic error_o", *([] if inside else pins_outside(stores, loads))),
        storage(stores, loads, ram) if inside else None,
        tuple(sides),
        errors_of(stores, loads) if checked else ("1'b0",),
        tuple(answer_part(k, answer, "ld_place", "ld_word") for k in range(loads)),
        tuple(f"outside{end}" for end in stages(ram.latency)) if checked and loads else (),
        kind.is_written,
        alone,
        types=(ADDRESS_TYPE if checked else (ADDRESS, "ram_address_t"),),
        promised=(("rd", ram.latency),) if loads and not inside else (),
    )


def errors_of(stores: int, loads: int) -> Terms:
    """When an access that is served misses the array."""
    return tuple(
        f"{side}_outside" if count > 1 else f"((|{side}_grant) & {side}_outside)"
        for side, count in (("st", stores), ("ld", loads))
        if count
    )


def latency_text(latency: int) -> str:
    """The latency as a module's header says it."""
    return f"{latency} cycles to a datum, 1 to a done token" if latency > 1 else "1 cycle"


def waits_text(alone: bool) -> str:
    """Which ready an address waits for, as a module's header says it."""
    return "that of the datum" if alone else "no ready"


def store_side(requesters: Sequence[int], checked: bool) -> Side:
    """The stores at the port that writes, with the requester of each."""
    stores = len(requesters)
    words = [f"st_data{k}_data_i" for k in range(stores)]
    return Side(
        "st",
        "Stores: accepted in turn where the port has room for one more done token.",
        ("st_request", "st_grant", "st_room"),
        tuple(map(store_access, range(stores))),
        tuple(done_part("st", k) for k in range(stores)),
        declared("st", stores, checked),
        arbiter("st", requesters),
        assigns("st", "wr", stores, checked),
        (words[0],) if stores == 1 else selected(words, "st_grant", "T_WIDTH"),
        requesters=requesters_among("st", requesters),
    )


def load_side(requesters: Sequence[int], checked: bool) -> Side:
    """The loads at the port that reads, with the requester of each."""
    loads = len(requesters)
    places = (bits_range(loads), "ld_place"), (WORD, "ld_word")
    return Side(
        "ld",
        "Loads: accepted in turn where the port has room for one more datum "
        "and one more done token.",
        ("ld_request", "ld_grant", "ld_room"),
        tuple(load_access(k, "ld_place") for k in range(loads)),
        tuple(done_part("ld", k) for k in range(loads)),
        (*declared("ld", loads, checked), *places),
        arbiter("ld", requesters),
        assigns("ld", "rd", loads, checked),
        requesters=requesters_among("ld", requesters),
    )


def arbiter(side: str, requesters: Sequence[int]) -> Part | None:
    """The arbiter between the requesters of a side; None if there is one."""
    count = len(set(requesters))
    alike = count == len(requesters)
    return arbiter_part(side, count, ("request", "grant") if alike else ("asks", "served"))


def declared(side: str, count: int, checked: bool) -> tuple[Declared, ...]:
    """The address that is served, and whether it misses the array; of several, which ones do."""
    if not checked:
        return (("[A_WIDTH-1:0] ", f"{side}_address"),)
    if count == 1:
        return (("[A_WIDTH-1:0] ", f"{side}_address"), ("", f"{side}_outside"))
    misses = bits_range(count), f"{side}_misses"
    return ((ADDRESS, f"{side}_address"), misses, ("", f"{side}_outside"))


def assigns(side: str, verb: str, count: int, checked: bool) -> tuple[tuple[str, Terms], ...]:
    """What the port shows its RAM.

    Before the first clock edge of a reset a unit may seem to offer anything: nothing is stored.
    Of several addresses each is compared with the size: what is selected is a RAM's address.
    """
    grant, address = f"{side}_grant", f"{side}_address"
    found: list[tuple[str, Terms]] = [(grant, (f"{side}_request",))] if count == 1 else []
    given = [f"{side}_address{k}_data_i" for k in range(count)]
    awake = ["rst_ni"] if verb == "wr" else []
    outside, misses = f"{side}_outside", f"{side}_misses"
    if checked and count > 1:
        size = "address_t'(DEPTH)"
        found += [(f"{misses}[{k}]", (f"{each} >= {size}",)) for k, each in enumerate(given)]
        narrow = [f"{each}[ADDRESS_WIDTH-1:0]" for each in given]
        found.append((address, selected(narrow, grant, "ADDRESS_WIDTH")))
        found.append((outside, (f"|({grant} & {misses})",)))
        hits = f"|({grant} & ~{misses})"
        found.append((f"{verb}_en_o", (" & ".join([f"({hits})", *awake]) if awake else hits,)))
        found.append((f"{verb}_addr_o", (address,)))
        return tuple(found)
    found.append((address, (given[0],) if count == 1 else selected(given, grant, "A_WIDTH")))
    if checked:
        served = " & ".join([f"(|{grant})", *awake, f"~{outside}"])
        found.append((outside, (f"{address} >= address_t'(DEPTH)",)))
        found.append((f"{verb}_en_o", (served,)))
        found.append((f"{verb}_addr_o", (f"{address}[ADDRESS_WIDTH-1:0]",)))
    else:
        served = " & ".join([f"(|{grant})", *awake]) if awake else f"|{grant}"
        found.append((f"{verb}_en_o", (served,)))
        found.append((f"{verb}_addr_o", (f"ram_address_t'({address})",)))
    return tuple(found)


def pins_outside(stores: int, loads: int) -> list[str]:
    """The ports to a RAM outside."""
    found: list[str] = []
    if loads:
        found += ["output logic rd_en_o", f"output logic {ADDRESS}rd_addr_o"]
        found += [f"input logic {WORD}rd_data_i"]
    if stores:
        found += ["output logic wr_en_o", f"output logic {ADDRESS}wr_addr_o"]
        found += [f"output logic {WORD}wr_data_o"]
    return found


def storage(stores: int, loads: int, ram: Ram) -> Storage:
    """The RAM inside; there is none if nothing is read."""
    nets: list[Declared] = []
    pins: list[Pin] = [("clk_i", "clk_i")]
    for verb, count in (("wr", stores), ("rd", loads)):
        if count:
            nets += [("", f"{verb}_en_o"), (ADDRESS, f"{verb}_addr_o")]
    if stores:
        nets.append((WORD, "wr_data_o"))
        pins += [("wr_en_i", "wr_en_o"), ("wr_addr_i", "wr_addr_o"), ("wr_data_i", "wr_data_o")]
    if loads:
        nets.append((WORD, "rd_data_i"))
        pins += [("rd_en_i", "rd_en_o"), ("rd_addr_i", "rd_addr_o"), ("rd_data_o", "rd_data_i")]
    sizes = (WIDTH, ("DEPTH", "DEPTH"), ("ADDRESS_WIDTH", "ADDRESS_WIDTH"))
    parts = (Part(ram.name, "ram", tuple(pins), sizes),) if loads else ()
    unread = () if loads else ("wr_en_o", "wr_addr_o", "wr_data_o")
    note = "Nothing ever reads this memory, so there is none."
    return Storage(((tuple(nets), parts),), unread, note)
