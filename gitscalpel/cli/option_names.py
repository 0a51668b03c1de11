"""Command-line spelling of fields, calls and paths, for messages and hints.

Messages mark the names of fields and calls, so no other module needs both vocabularies.
"""

from __future__ import annotations

import posixpath
import shlex
from functools import partial

import msgspec

from gitscalpel.api import Action, Spelling
from gitscalpel.errors.messages import field_by_name

_WORDS = {
    "path": "PATH",
    "symbol": "PATH::SYMBOL",
    "start": "PATH:LINES",
    "end": "the end of PATH:LINES",
    "to": "TO",
    "to_path": "PATH",
    "position": "--before, --after, --first or --last",
    "occurrences": "--occurrence",
    "content_b64": "--content-file",
    "node": "--node",
    "expect": "--expect",
    "companions": "--with",
    "topic": "TOPIC",
}
"""Spelling of fields that are not options of the same name."""
_FLAGS = frozenset({"overwrite", "safe", "all", "regex", "verbatim", "relocate", "rename"})


_POSITIONAL = frozenset({"tx", "id", "ids", "what", "subject", "topic"})
"""Fields that are positional arguments."""


def format_command(action: Action, prefix: str = "") -> str:
    """Write a call as a command line; ``prefix`` is the directory of the caller, see :func:`spelling_for`."""
    given = dict(action.arguments)
    if action.verb == "open":  # a call for another repository
        return f"git -C {quote(str(given['path']))} scalpel …"
    words = ["git scalpel", action.verb]
    for name, value in action.arguments:
        if name == "path":
            words.append(quote(relative_path(str(value), prefix)))
        elif name in _POSITIONAL:
            words.append(quote(str(value)))
        elif name == "command":
            words += ["--", str(value)]
        else:
            words.append(format_option(name, "" if value is True else str(value)))
    return " ".join(words)


def format_option(name: str, value: str) -> str:
    """Write a field and its value as a command-line option."""
    if not value or name in _FLAGS:
        return _WORDS.get(name, f"--{name.replace('_', '-')}")
    if name == "start":
        return f"PATH:{value}"
    if name == "position":
        return f"--{value}"
    if name == "occurrences":
        return " ".join(f"--occurrence {index}" for index in value.strip("[]").split(", "))
    if name == "companions":
        return " ".join(f"--with {quote(each)}" for each in value.split(", "))
    return f"--{name.replace('_', '-')} {quote(value)}"


def quote(word: str) -> str:
    """Quote a word for a shell, on one line."""
    if min(word, default=" ") >= " " and "\x7f" not in word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escape_character, word)) + "'"


def _escape_character(sign: str) -> str:
    if sign < " " or sign == "\x7f":
        return f"\\x{ord(sign):02x}"
    return f"\\{sign}" if sign in "\\'" else sign


SHELL_SPELLING = Spelling(format_option, format_command, quote)


def spelling_for(command: str, prefix: str = "") -> Spelling:
    """Return the spelling for callers of ``command``. Callers of ``apply`` write fields, not options.

    Args:
        command: the called command.
        prefix: directory of the caller, ``""`` or ``"sub/dir/"``. Paths in changesets do not depend on it.
    """
    if command == "apply":
        return msgspec.structs.replace(SHELL_SPELLING, field=field_by_name)
    field = _format_name_option if command in ("rename", "refs") else format_option
    return Spelling(
        field,
        partial(format_command, prefix=prefix),
        lambda from_root: quote(relative_path(from_root, prefix)),
    )


def _format_name_option(name: str, value: str) -> str:
    """Write a field of a command whose target names a symbol by line and name."""
    line = {"start": "PATH:LINE:NAME", "name": "NAME"}
    return line[name] if name in line and not value else format_option(name, value)


def relative_path(from_root: str, prefix: str) -> str:
    """Return a path relative to the directory of the caller."""
    return posixpath.relpath(from_root, prefix or ".")
