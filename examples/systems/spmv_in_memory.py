"""spmv with its five arrays in a slow memory behind AXI4, cocotbext-axi's: y = A x.

python -m loom_sim.systems axi4 examples/spmv.mlir examples/systems/spmv_in_memory.py
"""

import itertools
import logging
import random

import cocotb
import spmv_axi4
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiRamRead,
    AxiRamWrite,
    AxiReadBus,
    AxiWriteBus,
)

PLACES = {"rows": 0x1000, "columns": 0x2FE0, "values": 0x4FF4, "x": 0x6000, "y": 0x7FFC}
ROWS = (0, 2, 2, 5, 9, 9, 12, 16, 20, 21, 24)
COLUMNS = (5, 9, 1, 6, 5, 0, 9, 9, 0, 2, 2, 0, 7, 9, 2, 1, 0, 2, 7, 6, 6, 3, 6, 9)
PAGE_MISS = 12
"""Cycles before a beat that does not follow the last one of its array."""


class Port:
    """The words of the bus, as the driver wants them."""

    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        return int.from_bytes((await self.master.read(offset, 4)).data, "little")

    async def write(self, offset, value):
        await self.master.write(offset, value.to_bytes(4, "little"))


def slow(read, clock):
    """The same reads, with a pause before a beat that does not follow the last one."""
    expected = None

    async def reads(address, length):
        nonlocal expected
        if address != expected:
            await ClockCycles(clock, PAGE_MISS)
        expected = address + length
        return await read(address, length)

    return reads


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def multiplies_in_memory(dut):
    """Twice, with other values; the write channels pause."""
    logging.getLogger("cocotb.harness").setLevel(logging.WARNING)
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    clocked = (dut.aclk, dut.aresetn, False)
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), *clocked)
    memory = AxiRamWrite(AxiWriteBus.from_prefix(dut, "m_axi_y"), *clocked, size=1 << 16)
    memory.aw_channel.set_pause_generator(itertools.cycle([True, True, False]))
    for name in ("rows", "columns", "values", "x"):
        bus = AxiReadBus.from_prefix(dut, f"m_axi_{name}")
        ram = AxiRamRead(bus, *clocked, size=1 << 16, mem=memory.mem)
        ram._read = slow(ram._read, dut.aclk)
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 1)

    driver = spmv_axi4.AsyncDriver(Port(master))
    await driver.check()
    numbers = random.Random(1)
    for _ in range(2):
        values = [numbers.randint(-99, 99) for _ in COLUMNS]
        x = [numbers.randint(-99, 99) for _ in range(10)]
        arrays = {"rows": ROWS, "columns": COLUMNS, "values": values, "x": x}
        for name, elements in arrays.items():
            memory.write(PLACES[name], spmv_axi4.pack_array(name, elements))
        await driver.run(**PLACES)
        found = spmv_axi4.unpack_array("y", memory.read(PLACES["y"], 40))
        assert [value - (1 << 32) * (value >> 31) for value in found] == [
            sum(values[k] * x[COLUMNS[k]] for k in range(begin, end))
            for begin, end in itertools.pairwise(ROWS)
        ]
    print(f"system: spmv took {await driver.cycles()} cycles")
