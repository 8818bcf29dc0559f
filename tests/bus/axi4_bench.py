"""blend behind AXI4-Lite with an AXI4 master for each array, under cocotbext-axi's memory."""

import itertools
import random

import blend_axi4 as made
import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Event, RisingEdge, Timer
from cocotbext.axi import (
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiRam,
    AxiRamRead,
    AxiRamWrite,
    AxiReadBus,
    AxiWriteBus,
)
from cocotbext.axi.axi_channels import AxiARMonitor, AxiAWMonitor

NUMBERS = random.Random(3)
A = [NUMBERS.randrange(256) for _ in range(1200)]
B = [NUMBERS.randrange(-(1 << 31), 1 << 31) for _ in range(1200)]
D = [NUMBERS.randrange(-(1 << 62), 1 << 62) for _ in range(40)]
PLACES = {"a": 0x10FF3, "b": 0x20FF4, "c": 0x31FA2, "d": 0x40FD8}
"""Multiples of the element, shortly below one of 4 KiB."""
SIZE = 1 << 20
NEVER = Event()
"""What an access waits for that a reset has ended."""


class Port:
    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        answer = await self.master.read(offset, 4) or await NEVER.wait()
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        await self.master.write(offset, value.to_bytes(4, "little"))


class System:
    """The circuit, its memory, and the lengths of the bursts of each array."""

    def __init__(self, dut):
        self.dut, clocked = dut, (dut.aclk, dut.aresetn, False)
        bus = AxiLiteBus.from_prefix(dut, "s_axi")
        self.driver = made.AsyncDriver(Port(AxiLiteMaster(bus, *clocked)))
        self.d = AxiRam(AxiBus.from_prefix(dut, "m_axi_d"), *clocked, size=SIZE)
        self.memory = self.d.write_if
        buses = {name: AxiReadBus.from_prefix(dut, f"m_axi_{name}") for name in "ab"}
        self.reads = {name: AxiRamRead(buses[name], *clocked, size=SIZE, mem=self.d.mem)
                      for name in "ab"} | {"d": self.d.read_if}  # fmt: skip
        buses["c"] = AxiWriteBus.from_prefix(dut, "m_axi_c")
        self.writes = {"c": AxiRamWrite(buses["c"], *clocked, size=SIZE, mem=self.d.mem),
                       "d": self.d.write_if}  # fmt: skip
        self.requests = {name: AxiARMonitor(buses[name].ar, *clocked) for name in "ab"}
        self.requests["c"] = AxiAWMonitor(buses["c"].aw, *clocked)

    async def reset(self, cycles=4):
        self.dut.aresetn.value = 0
        await ClockCycles(self.dut.aclk, cycles)
        self.dut.aresetn.value = 1
        await RisingEdge(self.dut.aclk)

    def fill(self):
        for name, values in (("a", A), ("b", B), ("d", D)):
            self.memory.write(PLACES[name], made.pack_array(name, values))
        self.memory.write(PLACES["c"] - 8, bytes(range(100)) * 25)

    async def check(self, n):
        """An activation, with what stands beside the arrays."""
        self.fill()
        found = await self.driver.run(n=n, **PLACES)
        wanted = sum(A[:600]) + sum(3 * D[i * 7 & 31] + n for i in range(n))
        assert (found["out0"] - wanted) % (1 << 32) == 0
        size, start = 2 * n, PLACES["c"]
        c = made.unpack_array("c", self.memory.read(start, size))
        assert c == [(B[i] * 3 + (1 << 15)) % (1 << 16) - (1 << 15) for i in range(n)]
        around = bytes(range(100)) * 25
        assert self.memory.read(start - 8, 8) == around[:8]
        assert self.memory.read(start + size, 8) == around[8 + size : 16 + size]
        d = made.unpack_array("d", self.memory.read(PLACES["d"], 8 * len(D)))
        assert all((x - 3 * y - n) % (1 << 64) == 0 for x, y in zip(d, D, strict=True))

    def bursts(self, name):
        """The address and the beats of each burst since the last call."""
        found = []
        while not self.requests[name].empty():
            each = self.requests[name].recv_nowait()
            kind = "aw" if name == "c" else "ar"
            address, length = getattr(each, f"{kind}addr"), getattr(each, f"{kind}len")
            found.append((int(address), int(length) + 1))
        return found


async def begin(dut):
    Clock(dut.aclk, 10, "ns").start()
    system = System(dut)
    await system.reset()
    return system


def pauses(seed, probability):
    numbers = random.Random(seed)
    return (numbers.random() < probability for _ in itertools.count())


