"""The bank of an access, where its address determines the bank at compile time."""

from __future__ import annotations

from loom.analysis.program.affine_forms import Form, Forms
from loom.dialects.operators.partitions import Axis, Partition


def known_bank(forms: Forms, address: Form, partition: Partition) -> int | None:
    """The bank of every element inside that an address of this form can be; None if there are more.

    Addresses outside may have another bank: such an access is an error of the program.
    """
    modulus = 1 << forms.index_width
    low, high = forms.interval(address)
    exact = partition.depth - modulus < low and high < modulus
    bank, weight = 0, 1
    rest: Form | None = address
    for number, axis in enumerate(reversed(partition.axes)):
        last = number == len(partition.axes) - 1
        quotient, index = (None, rest) if last else divide_form(forms, rest, axis.size)
        if axis.scheme:
            own = bank_along(forms, rest if index is None else index, axis, exact)
            if own is None or (index is None and axis.size % axis.step):
                return None
            bank += weight * own
        weight *= axis.banks
        rest = quotient
    return bank


def bank_along(forms: Forms, index: Form | None, axis: Axis, exact: bool) -> int | None:
    """The bank along one dimension of an index; None if it is not known.

    If not `exact`, the index is known modulo two to the power of an index's width alone.
    """
    if axis.banks == 1:
        return 0
    if index is None:
        return None
    if axis.scheme == "%":
        wraps = (1 << forms.index_width) % axis.step == 0
        known = all(factor % axis.step == 0 for factor in index.terms.values())
        return index.constant % axis.step if known and (exact or wraps) else None
    low, high = (end // axis.step for end in forms.interval(index))
    return low if low == high and exact and 0 <= low < axis.banks else None


def divide_form(forms: Forms, form: Form | None, size: int) -> tuple[Form | None, Form | None]:
    """Quotient and rest of a division by a dimension's size; None where they are not known."""
    if form is None:
        return None, None
    outer = {v: factor // size for v, factor in form.terms.items() if factor % size == 0}
    inner = Form(form.constant, {v: factor for v, factor in form.terms.items() if factor % size})
    low, high = forms.interval(inner)
    if low // size != high // size:
        return None, None
    return Form(low // size, outer), inner.plus(Form(-(low // size) * size, {}))
