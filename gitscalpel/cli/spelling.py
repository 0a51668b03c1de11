"""How the command line writes fields and calls, for what is said of them.

Nothing else has to know both vocabularies: what messages call them below is marked.
"""

from __future__ import annotations

import shlex

import msgspec

from gitscalpel import Action, Spelling
from gitscalpel.phrases import field_by_name

_WORDS = {
    "path": "PATH",
    "symbol": "PATH::SYMBOL",
    "start": "PATH:LINES",
    "end": "the end of PATH:LINES",
    "to": "TO",
    "position": "--before, --after, --first or --last",
    "occurrences": "--occurrence",
    "content_b64": "--content-file",
    "node": "--node",
    "expect": "--expect",
}
"""Fields that are no options of their own name."""
_FLAGS = frozenset({"overwrite", "safe", "all", "regex", "verbatim", "relocate", "rename"})


_BY_PLACE = frozenset({"tx", "id", "ids", "path", "what", "subject", "topic"})
"""Fields that verbs take without their name."""


def typed(action: Action) -> str:
    """A call as a command line."""
    given = dict(action.arguments)
    if action.verb == "open":  # of another repository
        return f"git -C {shlex.quote(str(given['path']))} scalpel …"
    words = ["git scalpel", action.verb]
    for name, value in action.arguments:
        if name in _BY_PLACE:
            words.append(shlex.quote(str(value)))
        elif name == "command":
            words += ["--", str(value)]
        else:
            words.append(option(name, "" if value is True else str(value)))
    return " ".join(words)


def option(name: str, value: str) -> str:
    """A field, and the value that it is to have, as they are typed."""
    if not value or name in _FLAGS:
        return _WORDS.get(name, f"--{name.replace('_', '-')}")
    if name == "start":
        return f"PATH:{value}"
    if name == "position":
        return f"--{value}"
    if name == "occurrences":
        return " ".join(f"--occurrence {index}" for index in value.strip("[]").split(", "))
    return f"--{name.replace('_', '-')} {shlex.quote(value)}"


TYPED = Spelling(option, typed)


def of(command: str) -> Spelling:
    """How it is written for who has called ``command``: callers of ``apply`` write fields."""
    return msgspec.structs.replace(TYPED, field=field_by_name) if command == "apply" else TYPED
