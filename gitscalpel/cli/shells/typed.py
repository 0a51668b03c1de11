"""All that can be typed behind a verb."""

from __future__ import annotations

import msgspec

from gitscalpel.cli.parser import Parser
from gitscalpel.verbs.help import PAGES
from gitscalpel.verbs.table import VERBS


class Typed(msgspec.Struct, frozen=True):
    """An option of a verb, or a word that it takes, as it is typed.

    Attributes:
        names: of an option; none: it is given by its place.
        words: what it is.
        takes: what it takes: ``""`` nothing, ``id`` a transaction, ``branch``, ``choice`` one of ``choices``,
            ``else`` something that may be a file.
        choices: see above.
    """

    names: tuple[str, ...]
    words: str
    takes: str
    choices: tuple[str, ...] = ()


def typed(verb: str, parser: Parser) -> list[Typed]:
    """The options and words of a verb that ``parser`` reads."""
    found = []
    for action in parser.options():
        choices = tuple(map(str, action.choices or ()))
        if verb == "schema" and not action.option_strings:
            choices = tuple(VERBS)
        if verb == "help" and not action.option_strings:
            choices = tuple(dict.fromkeys([*(file.stem for file in sorted(PAGES.glob("*.md"))), *VERBS]))
        takes = "" if action.nargs == 0 else "choice" if choices else "else"
        if action.dest in ("tx", "ids"):
            takes = "id"
        if action.metavar == "BRANCH":
            takes = "branch"
        found.append(Typed(tuple(action.option_strings), action.help or "", takes, choices))
    return found
