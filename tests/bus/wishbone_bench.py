"""mix behind Wishbone under cocotbext-wishbone's master: registers, arrays, selects, resets."""

import random

import cocotb
import mix_wishbone as made
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.wishbone.driver import WBOp, WishboneMaster

R = made.REGISTERS
ARGUMENTS = {name: row[0] for name, row in made.ARGUMENTS.items()}
ARRAYS = {name: row[4][0][0] for name, row in made.ARRAYS.items()}
SIGNALS = {"cyc": "cyc_i", "stb": "stb_i", "we": "we_i", "adr": "adr_i", "datwr": "dat_i",
           "datrd": "dat_o", "ack": "ack_o", "sel": "sel_i", "err": "err_o"}  # fmt: skip
GIVEN = {
    "a": -5, "b": 7, "c": -(1 << 40) - 3, "d": -300, "x": [3 * k - 11 for k in range(10)],
    "y": [(-1) ** k * (1 << 50) + k for k in range(6)], "z": [0.5, -2.25, 1e6, -1.5],
}  # fmt: skip
ACK, ERR = 1, 2


def wrap64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


class Port:
    def __init__(self, master, seed=1):
        self.master, self.numbers = master, random.Random(seed)

    async def access(self, offset, value=None, sel=0xF):
        """The answer and the data of one cycle, which begins after a random pause."""
        operation = WBOp(offset // 4, value, self.numbers.randrange(4), sel, acktimeout=50)
        (answer,) = await self.master.send_cycle([operation])
        return answer.ack, int(answer.datrd)

    async def read(self, offset):
        answer, data = await self.access(offset)
        assert answer == ACK, f"read of {offset:#x}"
        return data

    async def write(self, offset, value):
        answer, _ = await self.access(offset, value)
        assert answer == ACK, f"write of {offset:#x}"


async def begin(dut):
    dut.wb_rst_i.value = 1
    Clock(dut.wb_clk_i, 10, "ns").start()
    master = WishboneMaster(dut, "wb", dut.wb_clk_i, signals_dict=SIGNALS, timeout=50)
    await ClockCycles(dut.wb_clk_i, 4)
    dut.wb_rst_i.value = 0
    await RisingEdge(dut.wb_clk_i)
    return made.AsyncDriver(Port(master))


async def check_run(driver):
    found = await driver.run(**GIVEN)
    a, b, c, d, x = (GIVEN[name] for name in "abcdx")
    assert found == {"out0": wrap64(x[b] + c - d)}
    wanted = [wrap64(8 * (x[i] * c + a) + GIVEN["y"][i]) for i in range(6)]
    assert await driver.read_array("y") == wanted
    assert await driver.read_array("z") == [value + 1.5 for value in GIVEN["z"]]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def registers_and_activations(dut):
    driver = await begin(dut)
    await driver.check()
    for name, offset in R.items():
        wanted = {"control": made.IDLE, "build": made.BUILD}.get(name, 0)
        assert await driver.port.read(offset) == wanted, name
    for hole in (R["build"] + 4, ARRAYS["x"] + 4 * 10):
        assert (await driver.port.access(hole))[0] == ERR
        assert (await driver.port.access(hole, 0))[0] == ERR
    await check_run(driver)
    await driver.start()
    assert (await driver.port.access(ARRAYS["x"]))[0] == ERR
    await driver.wait()
    await check_run(driver)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def selects(dut):
    driver = await begin(dut)
    numbers = random.Random(3)
    for base in (ARGUMENTS["a"], ARGUMENTS["c"] + 4, ARRAYS["z"] + 8, ARRAYS["y"] + 4):
        model = 0
        await driver.port.write(base, 0)
        for _ in range(20):
            sel, data = numbers.randrange(16), numbers.getrandbits(32)
            assert (await driver.port.access(base, data, sel))[0] == ACK
            mask = sum(0xFF << 8 * k for k in range(4) if sel >> k & 1)
            model = (model & ~mask) | (data & mask)
            assert await driver.port.read(base) == model


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def cycles_that_end_early(dut):
    """The master, or a reset, ends a cycle in any cycle: the next one is answered as itself."""
    driver = await begin(dut)
    numbers = random.Random(9)
    await driver.write_array("x", GIVEN["x"])
    for _ in range(60):
        dut.wb_cyc_i.value = 1
        dut.wb_stb_i.value = 1
        dut.wb_adr_i.value = ARRAYS["x"] // 4 + numbers.randrange(10)
        await ClockCycles(dut.wb_clk_i, numbers.randint(1, 3))
        dut.wb_cyc_i.value = 0
        dut.wb_stb_i.value = 0
        if numbers.random() < 0.5:
            dut.wb_rst_i.value = 1
            await ClockCycles(dut.wb_clk_i, 2)
            dut.wb_rst_i.value = 0
        await ClockCycles(dut.wb_clk_i, numbers.randint(1, 2))
        k = numbers.randrange(10)
        assert await driver.port.read(ARRAYS["x"] + 4 * k) == GIVEN["x"][k] & 0xFFFF
    await check_run(driver)
