"""Files that the syntax gate is not to judge, or is to judge as another language.

``gates.syntax`` of the rules says so, or attributes in files ``.gitattributes`` of the target
(https://git-scm.com/docs/gitattributes): ``-scalpel-syntax`` exempts, ``linguist-language`` is the language.
"""

from __future__ import annotations

import re
from functools import cache

from gitscalpel.errors import Misconfigured
from gitscalpel.globs import Globs
from gitscalpel.rules import Gates, SyntaxGate
from gitscalpel.snapshot import Snapshot, content_of
from gitscalpel.syntax.language import Language
from gitscalpel.syntax.languages import LANGUAGES

_NAMES = {"c++": "cpp", "c#": "csharp", "shell": "bash", "json with comments": "jsonc", "html+erb": "none"}
"""By the name that linguist has for a language in lower case: ours."""
_PART = re.compile(r"\*\*/|/\*\*$|\*+|\?|\[!?\]?[^\]]*\]|\\?.", re.DOTALL)
_UNSET = ("-scalpel-syntax", "scalpel-syntax=false", "scalpel-syntax=off")


class Exemptions:
    """The exemptions that the rules and attributes of a target make.

    Args:
        gates: the rules.
        target: the files of the target.

    Raises:
        Misconfigured: ``config_error``: the rules name a language that is not known.
    """

    def __init__(self, gates: Gates, target: Snapshot) -> None:
        table = gates.syntax if isinstance(gates.syntax, SyntaxGate) else SyntaxGate()
        self._exclude = Globs(table.exclude)
        self._languages = [(Globs([glob]), name) for glob, name in table.language.items()]
        known = {"none", *(language.name for language in LANGUAGES)}
        for glob, name in table.language.items():
            if name not in known:
                raise Misconfigured(
                    "config_error",
                    f"gates.syntax.language: {glob!r} names no language: {name}",
                    f"name one of {', '.join(sorted(known))}",
                )
        self._target = target
        self._attributes = cache(self._read_attributes)

    def language_of(self, path: str) -> Language | str | None:
        """Return the language to judge a file as, None if it is exempt, or "" if nothing is said of it."""
        if self._exclude.match(path):
            return None
        said = [name for globs, name in self._languages if globs.match(path)]
        name = said[-1] if said else self._by_attributes(path)
        if not name:
            return ""
        return next((each for each in LANGUAGES if each.name == name), None)

    def _by_attributes(self, path: str) -> str:
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
        content = content_of(self._target, f"{folder}/.gitattributes" if folder else ".gitattributes") or b""
        lines = content.decode("utf-8", "surrogateescape").splitlines()
        rows = [
            line.split() for line in lines if line.strip() and not line.lstrip().startswith(("#", "[attr]"))
        ]
        return [(_compiled(row[0]), row[1:]) for row in rows]


def _compiled(pattern: str) -> re.Pattern[str]:
    """Return the expression for a pattern of ``.gitattributes``: as in ``.gitignore``, without folders."""
    pattern = pattern.strip('"')
    anchor = "" if "/" in pattern else "(?:.*/)?"
    try:
        return re.compile(
            anchor + "".join(map(_translated, _PART.findall(pattern.removeprefix("/")))), re.DOTALL
        )
    except re.error:  # no pattern, which matches nothing for git either
        return re.compile(r"(?!)")


def _translated(part: str) -> str:
    known = {"**/": "(?:.*/)?", "/**": "/.*", "?": "[^/]"}
    if part in known:
        return known[part]
    if part[0] == "*":
        return "[^/]*"
    if part[0] == "[" and len(part) > 1:
        return "[^" + part[2:] if part[1] == "!" else part
    return re.escape(part.removeprefix("\\") or "\\")
