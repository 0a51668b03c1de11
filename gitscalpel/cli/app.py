"""The verbs: how they are listed, and how one is called; only its file is loaded (the start-up time)."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from types import ModuleType

from gitscalpel import BadCall
from gitscalpel.cli.parser import Parser

VERBS = {
    "outline": "Look",
    "show": "Look",
    "find": "Look",
    "replace": "Edit",
    "insert": "Edit",
    "delete": "Edit",
    "signature": "Edit",
    "text": "Edit",
    "lines": "Edit",
    "write": "Edit",
    "mv": "Edit",
    "cp": "Edit",
    "rm": "Edit",
    "apply": "Edit",
    "begin": "Transaction",
    "list": "Transaction",
    "show-tx": "Transaction",
    "diff": "Transaction",
    "worktree": "Transaction",
    "stage": "Transaction",
    "run": "Transaction",
    "check": "Transaction",
    "approve": "Transaction",
    "reject": "Transaction",
    "land": "Transaction",
    "queue": "Transaction",
    "drop": "Transaction",
    "undo": "Transaction",
    "redo": "Transaction",
    "log": "Transaction",
    "status": "Transaction",
    "doctor": "Keep house",
    "recover": "Keep house",
    "gc": "Keep house",
    "fsck": "Keep house",
    "trust": "Keep house",
    "policy": "Keep house",
    "audit": "Keep house",
    "demo": "Keep house",
}
"""Every verb, and under which heading the help lists it."""

_HELP = """\
Usage: git scalpel COMMAND [OPTIONS] [TARGET]

Transactional edits of code, with git as the database.
"""


def prepared(arguments: list[str]) -> Callable[[], None]:
    """What a command line asks for, loaded and ready to be done.

    Raises:
        BadCall: ``invalid_args``.
        SystemExit: the help of a verb was asked for.
    """
    first, *rest = arguments
    if first in ("-h", "--help"):
        return lambda: print(_overview(), end="")  # noqa: T201 - a face may
    if first == "--version":
        from gitscalpel import __version__

        return lambda: print(f"git-scalpel {__version__}")  # noqa: T201
    module = _module(first)
    parser = Parser(first, str(module.__doc__), getattr(module, "TRAILING", False))
    module.arguments(parser)
    if VERBS[first] in ("Edit", "Transaction"):
        parser.add_argument("--agent", metavar="NAME", help="The program that acts for you, for the record.")
    given = parser.read(rest)
    if getattr(given, "agent", None):
        from gitscalpel import AGENT_VARIABLE

        os.environ[AGENT_VARIABLE] = given.agent
    return lambda: module.command(given)


def _module(verb: str) -> ModuleType:
    if verb not in VERBS:
        import difflib

        near = difflib.get_close_matches(verb, VERBS, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise BadCall("invalid_args", f"there is no command {verb!r}", hint + "see git scalpel -h")
    return importlib.import_module(f"gitscalpel.cli.{verb.replace('-', '_')}")


def _overview() -> str:
    import textwrap

    from gitscalpel.cli.parser import columns

    lines = [_HELP]
    for heading in dict.fromkeys(VERBS.values()):
        lines += [f"{heading}:"]
        for verb in (verb for verb, under in VERBS.items() if under == heading):
            words = str(_module(verb).__doc__)
            lines += textwrap.wrap(
                words, columns(), initial_indent=f"  {verb:<11}", subsequent_indent=" " * 13
            )
        lines += [""]
    return "\n".join([*lines, "`git scalpel COMMAND -h` shows the options of a command.", ""])
