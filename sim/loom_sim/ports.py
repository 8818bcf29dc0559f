"""cocotb-bus drivers, monitors and scoreboard of the outside channels, an activation at a time.

Cycle by cycle the harness's sources and sinks move the tokens. A transaction here is all tokens
of one activation on one channel: the driver puts them into the source's mailbox, the monitor takes
them out of the sink's once the activation has ended, so that Python never waits for a clock edge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cocotb.triggers import Event
from cocotb_bus.drivers import BusDriver
from cocotb_bus.monitors import BusMonitor
from cocotb_bus.scoreboard import Scoreboard

Tokens = tuple[int, ...]


class TokenDriver(BusDriver):  # type: ignore[misc]  # cocotb-bus has no types
    """Puts the tokens of an activation into the mailbox of an outside input."""

    def __init__(self, entity: Any, name: str, clock: Any, width: int) -> None:
        self.width = width
        self._signals = ["total", *(["tokens"] if width else [])]
        # Names of ports may differ in case alone.
        super().__init__(entity, name, clock, case_insensitive=False)

    async def _driver_send(self, transaction: Tokens, sync: bool = True) -> None:
        if self.width:
            for number, token in enumerate(transaction):
                self.bus.tokens[number].value = token
        self.bus.total.value = len(transaction)


class TokenMonitor(BusMonitor):  # type: ignore[misc]  # cocotb-bus has no types
    """Takes the tokens of an activation out of the mailbox of an outside output."""

    def __init__(self, entity: Any, name: str, clock: Any, width: int) -> None:
        self.width = width
        self._signals = ["count", *(["tokens"] if width else [])]
        self.ended = Event()
        self.read = Event()
        self.count = 0
        super().__init__(entity, name, clock, case_insensitive=False)

    def taken(self) -> int:
        """Tokens taken so far in this activation [tokens]."""
        return int(self.bus.count.value)

    async def receive(self) -> None:
        """The tokens of the activation that has just ended have reached all callbacks."""
        self.read.clear()
        self.ended.set()
        await self.read.wait()

    async def _monitor_recv(self) -> None:
        while True:
            await self.ended.wait()
            self.ended.clear()
            self.count = self.taken()
            if self.width:
                mailbox = self.bus.tokens
                kept = min(self.count, len(mailbox))
                self._recv(tuple(int(mailbox[number].value) for number in range(kept)))
            else:
                self._recv((0,) * self.count)
            self.read.set()


class TokenScoreboard(Scoreboard):  # type: ignore[misc]  # cocotb-bus has no types
    """Notes, in words, where an output's tokens differ from those expected."""

    def __init__(self, dut: Any) -> None:
        super().__init__(dut, fail_immediately=False)
        self.mismatches: list[str] = []
        self.monitors: dict[str, TokenMonitor] = {}

    def add_output(
        self, monitor: TokenMonitor, port: str, expected: Callable[[Tokens], Tokens]
    ) -> None:
        """From now on what `monitor` gets is compared with `expected` of it."""
        self.monitors[port] = monitor
        self.add_interface(monitor, lambda tokens: (port, expected(tokens)), strict_type=False)

    def compare(self, got: Tokens, exp: tuple[str, Tokens], log: Any, strict_type: bool) -> None:
        """A difference is noted, not raised."""
        port, tokens = exp
        if got == tokens:
            return
        self.errors += 1
        # The mailbox keeps no more than a few tokens too many.
        count = self.monitors[port].count
        if count != len(tokens):
            text = f"{count} tokens where {len(tokens)} are expected"
        else:
            at = next(k for k, (g, t) in enumerate(zip(got, tokens, strict=True)) if g != t)
            text = f"token {at} is {got[at]:#x} where {tokens[at]:#x} is expected"
        self.mismatches.append(f"output {port}: {text}")
