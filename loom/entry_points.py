"""What other packages add to LOOM, by entry points: passes, folders of cores, dialects.

Nothing of another package is imported before a user, or a text, names what it adds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from loom.errors import LoomError, Place, nearest

PASSES, CORES, DIALECTS = "loom.passes", "loom.cores", "loom.dialects"
GROUPS = {PASSES: "pass", CORES: "folder of cores", DIALECTS: "dialect"}
"""Groups of entry points, and what one of them adds."""


@dataclass(frozen=True)
class Addition:
    """One entry point: its group, its name, the object that it names, and its package."""

    group: str
    name: str
    value: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{GROUPS[self.group]} {self.name} of {self.package} {self.version} ({self.value})"

    def load(self) -> Any:
        """The object. Refused: EXTEND_BROKEN, with its name, where that cannot be imported."""
        from importlib.metadata import EntryPoint

        try:
            return EntryPoint(self.name, self.value, self.group).load()
        except Exception as error:
            raise self.broken(
                f"{type(error).__name__}: {error}", "an object that is there"
            ) from None

    def broken(self, why: str, accepted: str) -> LoomError:
        """The refusal of an entry point that is not what its group asks for."""
        return LoomError("EXTEND_BROKEN", Place(self.group), f"the {self}: {why}", accepted)


def list_additions(group: str) -> dict[str, Addition]:
    """The entry points of a group by name, those of the first package where two have one name."""
    from importlib.metadata import entry_points

    found: dict[str, Addition] = {}
    for each in sorted(entry_points(group=group), key=lambda entry: (entry.name, entry.value)):
        package = each.dist
        name, version = ("?", "?") if package is None else (package.name, package.version)
        found.setdefault(each.name, Addition(group, each.name, each.value, name, version))
    return found


def find_addition(group: str, name: str, where: Place, besides: tuple[str, ...] = ()) -> Addition:
    """The entry point of this name.

    Refused (EXTEND_UNKNOWN): a name that no installed package has; `besides` are other names that
    the user might have meant.
    """
    found = list_additions(group)
    if name in found:
        return found[name]
    known = sorted({*found, *besides})
    accepted = nearest(name, known) or (
        f"one of {', '.join(sorted(found))}" if found
        else f"a {GROUPS[group]} that an installed package adds by the entry points {group}"
    )  # fmt: skip
    raise LoomError("EXTEND_UNKNOWN", where, f"the {GROUPS[group]} {name!r}", accepted)
