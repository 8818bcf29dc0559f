"""matvec behind AXI4-Lite: two matrices, one after the other; the cycles are told."""

import logging

import cocotb
import matvec_axi4lite
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiLiteBus, AxiLiteMaster
from fir_on_axi4lite import Port

ROWS, COLUMNS = 5, 7


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def multiplies_two_matrices(dut):
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
    driver = matvec_axi4lite.AsyncDriver(Port(master))
    await driver.check()
    for factor in (0.5, -3.0):
        a = [factor * (k % 11) - k // 7 for k in range(ROWS * COLUMNS)]
        x = [1.0 + 0.25 * k for k in range(COLUMNS)]
        await driver.run(a=a, x=x)
        rows = [a[COLUMNS * k : COLUMNS * (k + 1)] for k in range(ROWS)]
        wanted = [sum(p * q for p, q in zip(row, x, strict=True)) for row in rows]
        assert await driver.read_array("y") == wanted
    print(f"system: matvec took {await driver.cycles()} cycles")