def pause(system, probability):
    """Each channel pauses by chance."""
    seeds = itertools.count()
    for each in system.reads.values():
        each.ar_channel.set_pause_generator(pauses(next(seeds), probability))
        each.r_channel.set_pause_generator(pauses(next(seeds), probability))
    for each in system.writes.values():
        for channel in (each.aw_channel, each.w_channel, each.b_channel):
            channel.set_pause_generator(pauses(next(seeds), probability))


@cocotb.test(timeout_time=150, timeout_unit="us")
async def arrays_in_memory(dut):
    """Elements of all widths, at bases that are multiples of the element alone."""
    system = await begin(dut)
    await system.driver.check()
    await system.check(600)
    await system.check(7)
    for name, base in PLACES.items():
        offset = made.BASES[name][0]
        assert await system.driver.port.read(offset) == base
        await system.driver.port.write(offset, base | 7)
        low = made.BASES[name][6] - 1
        assert await system.driver.port.read(offset) == (base | 7) & ~low
    try:
        await system.driver.set_base("b", 0x1002)
        raise AssertionError("no error")
    except ValueError as error:
        assert str(error) == f"0x1002 is no address of b, a multiple of {made.BASES['b'][6]}"


@cocotb.test(timeout_time=150, timeout_unit="us")
async def back_pressure(dut):
    """All channels pause, and the memory takes 0 to 20 cycles for a beat."""
    system = await begin(dut)
    pause(system, 0.4)
    await system.check(200)
    for seed, each in enumerate(system.reads.values()):
        each._read = slow(each._read, dut.aclk, random.Random(seed))
    await system.check(60)


def slow(operation, clock, numbers):
    async def waits(*given):
        cycles = numbers.choice((0, 0, 0, 3, 20))
        if cycles:
            await ClockCycles(clock, cycles)
        return await operation(*given)

    return waits


@cocotb.test(timeout_time=150, timeout_unit="us")
async def bursts(dut):
    """What waits for the address channel joins: up to 256 beats, never across 4 KiB."""
    system = await begin(dut)
    channels = {"a": system.reads["a"].ar_channel, "b": system.reads["b"].ar_channel,
                "c": system.writes["c"].aw_channel}  # fmt: skip
    for name, channel in channels.items():
        stalls = [True] * (400 if name == "a" else 40)
        channel.set_pause_generator(itertools.cycle([*stalls, False]))
    await system.check(700)
    found = {name: system.bursts(name) for name in "abc"}
    sizes = {name: made.BASES[name][4] for name in "abc"}
    for name, listed in found.items():
        for address, beats in listed:
            assert address // 4096 == (address + beats * sizes[name] - 1) // 4096, (name, address)
    assert max(beats for _, beats in found["a"]) == 256
    assert max(beats for _, beats in found["b"]) >= 16
    assert max(beats for _, beats in found["c"]) == 16
    assert sum(beats for _, beats in found["c"]) == 700
    assert sum(beats for _, beats in found["a"]) == 600


async def fails(*_):
    raise OSError("no such address")


@cocotb.test(timeout_time=150, timeout_unit="us")
async def error_responses(dut):
    """SLVERR of a read and of a write: the error of the circuit, which a driver clears."""
    system = await begin(dut)
    for side, method in (("reads", "_read"), ("writes", "_write")):
        for name, each in getattr(system, side).items():
            kept = getattr(each, method)
            setattr(each, method, fails)
            try:
                await system.driver.run(n=20, **PLACES)
                raise AssertionError(f"no error of {name}")
            except made.CircuitError as error:
                assert str(error) == "RT_MEMORY_ERROR_RESPONSE", name
            setattr(each, method, kept)
    await system.check(20)


@cocotb.test(timeout_time=150, timeout_unit="us")
async def reset_in_a_burst(dut):
    """In any cycle of an activation, of circuit and memory together; then all works."""
    system = await begin(dut)
    pause(system, 0.5)
    numbers = random.Random(11)
    for _ in range(15):
        task = cocotb.start_soon(system.driver.run(n=1200, **PLACES))
        await ClockCycles(dut.aclk, numbers.randint(250, 700))
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, 2)
        await Timer(1, "ns")
        task.cancel()
        names = ("a_ar", "b_ar", "c_aw", "c_w", "d_ar", "d_aw", "d_w")
        assert not any(int(getattr(dut, f"m_axi_{name}valid").value) for name in names)
        await system.reset(2)
    system.bursts("a")
    await system.check(100)
