"""mix behind AXI4-Lite under cocotbext-axi: every register, with back-pressure, strobes, resets."""

import itertools
import random

import cocotb
import mix_axi4lite as made
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Event, First, RisingEdge, Timer
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

R = made.REGISTERS
ARGUMENTS = {name: row[0] for name, row in made.ARGUMENTS.items()}
ARRAYS = {name: row[4][0][0] for name, row in made.ARRAYS.items()}
GIVEN = {
    "a": -5, "b": 7, "c": -(1 << 40) - 3, "d": -300, "x": [3 * k - 11 for k in range(10)],
    "y": [(-1) ** k * (1 << 50) + k for k in range(6)], "z": [0.5, -2.25, 1e6, -1.5],
}  # fmt: skip
NEVER = Event()
"""What an access waits for that a reset has ended."""
PAUSE = 0.4
"""Probability of a pause of a channel in a cycle."""


def wrap64(value):
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def mix(a, b, c, d, x, y, z):
    new = [wrap64(8 * (x[i] * c + a) + y[i]) for i in range(6)]
    return wrap64(x[b] + c - d), new, [value + 1.5 for value in z]


class Port:
    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        answer = await self.master.read(offset, 4) or await NEVER.wait()
        assert answer.resp == AxiResp.OKAY, f"read of {offset:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        data = value.to_bytes(4, "little")
        answer = await self.master.write(offset, data) or await NEVER.wait()
        assert answer.resp == AxiResp.OKAY, f"write of {offset:#x}: {answer.resp!r}"


def pauses(seed):
    numbers = random.Random(seed)
    return (numbers.random() < PAUSE for _ in itertools.count())


async def begin(dut, pause=False):
    """Out of reset: the master and the driver."""
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    master = AxiLiteMaster(
        AxiLiteBus.from_prefix(dut, "s_axi"), dut.aclk, dut.aresetn, reset_active_level=False
    )
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await RisingEdge(dut.aclk)
    channels = (
        master.write_if.aw_channel, master.write_if.w_channel, master.write_if.b_channel,
        master.read_if.ar_channel, master.read_if.r_channel,
    )  # fmt: skip
    for seed, channel in enumerate(channels if pause else ()):
        channel.set_pause_generator(pauses(seed))
    return master, made.AsyncDriver(Port(master))


