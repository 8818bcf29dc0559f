"""The reference interpreter: the source program as Python, with MLIR's exact integer semantics.

The structured program (func, scf, arith, memref, affine, math, index) becomes Python text, which
Python compiles. Values are unsigned bit patterns throughout.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.layouts import Layout, extent, positions
from loom.dialects.facts.places import place_of
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH
from loom.errors import LoomError
from loom.model.reference.faults import MORE_CYCLES
from loom.model.reference.generate_affine import AFFINE_HANDLERS
from loom.model.reference.generate_atomics import ATOMIC_HANDLERS
from loom.model.reference.generate_blocks import BLOCK_HANDLERS
from loom.model.reference.generate_control import CONTROL_HANDLERS, write_function
from loom.model.reference.generate_intrinsics import INTRINSIC_HANDLERS
from loom.model.reference.generate_memory import MEMORY_HANDLERS, declare_global
from loom.model.reference.generate_more_views import MORE_VIEW_HANDLERS
from loom.model.reference.generate_parallel import PARALLEL_HANDLERS
from loom.model.reference.generate_scalars import SCALAR_HANDLERS, scalar
from loom.model.reference.generate_switch import SWITCH_HANDLERS
from loom.model.reference.generate_views import VIEW_HANDLERS
from loom.model.reference.generator import Handler, Program
from loom.model.reference.layout import buffer_layout
from loom.model.reference.port_bound import cycles_no_circuit_beats

HANDLERS: Mapping[type[Operation], Handler] = MappingProxyType(
    {
        **SCALAR_HANDLERS,
        **CONTROL_HANDLERS,
        **BLOCK_HANDLERS,
        **MEMORY_HANDLERS,
        **VIEW_HANDLERS,
        **AFFINE_HANDLERS,
        **PARALLEL_HANDLERS,
        **SWITCH_HANDLERS,
        **ATOMIC_HANDLERS,
        **MORE_VIEW_HANDLERS,
        **INTRINSIC_HANDLERS,
    }
)
DEFAULT_BUDGET = 1_000_000_000
"""Operations after which a run is taken for endless [operations]."""

Path = tuple[int, ...]
Key = tuple[Path, int]
Total = TypeVar("Total")


@dataclass(frozen=True)
class Outcome:
    """What one run did.

    `memories` holds the whole flat buffer of each argument, `accesses` the (loads, stores) of each
    argument and of each other memory that has some, without loads that serve assertions alone,
    `iterations` those of each loop that has some, or that shares its place with another one, by its
    place; a memory or loop of a called function has the place of the call added.
    `operations` counts all but constants and terminators, and one for each iteration of a loop.
    `ports` are the read and write ports of memories in the circuit that the run is held against.
    """

    results: tuple[int, ...]
    memories: Mapping[str, list[int]]
    accesses: Mapping[str, tuple[int, int]]
    iterations: Mapping[str, int]
    operations: int
    ports: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def bound(self) -> int:
        """Cycles that no circuit of one body iteration and one access a port beats [cycles]."""
        return cycles_no_circuit_beats(self.accesses, self.iterations, self.ports)


@dataclass(frozen=True, slots=True)
class _Buffer:
    """An argument memory: its name, its words [words], the key its accesses count under."""

    name: str
    extent: int
    key: Key


def _buffer_of(program: Program, top: FuncOp, argument: BlockArgument) -> _Buffer:
    name = argument_names(top)[argument.index]
    assert isinstance(argument.type, MemRefType)
    words = extent(buffer_layout(argument.type, place_of(top)))
    return _Buffer(name, words, ((), program.site(name)))


class Reference:
    """A compiled program; globals that the program writes keep their words between runs."""

    def __init__(self, program: Program, top: FuncOp, text: str) -> None:
        self.text = text
        self._program = program
        self._top = top
        self._budget = [0]
        self._accesses: defaultdict[Key, list[int]] = defaultdict(lambda: [0, 0])
        self._iterations: defaultdict[Key, int] = defaultdict(int)
        self._arguments = [
            _buffer_of(program, top, argument) if isinstance(argument.type, MemRefType) else None
            for argument in top.args
        ]
        faults = program.faults
        namespace: dict[str, object] = {
            **program.bound,
            "B": self._budget,
            "T": self._accesses,
            "I": self._iterations,
            "bounds": faults.bounds,
            "address": faults.address,
            "unset": faults.unset,
            "undefined": faults.undefined,
            "illegal": faults.illegal,
            "assertion": faults.assertion,
            "step": faults.step,
            "over": faults.over,
            "positions": word_positions,
        }
        exec(compile(text, "<reference>", "exec"), namespace)
        self._function = namespace[program.texts[top.sym_name.data]]

    def run(
        self,
        inputs: Sequence[int | list[int]],
        *,
        budget: int = DEFAULT_BUDGET,
        cure: str = MORE_CYCLES,
    ) -> Outcome:
        """Run once with a bit pattern for each scalar and the flat buffer of each memref.

        The inputs are not changed. `budget` [operations], which `cure` raises.
        """
        assert len(inputs) == len(self._arguments)
        self._budget[0] = self._program.faults.budget = budget
        self._program.faults.cure = cure
        self._accesses.clear()
        self._iterations.clear()
        arguments: list[object] = []
        memories: dict[str, list[int]] = {}
        for given, buffer in zip(inputs, self._arguments, strict=True):
            if buffer is None:
                assert isinstance(given, int)
                arguments.append(given)
                continue
            assert isinstance(given, list) and len(given) == buffer.extent, buffer.name
            memories[buffer.name] = list(given)
            arguments += [memories[buffer.name], buffer.key]
            self._accesses[buffer.key] = [0, 0]
        assert callable(self._function)
        try:
            results = self._function((), *arguments)
        except RecursionError:
            self._program.faults.deep(self._program.faults.number(self._top))
        return Outcome(
            results=results or (),
            memories=memories,
            accesses=self._labelled(self._accesses_made()),
            iterations=self._labelled(self._iterations_made()),
            operations=budget - self._budget[0],
        )

    @property
    def has_state(self) -> bool:
        """Whether there are globals that keep words between runs."""
        return any(not view.constant for view in self._program.globals.values())

    def _accesses_made(self) -> dict[Key, tuple[int, int]]:
        """The accesses of all arguments, and of the other memories that have some."""
        arguments = {buffer.key for buffer in self._arguments if buffer is not None}
        return {
            key: (loads, stores)
            for key, (loads, stores) in self._accesses.items()
            if loads or stores or key in arguments
        }

    def _iterations_made(self) -> dict[Key, int]:
        """The iterations of the loops that have some, and of others at the place of one of these.

        Without these others a reader would take the one for the only loop at its place.
        """
        alike: Counter[str] = Counter()
        for key in self._iterations:
            alike[self._label(key)] += 1
        return {k: n for k, n in self._iterations.items() if n or alike[self._label(k)] > 1}

    def _label(self, key: Key) -> str:
        """The place, and those of the calls that led there."""
        path, site = key
        labels = self._program.sites
        return " in the call at ".join([labels[site], *(labels[s] for s in reversed(path))])

    def _labelled(self, counts: Mapping[Key, Total]) -> dict[str, Total]:
        """The counts by a name of their own."""
        found: dict[str, Total] = {}
        twins: Counter[str] = Counter()
        for key, count in sorted(counts.items(), key=lambda item: item[0]):
            name = self._label(key)
            twins[name] += 1
            found[name if twins[name] == 1 else f"{name} #{twins[name]}"] = count
        return found


def word_positions(offset: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The buffer positions of a view's elements in row-major order."""
    return list(positions(Layout(sizes, offset, strides)))


def compile_reference(
    module: ModuleOp, top: str, index_width: int = DEFAULT_INDEX_WIDTH
) -> Reference:
    """The program whose function `top` is run; refused with the place of what is not known.

    `module` is the source as read, before any rewriting.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    program = Program(index_width, HANDLERS, scalar, functions)
    function = functions.get(top)
    if function is None or not function.body.blocks:
        names = ", ".join(name for name, op in functions.items() if op.body.blocks)
        raise LoomError("REF_NO_TOP", place_of(module), f"no function @{top}", f"one of: {names}")
    for op in module.ops:
        if isinstance(op, memref.GlobalOp):
            declare_global(program, op)
    write_function(program, function)
    lines: list[str] = []
    while program.waiting:
        lines += program.waiting.pop()()
    return Reference(program, function, "\n".join(lines))
