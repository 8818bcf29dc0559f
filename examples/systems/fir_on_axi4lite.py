"""fir behind AXI4-Lite, with cocotbext-axi as the master: samples in, filtered samples out.

    python -m loom_sim.systems axi4lite examples/c/fir.c examples/systems/fir_on_axi4lite.py
"""

import logging

import cocotb
import fir_axi4lite
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster

TAPS = (-3, 12, 45, 90, 90, 45, 12, -3)


class Port:
    """The words of the bus, as the driver wants them."""

    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        answer = await self.master.read(offset, 4)
        assert answer.resp == 0, f"read of {offset:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        answer = await self.master.write(offset, value.to_bytes(4, "little"))
        assert answer.resp == 0, f"write of {offset:#x}: {answer.resp!r}"


def fir(samples):
    """What the program computes."""
    pairs = [zip(TAPS, samples[n:], strict=False) for n in range(len(samples) - len(TAPS) + 1)]
    return [sum(tap * sample for tap, sample in pair) >> 8 for pair in pairs]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def filters_two_signals(dut):
    """A noisy signal and an impulse, one after the other."""
    logging.getLogger("cocotb.harness").setLevel(logging.WARNING)
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    master = AxiLiteMaster(
        AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False
    )
    for _ in range(4):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)
    driver = fir_axi4lite.AsyncDriver(Port(master))
    await driver.check()
    noisy = [(n * 7919) % 2001 - 1000 for n in range(40)]
    for samples in (noisy, [256 * (n == 20) for n in range(40)]):
        await driver.run(x=samples)
        assert await driver.read_array("y") == fir(samples)
    print(f"system: fir took {await driver.cycles()} cycles")
