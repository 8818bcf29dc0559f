"""In random nests of loops every access whose bank is said finds its word there.

The timed model holds each access against the bank that its unit says, so a wrong claim about an
address is found without a simulator; indices are narrow in some nests, and wrap.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import predicted
from tests.grow.random_nests import drawn

pytestmark = pytest.mark.usefixtures("no_clock_period")

NESTS = int(os.environ.get("LOOM_BANK_NESTS", "30"))


@pytest.mark.usefixtures("deep_on_sources")
def test_random_nests_find_their_words_where_they_are_said_to_be() -> None:
    claims = 0
    for seed in range(NESTS):
        dice = Random(seed)
        nest = drawn(dice)
        cut = f"{dice.choice(('cyclic', 'block'))}:{dice.choice((2, 2, 3, 4, 5, 8))}"
        options = Options(index_width=nest.index_width, partitions=(("m", cut),))
        circuit = compile_text(nest.text(seed % 2 == 0), "nest.mlir", options=options)
        bounds = {f"n{k}": high for k, (_, high, _) in enumerate(nest.loops) if seed % 2}
        given = [Activation({**bounds, "m": [(7 * k + seed) % 256 for k in range(nest.words)]})]
        report = compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=10_000, seed=seed
        )
        assert report.differences == (), (seed, cut)
        assert predicted(circuit.netlist, given, report.tokens) is not None
        for unit in circuit.netlist.units:
            said = (unit.attributes.get("load_banks"), unit.attributes.get("store_banks"))
            claims += sum(bank >= 0 for banks in said if isinstance(banks, tuple) for bank in banks)
    assert claims > NESTS / 2
