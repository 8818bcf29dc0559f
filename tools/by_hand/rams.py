"""A circuit with its RAMs around it, so that the paths from and to them are placed and timed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loom.emit import Ram, ram_text
from loom.netlist.banks import OutsideBank, banks_outside
from loom.netlist.netlist import Netlist

RAM = Ram("outside_ram", "simple_dual")
"""It reads an element a cycle, latency 1, and writes one."""


@dataclass(frozen=True)
class Pin:
    """A pin of a bank's RAM: `width` [bits], and whether the circuit has a port for it."""

    name: str
    is_input: bool
    width: int
    is_used: bool

    @property
    def of_ram(self) -> str:
        """Its name at the RAM."""
        return f"{self.name}_{'i' if self.is_input else 'o'}"

    @property
    def of_circuit(self) -> str:
        """Its name at the circuit, where the direction is the other one."""
        return f"{self.name}_{'o' if self.is_input else 'i'}"


def in_rams(netlist: Netlist) -> tuple[str, Sequence[str]]:
    """The name of a module around the circuit, and the texts that it takes beside the circuit's.

    Every memory outside is a block RAM. What the circuit does not use of one is a port of the
    module, and so is what is read: otherwise synthesis would know the contents, or drop them.
    """
    name = f"{netlist.name}_in_rams"
    ports = ["input logic clk_i", "input logic rst_ni", "output logic [7:0] error_code_o"]
    pins = [".clk_i(clk_i)", ".rst_ni(rst_ni)", ".error_code_o(error_code_o)"]
    for port in netlist.ports:
        into, out = ("input", "output") if port.direction == "input" else ("output", "input")
        if port.width:
            ports.append(f"{into} logic [{port.width - 1}:0] {port.name}_data_{into[0]}")
            pins.append(f".{port.name}_data_{into[0]}({port.name}_data_{into[0]})")
        for part, direction in ((f"{port.name}_valid", into), (f"{port.name}_ready", out)):
            ports.append(f"{direction} logic {part}_{direction[0]}")
            pins.append(f".{part}_{direction[0]}({part}_{direction[0]})")
    body: list[str] = []
    for bank in banks_outside(netlist):
        rams = [".clk_i(clk_i)"]
        for pin in pins_of(bank):
            net = f"{bank.name}_{pin.name}"
            declaration = f"logic [{pin.width - 1}:0] {net}"
            if pin.is_used and pin.is_input:
                body.append(f"  {declaration};")
            else:
                ports.append(f"{'input' if pin.is_input else 'output'} {declaration}")
            if pin.is_used:
                pins.append(f".{bank.name}_{pin.of_circuit}({net})")
            rams.append(f".{pin.of_ram}({net})")
        body.append(
            f"  {RAM.name} #(.T_WIDTH({bank.array.width}), .DEPTH({bank.words}), "
            f".ADDRESS_WIDTH({address_width(bank)})) {bank.name}_ram (\n    {', '.join(rams)}\n  );"
        )
    listed, named = ",\n  ".join(ports), ",\n    ".join(pins)
    text = "\n".join([
        f"module {name} (\n  {listed}\n);", *body,
        f"  {netlist.name} circuit (\n    {named}\n  );", "endmodule\n",
    ])  # fmt: skip
    return name, [text, ram_text(RAM)] if body else [text]


def pins_of(bank: OutsideBank) -> Iterator[Pin]:
    """The pins of the bank's RAM, but for the clock."""
    address, data = address_width(bank), bank.array.width
    yield Pin("rd_en", True, 1, bank.loads)
    yield Pin("rd_addr", True, address, bank.loads)
    yield Pin("rd_data", False, data, bank.loads)
    yield Pin("wr_en", True, 1, bank.stores)
    yield Pin("wr_addr", True, address, bank.stores)
    yield Pin("wr_data", True, data, bank.stores)


def address_width(bank: OutsideBank) -> int:
    """Bits of an address of the bank."""
    return max(1, (bank.words - 1).bit_length())
