"""Files that the rules exempt from syntax checks, or assign to another language than their name implies.

The rule ``gates.syntax`` does so, or attributes in ``.gitattributes`` of the target
(https://git-scm.com/docs/gitattributes): ``-scalpel-syntax`` exempts, and ``linguist-language`` names the
language. The syntax gate, outlines, edits and renames respect it.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

from gitscalpel.changesets import config
from gitscalpel.changesets.file_tree import Snapshot, read_content
from gitscalpel.changesets.paths import Globs
from gitscalpel.errors import Misconfigured
from gitscalpel.syntax.languages import LANGUAGES, Language, is_lfs_pointer, recognise

if TYPE_CHECKING:
    from gitscalpel.changesets.rules import Gates

_RULES, _ATTRIBUTES = ".gitscalpel.toml", ".gitattributes"
_NAMES = {each.linguist: each.name for each in LANGUAGES if each.linguist} | {"html+erb": "none"}
"""Names of languages by their name in linguist, in lower case."""
_PART = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\?.", re.DOTALL)
_IS_OURS = re.compile(r"[-!]?(?:scalpel-syntax|linguist-language)(?:=|$)")
_UNSET = ("-scalpel-syntax", "scalpel-syntax=false", "scalpel-syntax=off")


class Exemptions:
    """The exemptions by the rules and attributes of a target.

    Without ``gates`` the rules of the target are read, and unreadable rules count as none. Raises
    ``config_error`` if the rules name an unknown language.
    """

    def __init__(self, target: Snapshot, gates: Gates | None = None) -> None:
        self._target = target
        self._attributes = cache(self._read_attributes)
        if gates is not None:
            self._rule_table = _table_of(gates)

    @cached_property
    def _rule_table(self) -> tuple[Globs, list[tuple[Globs, str]]] | None:
        """The exempt files and the assigned languages by the rules, or None without any."""
        content = read_content(self._target, _RULES) or b""
        if b"syntax" not in content:
            return None
        try:
            return _table_of(config.parse_rules(content, {}).gates)
        except Misconfigured:  # only an edit reports it
            return None

    @property
    def assign_languages(self) -> bool:
        """True if files may be in another language than their name implies."""
        rows = (each for _, attributes in self._attributes("") for each in attributes)
        return bool(self._rule_table and self._rule_table[1]) or any(
            each.startswith("linguist") for each in rows
        )

    def recognise(self, path: str, text: bytes) -> Language | None:
        """Return the language of a file, or None if it is exempt or its language is unknown."""
        found = self.language_of(path)
        by_name = recognise(path, text)
        return by_name if isinstance(found, str) or is_lfs_pointer(text) else found

    def exempting(self, path: str) -> str:
        """Return the file whose rules exempt a file, or ""."""
        if self.language_of(path) is not None:
            return ""
        return _RULES if self._language_by_rules(path) else _ATTRIBUTES

    def language_of(self, path: str) -> Language | str | None:
        """Return the language assigned to a file, None if it is exempt, or "" without a rule."""
        name = self._language_by_rules(path) or self._language_by_attributes(path)
        if not name:
            return ""
        return next((each for each in LANGUAGES if each.name == name), None)

    def _language_by_rules(self, path: str) -> str:
        if self._rule_table is None:
            return ""
        exclude, languages = self._rule_table
        if exclude.match(path):
            return "none"
        matching_names = [name for globs, name in languages if globs.match(path)]
        return matching_names[-1] if matching_names else ""

    def _language_by_attributes(self, path: str) -> str:
        folders = [path[:at] for at, sign in enumerate(path) if sign == "/"]
        is_exempt, name = False, ""
        for folder in ("", *folders):
            inside = path[len(folder) + 1 :] if folder else path
            for pattern, attributes in self._attributes(folder):
                if not pattern.fullmatch(inside):
                    continue
                for attribute in attributes:
                    if attribute.lstrip("-!").startswith("scalpel-syntax"):
                        is_exempt = attribute in _UNSET
                    elif attribute.startswith("linguist-language="):
                        name = attribute.partition("=")[2].replace("-", " ").lower()
                    elif attribute in {"-linguist-language", "!linguist-language"}:
                        name = ""
        return "none" if is_exempt else _NAMES.get(name, name)

    def _read_attributes(self, folder: str) -> list[tuple[re.Pattern[str], list[str]]]:
        content = (
            read_content(self._target, f"{folder}/.gitattributes" if folder else ".gitattributes") or b""
        )
        lines = content.decode("utf-8", "surrogateescape").splitlines()
        rows = [
            line.split() for line in lines if line.strip() and not line.lstrip().startswith(("#", "[attr]"))
        ]
        ours = ((row[0], list(filter(_IS_OURS.match, row[1:]))) for row in rows)
        return [(_compile_pattern(pattern), attributes) for pattern, attributes in ours if attributes]


def _table_of(gates: Gates) -> tuple[Globs, list[tuple[Globs, str]]]:
    table = gates.syntax
    if isinstance(table, bool):
        return Globs(()), []
    language_names = {"none", *(language.name for language in LANGUAGES)}
    for glob, name in table.language.items():
        if name not in language_names:
            raise Misconfigured(
                "config_error",
                f"gates.syntax.language: unknown language for {glob!r}: {name}",
                f"use one of {', '.join(sorted(language_names))}",
            )
    return Globs(table.exclude), [(Globs([glob]), name) for glob, name in table.language.items()]


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """Translate a ``.gitattributes`` pattern, which is like ``.gitignore`` without folders, to a regex."""
    pattern = pattern.strip('"')
    anchor = "" if "/" in pattern else "(?:.*/)?"
    try:
        return re.compile(
            anchor + "".join(map(_translate_part, _PART.findall(pattern.removeprefix("/")))), re.DOTALL
        )
    except re.error:  # no pattern, which matches nothing for git either
        return re.compile(r"(?!)")


def _translate_part(part: str) -> str:
    translations = {"**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    if part in translations:
        return translations[part]
    if part[0] == "*":
        return "[^/]*"
    if part[0] == "[" and len(part) > 1:
        return "[^" + part[2:] if part[1] == "!" else part
    return re.escape(part.removeprefix("\\") or "\\")
