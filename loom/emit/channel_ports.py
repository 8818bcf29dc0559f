"""The controller of a memory behind channels: stores share one of them, and loads another."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from loom.emit.memory_text import (
    ADDRESS_TYPE,
    CLOCKED,
    WIDTH,
    Controller,
    Declared,
    Part,
    Pin,
    Side,
    bits_range,
    done_part,
    load_access,
    store_access,
)
from loom.emit.shared_port import ADDRESS, WORD, errors_of, load_side, store_side
from loom.netlist.memory_channels import channel_pins

EARLY = " From the next cycle on a token says that a store is accepted."
SLOTS: Pin = ("SLOTS", "OUTSTANDING")
RANGES = {"T": WORD, "A": ADDRESS, "S": "[(T_WIDTH+7)/8-1:0] ", "": ""}
"""The ranges of pins, by what is as wide."""
PACKED_RANGES = {
    "T": "[ELEMENTS_A_WORD*T_WIDTH-1:0] ",
    "A": "[WORD_ADDRESS_WIDTH-1:0] ",
    "S": "[ELEMENTS_A_WORD*T_WIDTH/8-1:0] ",
    "": "",
}
"""The same where a word outside has several elements."""
LANE = "[$clog2(ELEMENTS_A_WORD)-1:0] "
ELEMENTS = "[ELEMENTS_A_WORD-1:0][T_WIDTH-1:0] "
PLACES: tuple[Declared, ...] = (("[WORD_ADDRESS_WIDTH-1:0] ", "word_address_t"), (LANE, "lane_t"))
"""Where an element lies outside: its word, and its place in the word."""


def channel_ports(
    requesters: tuple[Sequence[int], Sequence[int]], *, checked: bool, packed: bool, accepts: bool
) -> Controller:
    """What the text of the module lists; `checked`: addresses may miss the array.

    `requesters` are those of the stores and of the loads, by access; `packed`: a word outside has
    several elements; `accepts`: each store has a token that it is accepted.
    """
    of_stores, of_loads = requesters
    stores, loads = len(of_stores), len(of_loads)
    sides = [through_channel(store_side(of_stores, checked), checked)] if stores else []
    if accepts:
        sides = [with_accepted(side) for side in sides]
    sides += [through_channel(load_side(of_loads, checked), checked)] if loads else []
    if packed:
        sides = [packed_side(side) for side in sides]
    keeps = packed and not stores
    if keeps:
        sides = [reuse_word(side) for side in sides]
    pins = channel_pins(loads=bool(loads), stores=bool(stores))
    ordered = any(is_ordered(side, checked) for side in sides)
    names = ["request", *["order"] * ordered, "tokens", *["slots"] * bool(loads)]
    names += ["done"] * accepts
    names += ["lanes"] * (packed and loads > 0) + ["words"] * keeps
    ranges = PACKED_RANGES if packed else RANGES
    words = (("elements_a_word", "integer", 4), ("word_address_width", "integer", 8))
    shared = any(side.arbiter for side in sides)
    needs = (*(f"memory/parts/{name}" for name in names), *["memory/parts/arbiter"] * shared)
    depth = [("depth", "integer", 1024)] if checked else []
    return Controller(
        "At most OUTSTANDING requests a channel: each has a slot for its answer, with which it is "
        f"done.{EARLY * accepts}",
        "a cycle to the request, none from its answer",
        needs,
        (
            *depth,
            ("address_width", "integer", 10),
            ("outstanding", "integer", 3),
            *(words if packed else ()),
        ),
        (
            "output logic error_o",
            "output logic refused_o",
            *(f"{pin.direction} logic {ranges[pin.width]}{pin.name}" for pin in pins),
        ),
        None,
        tuple(sides),
        errors_of(stores, loads) if checked else ("1'b0",),
        tuple(slots_part(k) for k in range(loads)),
        types=(
            ADDRESS_TYPE if checked else (ADDRESS, "ram_address_t"),
            *(PLACES if packed else ()),
            *((ELEMENTS, "elements_t"),) * (packed and loads > 0),
        ),
        refusals=tuple(
            renamed(f"({pin}_valid_i & {pin}_ready_o & {pin}_error_i)", keeps)
            for pin, count in (("b", stores), ("r", loads))
            if count
        ),
    )


def is_ordered(side: Side, checked: bool) -> bool:
    """Whether it must be remembered which access an answer belongs to."""
    return checked or len(side.accesses) > 1


def through_channel(side: Side, checked: bool) -> Side:
    """A side of a memory with RAM ports, with channels in their place."""
    name, count = side.name, len(side.accesses)
    stores = name == "st"
    verb, answer = ("wr", "b") if stores else ("rd", "r")
    accesses = [
        store_access(k) if stores else load_access(k, f"{name}_place") for k in range(count)
    ]
    wide: list[Declared] = [(bits_range(count), f"{name}_arrives")]
    nets: list[Declared] = [("", f"{verb}_en"), (ADDRESS, f"{verb}_addr"), ("", f"{name}_free")]
    if stores:
        nets.append((WORD, "wr_data"))
    answers: list[Pin] = [("aw_strb_o", "'1")] if stores else []
    parts = [request_part(name, verb, stores)]
    if is_ordered(side, checked):
        nets.append(("", f"{name}_spare"))
        outside = f"{name}_outside" if checked else "1'b0"
        parts.append(order_part(name, answer, count, outside))
        word = "r_ready_o ? r_data_i : '0"
        free = f"{name}_free & {name}_spare"
    else:
        answers += [(f"{name}_arrives", f"{answer}_valid_i"), (f"{answer}_ready_o", "1'b1")]
        word, free = "r_data_i", f"{name}_free"
    own = [each for each in side.declared if each[1] != "ld_word"]
    if not stores:
        wide.append((WORD, "ld_word"))
        answers.append(("ld_word", word))
    return replace(
        side,
        note=f"{'Stores' if stores else 'Loads'}: accepted in turn where a request may leave and "
        "there is a slot for its answer.",
        accesses=tuple(
            replace(each, request=(*each.request, *free.split(" & "))) for each in accesses
        ),
        dones=tuple(tokens_part(name, k) for k in range(count)),
        declared=(*own, *wide, *nets),
        assigns=tuple((net.removesuffix("_o"), terms) for net, terms in side.assigns),
        parts=tuple(parts),
        answers=tuple(answers),
    )


def with_accepted(side: Side) -> Side:
    """The stores, each with a token from the cycle on that follows its acceptance."""
    net = f"{side.name}_early"
    tokens = [
        done_part(side.name, k, f"{side.name}_accepted{k}", f"{net}[{k}]")
        for k in range(len(side.accesses))
    ]
    return replace(
        side,
        accesses=tuple(
            replace(each, request=(*each.request, f"{net}[{each.number}]"))
            for each in side.accesses
        ),
        dones=(*side.dones, *tokens),
        declared=(*side.declared, (bits_range(len(tokens)), net)),
    )


def packed_side(side: Side) -> Side:
    """A side behind a channel whose elements are lanes of words outside."""
    word = "word_address_t'({} >> $clog2(ELEMENTS_A_WORD))"
    sender, *others = side.parts
    pins = dict(sender.pins)
    if side.name == "st":
        pins["payload_o"] = "{st_element, st_place}"
        answers: tuple[Pin, ...] = (
            ("aw_addr_o", word.format("st_place")),
            ("aw_data_o", "{ELEMENTS_A_WORD{st_element}}"),
        )
        nets: tuple[Declared, ...] = (
            (WORD, "st_element"),
            (ADDRESS, "st_place"),
        )
        parts = [replace(sender, pins=tuple(pins.items())), *others]
        kept = tuple(each for each in side.answers if each[0] != "aw_strb_o")
        return replace(
            side,
            declared=(*side.declared, *nets),
            parts=tuple(parts),
            answers=(*answers, *kept),
            packed=True,
        )
    pins["payload_i"] = word.format("rd_addr")
    sender = replace(
        sender, pins=tuple(pins.items()), parameters=(("WIDTH", "WORD_ADDRESS_WIDTH"),)
    )
    lanes = Part(
        "loom_memory_lanes",
        "ld_lanes",
        (
            *CLOCKED,
            ("send_i", "rd_en"),
            ("lane_i", "lane_t'(rd_addr)"),
            ("taken_i", "r_valid_i & r_ready_o"),
            ("lane_o", "ld_lane"),
        ),
        (("WIDTH", "$clog2(ELEMENTS_A_WORD)"), SLOTS),
    )
    return replace(
        side,
        declared=(
            *side.declared,
            (LANE, "ld_lane"),
            (ELEMENTS, "ld_elements"),
        ),
        parts=(sender, *others, lanes),
        answers=(
            ("ld_elements", "elements_t'(r_data_i)"),
            *(
                (net, value.replace("r_data_i", "ld_elements[ld_lane]"))
                for net, value in side.answers
            ),
        ),
    )


KEPT = {
    "ar_valid_o": "ld_asks", "ar_ready_i": "ld_asked", "ar_addr_o": "ld_asks_addr",
    "r_valid_i": "ld_comes", "r_ready_o": "ld_taken", "r_data_i": "ld_whole",
    "r_error_i": "ld_error",
}  # fmt: skip
"""By a pin of the loads, the net in its place where words are kept."""


def renamed(text: str, keeps: bool = True) -> str:
    """A text with the nets in the place of pins, if words are kept."""
    return re.sub(r"\w+", lambda found: KEPT.get(found[0], found[0]), text) if keeps else text


def reuse_word(side: Side) -> Side:
    """The loads of an array without stores: a word is asked for once for its elements in order."""
    ends = zip(("ask_valid_i", "ask_ready_o", "ask_addr_i", "word_valid_o", "word_ready_i",
                "word_data_o", "word_error_o"), KEPT.values(), strict=True)  # fmt: skip
    words = Part(
        "loom_memory_words",
        "ld_words",
        (*CLOCKED, *ends, *((pin, pin) for pin in KEPT)),
        (
            ("ADDRESS_WIDTH", "WORD_ADDRESS_WIDTH"),
            ("WIDTH", "ELEMENTS_A_WORD*T_WIDTH"),
            SLOTS,
        ),
        "A word is asked for once for its elements in order.",
    )
    wide = {"ar_addr_o": PACKED_RANGES["A"], "r_data_i": PACKED_RANGES["T"]}
    parts = [
        replace(part, pins=tuple((pin, renamed(net)) for pin, net in part.pins))
        for part in side.parts
    ]
    return replace(
        side,
        declared=(*side.declared, *((wide.get(pin, ""), net) for pin, net in KEPT.items())),
        parts=(*parts, words),
        answers=tuple((renamed(net), renamed(value)) for net, value in side.answers),
    )


def request_part(name: str, verb: str, stores: bool) -> Part:
    """The register in which a request leaves."""
    channel = "aw" if stores else "ar"
    sent = f"{{{verb}_data, {verb}_addr}}" if stores else f"{verb}_addr"
    leaves = "{aw_data_o, aw_addr_o}" if stores else "ar_addr_o"
    pins: tuple[Pin, ...] = (
        *CLOCKED,
        ("send_i", f"{verb}_en"),
        ("payload_i", sent),
        ("free_o", f"{name}_free"),
        ("valid_o", f"{channel}_valid_o"),
        ("payload_o", leaves),
        ("ready_i", f"{channel}_ready_i"),
    )
    width = "T_WIDTH + ADDRESS_WIDTH" if stores else "ADDRESS_WIDTH"
    return Part("loom_memory_request", f"{name}_sender", pins, (("WIDTH", width),))


def order_part(name: str, answer: str, count: int, outside: str) -> Part:
    """What tells which access an answer belongs to."""
    pins: tuple[Pin, ...] = (
        *CLOCKED,
        ("grant_i", f"{name}_grant"),
        ("outside_i", outside),
        ("room_o", f"{name}_spare"),
        ("answer_valid_i", f"{answer}_valid_i"),
        ("answer_ready_o", f"{answer}_ready_o"),
        ("arrives_o", f"{name}_arrives"),
    )
    return Part("loom_memory_order", f"{name}_order", pins, (("ACCESSES", str(count)), SLOTS))


def tokens_part(name: str, k: int) -> Part:
    """What gives the done tokens of an access."""
    done = f"{name}_done{k}"
    pins: tuple[Pin, ...] = (
        *CLOCKED,
        ("grant_i", f"{name}_grant[{k}]"),
        ("room_o", f"{name}_room[{k}]"),
        ("arrives_i", f"{name}_arrives[{k}]"),
        ("done_valid_o", f"{done}_valid_o"),
        ("done_ready_i", f"{done}_ready_i"),
    )
    return Part("loom_memory_tokens", done, pins, (SLOTS,))


def slots_part(k: int) -> Part:
    """What gives the data of a load."""
    data = f"ld_data{k}"
    pins: tuple[Pin, ...] = (
        *CLOCKED,
        ("grant_i", f"ld_grant[{k}]"),
        ("room_o", f"ld_place[{k}]"),
        ("arrives_i", f"ld_arrives[{k}]"),
        ("word_i", "ld_word"),
        ("data_data_o", f"{data}_data_o"),
        ("data_valid_o", f"{data}_valid_o"),
        ("data_ready_i", f"{data}_ready_i"),
    )
    return Part("loom_memory_slots", f"ld_answer{k}", pins, (WIDTH, SLOTS))
