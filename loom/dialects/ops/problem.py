"""A verifier's finding with its code, before anyone has said where it stands."""

from __future__ import annotations

from xdsl.utils.exceptions import VerifyException


class Problem(VerifyException):
    """An operation breaks a rule: `code`, `what` was found, what is `accepted`."""

    def __init__(self, code: str, what: str, accepted: str) -> None:
        super().__init__(f"{code}: found {what}; LOOM accepts {accepted}")
        self.code = code
        self.what = what
        self.accepted = accepted


def require(holds: bool, code: str, what: str, accepted: str) -> None:
    """Return if the rule holds, else raise the `Problem`."""
    if not holds:
        raise Problem(code, what, accepted)
