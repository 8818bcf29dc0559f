"""A 3x3 convolution between AXI4-Streams, with cocotbext-axi as the source and the sink of frames.

python -m loom_sim.stream_systems examples/systems/convolve.c examples/systems/convolve_streams.py
"""

import logging
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotb.utils import get_sim_time
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

HEIGHT, WIDTH = 12, 16
WEIGHTS = ((1, 2, 1), (2, 4, 2), (1, 2, 1))


def convolve(frame):
    """What the program computes."""
    found = []
    for y in range(HEIGHT):
        for x in range(WIDTH):
            window = [frame[(y - 2 + i) * WIDTH + x - 2 + j] for i in range(3) for j in range(3)
                      if y > 1 and x > 1]  # fmt: skip
            weights = [weight for row in WEIGHTS for weight in row]
            found.append(sum(w * p for w, p in zip(weights, window, strict=False)) >> 4)
    return bytes(found)


def random_pauses(numbers, share):
    """Pauses in this share of the cycles."""
    while True:
        yield numbers.random() < share


async def begin(dut):
    """Source and sink, after a reset."""
    for name in ("cocotb.harness.s_axis_in", "cocotb.harness.m_axis_out"):
        logging.getLogger(name).setLevel(logging.WARNING)
    dut.aresetn.value = 0
    dut.error_clear.value = 0
    Clock(dut.aclk, 10, "ns").start()
    source = AxiStreamSource(
        AxiStreamBus.from_prefix(dut, "s_axis_in"), dut.aclk, dut.aresetn, reset_active_level=False
    )
    sink = AxiStreamSink(
        AxiStreamBus.from_prefix(dut, "m_axis_out"), dut.aclk, dut.aresetn, reset_active_level=False
    )
    for _ in range(4):
        await RisingEdge(dut.aclk)
    dut.aresetn.value = 1
    return source, sink


async def check_frames(source, sink, frames):
    """Each frame comes out convolved, with its tlast at its end."""
    for frame in frames:
        await source.send(AxiStreamFrame(frame))
    for frame in frames:
        assert bytes((await sink.recv()).tdata) == convolve(frame)


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def frames_at_full_speed(dut):
    """Frames follow each other; how many cycles one takes."""
    source, sink = await begin(dut)
    numbers = random.Random(1)
    frames = [numbers.randbytes(HEIGHT * WIDTH) for _ in range(4)]
    await check_frames(source, sink, frames[:1])
    start = get_sim_time("ns")
    await check_frames(source, sink, frames[1:])
    assert not int(dut.error_code.value)
    print(
        f"system: a frame of {HEIGHT * WIDTH} takes {(get_sim_time('ns') - start) / 30:.0f} cycles"
    )


@cocotb.test(timeout_time=5, timeout_unit="ms")
async def frames_with_pauses(dut):
    """The source pauses, then the sink, then both, by chance."""
    source, sink = await begin(dut)
    numbers = random.Random(2)
    for pauses in ((0.5, 0.0), (0.0, 0.5), (0.4, 0.4)):
        for end, share in zip((source, sink), pauses, strict=True):
            end.set_pause_generator(random_pauses(numbers, share))
        await check_frames(source, sink, [numbers.randbytes(HEIGHT * WIDTH) for _ in range(2)])
    assert not int(dut.error_code.value)
