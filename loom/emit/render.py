"""From a module to its text: the Jinja2 environment, and what a template says about itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

import loom
from loom.emit.layout import chain, concatenation, declaration, nets
from loom.emit.modules import Module
from loom.emit.rams import TEMPLATES, Ram, check_ram


@dataclass(frozen=True, slots=True)
class OwnParameter:
    """A parameter besides the widths: the `fact` of the instance that gives it.

    A `sized` one has as many bits as the parameter `width` says.
    """

    fact: str
    sized: bool
    width: str = "T_WIDTH"


@dataclass(frozen=True, slots=True)
class Rendered:
    """The text of a module and what its instances must know.

    `clocked`: it has clk_i and rst_ni. `needs`: the modules it instantiates, deepest first.
    """

    name: str
    text: str
    clocked: bool
    parameters: tuple[OwnParameter, ...]
    needs: tuple[Rendered, ...]


def template_folder() -> Path:
    """The folder of the templates: inside the installed package, else beside it."""
    package = Path(loom.__file__).parent
    inside = package / "rtl_templates"
    return inside if inside.is_dir() else package.parent / "rtl_templates"


OPTIONS: dict[str, Any] = {
    "undefined": StrictUndefined,  # an unknown name in a template is an error
    "autoescape": False,  # the output is SystemVerilog, not HTML
    "keep_trailing_newline": True,
}


@cache
def environment() -> Environment:
    """The Jinja2 environment of LOOM's own templates."""
    return with_filters(Environment(loader=FileSystemLoader(template_folder()), **OPTIONS))


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which a template changes nothing but lists, which it lengthens.

    LOOM's own parts, which a template may import, collect lines so.
    """

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """True of what a template may read, or call."""
        if isinstance(obj, list) and attr in ("append", "extend"):
            return True
        return super().is_safe_attribute(obj, attr, value)


@cache
def sandbox() -> Environment:
    """The environment of the user's templates: nothing of Python behind what they are given.

    Its limits are none: time and memory are bounded by the process that it runs in.
    """
    loader = FileSystemLoader(template_folder())
    return with_filters(Sandbox(loader=loader, **OPTIONS))


def with_filters(found: Environment) -> Environment:
    """The environment with LOOM's filters."""
    found.filters |= {
        "chain": chain,
        "concatenation": concatenation,
        "declaration": declaration,
        "nets": nets,
    }
    return found


def render_module(module: Module) -> Rendered:
    """The module's text, with the texts of the modules it needs."""
    made: Any = template(module.operator.hardware.template_of(module.shape)).make_module(
        {"module": module}
    )
    needs = tuple(render_part(name, module) for name in getattr(made, "needs", ()))
    own = tuple(
        OwnParameter(name, "WIDTH" in type_, "INDEX_WIDTH" if "INDEX" in type_ else "T_WIDTH")
        for name, type_, _ in made.parameters
    )
    return Rendered(module.name, str(made), bool(made.clocked), own, needs)


def render_part(name: str, module: Module) -> Rendered:
    """A module that belongs to `module`'s template; it names itself.

    A number behind ``#`` is that of the bank whose RAM it is.
    """
    ram = module.array.ram if module.array else None
    name, _, bank = name.partition("#")
    if bank and module.array and module.array.banked:
        ram = module.array.banked.rams[int(bank)]
    made: Any = template(name).make_module({"module": module, "ram": ram})
    return Rendered(made.name, str(made), True, (), ())


def ram_text(ram: Ram) -> str:
    """The module of a block RAM that stands alone; refused: one that there is not (EMIT_RAM)."""
    check_ram(ram)
    return str(template(TEMPLATES[ram.ports]).make_module({"ram": ram}))


def template(name: str) -> Any:
    """The template `name` under rtl_templates, without its suffix."""
    return environment().get_template(f"{name}.sv.j2")
