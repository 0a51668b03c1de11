"""Git's configuration, each value with where it comes from: the machine, the user, or the repository."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import MappingProxyType

import msgspec

from gitscalpel.errors import Misconfigured
from gitscalpel.git.run import SETTINGS, Git

OWN = frozenset({"local", "worktree"})
"""The scopes of what lies in the repository, whatever it includes."""
_TRUE = frozenset({"true", "yes", "on", "1", ""})
_FALSE = frozenset({"false", "no", "off", "0"})


class Row(msgspec.Struct, frozen=True):
    """One value; ``scope`` as ``git config --show-scope`` names it."""

    scope: str
    key: str
    value: str


def read(git: Git) -> tuple[Row, ...]:
    """Every value, the last of a key is the one that holds.

    Raises:
        Misconfigured: ``config_error``.
    """
    result = git.run("config", "--list", "--show-scope", "-z")
    if result.status:
        raise Misconfigured(
            "config_error", f"git cannot read its configuration: {result.err}", "correct that file"
        )
    words = os.fsdecode(result.out).split("\0")
    pairs = zip(words[0::2], words[1::2], strict=False)
    return tuple(Row(scope, *_pair(text)) for scope, text in pairs)


def _pair(text: str) -> tuple[str, str]:
    key, newline, value = text.partition("\n")
    return canonical(key), value if newline else "true"  # a key alone says yes


def values(rows: Sequence[Row]) -> MappingProxyType[str, str]:
    """The value that holds, by key."""
    return MappingProxyType({row.key: row.value for row in rows})


def canonical(key: str) -> str:
    """Section and variable are case-insensitive, a sub-section between them is not."""
    section, _, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{name.lower()}"


def commanded() -> tuple[Row, ...]:
    """What every git is told that is started here, as it would list it."""
    pairs = (setting.partition("=") for setting in SETTINGS[1::2])
    return tuple(Row("command", canonical(key), value) for key, _, value in pairs)


def is_true(value: str) -> bool:
    """Whether a value says yes."""
    return value.lower() in _TRUE


def is_boolean(value: str) -> bool:
    """Whether a value says yes or no."""
    return value.lower() in _TRUE | _FALSE
