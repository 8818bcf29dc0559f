"""What LOOM says of an input that it refuses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loom.errors import LoomError, LoomErrors


def refusal(call: Callable[..., object], *given: object, **named: object) -> str:
    """The message of the error with which a call ends; a call that ends well fails the test."""
    with pytest.raises((LoomError, LoomErrors)) as caught:
        call(*given, **named)
    return str(caught.value)
