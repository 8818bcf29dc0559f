"""The judge of the LiteX package: calls over the Wishbone master of the SoC around a circuit."""

import importlib
import json
import math
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

CALLS = ((12, 18), (35, 14), (1, 77), (270, 192))
TAPS = (-3, 12, 45, 90, 90, 45, 12, -3)


class Master:
    """Words over Wishbone, by their addresses [bytes]."""

    def __init__(self, dut):
        self.dut = dut
        self.places = json.loads(Path("places.json").read_text())

    async def start(self):
        """The clock runs, and the reset is over."""
        dut = self.dut
        for name in ("wb_cyc", "wb_stb", "wb_we", "wb_adr", "wb_dat_w", "wb_bte", "wb_cti"):
            getattr(dut, name).value = 0
        dut.wb_sel.value = 15
        dut.sys_rst.value = 1
        Clock(dut.sys_clk, 10, "ns").start()
        for _ in range(4):
            await RisingEdge(dut.sys_clk)
        dut.sys_rst.value = 0

    async def access(self, place, word=None):
        """The word that is there, or was written."""
        dut = self.dut
        dut.wb_adr.value, dut.wb_we.value = place >> 2, int(word is not None)
        dut.wb_dat_w.value = word or 0
        dut.wb_cyc.value = dut.wb_stb.value = 1
        for _ in range(200):
            await RisingEdge(dut.sys_clk)
            assert not int(dut.wb_err.value), f"an error at {place:#x}"
            if int(dut.wb_ack.value):
                found = int(dut.wb_dat_r.value)
                dut.wb_cyc.value = dut.wb_stb.value = 0
                await RisingEdge(dut.sys_clk)
                return found
        raise AssertionError(f"no answer at {place:#x}")

    async def register(self, name, word=None):
        """A register that LiteX made for the circuit."""
        return await self.access(self.places[f"circuit.{name}"], word)

    async def read(self, offset):
        """A register of the wrapper."""
        return await self.access(self.places["origin"] + offset)

    async def write(self, offset, word):
        """The same, written."""
        await self.access(self.places["origin"] + offset, word)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def runs_in_litex(dut):
    """Calls of gcd through its registers, or a signal through fir behind AXI4-Lite."""
    master = Master(dut)
    await master.start()
    if "circuit.control" in master.places:
        await calls_gcd(master)
    else:
        await filters(master)


async def calls_gcd(master):
    """Arguments, start, status, result."""
    for a, b in CALLS:
        assert await master.register("status") & 1, "not idle"
        await master.register("arg_a", a)
        await master.register("arg_b", b)
        await master.register("control", 1)
        for _ in range(100):
            if (status := await master.register("status")) & 2:
                break
        assert status == 3, f"status is {status}"
        found = await master.register("result_out0")
        assert found == math.gcd(a, b), f"gcd of {a} and {b} is {found}"


async def filters(master):
    """The driver that `loom package` wrote; its interrupt reaches LiteX's event manager."""
    driver = importlib.import_module("fir_axi4lite").AsyncDriver(master)
    await driver.check()
    numbers = random.Random(1)
    x = [numbers.randint(-1000, 1000) for _ in range(40)]
    expected = [sum(t * s for t, s in zip(TAPS, x[k:], strict=False)) >> 8 for k in range(33)]
    assert await master.register("ev_status") == 0
    await master.write(0x4, 1)
    await master.write(0x8, 1)
    await driver.run(x=x)
    found = await driver.read_array("y")
    assert found == expected, f"y is {found}"
    assert await master.register("ev_status") == 1, "no interrupt"
