"""All mutants, and the tests that are asked about each part, the quick ones first."""

from __future__ import annotations

from dataclasses import dataclass

from tools.mutation.documents import MODEL, NETLIST
from tools.mutation.frontend import FRONTEND
from tools.mutation.hardware import HARDWARE
from tools.mutation.meanings import MEANINGS
from tools.mutation.mutant import Mutant
from tools.mutation.normal_form import NORMAL_FORM
from tools.mutation.structure import STRUCTURE

Stage = tuple[str, ...]
"""Arguments of pytest."""

TEXTS = (
    "--ignore=tests/house/test_mutants_apply.py",
    "--ignore=tests/house/test_generated_pages.py",
)
FAST = ("-m", "not sim and not judge", "-k", "not golden")
EVERYTHING: Stage = ("tests", *FAST, *TEXTS)
"""Every fast test but those that only compare texts made from the code."""


@dataclass(frozen=True)
class Part:
    """Some mutants and the stages of tests that must kill them."""

    name: str
    mutants: tuple[Mutant, ...]
    stages: tuple[Stage, ...]


PARTS = (
    Part(
        "control, order and buffers",
        tuple(STRUCTURE),
        (
            ("tests/lower/test_lowering_shapes.py", "tests/lower/test_index_width.py"),
            ("tests/lower/test_rotated_loops.py", "tests/analysis/test_quick_turns.py"),
            ("tests/analysis/test_entries_that_wait.py",),
            ("tests/analysis/test_buffers.py", "tests/analysis/test_memory_order.py"),
            ("tests/analysis/test_memory_dependence.py",),
            ("tests/model/test_program_meets_model.py",),
            EVERYTHING,
            (
                "tests/sim/test_rates_in_rtl.py",
                "tests/sim/test_examples_in_rtl.py",
                "tests/sim/test_random_programs_in_rtl.py",
            ),
        ),
    ),
    Part(
        "normal form",
        tuple(NORMAL_FORM),
        (
            ("tests/lower/test_normalize.py", "tests/lower/test_index_width.py"),
            ("tests/lower/test_simplify.py", "tests/lower/test_products_by_constants.py"),
            ("tests/lower/test_keep_words.py",),
            ("tests/frontend/test_structured_programs.py",),
            EVERYTHING,
        ),
    ),
    Part(
        "acceptance of programs",
        tuple(FRONTEND),
        (
            (
                "tests/frontend/test_mlir_errors.py",
                "tests/dialects/test_dialect_codes.py",
                "tests/frontend/test_mlir_reader.py",
            ),
            EVERYTHING,
        ),
    ),
    Part(
        "checks of netlists",
        tuple(NETLIST),
        (
            ("tests/netlist/test_netlist_checks.py", "tests/netlist/test_netlist_schema.py"),
            ("tests/lower/test_lowering_shapes.py",),
            EVERYTHING,
        ),
    ),
    Part(
        "bundles and comparison",
        tuple(MODEL),
        (
            ("tests/model/test_comparison.py", "tests/model/test_bundle.py"),
            ("tests/model/test_token_simulator.py", "tests/front/test_cli.py"),
            EVERYTHING,
        ),
    ),
    Part(
        "meaning of operators",
        tuple(MEANINGS),
        (
            ("tests/dialects/test_operators.py", "tests/model/test_token_simulator.py"),
            ("tests/analysis/test_invariants.py", "tests/emit/test_emit.py", *FAST),
            EVERYTHING,
        ),
    ),
    Part(
        "templates",
        tuple(HARDWARE),
        (
            ("tests/sim/test_operator_rows_in_rtl.py",),
            ("tests/sim/test_random_tokens_in_rtl.py",),
            ("tests/tools/test_proofs.py", "-k", "proved"),
            ("tests/sim/test_examples_in_rtl.py",),
        ),
    ),
)
"""Golden texts are not asked about templates: they see every change, right or wrong."""
