"""What follows files that JavaScript and TypeScript import, when they move."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import paths, specifiers
from gitscalpel.meaning.javascript.relocating import configs, naming
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.report import quoted
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def follow(journey: Journey) -> Followed:
    """The edits of all files that name one that has moved, and of those that have."""
    near = list(dict.fromkeys(_near(journey)))
    splices = {path: configs.respelled(journey, path) for path in near if configs.is_one(path)}
    before, after = (Resolver(files, dialect) for files in (journey.before, _configured(journey, splices)))
    left = list(configs.without(journey))
    for path in near:
        if not _is_read(journey.before, path):
            continue
        splices[path] = []
        for each in specifiers.of(before, path):
            new = naming.respelled(naming.Move(journey, before, after), path, each.said)
            if new is None:
                line = before.line(path, each.start)
                left.append(
                    f"{quoted(path)}:{line}: {each.said} is left: nobody can tell how it is called now"
                )
            elif new != each.said:
                splices[path].append(Splice(each.start, each.end, new.encode("utf-8", "surrogateescape")))
    return Followed({path: those for path, those in splices.items() if those}, left)


def _near(journey: Journey) -> Iterator[str]:
    """The files that may name what moves, and those that move."""
    yield from journey.files
    yield from configs.over(journey)
    for subject in journey.subjects:
        head, _, last = subject.rpartition("/")
        if subject in journey.files and last.startswith("index."):
            yield from journey.before.overlay.under(head)  # they may say "." or ".."
            last = head.rpartition("/")[2]
        words = re.findall(r"\w+", posixpath.splitext(last)[0])
        if words:
            yield from journey.before.holding(max(words, key=len))


def _is_read(files: Files, path: str) -> bool:
    lexical = files.lexical(path)
    return lexical is not None and lexical.syntax.language.name in paths.LANGUAGES


def _configured(journey: Journey, splices: dict[str, list[Splice]]) -> Files:
    """The files after the move, with configurations that know of it."""
    files = journey.after
    for path, those in splices.items():
        source = files.source(journey.to(path))
        if those and source is not None:
            files = files.with_text(journey.to(path), splice.apply(source.text, those))
    return files
