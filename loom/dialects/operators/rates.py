"""How many tokens the ports of an operator carry, as equations between its ports.

A row has them in `rates`, separated by semicolons; the left side is made by the right one:

- ``o = d``: one token on `o` for each on `d`, in the same order;
- ``b = d?1``: one for each token of `d` that is 1; ``d?0`` those that are 0;
- ``d?0 = a``: a burst of `d` for each token of `a`, and each burst ends with its first 0;
- ``c?0 ~ d?0``: as many, if every burst of `d` has a 1;
- ``out == in``: the same tokens on both;
- ``called <- returned``: `called` has tokens of its own, and `returned` as many;
  ``called <- returned of a b``: one for each of `a` and `b`;
- ``address with group``: as many; what is made of `address` waits for `group` too, and what is made
  of `group` not for `address`;
- ``ended closes stored``: as the tokens of `ended` come, all of `stored` before them have come;
- ``done after clear``: as many, each taken after one of `clear`; no output waits for the last one;
- ``done may delay clear``: as many; one of `clear` may wait for its `done`, and need not.

A starred name stands for every member of a numbered family, and on the right for its number. A
row with a meaning and no rates takes a token from every input and puts one on every output. Of a
row without both, one that chooses by arrival, nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from loom.dialects.operators.operator import Operator, Shape

AFTER = "after"
DELAYS = "may delay"
CLOSES = "closes"
WITH = "with"
RELATIONS = (" == ", " ~ ", " <- ", f" {AFTER} ", f" {DELAYS} ", f" {CLOSES} ", f" {WITH} ", " = ")


class Term(NamedTuple):
    """All tokens of a port, or those of one value: `side`."""

    port: str
    side: int | None = None

    def __str__(self) -> str:
        return self.port if self.side is None else f"{self.port}?{self.side}"


@dataclass(frozen=True, slots=True)
class Equation:
    """`left` has as many tokens as `right`; `relation` is one of `RELATIONS`."""

    left: Term
    right: Term
    relation: str = "="
    parts: tuple[str, ...] = ()
    """Of `<-` the inputs for whose tokens `left` has one each, where the row says them."""


def rates_of(operator: Operator, shape: Shape) -> tuple[Equation, ...] | None:
    """The equations of one instance; None if the row has none."""
    inputs, outputs = operator.signature.tokens_of(shape)
    rates = operator.semantics.rates
    rates = rates(shape) if callable(rates) else rates
    if rates is None and operator.semantics.meaning is None:
        return None
    return written_out(rates, tuple(p.name for p in inputs), tuple(p.name for p in outputs))


@cache
def written_out(
    rates: str | None, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[Equation, ...] | None:
    """The equations between these ports, families written out; None without an input to tell."""
    if rates is None:
        if not inputs:
            return None
        return tuple(Equation(Term(port), Term(inputs[0])) for port in (*inputs[1:], *outputs))
    found: list[Equation] = []
    for text in filter(None, (part.strip() for part in rates.split(";"))):
        relation = next(word for word in RELATIONS if word in text)
        left, right = text.split(relation)
        right, _, parts = right.partition(" of ")
        if "*" not in left:
            parted = tuple(parts.split())
            found.append(Equation(term(left), term(right), relation.strip(), parted))
            continue
        family = left.replace("*", "")
        for port in (*inputs, *outputs):
            number = port.removeprefix(family)
            if number.isdigit() and port.startswith(family):
                found.append(
                    Equation(Term(port), term(right.replace("*", number)), relation.strip())
                )
    return tuple(found)


def term(text: str) -> Term:
    """``port`` or ``port?side``."""
    port, _, side = text.partition("?")
    return Term(port, int(side) if side else None)
