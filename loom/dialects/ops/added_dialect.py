"""A dialect of another package: what its operations are, and what they mean to LOOM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Dialect


@dataclass(frozen=True)
class AddedDialect:
    """What an entry point of the group ``loom.dialects`` names, under the dialect's name.

    `expand` puts operations that LOOM reads in place of the dialect's, in a verified module. What
    they compute is the meaning of the program: for the source reference, the models and the RTL.
    """

    dialect: Dialect
    expand: Callable[[ModuleOp], None]
