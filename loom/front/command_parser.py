"""A wrong command line is refused in one line, with the nearest verb or option that exists."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from loom.errors import LoomError, Place, nearest


@dataclass(frozen=True)
class ValueKind:
    """The values of an option: how their text is read, and `accepted`, what a user may write.

    `read` raises ValueError for any other text.
    """

    read: Callable[[str], Any]
    accepted: str
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Texts that are values of another option, and what to write instead."""

    def of(self, option: str) -> Callable[[str], Any]:
        """The reader for argparse, which refuses other text by the option's name (CLI_VALUE)."""

        def read_value(text: str) -> Any:
            try:
                return self.read(text)
            except ValueError:
                cure = dict(self.elsewhere).get(text)
                accepted = self.accepted + (f"; {cure}" if cure else "")
                raise LoomError("CLI_VALUE", Place(option), repr(text), accepted) from None

        return read_value


class CommandParser(argparse.ArgumentParser):
    """An `argparse.ArgumentParser` whose refusals are `LoomError`."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **{"formatter_class": WideHelp, **named})
        self.verbs: dict[str, argparse.ArgumentParser] = {}

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """The arguments; words that are no verb and options that the verb has not are refused."""
        words = list(args or ())
        self._check_verb(words)
        self._check_options(words)
        found, extra = super().parse_known_args(words, namespace)
        if extra:
            self.error(f"unrecognized arguments: {' '.join(extra)}")
        return found, extra

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse prints, which forgets the errors of a device that is full."""
        if message:
            (file or sys.stderr).write(message)

    def _check_verb(self, words: Sequence[str]) -> None:
        """Return if the first word names a verb, where this parser has verbs (CLI_VERB)."""
        word = next((each for each in words if not each.startswith("-")), None)
        if self.verbs and word is not None and word not in self.verbs:
            accepted = nearest(word, self.verbs) or f"a verb: {', '.join(self.verbs)}"
            raise LoomError("CLI_VERB", Place(self.prog), f"the verb {word!r}", accepted)

    def _check_options(self, words: Sequence[str]) -> None:
        """Return if this parser has each long option up to the verb or `--` (CLI_OPTION)."""
        known = [each for each in self._option_string_actions if each.startswith("--")]
        for word in words:
            if word == "--" or word in self.verbs:
                return
            name = word.partition("=")[0]
            if name.startswith("--") and not any(each.startswith(name) for each in known):
                accepted = nearest(name, known) or f"the options of `{self.prog} --help`"
                raise LoomError("CLI_OPTION", Place(self.prog), f"the option {name}", accepted)

    def error(self, message: str) -> NoReturn:
        """Refuse the command line: an argument is missing, or one too many (CLI_USAGE)."""
        _, missing, names = message.partition("arguments are required: ")
        _, extra, words = message.partition("unrecognized arguments: ")
        found = f"no {names}" if missing else words if extra else message
        accepted = f"the arguments of `{self.prog} --help`"
        raise LoomError("CLI_USAGE", Place(self.prog), found, accepted)


class WideHelp(argparse.HelpFormatter):
    """Help whose second column begins where most options have room."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)
