"""Every operation of the dialects that LOOM reads compiles, or is refused by name with a cure."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

from loom.dialects.ops.context import make_context
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text
from loom.frontend.mlir.read import parse_text, read_mlir
from loom.frontend.rules.accepted import ACCEPTED, accepted_instead
from loom.lower.options import Options
from tests.frontend.test_mlir_reader import FORMS
from tests.house.generated_pages import MLIR_OPERATIONS
from tests.lower.test_lifted_blocks import PROGRAMS as BLOCKS
from tests.lower.test_normalize import PROGRAMS as NORMALIZED
from tests.model.test_program_meets_model import PROGRAMS
from tests.random_programs.operators import FORMS as PURE_FORMS
from tests.random_programs.operators import Form, cast_fits
from tests.support.folders import EXAMPLES
from tests.support.reference_programs import STRUCTURED

ELSEWHERE = re.compile(r"arith\.(.*f$|fpto|[su]itofp)|math\.(?!absi|ct|ipowi)")
"""Floats, which have tests of their own."""
OPERATIONS = MLIR_OPERATIONS.read_text(encoding="utf-8").split()
TABLE = [name for name in OPERATIONS if not ELSEWHERE.match(name)]
TYPES = ("i16", "i32", "index")
REFUSED = {
    "affine.vector_load": "%v = affine.vector_load %m[%i] : memref<4xi32>, vector<2xi32>",
    "affine.vector_store": "%w = arith.constant dense<1> : vector<2xi32>\n"
    "  affine.vector_store %w, %m[%i] : memref<4xi32>, vector<2xi32>",
    "memref.dma_start": "memref.dma_start %m",
    "memref.dma_wait": "memref.dma_wait %m",
    "memref.extract_aligned_pointer_as_index": "memref.extract_aligned_pointer_as_index %m",
}
"""Lines for operations that the generic form without operands does not show."""


@cache
def corpus() -> frozenset[str]:
    """The operations in the programs that tests run in both models, or read and print."""
    texts = (
        *STRUCTURED.values(),
        *BLOCKS.values(),
        *PROGRAMS.values(),
        *NORMALIZED.values(),
        *FORMS.values(),
    )
    examples = EXAMPLES.glob("*.mlir")
    texts += tuple(file.read_text(encoding="utf-8") for file in examples)
    return frozenset(
        op.name for text in texts for op in parse_text(text, "k.mlir", make_context())[0].walk()
    )


def pure_program(form: Form) -> str:
    """A program of one pure operator, in generic form."""
    for source in TYPES:
        for target in TYPES:
            if not form.is_cast() and source != target:
                continue
            if form.is_cast() and not cast_fits(form.name, source, target):
                continue
            if form.index_only and "index" not in (source, target):
                continue
            return _pure_program(form, {"S": source, "T": target})
    raise AssertionError(form.name)


def _pure_program(form: Form, types: dict[str, str]) -> str:
    inputs = [types.get(port, port) for port in form.inputs]
    outputs = [types.get(port, port) for port in form.outputs]
    arguments = ", ".join(f"%a{k}: {type_}" for k, type_ in enumerate(inputs))
    operands = ", ".join(f"%a{k}" for k in range(len(inputs)))
    results = ", ".join(f"%r#{k}" for k in range(len(outputs)))
    predicate = "<{predicate = 2 : i64}> " if form.predicates else ""
    if form.index_only and form.predicates:
        predicate = "<{pred = #index<cmp_predicate slt>}> "
    return (
        f"func.func @f({arguments}) -> ({', '.join(outputs)}) {{\n"
        f'  %r:{len(outputs)} = "{form.name}"({operands}) {predicate}'
        f": ({', '.join(inputs)}) -> ({', '.join(outputs)})\n"
        f"  return {results} : {', '.join(outputs)}\n}}"
    )


@pytest.mark.parametrize("name", [name for name in TABLE if name in ACCEPTED])
def test_an_accepted_operation_compiles(name: str) -> None:
    form = PURE_FORMS.get(name)
    if form is None:
        assert name in corpus(), "no program has it"
    else:
        units = compile_text(pure_program(form), options=Options(widths="keep")).netlist.units
        assert any(unit.operator is form.row for unit in units)


@pytest.mark.parametrize("name", [name for name in TABLE if name not in ACCEPTED])
def test_another_operation_is_refused_by_name_with_a_cure(name: str) -> None:
    line = REFUSED.get(name, f'"{name}"() : () -> ()')
    text = f"func.func @f(%m: memref<4xi32>, %i: index) {{\n  {line}\n  return\n}}"
    with pytest.raises((LoomError, LoomErrors)) as caught:
        read_mlir(text, "k.mlir")
    assert accepted_instead(name)
    assert (
        f"error[MLIR_UNSUPPORTED_OP]: found the operation {name}; "
        f"LOOM accepts {accepted_instead(name)}"
    ) in str(caught.value)


@pytest.mark.judge
@pytest.mark.skipif(
    importlib.util.find_spec("mlir") is None,
    reason="the extra `judge` (MLIR's own tools) is not installed",
)
def test_the_list_is_that_of_mlir() -> None:
    spec = importlib.util.find_spec("mlir")
    assert spec is not None and spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations))) / "dialects"
    found = {
        name
        for dialect in ("func", "scf", "cf", "arith", "index", "math", "memref", "affine")
        for name in re.findall(
            r'OPERATION_NAME = "([^"]*)"', (folder / f"_{dialect}_ops_gen.py").read_text()
        )
    }
    assert found == {name for name in OPERATIONS if not name.startswith("llvm.")}
