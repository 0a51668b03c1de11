"""Which files may have something new to complain of: those that change, and those that use what changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

import msgspec

from gitscalpel.changesets.file_tree import EXECUTABLE, REGULAR, Entry
from gitscalpel.edit.outcome import Outcome
from gitscalpel.gates.renames import Renames
from gitscalpel.syntax.language import Language
from gitscalpel.syntax.languages import recognise

_MOST = 150
"""Files with a word that are looked at for it, as for what an edit means elsewhere."""
_WORDS = 40
"""Names whose users are looked for."""


class Concerned(msgspec.Struct, frozen=True):
    """The files that a change concerns.

    Attributes:
        changed: the paths that change and are files afterwards, with their languages.
        users: those of other files that name what has changed, likewise.
        origins: where files were before that are called otherwise now.
        left: whose users were not looked for, in words.
    """

    changed: dict[str, Language | None]
    users: dict[str, Language]
    origins: dict[str, str]
    left: tuple[str, ...]


By = Callable[[Language], "str | None"]
"""The name of whoever can be asked about a language; None: nobody can."""


def concerned(outcome: Outcome, by: By) -> Concerned:
    """The files that a change concerns; users are those that the same one can be asked about."""
    origins = Renames(outcome).origins
    overlay = outcome.overlay
    there = [each.path for each in outcome.changes if _is_file(each.new)]
    changed = {path: recognise(path, overlay.content(path) or b"") for path in there}
    words = list(dict.fromkeys(_words(outcome, origins, by)))
    users: dict[str, Language] = {}
    left = [f"skipped: uses of {word}: too much has changed" for _, word in words[_WORDS:]]
    for who, word in words[:_WORDS]:
        found = [path for path in overlay.mentions(word) if path not in changed and path not in users]
        if len(found) > _MOST:
            left.append(f"skipped: uses of {word}: it stands in {len(found)} files")
            continue
        whole = re.compile(rb"(?<!\w)%s(?!\w)" % re.escape(word.encode("utf-8", "surrogateescape")))
        for path in found:
            content = overlay.content(path) if _is_file(overlay.entry(path)) else None
            language = recognise(path, content) if content is not None else None
            if language is not None and by(language) == who and whole.search(content or b""):
                users[path] = language
    return Concerned(changed, users, origins, tuple(left))


def _words(outcome: Outcome, origins: dict[str, str], by: By) -> Iterator[tuple[str, str]]:
    """The names of definitions that are not what they were, and of modules that are not where they were.

    Each with whoever can be asked about it. What a body gives back may be told from it, so users of what
    changed inside count as well.
    """
    overlay = outcome.overlay
    for change in outcome.changes:
        old = origins.get(change.path, change.path)
        texts = overlay.before(old), overlay.content(change.path)
        language = recognise(change.path, texts[1] or texts[0] or b"")
        who = by(language) if language is not None else None
        if who is None:
            continue
        if change.new is None:
            yield who, _module(change.path)
        for intent in outcome.intents(change.path, *texts):
            if intent.kind != "add":
                yield who, re.sub(r"\[\d+\]$", "", intent.symbol).rpartition(".")[2]


def _module(path: str) -> str:
    """What others call the module of a file."""
    name = PurePosixPath(path)
    return name.parent.name if name.stem in ("__init__", "index", "mod") and name.parent.name else name.stem


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in (REGULAR, EXECUTABLE)
