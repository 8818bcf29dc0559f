"""A handshake function under construction, with its memory interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    MemRefType,
    NoneType,
    TupleType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue, TypeAttribute

from loom.analysis.program.memory_accesses import Root, root_of
from loom.dialects.facts.arrays import PORTS
from loom.dialects.facts.instances import PREFIX
from loom.dialects.facts.program_facts import (
    BANK,
    CARRIED_STORE,
    COMPARED_STORES,
    IN_RANGE,
    ORDERED,
    OUTER_STORE,
    QUEUED,
    REQUESTER,
    STORE_PLACE,
)
from loom.dialects.operators.lanes import ANY
from loom.dialects.ops import handshake_memory, order
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.handshake_tuples import PackOp, UnpackOp
from loom.dialects.ops.partition_attribute import PARTITION
from loom.dialects.ops.staticlogic.island import IslandOp, StaticLoopOp

OperationT = TypeVar("OperationT", bound=Operation)


def packed_type(types: Sequence[Attribute]) -> Attribute:
    """The type of values of these types together; of none a token without a value."""
    if not types:
        return NoneType()
    if len(types) == 1:
        return types[0]
    return TupleType(ArrayAttr([type_ for type_ in types if isinstance(type_, TypeAttribute)]))


class GraphBuilder:
    """The body of a handshake function: operations in the order of their making."""

    def __init__(self, block: Block, arrays: Mapping[SSAValue, SSAValue]) -> None:
        self.block = block
        self.arrays = arrays
        """Those that arguments of called functions stand for."""
        self.interfaces: dict[Root, Interface] = {}

    def add(self, operation: OperationT, source: Operation) -> OperationT:
        """Append `operation`, which stands for `source`."""
        operation.location = source.location
        self.block.add_op(operation)
        return operation

    def pack(self, values: Sequence[SSAValue], source: Operation) -> SSAValue:
        """One stream of all values together."""
        if len(values) == 1:
            return values[0]
        type_ = packed_type([value.type for value in values])
        return self.add(PackOp.create(operands=values, result_types=[type_]), source).tuple_

    def unpack(
        self, value: SSAValue, types: Sequence[Attribute], source: Operation
    ) -> Sequence[SSAValue]:
        """The values of these types that `pack` put together."""
        if not types:
            return []
        if len(types) == 1:
            return [value]
        return self.add(UnpackOp.create(operands=[value], result_types=types), source).results

    def interface_of(self, array: SSAValue) -> Interface:
        """The interface of the memory that an array is in."""
        return self.interfaces[root_of(self.arrays.get(array, array))]

    def load(
        self, access: order.LoadOp, index: SSAValue, after: SSAValue
    ) -> tuple[SSAValue, SSAValue]:
        """Connect a load; its value and its done token."""
        interface = self.interface_of(access.memory)
        number = interface.add_load(access)
        interface.in_range &= IN_RANGE.is_on(access)
        outputs = interface.operation.results
        load = self.add(handshake_memory.LoadOp(index, outputs[number], after), access)
        ORDERED.copy(access, load)
        QUEUED.copy(access, load)
        CARRIED_STORE.copy(access, load)
        OUTER_STORE.copy(access, load)
        COMPARED_STORES.copy(access, load)
        load.data.name_hint = access.value.name_hint
        interface.connect(2 * interface.stores + number, load.address_out)
        return load.data, outputs[interface.loads + interface.stores + number]

    def store(
        self, access: order.StoreOp, value: SSAValue, index: SSAValue, after: SSAValue
    ) -> Sequence[SSAValue]:
        """Connect a store; its done token, and the one that it is accepted if there is one."""
        interface = self.interface_of(access.memory)
        number = interface.add_store(access)
        interface.in_range &= IN_RANGE.is_on(access)
        store = self.add(handshake_memory.StoreOp(index, value, after), access)
        ORDERED.copy(access, store)
        QUEUED.copy(access, store)
        STORE_PLACE.copy(access, store)
        interface.connect(2 * number, store.data_out)
        interface.connect(2 * number + 1, store.address_out)
        results = interface.operation.results
        accepted = 2 * interface.loads + interface.stores + number
        return [results[interface.loads + number], *results[accepted : accepted + 1]]

    def island(
        self, loop: StaticLoopOp, after: SSAValue, values: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Connect a static loop to its memories; its done token and what it gives."""
        taken = [after, *values]
        types: list[Attribute] = [NoneType(), *(result.type for result in loop.outs)]
        ports: list[tuple[Interface, int]] = []
        for array, bank in zip(loop.loaded, loop.load_banks.get_values(), strict=True):
            interface = self.interface_of(array)
            number = interface.add_load(loop, int(bank))
            taken.append(interface.operation.results[number])
            types.append(interface.address)
            ports.append((interface, 2 * interface.stores + number))
        for array, bank in zip(loop.stored, loop.store_banks.get_values(), strict=True):
            interface = self.interface_of(array)
            number = interface.add_store(loop, int(bank))
            done = interface.operation.results[interface.loads + number]
            taken.append(done)
            types += [interface.element, interface.address]
            ports += [(interface, 2 * number), (interface, 2 * number + 1)]
        kept = {name: loop.attributes[name] for name in ("title", "ports", "schedule")}
        unit = self.add(IslandOp(taken, types, kept), loop)
        first = 1 + len(loop.outs)
        for (interface, port), value in zip(ports, unit.given[first:], strict=True):
            interface.connect(port, value)
        return unit.given[:first]


