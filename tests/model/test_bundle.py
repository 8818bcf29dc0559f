"""Bundles: what fits a signature becomes activations, every misfit has its message."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.json_places import place_of_path, spots
from loom.model.bundles.signature import Array, Signature, random_activations, signature_of

KERNEL = """
func.func @f(%x: i8, %a: memref<2x2xi16>, %k: index, %s: memref<2xi32, strided<[3], offset: 1>>)
    -> (i8, i1) {
  %t = arith.constant true
  return %x, %t : i8, i1
}
"""
GOOD = '{"inputs": {"x": -1, "a": [[1, 2], [3, -4]], "k": 1, "s": [5, 6]}}'


def signature(text: str = KERNEL, index_width: int = 64) -> Signature:
    return signature_of(top_function(read_mlir(text, "test.mlir"), None), index_width)


def test_an_activation_is_bit_patterns_in_argument_order() -> None:
    (activation,) = read_bundle(GOOD, "b.json", signature())
    assert activation.inputs == {"x": 255, "a": [1, 2, 3, 65532], "k": 1, "s": [0, 5, 0, 0, 6]}
    assert list(activation.inputs) == ["x", "a", "k", "s"]
    assert activation.expected.results is None
    assert activation.expected.memories == {}
    assert signature().in_order(activation) == list(activation.inputs.values())


def test_names_may_be_numbers_and_lists_flat() -> None:
    text = '[{"inputs": {"%x": 255, "1": [1, 2, 3, 65532], "2": 1, "s": [5, 6]}}]'
    assert read_bundle(text, "b.json", signature()) == read_bundle(GOOD, "b.json", signature())


def test_expected_words_leave_gaps_open() -> None:
    text = GOOD[:-1] + ', "expected": {"results": [-128, true], "memories": {"s": [-1, 0]}}}'
    (activation,) = read_bundle(text, "b.json", signature())
    assert activation.expected.results == (128, 1)
    assert activation.expected.memories == {"s": [None, 2**32 - 1, None, None, 0]}


def test_what_is_expected_counts_modulo_the_width() -> None:
    expected = '{"results": [258, -3], "memories": {"s": [4294967298, -4294967297]}}'
    (activation,) = read_bundle(expecting(expected), "b.json", signature())
    assert activation.expected.results == (2, 1)
    assert activation.expected.memories == {"s": [None, 2, None, None, 2**32 - 1]}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(deadline=None, max_examples=60)
@given(VALUES, st.sampled_from([None, 1]))
def test_every_value_and_key_of_a_text_is_found(value: object, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    found = list(spots(text))
    for spot in found:
        place = place_of_path(text, "b.json", spot.path, key=spot.is_key)
        assert text.split("\n")[place.line - 1][place.column - 1 :].startswith(spot.text[:1])
        inner = value
        for step in spot.path[: len(spot.path) - spot.is_key]:
            inner = inner[step]  # type: ignore[index]
        read, _ = json.JSONDecoder().raw_decode(text, spot.offset)
        assert read == (spot.path[-1] if spot.is_key else inner)
        assert not spot.is_key or (isinstance(inner, dict) and read in inner)
    assert len({(spot.path, spot.is_key) for spot in found}) == len(found)


def test_arguments_without_names_are_called_by_number() -> None:
    text = '"func.func"() <{sym_name = "f", function_type = (i8) -> ()}> ({\n'
    text += '^bb0(%0: i8):\n  "func.return"() : () -> ()\n}) : () -> ()'
    (activation,) = read_bundle('{"inputs": {"0": 3}}', "b.json", signature(text))
    assert list(activation.inputs.values()) == [3]


def test_a_memref_of_rank_0_is_a_number_or_a_list_of_one() -> None:
    text = "func.func @f(%a: memref<i8>) {\n  return\n}"
    for value in ("7", "[7]"):
        (activation,) = read_bundle(f'{{"inputs": {{"a": {value}}}}}', "b.json", signature(text))
        assert activation.inputs == {"a": [7]}


def good(replaced: str, by: str) -> str:
    """The good bundle with one place changed."""
    assert replaced in GOOD
    return GOOD.replace(replaced, by)


def expecting(text: str) -> str:
    """The good bundle with these expectations."""
    return f'{GOOD[:-1]}, "expected": {text}}}'


NAMES = "x, a, k, s"
WRONG = [
    ("", "b.json:1:1: error[BUNDLE_SYNTAX]: found expecting value; LOOM accepts JSON"),
    (
        '{"inputs":\n {"x": 1,}}',
        "b.json:2:10: error[BUNDLE_SYNTAX]: found illegal trailing comma before end of object; "
        "LOOM accepts JSON",
    ),
    (
        good("-1", "1.5"),
        "b.json:1:18: error[BUNDLE_SHAPE]: found 1.5 for argument x in the activation; "
        "LOOM accepts integers",
    ),
    (
        good("-1", "NaN"),
        "b.json:1:18: error[BUNDLE_SYNTAX]: found the number NaN; "
        'LOOM accepts numbers, and for floats "nan", "inf" and "-inf"',
    ),
    (
        good("-1", "1e3"),
        "b.json:1:18: error[BUNDLE_SHAPE]: found 1000.0 for argument x in the activation; "
        "LOOM accepts integers",
    ),
    (
        good("-1", "1" * 5000),
        "b.json:1:18: error[BUNDLE_RANGE]: found a number of 5000 digits; "
        "LOOM accepts numbers that fit a type",
    ),
    (
        good("-1", "1" * 5000 + "]"),
        "b.json:1:18: error[BUNDLE_RANGE]: found a number of 5000 digits; "
        "LOOM accepts numbers that fit a type",
    ),
    (
        good("-1", "NaNx"),
        "b.json:1:18: error[BUNDLE_SYNTAX]: found the number NaN; "
        'LOOM accepts numbers, and for floats "nan", "inf" and "-inf"',
    ),
    (
        good('"k": 1', '"x": 1'),
        "b.json:1:46: error[BUNDLE_SYNTAX]: found the key 'x' twice; "
        "LOOM accepts each key once in an object",
    ),
    (
        "[" * 100_000,
        "b.json:1:401: error[BUNDLE_SYNTAX]: found lists nested too deep; "
        "LOOM accepts one list a dimension",
    ),
    (
        "[]",
        "b.json:1:1: error[BUNDLE_MISSING]: found an empty list; LOOM accepts at least "
        "one activation",
    ),
    (
        "3",
        "b.json:1:1: error[BUNDLE_SHAPE]: found 3 as an activation in the activation; "
        "LOOM accepts an object there",
    ),
    (
        f"[{GOOD}, null]",
        "b.json:1:70: error[BUNDLE_SHAPE]: found null as an activation in activation 1; "
        "LOOM accepts an object there",
    ),
    (
        good('"inputs"', '"input"'),
        "b.json:1:2: error[BUNDLE_NAME]: found the key 'input' of an activation in the activation; "
        "LOOM accepts the keys inputs, expected",
    ),
    (
        '{"inputs": [1]}',
        "b.json:1:12: error[BUNDLE_SHAPE]: found a list of 1 as inputs in the activation; "
        "LOOM accepts an object there",
    ),
    (
        good(', "k": 1', ""),
        "b.json:1:12: error[BUNDLE_MISSING]: found no input for argument k in the activation; "
        f"LOOM accepts a value for each of: {NAMES}",
    ),
    (
        good('"k"', '"q": 1, "k"'),
        "b.json:1:46: error[BUNDLE_NAME]: found 'q' among the inputs in the activation; "
        f"LOOM accepts the names {NAMES}",
    ),
    (
        good('"k"', '"0": 1, "k"'),
        "b.json:1:46: error[BUNDLE_NAME]: found argument x twice among the inputs in the "
        "activation; "
        "LOOM accepts each one once",
    ),
    (
        good("-1", "256"),
        "b.json:1:18: error[BUNDLE_RANGE]: found 256 for argument x in the activation; "
        "LOOM accepts -128 to 255, which fit 8 bits",
    ),
    (
        good("-1", "-129"),
        "b.json:1:18: error[BUNDLE_RANGE]: found -129 for argument x in the activation; "
        "LOOM accepts -128 to 255, which fit 8 bits",
    ),
    (
        good("-1", '"7"'),
        "b.json:1:18: error[BUNDLE_SHAPE]: found the string '7' for argument x in the activation; "
        "LOOM accepts integers",
    ),
    (
        good("-1", "true"),
        "b.json:1:18: error[BUNDLE_SHAPE]: found true for argument x in the activation; "
        "LOOM accepts integers",
    ),
    (
        good("-1", "[1]"),
        "b.json:1:18: error[BUNDLE_SHAPE]: found a list of 1 for argument x in the activation; "
        "LOOM accepts integers",
    ),
    (
        good("[5, 6]", "5"),
        "b.json:1:59: error[BUNDLE_SHAPE]: found 5 for argument s in the activation; "
        "LOOM accepts a list of integers",
    ),
    (
        good("[5, 6]", "[5, 6, 7]"),
        "b.json:1:59: error[BUNDLE_SHAPE]: found 3 values for argument s in the activation; "
        "LOOM accepts 2, flat or nested as 2",
    ),
    (
        good("[[1, 2], [3, -4]]", "[[1, 2], [3]]"),
        "b.json:1:36: error[BUNDLE_SHAPE]: found a list of 1 for argument a in the activation; "
        "LOOM accepts a list of 2 values there",
    ),
    (
        good("[[1, 2], [3, -4]]", "[[1, 2], 3]"),
        "b.json:1:36: error[BUNDLE_SHAPE]: found 3 for argument a in the activation; "
        "LOOM accepts a list of 2 values there",
    ),
    (
        good("[[1, 2], [3, -4]]", "[1, 2, 3, null]"),
        "b.json:1:37: error[BUNDLE_SHAPE]: found null for argument a in the activation; "
        "LOOM accepts integers",
    ),
    (
        expecting('{"result": [1]}'),
        "b.json:1:81: error[BUNDLE_NAME]: found the key 'result' of expected in the activation; "
        "LOOM accepts the keys results, memories",
    ),
    (
        expecting('{"results": [1]}'),
        "b.json:1:92: error[BUNDLE_EXPECTED]: found 1 results as expected results in the "
        "activation; "
        "LOOM accepts a list of 2",
    ),
    (
        expecting('{"memories": {"x": 1}}'),
        "b.json:1:94: error[BUNDLE_EXPECTED]: found the scalar x among the memories in "
        "the activation; "
        "LOOM accepts memref arguments",
    ),
    (
        expecting('{"memories": {"m": [1]}}'),
        "b.json:1:94: error[BUNDLE_EXPECTED]: found 'm' among the expected memories in "
        "the activation; "
        f"LOOM accepts the names {NAMES}",
    ),
    (
        expecting('{"memories": {"s": [1]}}'),
        "b.json:1:99: error[BUNDLE_SHAPE]: found 1 values for argument s in the activation; "
        "LOOM accepts 2, flat or nested as 2",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=range(len(WRONG)))
def test_a_misfit_is_refused(text: str, message: str) -> None:
    with pytest.raises(LoomError) as caught:
        read_bundle(text, "b.json", signature())
    if not text or ",}" in text:
        # Python says what is wrong with the text in words of its own version.
        assert caught.value.code == "BUNDLE_SYNTAX"
        assert caught.value.where.line == text.count("\n") + 1
    else:
        assert str(caught.value) == message


def test_random_activations_stay_in_range_and_repeat() -> None:
    drawn = random_activations(signature(), 7, 20)
    assert drawn == random_activations(signature(), 7, 20)
    assert drawn != random_activations(signature(), 8, 20)
    for activation in drawn:
        index = activation.inputs["k"]
        assert isinstance(index, int) and 0 <= index <= 2
        words = activation.inputs["s"]
        assert isinstance(words, list) and len(words) == 5
        assert words[0] == words[2] == words[3] == 0
    assert any(activation.inputs["x"] != drawn[0].inputs["x"] for activation in drawn)


def test_index_width_counts() -> None:
    narrow = signature(index_width=8)
    assert narrow.arguments[2].width == 8
    assert isinstance(narrow.arguments[3], Array)
    with pytest.raises(LoomError, match="BUNDLE_RANGE"):
        read_bundle(good('"k": 1', '"k": 256'), "b.json", narrow)
