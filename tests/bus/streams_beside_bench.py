"""gain on any bus with streams beside it, under cocotbext-axi: pauses, wrong tlasts, resets.

The driver that stands beside the bench says which bus; on AXI4 the gains are in memory.
"""

import importlib
import itertools
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotb_bus.drivers.avalon import AvalonMaster
from cocotbext.axi import (
    AxiLiteBus,
    AxiLiteMaster,
    AxiRamRead,
    AxiReadBus,
    AxiStreamBus,
    AxiStreamFrame,
    AxiStreamSink,
    AxiStreamSource,
)
from cocotbext.wishbone.driver import WBOp, WishboneMaster

BUSES = ("axi4lite", "axi4", "wishbone", "avalon")
BUS = next(bus for bus in BUSES if importlib.util.find_spec(f"gain_{bus}"))
made = importlib.import_module(f"gain_{BUS}")
CLOCKS = {"wishbone": ("wb_clk_i", "wb_rst_i", 1), "avalon": ("clk", "reset", 1)}
CLOCK, RESET, ACTIVE = CLOCKS.get(BUS, ("aclk", "aresetn", 0))
SIGNALS = {"cyc": "cyc_i", "stb": "stb_i", "we": "we_i", "adr": "adr_i", "datwr": "dat_i",
           "datrd": "dat_o", "ack": "ack_o", "sel": "sel_i", "err": "err_o"}  # fmt: skip
GAINS = 0x2000
"""The address of the gains in memory."""
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


class WishbonePort:
    def __init__(self, dut):
        self.master = WishboneMaster(
            dut, "wb", dut.wb_clk_i, signals_dict=SIGNALS, width=32, timeout=50
        )

    async def access(self, offset, value=None):
        (answer,) = await self.master.send_cycle([WBOp(offset // 4, value, 0, 0xF, acktimeout=50)])
        assert answer.ack == 1, f"access of {offset:#x}"
        return int(answer.datrd)

    async def read(self, offset):
        return await self.access(offset)

    async def write(self, offset, value):
        await self.access(offset, value)


class AvalonPort:
    def __init__(self, dut):
        self.dut, self.master = dut, AvalonMaster(dut, "avs", dut.clk)

    async def read(self, offset):
        return int(await self.master.read(offset // 4))

    async def write(self, offset, value):
        await self.master.write(offset // 4, value)
        await ClockCycles(self.dut.clk, 3)  # to the response


class System:
    def __init__(self, dut):
        self.dut, self.numbers = dut, random.Random(6)
        self.clock, self.reset = getattr(dut, CLOCK), getattr(dut, RESET)

        def end(kind, bus, **more):
            return kind(bus, self.clock, self.reset, reset_active_level=bool(ACTIVE), **more)

        if BUS in ("axi4lite", "axi4"):
            port = Port(end(AxiLiteMaster, AxiLiteBus.from_prefix(dut, "s_axi")))
        else:
            port = {"wishbone": WishbonePort, "avalon": AvalonPort}[BUS](dut)
        self.memory = None
        if BUS == "axi4":
            pins = AxiReadBus.from_prefix(dut, "m_axi_gains")
            self.memory = end(AxiRamRead, pins, size=1 << 16)
        self.x = end(AxiStreamSource, AxiStreamBus.from_prefix(dut, "s_axis_x"))
        self.y = end(AxiStreamSink, AxiStreamBus.from_prefix(dut, "m_axis_y"))
        self.driver = made.AsyncDriver(port)

    async def give(self, gains):
        """The gains are where the circuit reads them."""
        if self.memory:
            self.memory.write(GAINS, made.pack_array("gains", gains))
            await self.driver.set_base("gains", GAINS)
        else:
            await self.driver.write_array("gains", gains)

    async def run(self, gains, offset):
        await self.give(gains)
        return await self.driver.run(offset=offset)

    async def hold_reset(self):
        self.reset.value = ACTIVE
        await ClockCycles(self.clock, 4)
        self.reset.value = 1 - ACTIVE
        await ClockCycles(self.clock, 1)

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
    getattr(dut, RESET).value = ACTIVE
    Clock(getattr(dut, CLOCK), 10, "ns").start()
    system = System(dut)
    await system.hold_reset()
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
            found = await system.run(gains, offset)
            await system.check(x, gains, offset, found)
    assert not await system.driver.port.read(made.REGISTERS["error"])


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def no_start(dut):
    """Without a start no frame comes out, and the next start has the first frame."""
    system = await begin(dut)
    x = system.draw()
    await system.send(x)
    await ClockCycles(system.clock, 200)
    assert system.y.empty()
    found = await system.run([1, 2, 3, 4], 5)
    await system.check(x, [1, 2, 3, 4], 5, found)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def wrong_end(dut):
    """A wrong tlast is the error 3 of the register, and elements are right."""
    system = await begin(dut)
    x = system.draw()
    await system.send(x, cuts=(5,))
    await system.give([1, 1, 1, 1])
    await system.driver.start()
    while not (await system.driver.port.read(0) & 2):
        pass
    assert await system.driver.port.read(made.REGISTERS["error"]) == 3
    assert [int.from_bytes(bytes((await system.y.recv()).tdata)[:4], "little", signed=True)] == x[
        :1
    ]


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def reset_in_a_frame(dut):
    """After a reset in the middle of a frame the next one is whole."""
    system = await begin(dut)
    await system.send(system.draw()[:7])
    await system.driver.start()
    await ClockCycles(system.clock, 30)
    await system.hold_reset()
    x = system.draw()
    await system.send(x)
    found = await system.run([4, 3, 2, 1], -9)
    await system.check(x, [4, 3, 2, 1], -9, found)
