"""mix behind Avalon-MM under cocotb-bus's AvalonMaster: registers, arrays, byte enables, resets."""

import random

import cocotb
import mix_avalon as made
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from cocotb_bus.drivers.avalon import AvalonMaster

R = made.REGISTERS
ARGUMENTS = {name: row[0] for name, row in made.ARGUMENTS.items()}
ARRAYS = {name: row[4][0][0] for name, row in made.ARRAYS.items()}
GIVEN = {
    "a": -5, "b": 7, "c": -(1 << 40) - 3, "d": -300, "x": [3 * k - 11 for k in range(10)],
    "y": [(-1) ** k * (1 << 50) + k for k in range(6)], "z": [0.5, -2.25, 1e6, -1.5],
}  # fmt: skip
OKAY, SLVERR = 0, 2


def wrap64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


class Port:
    """The host's accesses; `responses` has the kind and the code of each response, in order."""

    def __init__(self, dut, seed=1):
        self.dut, self.numbers, self.responses = dut, random.Random(seed), []
        self.master = AvalonMaster(dut, "avs", dut.clk)
        self.begun = 0
        cocotb.start_soon(self.watch())

    async def watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            kinds = (self.dut.avs_readdatavalid.value, self.dut.avs_writeresponsevalid.value)
            if any(int(kind) for kind in kinds) and not int(self.dut.reset.value):
                assert not all(int(kind) for kind in kinds)
                self.responses.append(("rw"[int(kinds[1])], int(self.dut.avs_response.value)))

    async def response(self, kind):
        """The response of the access that was issued last; it is the only one since."""
        self.begun += 1
        for _ in range(4):
            if len(self.responses) == self.begun:
                break
            await RisingEdge(self.dut.clk)
            await ReadOnly()
        assert len(self.responses) == self.begun, "a response is missing or too many"
        found, code = self.responses[-1]
        assert found == kind
        await RisingEdge(self.dut.clk)
        return code

    async def access(self, offset, value=None):
        """The response and the data of one access, which begins after a random pause."""
        await ClockCycles(self.dut.clk, 1 + self.numbers.randrange(3))
        if value is None:
            data = int(await self.master.read(offset // 4))
            return await self.response("r"), data
        await self.master.write(offset // 4, value)
        return await self.response("w"), None

    async def command(self, offset, data, enables):
        """A write with byte enables, which the master has not: one command until it is taken."""
        pins = {"address": offset // 4, "writedata": data, "byteenable": enables, "write": 1}
        for name, value in pins.items():
            getattr(self.dut, f"avs_{name}").value = value
        await ReadOnly()
        while int(self.dut.avs_waitrequest.value):
            await RisingEdge(self.dut.clk)
            await ReadOnly()
        await RisingEdge(self.dut.clk)
        self.dut.avs_write.value = 0
        return await self.response("w")

    async def read(self, offset):
        response, data = await self.access(offset)
        assert response == OKAY, f"read of {offset:#x}"
        return data

    async def write(self, offset, value):
        response, _ = await self.access(offset, value)
        assert response == OKAY, f"write of {offset:#x}"


async def begin(dut):
    dut.reset.value = 1
    Clock(dut.clk, 10, "ns").start()
    port = Port(dut)
    await ClockCycles(dut.clk, 4)
    dut.reset.value = 0
    await RisingEdge(dut.clk)
    return made.AsyncDriver(port)


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
        assert (await driver.port.access(hole))[0] == SLVERR
        assert (await driver.port.access(hole, 0))[0] == SLVERR
    await check_run(driver)
    await driver.start()
    assert (await driver.port.access(ARRAYS["x"]))[0] == SLVERR
    await driver.wait()
    await check_run(driver)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def byte_enables(dut):
    driver = await begin(dut)
    numbers = random.Random(3)
    for base in (ARGUMENTS["a"], ARGUMENTS["c"] + 4, ARRAYS["z"] + 8, ARRAYS["y"] + 4):
        model = 0
        await driver.port.write(base, 0)
        for _ in range(20):
            enables, data = numbers.randrange(16), numbers.getrandbits(32)
            assert await driver.port.command(base, data, enables) == OKAY
            mask = sum(0xFF << 8 * k for k in range(4) if enables >> k & 1)
            model = (model & ~mask) | (data & mask)
            assert await driver.port.read(base) == model


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def resets(dut):
    """A reset in any cycle of a command: no response is left, the next command has its own."""
    driver = await begin(dut)
    numbers = random.Random(9)
    for _ in range(40):
        dut.avs_address.value = ARRAYS["x"] // 4
        dut.avs_byteenable.value = 15
        dut.avs_read.value = 1
        await ClockCycles(dut.clk, numbers.randint(1, 6))
        dut.avs_read.value = 0
        dut.reset.value = 1
        await ClockCycles(dut.clk, 2)
        dut.reset.value = 0
        driver.port.begun = len(driver.port.responses)
        await driver.port.write(ARGUMENTS["a"], value := numbers.getrandbits(32))
        assert await driver.port.read(ARGUMENTS["a"]) == value
    await check_run(driver)
