"""The LiteX package: its module, by classes that record what LiteX documents."""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from loom.bus.wrap import INSIDE, wrap_circuit
from loom.emit.ports import find_ports
from loom.package.package import Package, own_files
from loom.package.top import top_of_wrapper
from tests.package.packaged import compiled, packaged, ports_by_slang, with_clock_enable, write


class Value:
    """Some bits of Migen; `width` is None where it has no say."""

    def __init__(self, width: int | None = 1, name: str = "", reset: int = 0) -> None:
        self.width, self.name, self.reset = width, name, reset

    def __getitem__(self, bits: slice) -> Value:
        assert bits.start is None and bits.step is None
        return Value(bits.stop)

    def __invert__(self) -> Value:
        return Value(self.width)

    def __and__(self, other: Value) -> Value:
        assert self.width == other.width
        return Value(self.width)

    def eq(self, other: Value | int) -> tuple[Value, Value | int]:
        assert isinstance(other, int) or self.width == other.width
        return self, other


class Statements:
    """What a module collects by +=, one or several at once."""

    def __init__(self) -> None:
        self.collected: list[Any] = []

    def __iadd__(self, more: Any) -> Statements:
        self.collected += more if isinstance(more, list) else [more]
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self.collected)


class Module:
    """LiteXModule."""

    def __init__(self) -> None: ...

    def __new__(cls, *_: Any) -> Module:
        self = super().__new__(cls)
        self.comb, self.sync, self.specials = Statements(), Statements(), Statements()
        return self


class Field(Value):
    """CSRField."""

    def __init__(self, name: str, size: int = 1, reset: int = 0, description: str = "",
                 pulse: bool = False) -> None:  # fmt: skip
        assert description.endswith(".") and (not pulse or size == 1)
        super().__init__(size, name, reset)


class Csr:
    """What storage and status share."""

    def __init__(self, size: int = 1, fields: list[Field] | None = None,
                 description: str = "") -> None:  # fmt: skip
        self.size = sum(field.width or 0 for field in fields) if fields else size
        self.fields = types.SimpleNamespace(**{field.name: field for field in fields or ()})


class Storage(Csr):
    """CSRStorage."""

    @property
    def storage(self) -> Value:
        return Value(self.size)


class Status(Csr):
    """CSRStatus."""

    @property
    def status(self) -> Value:
        return Value(self.size)


class Instance:
    """Migen's Instance."""

    def __init__(self, name: str, **ports: Value) -> None:
        self.name, self.ports = name, ports


class Events:
    """EventManager, whose interrupt line has a name that no source may have."""

    def __setattr__(self, name: str, value: Any) -> None:
        assert name != "irq", "EventManager.irq is the interrupt line"
        super().__setattr__(name, value)

    def finalize(self) -> None:
        assert [isinstance(value, Source) for value in vars(self).values()] == [True]


class Source:
    """EventSourceLevel."""

    def __init__(self) -> None:
        self.trigger = Value()