class Interface:
    """The interface operation of one memory; its ports are connected in the end."""

    def __init__(self, operation: MemoryInterface, address: Attribute) -> None:
        self.operation = operation
        self.address = address
        """The type of addresses."""
        self.loads = operation.load_count
        self.stores = operation.store_count
        self.next_load = 0
        self.next_store = 0
        self.load_banks: list[int] = []
        self.store_banks: list[int] = []
        self.load_requesters: list[int | None] = []
        self.store_requesters: list[int | None] = []
        self.in_range = True
        """Each access so far is proved to lie in the array."""
        self.driven: dict[int, SSAValue] = {}
        """What drives the operands that are ports, by their number."""

    @property
    def element(self) -> Attribute:
        """The type of an element."""
        type_ = self.operation.array_type
        assert isinstance(type_, MemRefType)
        found: Attribute = type_.element_type
        return found

    def add_load(self, access: Operation, bank: int | None = None) -> int:
        """The number of one more load, which goes to the bank, or to that which it says."""
        self.load_banks.append(bank_of(access) if bank is None else bank)
        self.load_requesters.append(REQUESTER.of(access))
        self.next_load += 1
        return self.next_load - 1

    def add_store(self, access: Operation, bank: int | None = None) -> int:
        """The number of one more store, which goes to the bank, or to that which it says."""
        self.store_banks.append(bank_of(access) if bank is None else bank)
        self.store_requesters.append(REQUESTER.of(access))
        self.next_store += 1
        return self.next_store - 1

    def finish(self) -> None:
        """Connect all ports; say the banks of an array in banks, and if no address misses it."""
        operands = enumerate(self.operation.operands)
        self.operation.operands = [self.driven.get(k, operand) for k, operand in operands]
        self.set_bank_attributes()
        self.set_requesters()
        if self.in_range:
            IN_RANGE.put(self.operation, True)

    def set_bank_attributes(self) -> None:
        """The interface of an array in banks says which bank each of its accesses goes to."""
        if PARTITION in self.operation.attributes:
            for name, banks in (("load", self.load_banks), ("store", self.store_banks)):
                if any(bank != ANY for bank in banks):
                    listed = ArrayAttr([IntegerAttr(bank, 64) for bank in banks])
                    self.operation.attributes[f"{PREFIX}{name}_banks"] = listed

    def set_requesters(self) -> None:
        """The interface says which accesses are never requested in one cycle, if there are some."""
        ports = self.operation.attributes.get(PORTS)
        has_copies = isinstance(ports, IntegerAttr) and ports.value.data > 1
        if PARTITION in self.operation.attributes or (has_copies and len(self.load_banks) > 1):
            return  # its lanes serve at once
        for name, said in (("load", self.load_requesters), ("store", self.store_requesters)):
            requesters = [each for each in said if each is not None]
            if len(requesters) == len(said) and len(set(requesters)) < len(said):
                # Accesses that nothing needed are gone: the numbers that are left have no gaps.
                numbers = {each: n for n, each in enumerate(dict.fromkeys(requesters))}
                listed = ArrayAttr([IntegerAttr(numbers[each], 64) for each in requesters])
                self.operation.attributes[f"{PREFIX}{name}_requesters"] = listed

    def connect(self, port: int, value: SSAValue) -> None:
        """Drive input `port` by `value`, in the end: an operation's operands change all at once."""
        self.driven[self.operation.first_port + port] = value


def bank_of(access: Operation) -> int:
    """The bank that an access says."""
    bank = BANK.of(access)
    return ANY if bank is None else bank


def insert(operation: OperationT, before: Operation) -> OperationT:
    """The operation stands before another one, at its place."""
    block = before.parent
    assert block is not None
    operation.location = before.location
    block.insert_op_before(operation, before)
    return operation
