"""What follows files that JavaScript and TypeScript import, when they move."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.changesets.answers import quoted
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.embedded import SUFFIXES, ScriptFiles
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.javascript import packages, paths, specifiers
from gitscalpel.meaning.javascript.relocating import configs, directory_paths, naming
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_BY_PATTERN = re.compile(
    rb"""meta\.(?:glob|dirname|filename|url)|__(?:dir|file)name|require\.context|\b(?:import|require)\(\s*(?:/\*[^*]*\*/\s*)?(?:`[^`]*\$\{|["'][^"'\n]*["']\s*\+)"""
)


def follow(journey: Journey) -> Followed:
    """The edits of all files that name one that has moved, and of those that have."""
    near = list(dict.fromkeys(_near(journey)))
    splices = {path: configs.respelled(journey, path) for path in near if configs.is_one(path)}
    after_move = _configured(journey, splices)
    before, after = (
        Resolver(ScriptFiles(files.overlay, files.read), dialect) for files in (journey.before, after_move)
    )
    left = [
        *configs.without(journey),
        *configs.built_left(journey),
        *configs.unpublished(journey, after_move),
    ]
    for path in near:
        if not _is_read(before.files, path):
            continue
        splices[path] = []
        for each in specifiers.of(before, path):
            new = naming.respelled(naming.Move(journey, before, after), path, each.said)
            if new is None:
                place = f"{quoted(journey.to(path))}:{before.line(path, each.start)}"
                is_published = packages.is_published(before, each.said)
                why = "its package publishes it" if is_published else "nobody can tell how it is called now"
                left.append(f"{place}: {each.said} is left: {why}")
            elif new != each.said:
                splices[path].append(Splice(each.start, each.end, new.encode("utf-8", "surrogateescape")))
        left += _patterns_left(journey, before, path)
        located = directory_paths.follow(journey, before, path)
        splices[path] += located.splices
        for start, words in located.left:
            left.append(f"{quoted(journey.to(path))}:{before.line(path, start)}: {words}")
    return Followed({path: those for path, those in splices.items() if those}, left)


def _patterns_left(journey: Journey, resolver: Resolver, path: str) -> Iterator[str]:
    """Report patterns of a file that no longer load what has moved."""
    here = journey.to(path)
    for each in specifiers.patterns(resolver, path):
        if not each.glob.startswith("."):
            continue
        was, now = (_matcher(file, each.glob) for file in (path, here))
        gone = [old for old, to in journey.files.items() if was.fullmatch(old) and not now.fullmatch(to)]
        changed = [old for old, to in journey.files.items() if each.is_exact and was.fullmatch(old)]
        for old in (changed or gone)[:1]:
            place = f"{quoted(here)}:{resolver.line(path, each.start)}"
            yield f"{place}: {each.glob} is left: it loads {quoted(old)} by a pattern"


def _matcher(path: str, glob: str) -> re.Pattern[str]:
    """Return an expression for the paths that a pattern of a file may mean, endings left out or not."""
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(path), glob))
    text = re.escape(whole).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.compile(text + r"(\.\w+)?")


def _near(journey: Journey) -> Iterator[str]:
    """The files that may name what moves, and those that move."""
    yield from journey.files
    yield from configs.over(journey)
    yield from configs.packages_around(journey)
    yield from _loading_by_patterns(journey)
    for subject in journey.subjects:
        head, _, last = subject.rpartition("/")
        if subject in journey.files and last.startswith("index."):
            yield from journey.before.overlay.under(head)  # they may say "." or ".."
            last = head.rpartition("/")[2]
        words = re.findall(r"\w+", posixpath.splitext(last)[0])
        if words:
            yield from journey.before.holding(max(words, key=len))


def _loading_by_patterns(journey: Journey) -> Iterator[str]:
    """The files beside what moves, and those that say the name of its folder, that load by patterns."""
    for folder in {posixpath.dirname(path) for path in journey.files}:
        beside = [path for path in journey.before.overlay.under(folder) if posixpath.dirname(path) == folder]
        words = re.findall(r"\w+", posixpath.basename(folder))
        for path in (*beside, *(journey.before.holding(max(words, key=len)) if words else ())):
            source = journey.before.source(path) if path.endswith((*paths.SUFFIXES, *SUFFIXES)) else None
            if source is not None and _BY_PATTERN.search(source.text):
                yield path


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
