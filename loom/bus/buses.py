"""The buses that a circuit can stand behind."""

from __future__ import annotations

from collections.abc import Mapping

BUSES: Mapping[str, str] = {
    "axi4lite": "AXI4-Lite", "wishbone": "Wishbone", "avalon": "Avalon-MM",
}  # fmt: skip
"""By the name in commands and modules, what each is called."""
