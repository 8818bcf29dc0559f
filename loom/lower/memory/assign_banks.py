"""Accesses say which bank of their array they go to, where that is known."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.program.known_banks import known_bank
from loom.analysis.program.memory_accesses import Accesses
from loom.dialects.facts.arrays import partition_behind
from loom.dialects.facts.program_facts import BANK
from loom.lower.options import Options


def assign_banks(module: ModuleOp, options: Options) -> None:
    """Loads and stores of arrays in banks have the attribute `BANK`, if it is known."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        accesses: Accesses | None = None
        for operation in function.walk():
            if not isinstance(operation, memref.LoadOp | memref.StoreOp):
                continue
            BANK.drop(operation)  # which is not for the program to say
            partition = partition_behind(operation.memref, function, module)
            if partition is None:
                continue
            accesses = accesses or Accesses(function, options.index_width)
            access = accesses.access_of(operation)
            assert access is not None
            bank = known_bank(accesses.forms, access.address, partition)
            if bank is not None:
                BANK.put(operation, bank)