def axi_lite(data_width: int, address_width: int) -> types.SimpleNamespace:
    """AXILiteInterface: its channels, with the signals that LiteX gives them."""
    address = {"addr": address_width, "valid": 1, "ready": 1}
    return types.SimpleNamespace(**{
        channel: types.SimpleNamespace(**{name: Value(width) for name, width in widths.items()})
        for channel, widths in {
            "aw": address, "ar": address,
            "w": {"data": data_width, "strb": data_width // 8, "valid": 1, "ready": 1},
            "b": {"resp": 2, "valid": 1, "ready": 1},
            "r": {"data": data_width, "resp": 2, "valid": 1, "ready": 1},
        }.items()
    })  # fmt: skip


def condition(found: Value, *_: tuple[Value, Value | int]) -> None:
    """If."""
    assert found.width == 1


KNOWN: Mapping[str, Mapping[str, Any]] = {
    "migen": {
        "Signal": Value, "If": condition, "Instance": Instance,
        "Constant": lambda value, width: Value(width), "ClockSignal": lambda domain: Value(),
        "ResetSignal": lambda domain: Value(),
    },
    "litex": {}, "litex.soc": {}, "litex.gen": {"LiteXModule": Module},
    "litex.soc.interconnect": {"axi": types.SimpleNamespace(AXILiteInterface=axi_lite)},
    "litex.soc.interconnect.csr": {
        "CSRField": Field, "CSRStatus": Status, "CSRStorage": Storage,
    },
    "litex.soc.interconnect.csr_eventmanager": {
        "EventManager": Events, "EventSourceLevel": Source,
    },
}  # fmt: skip


class Platform:
    """What a module adds its sources to."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def add_source(self, path: str, language: str) -> None:
        assert language == "systemverilog" and Path(path).is_file(), path
        self.sources.append(path)


def built(pack: Path, top: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Platform]:
    """The only class of the file, instantiated with the recording classes."""
    for name, members in KNOWN.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    spec = importlib.util.spec_from_file_location(f"{top}_litex", pack / f"{top}_litex.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    (made,) = (value for value in vars(found).values()
               if isinstance(value, type) and value.__module__ == spec.name)  # fmt: skip
    platform = Platform()
    return made(platform), platform


def check_module(module: Any, pack: Path, top: str) -> None:
    """AssertionError unless each port of the top is connected, with its direction and width."""
    (instance,) = module.specials
    assert instance.name == top
    ports = ports_by_slang(pack, top)
    assert set(instance.ports) == {f"{way[0]}_{name}" for name, (way, _) in ports.items()}
    for name, (way, width) in ports.items():
        assert instance.ports[f"{way[0]}_{name}"].width == width, name


def csrs(module: Any) -> dict[str, tuple[type, int]]:
    return {name: (type(value), value.size) for name, value in vars(module).items()
            if isinstance(value, Csr)}  # fmt: skip


TOPS = (("gcd", None, "gcd"), ("dot_banks", None, "dot_banks"), ("fir", "axi4lite", "fir_axi4lite"))


@pytest.mark.parametrize(("name", "bus", "top"), TOPS)
def test_the_module_connects_every_port(
    name: str, bus: str | None, top: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = packaged(name, "litex", bus, tmp_path / "pack")
    module, platform = built(pack, top, monkeypatch)
    check_module(module, pack, top)
    listed = (pack / f"{top}.f").read_text().split()
    assert platform.sources == [str(pack / path) for path in listed]
    if top == "gcd":
        assert csrs(module) == {
            "control": (Storage, 1), "status": (Status, 10), "arg_a": (Storage, 32),
            "arg_b": (Storage, 32), "result_out0": (Status, 32),
        }  # fmt: skip
    if bus:
        assert vars(module).keys() >= {"bus", "ev"} and not csrs(module)


def test_other_pins_are_signals_of_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock enable of a circuit is on unless it is connected; a master is to be connected."""
    pack = with_clock_enable("gcd", "litex", tmp_path / "one")
    module, _ = built(pack, "gcd", monkeypatch)
    check_module(module, pack, "gcd")
    assert module.clk_en_i.reset == 1
    made = wrap_circuit(compiled("gcd").netlist, "axi4lite")
    path = "rtl/gcd_axi4lite.sv"
    more = "output logic irq,\n  output logic [63:0] m_axi_x_araddr\n"
    text = made.files[path].replace("output logic irq\n", more)
    ports = find_ports(compiled("gcd").netlist, INSIDE)
    package = Package("litex", (path,), top_of_wrapper("gcd_axi4lite", text), ports, {}, "axi4lite",
                      made.map)  # fmt: skip
    pack = write({**made.files, path: text, **own_files(package)}, tmp_path / "two")
    module, _ = built(pack, "gcd_axi4lite", monkeypatch)
    check_module(module, pack, "gcd_axi4lite")
    assert module.m_axi_x_araddr.width == 64


FAULTS: Mapping[str, tuple[str | None, Callable[[str], str], str]] = {
    "a port that is missing": (
        "axi4lite", lambda t: t.replace("            i_s_axi_bready=bus.b.ready,\n", ""),
        "i_s_axi_bready"),
    "a port of the other direction": (
        "axi4lite", lambda t: t.replace("i_s_axi_wdata", "o_s_axi_wdata"), "_s_axi_wdata"),
    "addresses of another width": (
        "axi4lite", lambda t: t.replace("bus.aw.addr[:", "bus.aw.addr[:1"), "s_axi_awaddr"),
    "a source that takes the name of the line": (
        "axi4lite", lambda t: t.replace("ev.interrupt", "ev.irq"), "is the interrupt line"),
    "an argument of another width": (
        None, lambda t: t.replace("CSRStorage(32", "CSRStorage(31", 1), "width"),
    "a file that is missing": (
        None, lambda t: t.replace("rtl/gcd.sv", "rtl/gdc.sv"), "rtl/gdc.sv"),
    "another module": (None, lambda t: t.replace(' "gcd",', ' "gdc",'), "gdc"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bus, change, said = FAULTS[fault]
    top = "gcd_axi4lite" if bus else "gcd"
    pack = packaged("gcd", "litex", bus, tmp_path / "pack")
    file = pack / f"{top}_litex.py"
    text = file.read_text()
    file.write_text(change(text))
    assert file.read_text() != text
    with pytest.raises(AssertionError, match=said):
        check_module(built(pack, top, monkeypatch)[0], pack, top)
