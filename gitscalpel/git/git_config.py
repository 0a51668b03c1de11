"""Git's configuration, parsed as git does (``parse_value`` in its config.c). Anything unclear is left to git.

Each value has its scope: machine, user or repository. See https://git-scm.com/docs/git-config#_syntax.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from types import MappingProxyType

import msgspec

from gitscalpel.errors import Misconfigured
from gitscalpel.git.process import SETTINGS, Git

# Scopes of values from the repository, including files that it includes.
REPOSITORY_SCOPES = frozenset({"local", "worktree"})
_TRUE = frozenset({"true", "yes", "on", "1", ""})
_FALSE = frozenset({"false", "no", "off", "0"})


class ConfigEntry(msgspec.Struct, frozen=True):
    """One configuration value, with ``scope`` as in ``git config --show-scope``."""

    scope: str
    key: str
    value: str


def read_config(git: Git) -> tuple[ConfigEntry, ...]:
    """Return every value. Of several values of a key, the last applies. Raises ``config_error``."""
    result = git.run("config", "--list", "--show-scope", "-z")
    if result.status:
        raise Misconfigured(
            "config_error",
            f"git cannot read its configuration: {result.err}",
            "correct it; `git config --list --show-origin` lists each value with its file",
        )
    words = os.fsdecode(result.out).split("\0")
    pairs = zip(words[0::2], words[1::2], strict=False)
    return tuple(ConfigEntry(scope, *_split_entry(text)) for scope, text in pairs)


def _split_entry(text: str) -> tuple[str, str]:
    key, newline, value = text.partition("\n")
    return canonical_key(key), value if newline else "true"  # a key without a value is true


def effective_values(rows: Sequence[ConfigEntry]) -> MappingProxyType[str, str]:
    return MappingProxyType({row.key: row.value for row in rows})


def canonical_key(key: str) -> str:
    """Return a key with section and variable in lower case. The subsection stays as it is."""
    section, _, rest = key.partition(".")
    middle, dot, name = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{name.lower()}"


def own_settings() -> tuple[ConfigEntry, ...]:
    """Return the settings that every git started here gets, as git would list them."""
    pairs = (setting.partition("=") for setting in SETTINGS[1::2])
    return tuple(ConfigEntry("command", canonical_key(key), value) for key, _, value in pairs)


def is_true(value: str) -> bool:
    return value.lower() in _TRUE


def is_boolean(value: str) -> bool:
    return value.lower() in _TRUE | _FALSE


_SECTION = re.compile(r'\[(?P<name>[A-Za-z0-9-]+)(?:[ \t]+"(?P<sub>(?:[^"\\\n\0]|\\[^\n\0])*)")?\][ \t]*')
_KEY = re.compile(r"(?P<key>[A-Za-z][A-Za-z0-9-]*)[ \t]*(?P<equals>=?)[ \t]*")
_PIECE = re.compile(r'(?P<plain>[^\s"\\#;]+)|(?P<space>[ ]+)|(?P<escape>\\[ntb"\\\n])|(?P<quote>")')
_QUOTED = re.compile(r'(?P<plain>[^"\\\n\t]+)|(?P<escape>\\[ntb"\\\n])|(?P<quote>")')
_SIGNS = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\", "\n": ""}
_BLANK = re.compile(r"[ \t]*(?:[#;][^\n]*)?(?:\n|\Z)")
_ESCAPED = re.compile(r"\\(.)")


class UnclearConfig(ValueError):
    """Raised if only git can read the configuration."""


def parse_file(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield canonical keys and values. The value is None for a key without an equals sign.

    Raises ``UnclearConfig`` if only git can read the rest.
    """
    if "\0" in text:
        raise UnclearConfig
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if "\r" in text:
        raise UnclearConfig
    at, section = 0, ""
    while at < len(text):
        at = _skip_blanks(text, at)
        blank = _BLANK.match(text, at)
        if blank is not None:
            at = blank.end()
            continue
        head = _SECTION.match(text, at)
        if head is not None:
            sub = head["sub"]
            section = head["name"].lower() + ("" if sub is None else "." + _ESCAPED.sub(r"\1", sub)) + "."
            at = head.end()
            continue
        key = _KEY.match(text, at)
        if key is None or not section:
            raise UnclearConfig
        value, at = (
            _parse_value(text, key.end()) if key["equals"] else (None, _require_line_end(text, key.end()))
        )
        yield section + key["key"].lower(), value


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _parse_value(text: str, at: int) -> tuple[str, int]:
    """Return a value and the start of the next line. Blanks around a value are dropped unless quoted."""
    parts: list[str] = []
    spaces, quoted = "", False
    while quoted or not (end := _BLANK.match(text, at)):
        piece = (_QUOTED if quoted else _PIECE).match(text, at)
        if piece is None:
            raise UnclearConfig
        at = piece.end()
        if piece.lastgroup == "space":
            spaces = piece["space"] if any(parts) else ""
            continue
        if piece.lastgroup == "quote":
            quoted = not quoted
        text_piece = _SIGNS[piece["escape"][1]] if piece["escape"] else piece["plain"] or ""
        parts += [spaces, text_piece]
        spaces = ""
    return "".join(parts), end.end()


def _require_line_end(text: str, at: int) -> int:
    if text[at : at + 1] not in ("", "\n"):
        raise UnclearConfig
    return at + 1
