"""gain on AXI4-Lite with streams beside it, under cocotbext-axi: pauses, wrong tlasts, resets."""

import itertools
import random

import cocotb
import gain_axi4lite
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)

N = 12


class Port:
    def __init__(self, master):
        self.master = master

    async def read(self, offset):
        answer = await self.master.read(offset, 4)
        assert answer.resp == 0, f"read of {offset:#x}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def write(self, offset, value):
        answer = await self.master.write(offset, value.to_bytes(4, "little"))
        assert answer.resp == 0, f"write of {offset:#x}: {answer.resp!r}"


class System:
    def __init__(self, dut):
        self.dut, self.numbers = dut, random.Random(6)

        def end(kind, bus):
            return kind(bus, dut.aclk, dut.aresetn, reset_active_level=False)

        master = end(AxiLiteMaster, AxiLiteBus.from_prefix(dut, "s_axi"))
        self.x = end(AxiStreamSource, AxiStreamBus.from_prefix(dut, "s_axis_x"))
        self.y = end(AxiStreamSink, AxiStreamBus.from_prefix(dut, "m_axis_y"))
        self.driver = gain_axi4lite.AsyncDriver(Port(master))

    def pauses(self, share):
        for each in (self.x, self.y):
            each.set_pause_generator(self.numbers.random() < share for _ in itertools.count())

    def draw(self):
        return [self.numbers.randrange(-500, 500) for _ in range(N)]

    async def send(self, x, cuts=()):
        data = b"".join(each.to_bytes(2, "little", signed=True) for each in x)
        ends = [0, *(2 * cut for cut in cuts), len(data)]
        for low, high in itertools.pairwise(ends):
            await self.x.send(AxiStreamFrame(data[low:high]))

    async def check(self, x, gains, offset, found):
        frame = bytes((await self.y.recv()).tdata)
        scaled = [x[i] * gains[i % 4] + offset for i in range(N)]
        words = [
            int.from_bytes(frame[k : k + 4], "little", signed=True) for k in range(0, 4 * N, 4)
        ]
        assert words == scaled and len(frame) == 4 * N
        assert found == {"out0": sum(scaled)}


async def begin(dut):
    dut.aresetn.value = 0
    Clock(dut.aclk, 10, "ns").start()
    system = System(dut)
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 1)
    await system.driver.check()
    return system


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def frames(dut):
    """A frame a start, offered ahead; gains and offset change between starts."""
    system = await begin(dut)
    for share in (0.0, 0.5):
        system.pauses(share)
        given = [system.draw() for _ in range(4)]
        for x in given:
            await system.send(x)
        for k, x in enumerate(given):
            gains, offset = [k, -k, 3, 7 * k + 1], 100 * k - 150
            found = await system.driver.run(gains=gains, offset=offset)
            await system.check(x, gains, offset, found)
    assert not await system.driver.port.read(gain_axi4lite.REGISTERS["error"])


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def no_start(dut):
    """Without a start no frame comes out, and the next start has the first frame."""
    system = await begin(dut)
    x = system.draw()
    await system.send(x)
    await ClockCycles(dut.aclk, 200)
    assert system.y.empty()
    found = await system.driver.run(gains=[1, 2, 3, 4], offset=5)
    await system.check(x, [1, 2, 3, 4], 5, found)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def wrong_end(dut):
    """A wrong tlast is the error 3 of the register, and elements are right."""
    system = await begin(dut)
    x = system.draw()
    await system.send(x, cuts=(5,))
    await system.driver.write_array("gains", [1, 1, 1, 1])
    await system.driver.start()
    while not (await system.driver.port.read(0) & 2):
        pass
    assert await system.driver.port.read(gain_axi4lite.REGISTERS["error"]) == 3
    assert [int.from_bytes(bytes((await system.y.recv()).tdata)[:4], "little", signed=True)] == x[
        :1
    ]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def reset_in_a_frame(dut):
    """After a reset in the middle of a frame the next one is whole."""
    system = await begin(dut)
    await system.send(system.draw()[:7])
    await system.driver.start()
    await ClockCycles(dut.aclk, 30)
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 1)
    x = system.draw()
    await system.send(x)
    found = await system.driver.run(gains=[4, 3, 2, 1], offset=-9)
    await system.check(x, [4, 3, 2, 1], -9, found)
