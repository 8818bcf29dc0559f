"""Proofs about every module that LOOM emits: the channel law, and no token lost or reordered."""

from loom_sim.prove.prove import prove_all, prove_unit
from loom_sim.prove.units import ProofUnit, units
from loom_sim.prove.verdict import Verdict

__all__ = ["ProofUnit", "Verdict", "prove_all", "prove_unit", "units"]
