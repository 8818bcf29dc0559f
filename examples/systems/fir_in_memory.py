"""fir that fetches its samples and stores its results itself: a master for each array.

python -m loom_sim.systems axi4 examples/c/fir.c examples/systems/fir_in_memory.py

Software writes two addresses and a start on AXI4-Lite, as for a DMA; cocotbext-axi has the memory.
"""

import itertools
import logging

import cocotb
import fir_axi4
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

TAPS = (-3, 12, 45, 90, 90, 45, 12, -3)
X, Y = 0x1FF6, 0x2FFC
"""Addresses of the samples and of the results, shortly below multiples of 4 KiB."""
LENGTH = 40


class Port:
    """The words of the bus, as the driver wants them."""

    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        return int.from_bytes((await self.master.read(offset, 4)).data, "little")

    async def write(self, offset, value):
        await self.master.write(offset, value.to_bytes(4, "little"))


def fir(samples):
    """What the program computes."""
    pairs = [zip(TAPS, samples[n:], strict=False) for n in range(LENGTH - len(TAPS) + 1)]
    return [sum(tap * sample for tap, sample in pair) >> 8 for pair in pairs]


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def filters_in_memory(dut):
    """Two signals from one memory, whose channels pause the second time."""
    logging.getLogger("cocotb.harness").setLevel(logging.WARNING)
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    clocked = (dut.aclk, dut.aresetn, False)
    master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), *clocked)
    stores = AxiRamWrite(AxiWriteBus.from_prefix(dut, "m_axi_y"), *clocked, size=1 << 16)
    loads = AxiRamRead(
        AxiReadBus.from_prefix(dut, "m_axi_x"), *clocked, size=1 << 16, mem=stores.mem
    )
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 1)

    driver = fir_axi4.AsyncDriver(Port(master))
    await driver.check()
    noisy = [(n * 7919) % 2001 - 1000 for n in range(LENGTH)]
    for samples in (noisy, [256 * (n == 20) for n in range(LENGTH)]):
        stores.write(X, fir_axi4.pack_array("x", samples))
        await driver.run(x=X, y=Y)
        found = fir_axi4.unpack_array("y", stores.read(Y, 4 * len(fir(samples))))
        assert found == fir(samples)
        print(f"system: fir took {await driver.cycles()} cycles")
        for channel in (loads.ar_channel, loads.r_channel, stores.aw_channel, stores.w_channel):
            channel.set_pause_generator(itertools.cycle([True, True, False]))
