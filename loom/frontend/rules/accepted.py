"""Which operations LOOM reads, and what to write instead of the others."""

from __future__ import annotations

from loom.dialects.operators.catalogue import ALIASES, CATALOGUE
from loom.dialects.ops.llvm_intrinsics import INTRINSICS

BORROWED = ("arith.", "math.", "index.")

PURE = frozenset(name for name in (*CATALOGUE, *ALIASES) if name.startswith(BORROWED)) | {
    "arith.constant",
    "index.constant",
    "index.bool.constant",
    "index.sizeof",
    "math.ipowi",
    "llvm.intr.expect",
    *(intrinsic.name for intrinsic in INTRINSICS),
    "ub.poison",
}
"""Operations that read and write nothing."""

CONTROL = frozenset(
    {
        *("builtin.module", "func.func", "func.call", "func.return"),
        *("scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition", "scf.index_switch"),
        *("scf.parallel", "scf.reduce", "scf.reduce.return"),
        *("scf.forall", "scf.forall.in_parallel"),
        *("affine.for", "affine.if", "affine.yield", "affine.parallel"),
        *("memref.alloca_scope", "memref.alloca_scope.return"),
        *("scf.execute_region", "cf.br", "cf.cond_br", "cf.switch", "cf.assert"),
        *("ub.unreachable", "llvm.unreachable"),
    }
)
"""Operations that hold or end regions, branch, and call."""

AFFINE = frozenset(
    {
        *("affine.apply", "affine.min", "affine.max", "affine.load", "affine.store"),
        *("affine.delinearize_index", "affine.linearize_index"),
    }
)

VIEWS = frozenset(
    {
        *("memref.cast", "memref.subview", "memref.reinterpret_cast", "memref.view"),
        *("memref.collapse_shape", "memref.expand_shape", "memref.transpose"),
        *("memref.memory_space_cast", "memref.assume_alignment", "memref.distinct_objects"),
        *("memref.extract_strided_metadata", "memref.reshape"),
    }
)
"""Operations that give a memory another shape, or none."""

MEMORY = frozenset(
    {
        *("memref.alloc", "memref.alloca", "memref.dealloc", "memref.load", "memref.store"),
        *("memref.copy", "memref.dim", "memref.rank", "memref.get_global", "memref.global"),
        *("memref.atomic_rmw", "memref.generic_atomic_rmw", "memref.atomic_yield"),
        *("memref.prefetch", "affine.prefetch", "llvm.intr.assume"),
    }
)

ACCEPTED = PURE | CONTROL | AFFINE | VIEWS | MEMORY

DIALECTS = "func, scf, arith, math, index, memref, affine and cf"

FUNCTION = "a polynomial of arith.mulf and arith.addf, or a table in a memref.global"
"""What computes a function that LOOM has no hardware for."""

INSTEAD = {
    "builtin.unrealized_conversion_cast": "arith.index_cast, arith.bitcast and memref.cast",
    "math.fpowi": "arith.mulf in a loop over the exponent",
    "math.rsqrt": "arith.divf of 1.0 by math.sqrt",
    "math.clampf": "arith.minimumf of arith.maximumf",
    "arith.scaling_extf": "arith.extf and arith.mulf",
    "arith.scaling_truncf": "arith.divf and arith.truncf",
    "affine.vector_load": "affine.load in a loop",
    "affine.vector_store": "affine.store in a loop",
    "memref.realloc": "memref.alloc of the largest size",
    "memref.extract_aligned_pointer_as_index": "loads and stores through the memref",
    "memref.dma_start": "memref.copy",
    "memref.dma_wait": "memref.copy",
    "func.constant": "func.call of a named function",
    "func.call_indirect": "func.call of a named function",
    "llvm.intr.uadd.with.overflow": "arith.addui_extended",
    "llvm.intr.sadd.with.overflow": "arith.addi, and arith.cmpi of its result and an operand",
    "llvm.intr.usub.with.overflow": "arith.subi and arith.cmpi ult of the operands",
    "llvm.intr.ssub.with.overflow": "arith.subi, and arith.cmpi of its result and an operand",
    "llvm.intr.umul.with.overflow": "arith.mului_extended",
    "llvm.intr.smul.with.overflow": "arith.mulsi_extended",
    "llvm.intr.expect.with.probability": "llvm.intr.expect",
    "llvm.intr.is.constant": "arith.constant false",
    "llvm.intr.ssa.copy": "the value itself",
    "llvm.intr.memcpy": "memref.copy",
    "llvm.intr.memcpy.inline": "memref.copy",
    "llvm.intr.memmove": "memref.copy",
    "llvm.intr.memset": "memref.store in a loop",
    "llvm.intr.memset.inline": "memref.store in a loop",
}
"""What to write instead of operations that MLIR has and LOOM does not."""


def accepted_instead(name: str) -> str:
    """What LOOM accepts in place of the operation `name`; empty if its dialect is unknown too."""
    if name in INSTEAD:
        return INSTEAD[name]
    dialect = name.partition(".")[0]
    if dialect == "llvm":
        return f"integer intrinsics: {', '.join(intrinsic.name for intrinsic in INTRINSICS)}"
    if dialect == "math":
        return FUNCTION
    same = sorted(other for other in ACCEPTED if other.startswith(f"{dialect}."))
    return ", ".join(same)
