"""Reads ``.gitscalpel.toml`` and the personal ``scalpel.*`` keys into rules.

The file is read from the tip of the target branch, never from the change that
it judges. A key that this version does not know is an error: a gate that
somebody asked for must not be passed over.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from gitscalpel.errors import Misconfigured
from gitscalpel.rules import LEVELS, Rules, Structure

PATH = ".gitscalpel.toml"
_ACCEPTED: dict[str, tuple[object, ...]] = {
    "syntax": (True, False),
    "structure": LEVELS,
    "hooks": ("run", "skip"),
    "diagnostics": ("off",),
}


def parse(content: bytes | None, personal: Mapping[str, str]) -> Rules:
    """The rules that hold for a target branch and a user.

    Args:
        content: ``.gitscalpel.toml`` at the tip of the target branch, if it has one.
        personal: git's configuration; its ``scalpel.*`` keys can tighten, not loosen.

    Raises:
        Misconfigured: ``config_error``.
    """
    gates = _gates(content) if content else {}
    structure = gates.get("structure", "block")
    wish = personal.get("scalpel.structure")
    if wish is not None:
        structure = max(structure, _level(wish), key=LEVELS.index)
    return Rules(gates.get("syntax", True), structure, gates.get("hooks", "run"))


def _gates(content: bytes) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        parsed = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(f"{PATH} does not parse: {error}") from None
    for section in parsed:
        if section != "gates":
            raise _wrong(f"{PATH}: this version has no [{section}]")
    gates = parsed.get("gates", {})
    if not isinstance(gates, dict):
        raise _wrong(f"{PATH}: gates must be a table")
    for key, value in gates.items():
        if key not in _ACCEPTED:
            raise _wrong(f"{PATH}: this version has no gates.{key}")
        if value not in _ACCEPTED[key] or type(value) is not type(_ACCEPTED[key][0]):
            allowed = ", ".join(str(v).lower() for v in _ACCEPTED[key])
            raise _wrong(f"{PATH}: gates.{key} is {value!r}; this version takes {allowed}")
    return gates


def _level(value: str) -> Structure:
    if value not in LEVELS:
        raise Misconfigured(
            "config_error",
            f"git config scalpel.structure is {value!r}",
            f"set it to one of {', '.join(LEVELS)}",
        )
    return value


def _wrong(message: str) -> Misconfigured:
    return Misconfigured(
        "config_error",
        message,
        f"correct {PATH} on the target branch; nothing lands past a gate that cannot be read",
    )
