"""Proofs about every module that LOOM emits: the channel law, and no token lost or reordered."""

from tools.prove.prove import prove_all, prove_unit
from tools.prove.units import ProofUnit, units
from tools.prove.verdict import Verdict

__all__ = ["ProofUnit", "Verdict", "prove_all", "prove_unit", "units"]
