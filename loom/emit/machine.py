"""The SystemVerilog of a machine: one module, and those of its pipelined units, RAMs and errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from loom.dialects.operators.integer_operators import COMPARISONS
from loom.emit.banks import narrowed, split_text
from loom.emit.boundary import DEFAULT_BOUNDARY, apply_boundary, check_names
from loom.emit.instance import Instance, require_free_name, sized
from loom.emit.layout import chain
from loom.emit.machine_memories import (
    ADVANCE,
    HELD,
    HELD_ENABLE,
    MachineMemories,
    Outline,
    held,
)
from loom.emit.modules import module_of, variables_of
from loom.emit.render import Rendered, render_module, template
from loom.netlist.fsmd.fsmd import (
    GO,
    Beyond,
    Choice,
    Constant,
    Fsmd,
    Gate,
    Operation,
    PipelinedUnit,
    Register,
    Resized,
    Split,
    Wire,
)

LOCALS = re.compile(
    r"\b(amount_t|number_t|count_t|PLACES|SIGN|left|right|sums|i|leaf|node|root|scan)\b"
)
"""Names that texts of operators declare for themselves."""

MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
"""The comparison with its sides exchanged."""


def machine_modules(fsmd: Fsmd, outline: Outline) -> dict[str, str]:
    """The text of the machine and of the modules it needs, by name, the machine last."""
    return _Text(fsmd, outline).texts()


def emit_machine(fsmd: Fsmd, outline: Outline) -> dict[str, str]:
    """Relative path to text of every file of the machine: modules, top, file list.

    Refused: a circuit called like one of its modules (EMIT_NAME_TAKEN), a clock or reset called
    like another port (EMIT_PORT_NAME).
    """
    if outline.edge != DEFAULT_BOUNDARY:
        plain = _Text(fsmd, replace(outline, edge=DEFAULT_BOUNDARY)).top()
        check_names(outline.edge, outline.name, plain)
    return _Text(fsmd, outline).files()


class _Text:
    """The lines of one machine."""

    def __init__(self, fsmd: Fsmd, outline: Outline) -> None:
        self.fsmd, self.outline = fsmd, outline
        self.constants = {w.name: w for w in fsmd.wires if isinstance(w, Constant)}
        self.named: dict[str, Constant] = {}
        self.partly: list[str] = []
        self.selected: set[str] = set()
        """Signals of one bit that bits are selected of."""
        self.extra: list[tuple[str, int]] = []
        self.modules: dict[str, str] = {}
        self.width: dict[str, int] = {GO: 1, **dict(fsmd.inputs)}
        for each in (*fsmd.wires, *fsmd.registers, *fsmd.units, *fsmd.reads):
            self.width[each.name] = each.width
        self.memories = MachineMemories(fsmd, outline, self)

    def files(self) -> dict[str, str]:
        """All files by path."""
        texts = self.texts()
        files = {f"rtl/{name}.sv": text for name, text in texts.items()}
        files[f"{self.outline.name}.f"] = "".join(f"{path}\n" for path in files)
        return apply_boundary(files, self.outline.name, self.outline.edge)

    def texts(self) -> dict[str, str]:
        """All modules by name, the machine last."""
        top = self.top()
        require_free_name(self.outline.name, self.modules)
        return {**self.modules, self.outline.name: top}

    def top(self) -> str:
        """The machine's own module."""
        fsmd, outline = self.fsmd, self.outline
        island = outline.is_island
        wires = [line for wire in fsmd.wires for line in self.wire(wire)]
        instances = [w for w in fsmd.wires if isinstance(w, Operation) and has_module(w)]
        units = [*map(self.unit, instances), *map(self.unit, fsmd.units)]
        control = [self.register(each) for each in fsmd.registers if each.reset is not None]
        data = [self.register(each) for each in fsmd.registers if each.reset is None]
        results = dict(fsmd.results)
        scalars = iter(fsmd.inputs)
        inputs, outputs = [], []
        for port in outline.ports:
            if port.direction == "input":
                signal = next(scalars)[0] if port.width else ""
                inputs.append({"name": port.name, "width": port.width, "signal": signal})
            else:
                signal = self.operand(results[port.name]) if port.width else ""
                outputs.append({"name": port.name, "width": port.width, "signal": signal})
        memory_lines, memory_units = self.memories.lines()
        starts = [f"{port['name']}_valid_i" for port in inputs]
        if outline.edge.asynchronous:
            starts.append("awake_q")
        waiting = [f"{p['name']}_waits_q" for p in outputs]
        begins = " | ".join(waiting if island else [self.operand(fsmd.finish), *waiting])
        taken = [f"(~{p['name']}_valid | {p['name']}_ready_i)" for p in outputs]
        if island:
            error = f"{self.operand(fsmd.error)}{self.memories.goes_on}" if fsmd.error else zero(1)
            memory_lines.append(f"  assign error_o = {error};")
        else:
            memory_units.append(self.memories.error())
        text: str = template("static/machine").render(
            name=outline.name,
            edge=outline.edge,
            summary=outline.summary,
            ports=outline.ports,
            memories=outline.outside,
            inputs=inputs,
            outputs=outputs,
            starts=starts,
            ends=[f"({begins})", *taken],
            finish=self.operand(fsmd.finish),
            wires=wires,
            memory_lines=memory_lines,
            units=[*units, *memory_units],
            pins=outline.pins,
            seam=self.memories.seam(),
            waits=self.memories.waits,
            registered_words=self.memories.registered_words(),
            guarded=self.memories.guarded(),
            refusals=[each.refused for each in outline.controllers],
            control=control,
            data=data,
            constants=[
                {
                    "name": c.name,
                    "width": c.width,
                    "is_range": c.name in self.selected,
                    "value": literal(c),
                }
                for c in self.named.values()
            ],
            nets=list(self.nets()),
            unused=self.unused(),
        )
        return text

    def nets(self) -> Iterator[dict[str, Any]]:
        """Declarations, signals of one width together."""
        names = [name for name, _ in self.fsmd.inputs]
        names += [w.name for w in self.fsmd.wires if not isinstance(w, Constant)]
        names += self.kept_names()
        pairs = [*((name, self.width[name]) for name in names), *self.extra]
        by_width: dict[tuple[int, bool], list[str]] = {}
        for name, width in pairs:
            by_width.setdefault((width, name in self.selected), []).append(name)
        for (width, is_range), listed in by_width.items():
            for start in range(0, len(listed), 4):
                names = listed[start : start + 4]
                yield {"width": width, "is_range": is_range, "names": names}

    def kept_names(self) -> list[str]:
        """The results of units, the words of memories, the registers."""
        fsmd = self.fsmd
        found = [unit.name for unit in fsmd.units] + [port.name for port in fsmd.reads]
        return found + [register.name for register in fsmd.registers]

    def unused(self) -> list[str]:
        """Signals of which some bits, or all, may have no reader."""
        read = set(self.readers())
        names = [name for name, _ in self.fsmd.inputs]
        names += [w.name for w in self.fsmd.wires if not isinstance(w, Constant)]
        names += self.kept_names()
        silent = [name for name in names if name not in read]
        silent += self.memories.silent_pins()
        return list(dict.fromkeys([*silent, *self.partly, *(name for name, _ in self.extra)]))

    def readers(self) -> Iterator[str]:
        """Every signal that something reads."""
        fsmd = self.fsmd
        for wire in fsmd.wires:
            match wire:
                case Operation():
                    if self.known_comparison(wire) is None:
                        yield from wire.operands
                case Gate():
                    yield from (each.removeprefix("!") for term in wire.terms for each in term)
                case Choice():
                    yield from (each for case in wire.cases for each in case)
                case Resized():
                    yield wire.source
                case Beyond() if wire.depth > 1 and self.is_by_high_bits(wire):
                    pass  # the low bits have no reader here
                case Beyond() | Split():
                    yield wire.address
                case Constant():
                    pass
        for register in fsmd.registers:
            yield from (each for update in register.updates for each in update)
        for unit in fsmd.units:
            yield from unit.operands
        for read in fsmd.reads:
            yield from (read.enable, read.address)
        inside = {each.name for each in self.outline.inside}
        never_read = inside.difference(read.memory for read in fsmd.reads)  # these have no RAM
        for write in fsmd.writes:
            if write.memory not in never_read:
                yield from (write.enable, write.address, write.data)
        yield from (signal for _, signal in fsmd.results)
        yield from (fsmd.finish, fsmd.error)

    def operand(self, name: str) -> str:
        """A signal in an expression: constants as numbers."""
        return literal(self.constants[name]) if name in self.constants else name

    def bit(self, name: str) -> str:
        """A signal of one bit in a term, inverted behind a ``!``."""
        signal = name.removeprefix("!")
        return f"{'~' * (signal != name)}{self.operand(signal)}"

    def name_of(self, name: str) -> str:
        """A signal of which bits are selected: constants are named, and one bit is a range."""
        if name in self.constants:
            self.named[name] = self.constants[name]
        if self.width[name] == 1:
            self.selected.add(name)
        return name

    def wire(self, wire: Wire) -> list[str]:
        """The lines that drive a wire."""
        match wire:
            case Constant():
                return []
            case Gate():
                terms = [" & ".join(map(self.bit, term)) for term in wire.terms]
                if len(terms) > 1:
                    pairs = zip(terms, wire.terms, strict=True)
                    terms = [f"({text})" if len(term) > 1 else text for text, term in pairs]
                return [chain(terms, f"  assign {wire.name} = ", "|")]
            case Choice():
                cases = [
                    f"{self.operand(when)} ? {self.operand(value)}"
                    for when, value in wire.cases[:-1]
                    if when
                ]
                last = self.operand(wire.cases[-1][1])
                return [chain([*cases, last], f"  assign {wire.name} = ", ":")]
            case Resized():
                return [self.resized(wire)]
            case Beyond():
                return [f"  assign {wire.name} = {self.beyond(wire)};"]
            case Split():
                bits = self.width[wire.address]
                parts = split_text(wire.partition, self.operand(wire.address), bits)
                text = narrowed(parts[wire.part == "place"], bits, wire.width)
                return [f"  assign {wire.name} = {text};"]
            case Operation():
                return [] if has_module(wire) else self.operation(wire)

    def beyond(self, wire: Beyond) -> str:
        """Whether an address is too great: of a power of two, whether a bit above is 1."""
        bits = wire.depth.bit_length() - 1
        if wire.address_width <= bits:
            return "1'b0"
        if not self.is_by_high_bits(wire):
            return f"{self.operand(wire.address)} >= {wire.address_width}'d{wire.depth}"
        top = wire.address_width - 1
        return f"{wire.address}[{top}]" if top == bits else f"|{wire.address}[{top}:{bits}]"

    def is_by_high_bits(self, wire: Beyond) -> bool:
        """Whether the bits of an address above those of a power of two say that it is too great."""
        bits = wire.depth.bit_length() - 1
        is_known = wire.address_width <= bits or wire.address in self.constants
        return wire.depth == 1 << bits and not is_known

    def resized(self, wire: Resized) -> str:
        """The low bits, or bits in front."""
        source, more = self.name_of(wire.source), wire.width - wire.source_width
        if more < 0:
            self.partly.append(source)
            bits = "[0]" if wire.width == 1 else f"[{wire.width - 1}:0]"
            return f"  assign {wire.name} = {source if wire.source_width == 1 else source + bits};"
        sign = source if wire.source_width == 1 else f"{source}[{wire.source_width - 1}]"
        front = f"{{{more}{{{sign}}}}}" if wire.is_signed else f"{more}'d0"
        return f"  assign {wire.name} = {{{front}, {source}}};"

    def operation(self, wire: Operation) -> list[str]:
        """A pure operator: an assign where its text is one statement."""
        text = self.short_text(wire)
        if text:
            return [f"  assign {wire.name} = {text};"]
        shape, operator = wire.shape, wire.operator
        in_ports, out_ports = operator.signature.ports_of(shape)
        text = operator.hardware.verilog_of(shape)
        lines = [line for line in text.splitlines() if not line.startswith("//")]
        whole = "\n".join(lines)
        signals: dict[str, str] = {}
        for port, name in zip(in_ports, wire.operands, strict=True):
            selected = re.search(rf"\b{port.name}\[", whole)
            if re.search(rf"\b{port.name}\[[^\]]*:", whole) and name not in self.constants:
                self.partly.append(name)
            signals[port.name] = self.name_of(name) if selected else self.operand(name)
        for place, port in enumerate(out_ports):
            signals[port.name] = wire.name
            if place != wire.result:
                signals[port.name] = self.spare(f"{wire.name}_{port.name}", shape.outputs[place])
            if shape.outputs[place] == 1 and re.search(rf"\b{port.name}\[", whole):
                self.selected.add(signals[port.name])
        widths = variables_of(in_ports + out_ports, shape.inputs + shape.outputs)
        signals |= {name: str(width) for name, width in widths.items()}
        whole = LOCALS.sub(lambda found: self.free(f"{found[0]}_{wire.name}"), whole)
        whole = re.sub(r"(?<!')\b[A-Za-z_]\w*\b", lambda w: signals.get(w[0], w[0]), whole)
        if whole.count(";") == 1:
            return [f"  assign {whole}"]
        body = [f"    {line}" for line in whole.splitlines()]
        block = self.free(f"compute_{wire.name}")
        self.width[block] = 0
        return [f"  always_comb begin : {block}", *body, "  end"]

    def short_text(self, wire: Operation) -> str:
        """The expression of an operator that has a shorter text for these operands."""
        if wire.operator.name == "arith.cmpi":
            predicate = str(wire.shape.attributes["predicate"])
            if (known := self.known_comparison(wire)) is not None:
                return f"1'b{int(known)}"
            text = COMPARISONS[predicate]
            sides = [self.operand(each) for each in wire.operands]
            if predicate.startswith("s"):
                sides = [self.flipped(each) for each in wire.operands]
            names = dict(zip(("lhs", "rhs", "left", "right"), (*sides, *sides), strict=True))
            return re.sub(r"\w+", lambda word: names[word[0]], text)
        shifts = {"arith.shli": "<<", "arith.shrui": ">>", "arith.shrsi": ">>>"}
        amount = self.constants.get(wire.operands[-1])
        if wire.operator.name in shifts and amount is not None:
            places = amount.value & ((1 << max(0, wire.width - 1).bit_length()) - 1)
            value = self.operand(wire.operands[0])
            if wire.operator.name == "arith.shrsi":
                return f"$unsigned($signed({value}) >>> {places})"
            return f"{value} {shifts[wire.operator.name]} {places}"
        return ""

    def known_comparison(self, wire: Operation) -> bool | None:
        """What a comparison with the least or the greatest number always is; None: no such one."""
        predicate = str(wire.shape.attributes.get("predicate"))
        if wire.operator.name != "arith.cmpi" or predicate in ("eq", "ne"):
            return None
        width = wire.shape.inputs[0]
        least, most = (1 << width - 1, (1 << width - 1) - 1) if predicate[0] == "s" else (0, -1)
        left, right = (self.constants.get(name) for name in wire.operands)
        for constant, below in ((right, predicate[1:]), (left, MIRRORED[predicate[1:]])):
            if constant is None:
                continue
            if constant.value == least and below in ("lt", "ge"):
                return below == "ge"
            if constant.value == most % (1 << width) and below in ("gt", "le"):
                return below == "le"
        return None

    def flipped(self, name: str) -> str:
        """A signed number with its sign bit inverted: such compare as unsigned ones."""
        width = self.width[name]
        if name in self.constants:
            return f"{width}'d{self.constants[name].value ^ (1 << (width - 1))}"
        if width == 1:
            return f"~{name}"
        low = f"{name}[0]" if width == 2 else f"{name}[{width - 2}:0]"
        return f"{{~{name}[{width - 1}], {low}}}"

    def register(self, register: Register) -> dict[str, Any]:
        """A register's lines in its process."""
        lines, word = [], "if"
        for when, value in register.updates:
            assign = f"{register.name} <= {self.operand(value)};"
            if not when:
                lines.append(assign if word == "if" else f"else {assign}")
                break
            lines.append(f"{word} ({self.operand(when)}) {assign}")
            word = "else if"
        reset = f"{register.width}'d{register.reset or 0}"
        return {"name": register.name, "lines": lines, "reset": reset}

    def unit(self, unit: PipelinedUnit | Operation) -> Instance:
        """An operator with a module: the elastic unit, always offered operands, always ready."""
        module = module_of(unit.operator, unit.shape, None, self.outline.name)
        rendered = render_module(module)
        self.keep(rendered)
        ports, out_ports = unit.operator.signature.ports_of(unit.shape)
        constants = unit.shape.constants
        in_ports = [port for place, port in enumerate(ports) if place not in constants]
        values = [(name, str(width)) for name, width in module.widths.items()]
        facts: dict[str, Any] = {
            name: value for name, value in unit.shape.attributes.items() if isinstance(value, int)
        }
        facts |= {
            **module.exponent_widths,
            "latency": unit.operator.hardware.latency_of(unit.shape),
        }
        facts |= unit.operator.hardware.facts_of(unit.shape)
        patterns = {ports[place].name: value for place, value in constants.items()}
        facts |= patterns
        for parameter in rendered.parameters:
            value = facts[parameter.fact]
            width = module.widths.get(parameter.width, 0)
            decimal = parameter.fact not in patterns
            text = sized(value, width, decimal=decimal) if parameter.sized else str(value)
            values.append((parameter.fact.upper(), text))
        pins = [("clk_i", "clk_i"), ("rst_ni", "rst_ni")] if rendered.clocked else []
        title = module.name
        if rendered.clocked and self.memories.waits:
            pins.insert(1, (HELD_ENABLE, ADVANCE))
            title += HELD
        for port, name in zip(in_ports, unit.operands, strict=True):
            ready = self.spare(f"{unit.name}_{port.name}_ready", 1)
            pins += [(f"{port.name}_data_i", self.operand(name)), (f"{port.name}_valid_i", "1'b1")]
            pins.append((f"{port.name}_ready_o", ready))
        for place, port in enumerate(out_ports):
            data = unit.name
            if place != unit.result:
                data = self.spare(f"{unit.name}_{port.name}", unit.shape.outputs[place])
            valid = self.spare(f"{unit.name}_{port.name}_valid", 1)
            pins += [(f"{port.name}_data_o", data), (f"{port.name}_valid_o", valid)]
            pins.append((f"{port.name}_ready_i", "1'b1"))
        return Instance(unit.name, title, tuple(values), tuple(pins))

    def keep(self, rendered: Rendered) -> None:
        """The module of a unit and those that it needs are files."""
        plain = ((each.name, each.text) for each in (*rendered.needs, rendered))
        for name, text in held(rendered) if self.memories.waits else plain:
            self.modules.setdefault(name, text)

    def spare(self, name: str, width: int) -> str:
        """A net that nothing reads."""
        name = self.free(name)
        self.width[name] = width
        self.extra.append((name, width))
        return name

    def free(self, name: str) -> str:
        """A name that no signal has: it, or it with underscores behind."""
        while name in self.width:
            name += "_"
        return name


def zero(width: int) -> str:
    """The number 0."""
    return f"{width}'d0"


def has_module(wire: Operation) -> bool:
    """Whether an operator without a register is a module of its own, as float comparisons are."""
    return wire.operator.hardware.template != "primitives/pure"


def literal(constant: Constant) -> str:
    """A number with its width."""
    if constant.width <= 32 and constant.value < 1 << 31:
        return f"{constant.width}'d{constant.value}"
    return f"{constant.width}'h{constant.value:x}"
