"""What the text of a memory's module lists: sides, words and RAMs, each as its template reads it.

`shared_port` makes them for a memory with one port a side, `lane_ports` for one in banks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loom.emit.layout import COLUMNS

Pin = tuple[str, str]
"""A port or a parameter of an instance, and what is on it."""
Terms = tuple[str, ...]
"""What is joined by an operator; one alone is a plain expression."""
Declared = tuple[str, str]
"""A range, empty for one bit, and the name of a net."""
Parameter = tuple[str, str, int]
"""A module's own parameter besides widths: the fact that gives it, its type, its default."""


@dataclass(frozen=True, slots=True)
class Part:
    """An instance of a module that the controller is made of."""

    module: str
    name: str
    pins: tuple[Pin, ...]
    parameters: tuple[Pin, ...] = ()
    note: str = ""

    @property
    def flat(self) -> str:
        """The instance on one line, if it has one pin and fits; else empty."""
        own = ", ".join(f".{name}({value})" for name, value in self.parameters)
        pins = ", ".join(f".{name}({net})" for name, net in self.pins)
        line = f"  {self.module} #({own}) {self.name} ({pins});"
        return line if len(self.pins) == 1 and len(line) <= COLUMNS else ""


@dataclass(frozen=True, slots=True)
class Net:
    """A net and what drives it; `unused` says why nobody reads it."""

    range: str
    name: str
    value: str
    unused: str = ""


@dataclass(frozen=True, slots=True)
class Access:
    """A port of a side: when it requests, the channels it takes tokens of, nets of its own."""

    number: int
    request: Terms
    channels: tuple[str, ...]
    nets: tuple[Net, ...] = ()


@dataclass(frozen=True, slots=True)
class LaneText:
    """A port of a RAM: the accesses that share it, when each requests it, what it shows the RAM."""

    name: str
    port: str
    members: tuple[str, ...]
    requests: Terms
    shown: tuple[tuple[str, Terms], ...]
    arbiter: Part | None


@dataclass(frozen=True, slots=True)
class Requester:
    """Accesses of which at most one is requested in a cycle: a net with a bit for each of them."""

    net: str
    members: tuple[int, ...]
    requests: Terms
    """The bits of the requests, the last one first."""


@dataclass(frozen=True, slots=True)
class Side:
    """The stores or the loads: `assigns` of a port that all share, or `lanes` and their `grants`.

    `data` is what the shared port writes. `requesters` are listed where one has several accesses.
    Behind a channel `parts` send requests and take answers, `answers` are nets from those;
    `packed`: stores write one of several elements of a word.
    """

    name: str
    note: str
    bits: tuple[str, ...]
    accesses: tuple[Access, ...]
    dones: tuple[Part, ...]
    declared: tuple[Declared, ...] = ()
    arbiter: Part | None = None
    assigns: tuple[tuple[str, Terms], ...] = ()
    data: Terms = ()
    lanes: tuple[LaneText, ...] = ()
    grants: tuple[tuple[str, Terms], ...] = ()
    requesters: tuple[Requester, ...] = ()
    parts: tuple[Part, ...] = ()
    answers: tuple[Pin, ...] = ()
    packed: bool = False

    @property
    def served(self) -> Terms:
        """By access, the last one first, whether its requester is served."""
        found = {k: n for n, each in enumerate(self.requesters) for k in each.members}
        return tuple(f"{self.name}_served[{found[k]}]" for k in sorted(found, reverse=True))


@dataclass(frozen=True, slots=True)
class Word:
    """The word that arrives for a load of a memory in banks, and the part that answers with it.

    `found` are the words of several banks, of which one is not 0; it is looked for before the
    registers of `steps` if `found_first`; with `held` these keep what belongs to the last access.
    """

    number: int
    declared: tuple[Declared, ...]
    found: Terms
    found_first: bool
    steps: tuple[tuple[str, str], ...]
    word: str
    answer: Part
    held: bool


@dataclass(frozen=True, slots=True)
class Storage:
    """The RAMs of a memory inside, by bank, with their nets; `unread` are nets without a RAM."""

    groups: tuple[tuple[tuple[Declared, ...], tuple[Part, ...]], ...]
    unread: tuple[str, ...]
    note: str


@dataclass(frozen=True, slots=True)
class Controller:
    """All that the text of a memory's module lists.

    `needs` are the templates of its parts, `pins` port declarations besides the channels. `answers`
    and `outside` (where an address outside matters the registers that say so, one for each cycle;
    with `outside_reset` a reset forgets it, with `outside_held` another access replaces it) are
    those of a shared port,
    `words` those of banks. `types` are what numbers and narrower addresses are extended to.
    `refusals` are error responses from outside. `promised`: the ports of RAMs outside that are
    read, and after how many cycles they answer.
    """

    note: str
    latency: str
    needs: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    pins: tuple[str, ...]
    storage: Storage | None
    sides: tuple[Side, ...]
    errors: Terms
    answers: tuple[Part, ...] = ()
    outside: tuple[str, ...] = ()
    outside_reset: bool = True
    outside_held: bool = False
    words: tuple[Word, ...] = ()
    types: tuple[Declared, ...] = ()
    refusals: Terms = ()
    promised: tuple[tuple[str, int], ...] = ()


