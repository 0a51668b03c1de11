"""The options that verbs share, each said once."""

from __future__ import annotations

import argparse
from pathlib import Path

from gitscalpel.cli.parser import Paragraphs, Parser


def json(parser: Parser) -> None:
    """How to answer."""
    parser.add_argument("--json", action="store_true", help="Answer with one JSON object.")


def onto(parser: Parser) -> None:
    """Which branch."""
    parser.add_argument("--onto", metavar="BRANCH", help="The branch; else the one that is checked out.")


def message(parser: Parser) -> None:
    """What the commit says."""
    words = "The commit message; of several, each is a paragraph."
    parser.add_argument("-m", "--message", metavar="TEXT", action=Paragraphs, help=words)


def tx(parser: Parser) -> None:
    """In which open transaction."""
    parser.add_argument("--tx", metavar="ID", help="In this open transaction.")


def wait(parser: Parser) -> None:
    """How long to be patient."""
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        default=0.0,
        help="Try again for so long where something stands against landing that may pass.",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def number(text: str) -> int:
    """A whole number from 1 on, as an option takes it."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def place(parser: Parser) -> None:
    """What a verb that only looks, looks at."""
    onto(parser)
    tx(parser)
    json(parser)


def id(parser: Parser) -> None:  # noqa: A001 - what it is called everywhere
    """Which transaction."""
    parser.add_argument(
        "tx", metavar="ID", nargs="?", help="The transaction; in its worktree it need not be named."
    )


def path(parser: Parser, words: str) -> None:
    """Which file."""
    parser.add_argument("path", metavar="PATH", help=words)


def to(parser: Parser) -> None:
    """Which file, and where it goes."""
    path(parser, "The file or folder.")
    parser.add_argument("to", metavar="TO", help="Its new path; one that ends with / is a folder for it.")


def target(parser: Parser) -> None:
    """Which place, and what is there."""
    parser.add_argument("where", metavar="TARGET", help="PATH, PATH::SYMBOL or PATH:LINES.")
    parser.add_argument("--query", metavar="SELECTOR", help="Address by a selector.")
    parser.add_argument("--node", metavar="ID", help="Address by a node_id of find; --base is its blob.")
    parser.add_argument("--match", metavar="N", type=int, help="Which match of the selector, from 0.")
    parser.add_argument("--kind", help="What the target must be: function, class, method, …")


def text(parser: Parser, name: str, words: str, *others: str) -> None:
    """New text: on the command line, from a file, or from standard input; ``others`` call it so as well."""
    names = (name, *others)
    parser.add_argument(
        *(f"--{each}" for each in names),
        dest=name,
        metavar="TEXT",
        help=f"{words}; else --{name}-file or standard input.",
    )
    parser.add_argument(
        *(f"--{each}-file" for each in names),
        dest=f"{name}_file",
        metavar="FILE",
        type=Path,
        help="Read it from FILE; - is standard input.",
    )


def edit(parser: Parser) -> None:
    """What every operation and its transaction can be told."""
    parser.add_argument(
        "--expect", metavar="HASH", help="Refuse unless the target still has this content hash."
    )
    base(parser)
    whole(parser)


def base(parser: Parser) -> None:
    """Which version of the file is meant."""
    parser.add_argument("--base", metavar="BLOB", help="The file's blob id as you saw it.")


def whole(parser: Parser) -> None:
    """What every whole transaction can be told."""
    message(parser)
    onto(parser)
    tx(parser)
    parser.add_argument("--dry-run", action="store_true", help="Show the diff and write nothing.")
    parser.add_argument(
        "--no-land", action="store_true", help="Leave it staged; `git scalpel land ID` lands it."
    )
    wait(parser)
    json(parser)
