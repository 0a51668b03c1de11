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


_BY_PLACE = frozenset({"tx", "id", "ids", "what", "subject", "topic"})
"""Fields that are positional arguments."""


def typed(action: Action, prefix: str = "") -> str:
    """Write a call as a command line; ``prefix`` is the directory of the caller, see :func:`of`."""
    given = dict(action.arguments)
    if action.verb == "open":  # a call for another repository
        return f"git -C {quote(str(given['path']))} scalpel …"
    words = ["git scalpel", action.verb]
    for name, value in action.arguments:
        if name == "path":
            words.append(quote(path(str(value), prefix)))
        elif name in _BY_PLACE:
            words.append(quote(str(value)))
        elif name == "command":
            words += ["--", str(value)]
        else:
            words.append(option(name, "" if value is True else str(value)))
    return " ".join(words)


def option(name: str, value: str) -> str:
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
    return "$'" + "".join(map(_quoted, word)) + "'"


def _quoted(sign: str) -> str:
    if sign < " " or sign == "\x7f":
        return f"\\x{ord(sign):02x}"
    return f"\\{sign}" if sign in "\\'" else sign


TYPED = Spelling(option, typed, quote)


def of(command: str, prefix: str = "") -> Spelling:
    """Return the spelling for callers of ``command``. Callers of ``apply`` write fields, not options.

    Args:
        command: the called command.
        prefix: directory of the caller, ``""`` or ``"sub/dir/"``. Paths in changesets do not depend on it.
    """
    if command == "apply":
        return msgspec.structs.replace(TYPED, field=field_by_name)
    field = _of_a_name if command in ("rename", "refs") else option
    return Spelling(field, partial(typed, prefix=prefix), lambda from_root: quote(path(from_root, prefix)))


def _of_a_name(name: str, value: str) -> str:
    """Write a field of a command whose target names a symbol by line and name."""
    line = {"start": "PATH:LINE:NAME", "name": "NAME"}
    return line[name] if name in line and not value else option(name, value)


def path(from_root: str, prefix: str) -> str:
    """Return a path relative to the directory of the caller."""
    return posixpath.relpath(from_root, prefix or ".")
