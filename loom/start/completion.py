"""``loom completion SHELL``: what the shell offers after ``loom``, made from the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass

from loom.front.verbs import MATCH

LISTED = re.compile(r"[\w ]+: (\w+(?:, \w+)+)(?:; or (\w+): .*)?")
"""The help of an argument that is one of some words."""
SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Offer:
    """An option: its names, what it does, whether a value follows, and the words it may be."""

    names: tuple[str, ...]
    help: str
    has_value: bool
    words: tuple[str, ...] = ()


def completion(options: argparse.Namespace) -> int:
    """``loom completion``."""
    from loom.front.cli import parser

    print(script(options.shell, parser().verbs), end="")
    return MATCH


def script(shell: str, verbs: dict[str, argparse.ArgumentParser]) -> str:
    """The text that the shell reads."""
    if shell == "fish":
        return "\n".join(fish_lines(verbs)) + "\n"
    head = ["#compdef loom", "autoload -U +X compinit bashcompinit", "compinit", "bashcompinit"]
    lines = [*(head if shell == "zsh" else ()), *bash_lines(verbs), "complete -F _loom loom"]
    return "\n".join(lines) + "\n"


def offers_of(verb: argparse.ArgumentParser) -> list[Offer]:
    """The options of a verb, in their order."""
    return [
        Offer(
            tuple(action.option_strings),
            str(action.help or ""),
            action.nargs is None,
            words_of(action),
        )
        for action in verb._actions
        if action.option_strings
    ]


def words_of(action: argparse.Action) -> tuple[str, ...]:
    """The words that a value may be, where the help lists them."""
    shown = action.metavar if isinstance(action.metavar, str) else ""
    return tuple(shown[1:-1].split(",")) if shown.startswith("{") else ()


def first_words(verb: argparse.ArgumentParser) -> tuple[str, ...]:
    """The words that the verb's first argument may be; none of a file."""
    for action in verb._actions:
        if not action.option_strings:
            listed = LISTED.fullmatch(str(action.help or ""))
            return (*listed[1].split(", "), *filter(None, [listed[2]])) if listed else ()
    return ()


def bash_lines(verbs: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """A function for bash, which zsh reads too."""
    yield "_loom() {"
    yield '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" verb="" word'
    yield '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do'
    yield '    case "$word" in -*) ;; *) verb="$word"; break ;; esac'
    yield "  done"
    yield '  case "$verb:$prev" in'
    for name, verb in verbs.items():
        for offer in offers_of(verb):
            if offer.has_value:
                places = "|".join(f"{name}:{each}" for each in offer.names)
                kind = f'-W "{" ".join(offer.words)}"' if offer.words else "-f"
                yield f'    {places}) COMPREPLY=($(compgen {kind} -- "$cur")); return ;;'
        if first_words(verb):
            words = " ".join(first_words(verb))
            yield f'    {name}:{name}) COMPREPLY=($(compgen -W "{words}" -- "$cur")); return ;;'
    yield "  esac"
    yield '  case "$verb:$cur" in'
    yield f'    :*) COMPREPLY=($(compgen -W "{" ".join(verbs)} --help --version" -- "$cur")) ;;'
    for name, verb in verbs.items():
        names = " ".join(each for offer in offers_of(verb) for each in offer.names)
        yield f'    {name}:-*) COMPREPLY=($(compgen -W "{names}" -- "$cur")) ;;'
    yield '    *) COMPREPLY=($(compgen -f -- "$cur")) ;;'
    yield "  esac"
    yield "}"


def fish_lines(verbs: dict[str, argparse.ArgumentParser]) -> Iterator[str]:
    """A line for each verb, and for each of its options."""
    for name, verb in verbs.items():
        title = fish_text(str(verb.description or ""))
        yield f"complete -c loom -f -n __fish_use_subcommand -a {name} -d {title}"
        seen = f"'__fish_seen_subcommand_from {name}'"
        if first_words(verb):
            yield f"complete -c loom -f -n {seen} -a {fish_text(' '.join(first_words(verb)))}"
        for offer in offers_of(verb):
            names = " ".join(fish_name(each) for each in offer.names)
            value = " -x -a " + fish_text(" ".join(offer.words)) if offer.words else ""
            value = value or (" -r" if offer.has_value else "")
            yield f"complete -c loom -n {seen} {names}{value} -d {fish_text(offer.help)}"


def fish_name(option: str) -> str:
    """An option as fish is told of it: long, old (one dash and a word) or short."""
    if option.startswith("--"):
        return f"-l {option[2:]}"
    return f"-s {option[1:]}" if len(option) == 2 else f"-o {option[1:]}"


def fish_text(text: str) -> str:
    """A text in quotes of fish."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
