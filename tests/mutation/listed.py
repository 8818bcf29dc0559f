"""All mutants, and the tests that are asked about each part, the quick ones first."""

from __future__ import annotations

from dataclasses import dataclass

from tests.mutation.documents import MODEL, NETLIST
from tests.mutation.frontend import FRONTEND
from tests.mutation.hardware import HARDWARE
from tests.mutation.meanings import MEANINGS
from tests.mutation.mutant import Mutant
from tests.mutation.normal_form import NORMAL_FORM
from tests.mutation.structure import STRUCTURE

Stage = tuple[str, ...]
"""Arguments of pytest."""

TEXTS = ("--ignore=tests/test_mutants_apply.py", "--ignore=tests/test_generated_pages.py")
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
            ("tests/test_lowering_shapes.py", "tests/test_index_width.py"),
            ("tests/test_rotated_loops.py", "tests/test_quick_turns.py"),
            ("tests/test_entries_that_wait.py",),
            ("tests/test_buffers.py", "tests/test_memory_order.py"),
            ("tests/test_memory_dependence.py",),
            ("tests/test_program_meets_model.py",),
            EVERYTHING,
            (
                "tests/test_rates_in_rtl.py",
                "tests/test_examples_in_rtl.py",
                "tests/test_random_programs_in_rtl.py",
            ),
        ),
    ),
    Part(
        "normal form",
        tuple(NORMAL_FORM),
        (
            ("tests/test_normalize.py", "tests/test_index_width.py"),
            ("tests/test_simplify.py", "tests/test_products_by_constants.py"),
            ("tests/test_keep_words.py",),
            ("tests/test_structured_programs.py",),
            EVERYTHING,
        ),
    ),
    Part(
        "acceptance of programs",
        tuple(FRONTEND),
        (
            (
                "tests/test_mlir_errors.py",
                "tests/test_dialect_codes.py",
                "tests/test_mlir_reader.py",
            ),
            EVERYTHING,
        ),
    ),
    Part(
        "checks of netlists",
        tuple(NETLIST),
        (
            ("tests/test_netlist_checks.py", "tests/test_netlist_schema.py"),
            ("tests/test_lowering_shapes.py",),
            EVERYTHING,
        ),
    ),
    Part(
        "bundles and comparison",
        tuple(MODEL),
        (
            ("tests/test_comparison.py", "tests/test_bundle.py"),
            ("tests/test_token_simulator.py", "tests/test_cli.py"),
            EVERYTHING,
        ),
    ),
    Part(
        "meaning of operators",
        tuple(MEANINGS),
        (
            ("tests/test_operators.py", "tests/test_token_simulator.py"),
            ("tests/test_invariants.py", "tests/test_emit.py", *FAST),
            EVERYTHING,
        ),
    ),
    Part(
        "templates",
        tuple(HARDWARE),
        (
            ("tests/test_operator_rows_in_rtl.py",),
            ("tests/test_random_tokens_in_rtl.py",),
            ("tests/test_proofs.py", "-k", "proved"),
            ("tests/test_examples_in_rtl.py",),
        ),
    ),
)
"""Golden texts are not asked about templates: they see every change, right or wrong."""