async def check_run(driver, given):
    found = await driver.run(**given)
    result, y, z = mix(**given)
    assert found == {"out0": result}
    assert await driver.read_array("y") == y
    assert await driver.read_array("z") == z
    assert await driver.read_array("x") == given["x"]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def registers_after_reset(dut):
    master, driver = await begin(dut)
    await driver.check()
    for name, offset in R.items():
        wanted = {"control": made.IDLE, "build": made.BUILD}.get(name, 0)
        assert await driver.port.read(offset) == wanted, name
    assert await driver.port.read(ARGUMENTS["c"] + 4) == 0
    for hole in (R["build"] + 4, ARRAYS["x"] + 4 * 10, ARRAYS["y"] + 8 * 6):
        assert (await master.read(hole, 4)).resp == AxiResp.SLVERR, hex(hole)
        assert (await master.write(hole, bytes(4))).resp == AxiResp.SLVERR, hex(hole)
    for name in ("build", "cycles", "result_out0"):
        before = await driver.port.read(R[name])
        await driver.port.write(R[name], 0xFFFFFFFF)
        assert await driver.port.read(R[name]) == before, name


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def activations(dut):
    _, driver = await begin(dut)
    await check_run(driver, GIVEN)
    await check_run(driver, {**GIVEN, "a": 1 << 30, "b": 0, "c": 77, "d": 9})
    assert await driver.port.read(R["result_out0_valid"]) == 1
    assert await driver.port.read(R["result_out0_valid"]) == 0


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def byte_strobes(dut):
    """Accesses of one to eleven bytes at any place, against a model of bytes."""
    master, driver = await begin(dut, pause=True)
    numbers = random.Random(5)
    places = [(ARGUMENTS["c"], 8, 8), (ARRAYS["y"], 48, 8), (ARRAYS["z"], 16, 4)]
    await driver.write_array("y", [0] * 6)
    await driver.write_array("z", [0.0] * 4)
    model = {base: bytearray(size) for base, size, _ in places}
    for _ in range(120):
        base, size, _ = numbers.choice(places)
        length = numbers.randint(1, min(size, 11))
        at = numbers.randint(0, size - length)
        if numbers.random() < 0.6:
            data = numbers.randbytes(length)
            assert (await master.write(base + at, data)).resp == AxiResp.OKAY
            model[base][at : at + length] = data
        else:
            answer = await master.read(base + at, length)
            assert answer.data == model[base][at : at + length]
    await driver.set_argument("b", 0x5A)
    await master.write(ARGUMENTS["b"] + 1, b"\xff\xff\xff")
    assert await driver.port.read(ARGUMENTS["b"]) == 0x5A
    await master.write(R["control"] + 1, b"\x01\x01\x01")
    assert await driver.port.read(R["control"]) == made.IDLE


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def back_pressure(dut):
    """Reads and writes side by side, every channel paused at random: none is lost or mixed up."""
    _, driver = await begin(dut, pause=True)
    numbers = random.Random(7)
    x = [numbers.randint(-(1 << 15), (1 << 15) - 1) for _ in range(10)]
    await driver.write_array("x", x)

    async def write(count):
        values = [numbers.getrandbits(32) for _ in range(count)]
        for value in values:
            await driver.port.write(ARGUMENTS["a"], value)
            assert await driver.port.read(ARGUMENTS["a"]) == value

    async def read(count):
        for _ in range(count):
            k = numbers.randrange(10)
            assert await driver.port.read(ARRAYS["x"] + 4 * k) == x[k] & 0xFFFF

    tasks = [cocotb.start_soon(task(60)) for task in (write, read, read)]
    for task in tasks:
        await task
    await check_run(driver, GIVEN)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def while_it_runs(dut):
    """Arrays answer with an error, arguments are those of the next start, done is read once."""
    master, driver = await begin(dut)
    for name in ("x", "y", "z"):
        await driver.write_array(name, GIVEN[name])
    for name in ("a", "b", "c", "d"):
        await driver.set_argument(name, GIVEN[name])
    await driver.port.write(R["interrupt_global"], 1)
    await driver.port.write(R["interrupt_enable"], 3)
    await driver.start()
    assert (await master.read(ARRAYS["x"], 4)).resp == AxiResp.SLVERR
    assert (await master.write(ARRAYS["x"], bytes(4))).resp == AxiResp.SLVERR
    for name in ("a", "c", "d"):
        await driver.set_argument(name, 1)
    assert not await driver.port.read(R["control"]) & made.IDLE
    await First(RisingEdge(dut.irq), Timer(20, "us"))
    assert dut.irq.value == 1
    await ClockCycles(dut.aclk, 400)
    assert await driver.port.read(R["interrupt_status"]) == 3
    await driver.port.write(R["interrupt_status"], 1)
    assert await driver.port.read(R["interrupt_status"]) == 2 and dut.irq.value == 1
    await driver.port.write(R["interrupt_status"], 2)
    await RisingEdge(dut.aclk)
    assert await driver.port.read(R["interrupt_status"]) == 0 and dut.irq.value == 0
    assert await driver.port.read(R["control"]) == made.DONE | made.READY | made.IDLE
    assert await driver.port.read(R["control"]) == made.IDLE
    result, y, _ = mix(**GIVEN)
    assert await driver.get_result("out0") == result
    assert await driver.read_array("y") == y
    assert await driver.read_array("x") == GIVEN["x"]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def starts_in_a_row(dut):
    """A start while one runs waits for it; auto-restart goes on until it is taken back."""
    _, driver = await begin(dut)
    given = {**GIVEN, "b": 1, "c": 1, "a": 0, "x": [1] * 10}
    for name in ("x", "y", "z"):
        await driver.write_array(name, given[name])
    for name in ("a", "b", "c", "d"):
        await driver.set_argument(name, given[name])
    await driver.start()
    await driver.start()
    await driver.wait()
    assert await driver.read_array("y") == [value + 16 for value in given["y"]]
    await driver.start(auto_restart=True)
    await ClockCycles(dut.aclk, 1000)
    assert not await driver.port.read(R["control"]) & made.IDLE
    await driver.port.write(R["control"], 0)
    await driver.wait()
    (first, *_), z = await driver.read_array("y"), await driver.read_array("z")
    runs, rest = divmod(first - given["y"][0], 8)
    assert runs > 4 and rest == 0
    assert await driver.read_array("y") == [value + 8 * runs for value in given["y"]]
    assert z[0] == given["z"][0] + 1.5 * runs


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def an_error_is_cleared(dut):
    _, driver = await begin(dut)
    for _ in range(2):
        try:
            await driver.run(**{**GIVEN, "b": 200})
            raise AssertionError("no error")
        except made.CircuitError as error:
            assert str(error) == "RT_MEMORY_ADDRESS_OUT_OF_RANGE"
        assert await driver.port.read(R["error"]) == 0
        await check_run(driver, GIVEN)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def reset_in_a_transaction(dut):
    """In any cycle of reads, writes and activations; afterwards all is as after power-up."""
    _, driver = await begin(dut, pause=True)
    numbers = random.Random(11)
    for _ in range(25):
        await driver.set_argument("a", 1)
        tasks = [
            cocotb.start_soon(driver.run(**GIVEN)),
            cocotb.start_soon(driver.port.read(R["build"])),
        ]
        await ClockCycles(dut.aclk, numbers.randint(1, 60))
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, numbers.randint(2, 4))  # values are read before the edge
        for task in tasks:
            task.cancel()
        assert (int(dut.s_axi_bvalid.value), int(dut.s_axi_rvalid.value)) == (0, 0)
        dut.aresetn.value = 1
        await RisingEdge(dut.aclk)
        assert await driver.port.read(ARGUMENTS["a"]) == 0
        assert await driver.port.read(R["control"]) == made.IDLE
    await check_run(driver, GIVEN)
