"""How the command line calls the fields of operations, for what errors say of them.

Loaded only for an error: nothing else has to know both vocabularies.
"""

from __future__ import annotations

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
    import shlex

    return f"--{name} {shlex.quote(value)}"
