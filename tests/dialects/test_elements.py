"""Elements are the list that they were made of, however few blocks they take."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

import pytest
from xdsl.dialects.builtin import IntegerType, TensorType, f32

from loom.dialects.floats.attributes import dense_of, elements_of, words_of
from loom.elements import CHUNK, Elements, encode_elements, expand_runs, repeat_element

LISTS: dict[str, list[int]] = {
    "nothing": [],
    "one": [5],
    "few": [1, 1, 2, -3],
    "a chunk of equal ones": [7] * CHUNK,
    "a chunk and one more": [7] * CHUNK + [8],
    "chunks of equal ones": [7] * (3 * CHUNK + 5),
    "a start and zeros": [1, 2, 3] + [0] * (2 * CHUNK),
    "one in the middle": [0] * CHUNK + [5] + [0] * CHUNK,
    "all different": list(range(2 * CHUNK + 7)),
    "equal chunks around another": [1] * CHUNK + [2] * CHUNK + [1] * CHUNK,
}


@pytest.mark.parametrize("given", LISTS.values(), ids=LISTS.keys())
def test_elements_are_the_list(given: list[int]) -> None:
    found = encode_elements(given)
    assert list(found) == given and len(found) == len(given)
    assert [found[k] for k in range(len(given))] == given
    assert [*chain.from_iterable(repeat(value, count) for count, value in found.runs)] == given
    assert expand_runs(list(found.runs)) == found == encode_elements(iter(given))
    assert set(found.values) == set(given)
    assert list(found.map(lambda value: value % 4)) == [value % 4 for value in given]
    assert [found[start] for start, _, _ in found.spans] == [value for _, value in found.runs]
    assert found.is_splat == (len(set(given)) == 1)
    with pytest.raises(IndexError):
        found[len(given)]


def test_equal_elements_are_one_block() -> None:
    zeros = repeat_element(0, 3 * CHUNK + 1)
    assert zeros == encode_elements([0] * (3 * CHUNK + 1)) and len(zeros.blocks) == 1
    assert zeros != repeat_element(0, 3 * CHUNK) and zeros != repeat_element(1, 3 * CHUNK + 1)
    assert zeros[-1] == 0 and zeros[CHUNK : CHUNK + 2] == repeat_element(0, 2)
    assert repeat_element(1, 0) == Elements(())


@pytest.mark.parametrize("few", [True, False])
def test_a_large_table_with_few_runs_knows_it(few: bool) -> None:
    row = [1] * 16 if few else [1] * 15
    given = [*chain.from_iterable([*row, *[value] * len(row)] for value in range(2, 400))]
    assert encode_elements(given).has_few_runs == few
    assert not encode_elements(given[:CHUNK]).has_few_runs


@pytest.mark.parametrize(
    "given", [[-1, 5, 127], [-3] * (CHUNK + 1), [*range(100)] * 50], ids=["few", "same", "many"]
)
def test_dense_attributes_hold_the_elements(given: Sequence[int]) -> None:
    attribute = dense_of(TensorType(IntegerType(8), [len(given)]), given)
    assert list(elements_of(attribute)) == given
    assert list(words_of(attribute, 8)) == [value % 256 for value in given]
    floats = dense_of(TensorType(f32, [len(given)]), [value % 256 for value in given])
    assert list(elements_of(floats)) == [value % 256 for value in given]
