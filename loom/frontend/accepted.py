"""Which operations LOOM reads, and what to write instead of the others."""

from __future__ import annotations

from loom.dialects.catalogue import ALIASES, CATALOGUE

BORROWED = ("arith.", "math.", "index.")

PURE = frozenset(name for name in (*CATALOGUE, *ALIASES) if name.startswith(BORROWED)) | {
    "arith.constant",
    "index.constant",
    "index.bool.constant",
    "math.ipowi",
}
"""Operations that read and write nothing."""

CONTROL = frozenset(
    {
        *("builtin.module", "func.func", "func.call", "func.return"),
        *("scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition"),
        *("affine.for", "affine.if", "affine.yield"),
    }
)
"""Operations that hold or end regions, and calls."""

AFFINE = frozenset({"affine.apply", "affine.min", "affine.load", "affine.store"})

VIEWS = frozenset(
    {
        *("memref.cast", "memref.subview", "memref.reinterpret_cast"),
        *("memref.collapse_shape", "memref.expand_shape"),
    }
)
"""Operations that give a memory another shape."""

MEMORY = frozenset(
    {
        *("memref.alloc", "memref.alloca", "memref.dealloc", "memref.load", "memref.store"),
        *("memref.copy", "memref.dim", "memref.get_global", "memref.global"),
    }
)

ACCEPTED = PURE | CONTROL | AFFINE | VIEWS | MEMORY

DIALECTS = "func, scf, arith, math, index, memref and affine"

FUNCTION = "a polynomial of arith.mulf and arith.addf, or a table in a memref.global"
"""What computes a function that LOOM has no hardware for."""

INSTEAD = {
    "math.fpowi": "arith.mulf in a loop over the exponent",
    "math.powf": "arith.mulf for a whole exponent, else a table in a memref.global",
    "math.rsqrt": "arith.divf of 1.0 by math.sqrt",
    "math.clampf": "arith.minimumf of arith.maximumf",
    "arith.scaling_extf": "arith.extf and arith.mulf",
    "arith.scaling_truncf": "arith.divf and arith.truncf",
    "scf.parallel": "scf.for",
    "scf.forall": "scf.for",
    "scf.reduce": "scf.for with iter_args",
    "scf.index_switch": "nested scf.if",
    "scf.execute_region": "its body in place",
    "affine.parallel": "affine.for",
    "affine.max": "arith.maxsi of two affine.apply",
    "affine.vector_load": "affine.load in a loop",
    "affine.vector_store": "affine.store in a loop",
    "memref.view": "memref.reinterpret_cast of a memory of one element type",
    "memref.rank": "the rank as an arith.constant",
    "memref.realloc": "memref.alloc of the largest size",
    "memref.atomic_rmw": "memref.load, the operation, memref.store",
    "memref.alloca_scope": "memref.alloca without the scope",
    "memref.assume_alignment": "the memref itself",
    "memref.memory_space_cast": "the memref itself",
    "func.constant": "func.call of a named function",
    "func.call_indirect": "func.call of a named function",
}


def accepted_instead(name: str) -> str:
    """What LOOM accepts in place of the operation `name`; empty if its dialect is unknown too."""
    if name in INSTEAD:
        return INSTEAD[name]
    dialect = name.partition(".")[0]
    if dialect == "cf":
        return "structured control flow: scf.for, scf.while and scf.if"
    if dialect == "math":
        return FUNCTION
    same = sorted(other for other in ACCEPTED if other.startswith(f"{dialect}."))
    return ", ".join(same)
