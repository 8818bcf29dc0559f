"""``python litex_soc.py PACKAGE TOP OUT``: LiteX builds a SoC around a packaged circuit.

The SoC has no processor: pins of a Wishbone bus are its only master. OUT/soc.v is its Verilog,
OUT/places.json has the addresses of the circuit's registers [bytes]. LOOM is not imported.
"""

import importlib
import json
import sys
from pathlib import Path

from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc import SoCRegion
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import wishbone
from migen import ClockDomain

ORIGIN = 0x10000000
"""Where a circuit behind AXI4-Lite stands."""


class Clock(LiteXModule):
    """The clock and the reset are pins."""

    def __init__(self, platform):
        self.cd_sys = ClockDomain()
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))


def build(package: Path, top: str, out: Path) -> None:
    """The files of OUT."""
    platform = SimPlatform("SIM", [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1))])
    soc = SoCMini(platform, clk_freq=int(1e8), with_timer=False)
    soc.crg = Clock(platform)
    master = wishbone.Interface(data_width=32, address_width=32, addressing="word")
    platform.add_extension(master.get_ios("wb"))
    soc.comb += master.connect_to_pads(platform.request("wb"), mode="slave")
    soc.bus.add_master("pins", master=master)
    sys.path.insert(0, str(package))
    found = importlib.import_module(f"{top}_litex")
    name = "".join(part.capitalize() for part in top.split("_"))
    soc.circuit = getattr(found, name)(platform)
    places = {"origin": ORIGIN}
    if hasattr(soc.circuit, "bus"):
        soc.bus.add_slave("circuit", soc.circuit.bus, SoCRegion(origin=ORIGIN, size=0x10000,
                                                               cached=False))  # fmt: skip
    soc.finalize()
    for region, found in soc.csr_regions.items():
        place = found.origin
        for register in found.obj:
            places[f"{region}.{register.name}"] = place
            place += 4 * (-(-register.size // 32))
    platform.get_verilog(soc, name="soc").write(str(out / "soc.v"))
    (out / "places.json").write_text(json.dumps(places))
    listed = [path for path, *_ in platform.sources if Path(path).is_relative_to(package)]
    (out / "sources.json").write_text(json.dumps(listed))


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
