"""Reads ``.gitscalpel.toml`` and the personal ``scalpel.*`` keys into rules.

The file is read from the tip of the target branch, never from the change that
it judges. A key that this version does not know is an error: a gate that
somebody asked for must not be passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeVar

from gitscalpel import paths
from gitscalpel.errors import Misconfigured, ScalpelError
from gitscalpel.rules import LEVELS, Rules

_Level = TypeVar("_Level", bound=str)
PATH = ".gitscalpel.toml"
_ACCEPTED: dict[str, tuple[object, ...]] = {
    "syntax": (True, False),
    "structure": LEVELS,
    "hooks": ("run", "skip"),
    "diagnostics": ("off",),
}
_WORKTREE: tuple[Literal["lazy", "always"], ...] = ("lazy", "always")
"""From late to early."""


def parse(content: bytes | None, personal: Mapping[str, str]) -> Rules:
    """The rules that hold for a target branch and a user.

    Args:
        content: ``.gitscalpel.toml`` at the tip of the target branch, if it has one.
        personal: git's configuration; its ``scalpel.*`` keys can tighten, not loosen.

    Raises:
        Misconfigured: ``config_error``.
    """
    tracked = _read(content) if content else {}
    gates = tracked.get("gates", {})
    structure = _tighter(gates.get("structure", "block"), "structure", LEVELS, personal)
    worktree = _tighter(tracked.get("worktree", "lazy"), "worktree", _WORKTREE, personal)
    return Rules(
        gates.get("syntax", True),
        structure,
        gates.get("hooks", "run"),
        worktree,
        gates.get("setup", ""),
        tuple(gates.get("shared", ())),
    )


def _read(content: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        parsed: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(f"{PATH} does not parse: {error}") from None
    for key, value in parsed.items():
        if key == "worktree":
            _check("worktree", value, _WORKTREE)
        elif key != "gates":
            raise _wrong(f"{PATH}: this version has no {key}")
    gates = parsed.get("gates", {})
    if not isinstance(gates, dict):
        raise _wrong(f"{PATH}: gates must be a table")
    for key, value in gates.items():
        _check_gate(key, value)
    return parsed


def _check(key: str, value: object, accepted: Sequence[object]) -> None:
    if value not in accepted or type(value) is not type(accepted[0]):
        allowed = ", ".join(str(v).lower() for v in accepted)
        raise _wrong(f"{PATH}: {key} is {value!r}; this version takes {allowed}")


def _check_gate(key: str, value: object) -> None:
    if key == "setup":
        _check_text(key, value)
    elif key == "shared":
        _check_folders(value)
    elif key not in _ACCEPTED:
        raise _wrong(f"{PATH}: this version has no gates.{key}")
    else:
        _check(f"gates.{key}", value, _ACCEPTED[key])


def _check_text(key: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise _wrong(f"{PATH}: gates.{key} is {value!r}; it takes a command")


def _check_folders(value: object) -> None:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise _wrong(f"{PATH}: gates.shared is {value!r}; it takes a list of folders")
    for name in value:
        try:
            paths.clean(name)
        except ScalpelError as error:
            raise _wrong(f"{PATH}: gates.shared: {error.message}") from None


def _tighter(tracked: _Level, key: str, levels: Sequence[_Level], personal: Mapping[str, str]) -> _Level:
    """The tracked value, or the user's own where that is further along ``levels``."""
    wish = personal.get(f"scalpel.{key}")
    if wish is None:
        return tracked
    found = next((level for level in levels if level == wish), None)
    if found is None:
        raise Misconfigured(
            "config_error", f"git config scalpel.{key} is {wish!r}", f"set it to one of {', '.join(levels)}"
        )
    return max(tracked, found, key=levels.index)


def _wrong(message: str) -> Misconfigured:
    return Misconfigured(
        "config_error",
        message,
        f"correct {PATH} on the target branch; nothing lands past a gate that cannot be read",
    )
