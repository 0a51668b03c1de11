"""Files of Go and Java that move: the folder is the package, and in Java the file is called after its class.

A package of Go that moves as a whole is imported by its new path. What else changes its package is listed:
the file itself, and the lines that say one of its names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import told
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.text.splice import Splice

_LANGUAGES = (".go", ".java")
_MODULE = re.compile(rb"(?m)^module[ \t]+\"?([^\s\"]+)")
_PUBLIC = rb"(?m)^[^\n/*]*\bpublic\b[^\n({;]*\b(?:class|interface|enum|record)[ \t]+%s\b"
_CONDITIONS = frozenset(
    {"test", "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd"}
    | {"openbsd", "plan9", "solaris", "unix", "wasip1", "windows", "386", "amd64", "arm", "arm64", "loong64"}
    | {"mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
)
"""Ends of names that decide when a Go file is compiled: https://pkg.go.dev/cmd/go#hdr-Build_constraints."""
_MOST = 50
"""Names of a file that are looked for."""


def follow(journey: Journey) -> Followed:
    """Return the edits of imports of packages that move, and what is left."""
    splices: dict[str, list[Splice]] = {}
    left: list[str] = []
    whole = _whole_packages(journey)
    for folder in sorted(whole):
        for path, those in _imports(journey, folder):
            splices.setdefault(path, []).extend(those)
    for path, to in journey.files.items():
        if not path.endswith(_LANGUAGES) or posixpath.dirname(path) in whole:
            continue
        is_beside = posixpath.dirname(path) == posixpath.dirname(to)
        left += _name_left(journey, path, to) if is_beside else _package_left(journey, path, to)
    return Followed(splices, left)


def _whole_packages(journey: Journey) -> set[str]:
    """Return the folders of Go that move with all of their files."""
    found = {posixpath.dirname(path) for path in journey.files if path.endswith(".go")}
    return {each for each in found if each in journey.folders and _import_path(journey, each)}


def _import_path(journey: Journey, folder: str) -> str:
    """Return the path by which others import a folder; empty without ``go.mod``."""
    above = folder
    while above:
        above = posixpath.dirname(above)
        source = journey.before.source(posixpath.join(above, "go.mod"))
        found = _MODULE.search(source.text) if source is not None else None
        if found is not None:
            return posixpath.join(found[1].decode(), posixpath.relpath(folder, above or "."))
    return ""


def _imports(journey: Journey, folder: str) -> Iterator[tuple[str, list[Splice]]]:
    said, to = _import_path(journey, folder), journey.folders[folder]
    shared = posixpath.commonpath([folder, to])
    kept = folder[len(shared) :].lstrip("/")  # the module's folder may be above the tree's
    if not said.endswith(kept):
        return
    new = said.removesuffix(kept) + to[len(shared) :].lstrip("/")
    pattern = re.compile(
        rb'(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"(?P<said>%s)"' % re.escape(said.encode())
    )
    for path in journey.before.holding(re.findall(r"\w+", said)[-1]):
        source = journey.before.source(path) if path.endswith(".go") else None
        if source is not None:
            found = pattern.finditer(source.text)
            yield path, [Splice(each.start("said"), each.end("said"), new.encode()) for each in found]


def _name_left(journey: Journey, path: str, to: str) -> Iterator[str]:
    """Report what the name of a file decides."""
    stem, new = (posixpath.basename(each).rpartition(".")[0] for each in (path, to))
    source = journey.before.source(path)
    if source is None:
        return
    if path.endswith(".go"):
        was, now = ({*each.split("_")[1:]} & _CONDITIONS for each in (stem, new))
        if was != now:
            yield f"{quoted(to)}: its name decides when it is compiled, and says something else now"
        return
    found = re.search(_PUBLIC % re.escape(stem.encode("utf-8", "surrogateescape")), source.text)
    if found is not None and stem != new:
        where = told.spots(to, [source.document.line_at(found.end())])
        yield f"{where}: {stem} is public, and has to be called {new} as its file is: rename it"


def _package_left(journey: Journey, path: str, to: str) -> Iterator[str]:
    """Report a file that comes to another package, and who says its names."""
    yield f"{quoted(to)}: it is in another package now: what it uses of the old one stays"
    for other, lines in sorted(_uses(journey, path).items()):
        yield f"{told.spots(journey.to(other), sorted(lines))}: it may use what is in {quoted(to)} now"


def _uses(journey: Journey, path: str) -> dict[str, set[int]]:
    """Return the lines of other files of the language that say a name which a file defines."""
    source, found = journey.before.source(path), dict[str, set[int]]()
    try:
        symbols = source.outline.symbols if source is not None else ()
    except DoesNotFit:
        return {}
    names = list(dict.fromkeys(each.name.rpartition(".")[2] for each in symbols))[:_MOST]
    for name in names:
        word = re.compile(rb"\b%s\b" % re.escape(name.encode("utf-8", "surrogateescape")))
        for other in journey.before.holding(name):
            there = journey.before.source(other) if other.endswith(_LANGUAGES) and other != path else None
            if there is not None:
                lines = {there.document.line_at(each.start()) for each in word.finditer(there.text)}
                found.setdefault(other, set()).update(lines)
    return {other: lines for other, lines in found.items() if lines}