CLOCKED: tuple[Pin, ...] = (("clk_i", "clk_i"), ("rst_ni", "rst_ni"))
WIDTH: Pin = ("T_WIDTH", "T_WIDTH")
ADDRESS_TYPE: Declared = ("[A_WIDTH-1:0] ", "address_t")
"""An address in the whole array."""


def bits_range(bits: int) -> str:
    """The range of a net of so many [bits]."""
    return f"[{bits - 1}:0] "


def store_access(k: int, nets: tuple[Net, ...] = ()) -> Access:
    """Store number `k`: datum and address are taken together."""
    request = (f"st_data{k}_valid_i", f"st_address{k}_valid_i", f"st_room[{k}]")
    return Access(k, request, (f"st_data{k}", f"st_address{k}"), nets)


def load_access(k: int, room: str, nets: tuple[Net, ...] = ()) -> Access:
    """Load number `k`; `room` has the bit that says that there is room for its datum."""
    request = (f"ld_address{k}_valid_i", f"ld_room[{k}]", f"{room}[{k}]")
    return Access(k, request, (f"ld_address{k}",), nets)


def requesters_among(side: str, requesters: Sequence[int]) -> tuple[Requester, ...]:
    """The requesters of a side; none where each access is one of its own."""
    count = len(set(requesters))
    if count == len(requesters):
        return ()
    if count == 1:
        return (Requester(f"{side}_request", tuple(range(len(requesters))), ()),)
    found: list[Requester] = []
    for n in range(count):
        members = tuple(k for k, each in enumerate(requesters) if each == n)
        requests = tuple(f"{side}_request[{k}]" for k in reversed(members))
        found.append(Requester(f"{side}_requester{n}", members, requests))
    return tuple(found)


def arbiter_part(
    name: str, requesters: int, nets: tuple[str, str] = ("request", "grant")
) -> Part | None:
    """The arbiter between two `nets` of `name`; None where one alone requests."""
    if requesters == 1:
        return None
    request, grant = nets
    pins = (*CLOCKED, ("request_i", f"{name}_{request}"), ("grant_o", f"{name}_{grant}"))
    own = (("REQUESTERS", str(requesters)),)
    return Part("loom_memory_arbiter", f"{name}_arbiter", pins, own)


def done_part(side: str, k: int, done: str = "", room: str = "") -> Part:
    """What gives the tokens `done` of an access from the cycle on that follows its grant.

    By default they are its done tokens, with a bit of the side's net of rooms.
    """
    done = done or f"{side}_done{k}"
    own = (
        ("grant_i", f"{side}_grant[{k}]"),
        ("room_o", room or f"{side}_room[{k}]"),
        ("done_valid_o", f"{done}_valid_o"),
        ("done_ready_i", f"{done}_ready_i"),
    )
    return Part("loom_memory_done", done, (*CLOCKED, *own))


def answer_part(k: int, answer: str, room: str, word: str) -> Part:
    """What gives the data of a load; `answer` is the template."""
    data = f"ld_data{k}"
    own = (
        ("grant_i", f"ld_grant[{k}]"),
        ("room_o", f"{room}[{k}]"),
        ("word_i", word),
        ("data_data_o", f"{data}_data_o"),
        ("data_valid_o", f"{data}_valid_o"),
        ("data_ready_i", f"{data}_ready_i"),
    )
    module = f"loom_memory_{answer.rpartition('/')[2]}"
    return Part(module, f"ld_answer{k}", (*CLOCKED, *own), (WIDTH,))


def stages(latency: int) -> tuple[str, ...]:
    """Ends of the names of the registers that go with a word on its way, the first one first."""
    return ("_early_q", "_before_q", "_q")[-latency:]


def answer_template(latency: int, *, alone: bool) -> str:
    """The template of what gives the data of a load, `alone` at its ports of a RAM or not."""
    if alone:
        return "memory/parts/held"
    return "memory/parts/answer" + (f"_{latency}" if latency > 1 else "")


def parts_needed(answers: Sequence[str], *, shared: bool) -> list[str]:
    """The templates of a controller's parts; `shared`: some accesses take turns at a port."""
    return ["memory/parts/done", *dict.fromkeys(answers), *["memory/parts/arbiter"] * shared]


def selected(words: Sequence[str], chosen: str, width: str | int) -> Terms:
    """The one of `words` of `width` whose bit of `chosen` is set, as terms that are or-ed."""
    return tuple(f"({{{width}{{{chosen}[{k}]}}}} & {word})" for k, word in enumerate(words))
