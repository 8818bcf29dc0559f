"""scale between AXI4-Streams under cocotbext-axi's sources and sinks: scalars, tlast, resets."""

import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

N = 9


class System:
    def __init__(self, dut):
        def end(kind, name):
            bus = AxiStreamBus.from_prefix(dut, name)
            return kind(bus, dut.aclk, dut.aresetn, reset_active_level=False)

        self.dut, self.numbers = dut, random.Random(5)
        self.x, self.negate, self.add = (
            end(AxiStreamSource, f"s_axis_{name}") for name in ("x", "negate", "add")
        )
        self.y, self.out = (end(AxiStreamSink, f"m_axis_{name}") for name in ("y", "out0"))

    def pauses(self, share):
        for each in (self.x, self.negate, self.add, self.y, self.out):
            each.set_pause_generator(self.numbers.random() < share for _ in itertools.count())

    async def send(self, x, negate, add):
        await self.negate.send(AxiStreamFrame(bytes([negate])))
        await self.add.send(AxiStreamFrame((add & 0xFFFF).to_bytes(2, "little")))
        await self.x.send(AxiStreamFrame(bytes(x)))

    async def check(self, x, negate, add):
        frame = bytes((await self.y.recv()).tdata)
        wanted = [(-each if negate else each + add) & 0xFFFF for each in x]
        assert [int.from_bytes(frame[k : k + 2], "little") for k in range(0, 2 * N, 2)] == wanted
        assert len(frame) == 2 * N
        while not self.out.count():
            await ClockCycles(self.dut.aclk, 1)
        assert self.out.recv_nowait(compact=False).tdata[0] == (sum(x) > 1000)

    def draw(self):
        numbers = self.numbers
        x = [numbers.randrange(256) for _ in range(N)]
        return x, numbers.randrange(2), numbers.randrange(-500, 500)


async def begin(dut):
    dut.aresetn.value = 0
    dut.error_clear.value = 0
    Clock(dut.aclk, 10, "ns").start()
    system = System(dut)
    await ClockCycles(dut.aclk, 4)
    dut.aresetn.value = 1
    return system


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def activations(dut):
    """Several in a row, offered ahead, without and with pauses."""
    system = await begin(dut)
    for share in (0.0, 0.5):
        system.pauses(share)
        given = [system.draw() for _ in range(5)]
        for each in given:
            await system.send(*each)
        for each in given:
            await system.check(*each)
    assert not int(dut.error_code.value)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def wrong_ends(dut):
    """tlast too early or too late is an error, which is cleared; the elements are right."""
    system = await begin(dut)
    for cut in (4, None, 8, None):
        x, negate, add = system.draw()
        await system.negate.send(AxiStreamFrame(bytes([negate])))
        await system.add.send(AxiStreamFrame((add & 0xFFFF).to_bytes(2, "little")))
        for part in (x[:cut], x[cut:]) if cut else (x,):
            await system.x.send(AxiStreamFrame(bytes(part)))
        await system.check(x, negate, add)
        assert int(dut.error_code.value) == (3 if cut else 0), cut
        dut.error_clear.value = 1
        await ClockCycles(dut.aclk, 1)
        dut.error_clear.value = 0
        await ClockCycles(dut.aclk, 1)
    (one, *first), (two, *second) = system.draw(), system.draw()
    for negate, add in (first, second):
        await system.negate.send(AxiStreamFrame(bytes([negate])))
        await system.add.send(AxiStreamFrame((add & 0xFFFF).to_bytes(2, "little")))
    await system.x.send(AxiStreamFrame(bytes(one + two)))
    await system.check(one, *first)
    await system.check(two, *second)
    assert int(dut.error_code.value) == 3


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def resets(dut):
    """After a reset in any cycle the next frame begins at element 0."""
    system = await begin(dut)
    for cycles in (3, 7, 12, 15):
        await system.send(*system.draw())
        await ClockCycles(dut.aclk, cycles)
        dut.aresetn.value = 0
        await ClockCycles(dut.aclk, 2)
        for each in (system.x, system.negate, system.add, system.y, system.out):
            each.clear()
        dut.aresetn.value = 1
        await ClockCycles(dut.aclk, 2)
        given = system.draw()
        await system.send(*given)
        await system.check(*given)
        assert not int(dut.error_code.value)
