"""Statements that name a file by its place, in languages where nothing but the path counts.

``#include "x.h"``, ``require_relative "x"``, ``url(x.png)``, ``src="x.js"``, ``include_str!("x")`` and
others: what they name and what names them follows as it is written. Entry points of ``pyproject.toml`` name a
module of Python by its dotted name, and nothing else can be meant there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gitscalpel.meaning import told
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.meaning.python.moving import rooted, spelling
from gitscalpel.text.splice import Splice

_QUOTED = rb"""\s*(?P<quote>["'])(?P<said>[^"'\n]+)(?P=quote)"""


class _Form(NamedTuple):
    """A statement that names a file.

    Attributes:
        pattern: matches it; the group ``said`` is the path.
        endings: those that may be left out.
        searched: the path may also be found from other folders.
        may_climb: it may lead out of its own folder.
    """

    pattern: re.Pattern[bytes]
    endings: tuple[str, ...] = ()
    searched: bool = False
    may_climb: bool = True


def _forms(*patterns: bytes, endings: tuple[str, ...] = ()) -> list[_Form]:
    return [_Form(re.compile(pattern), endings) for pattern in patterns]


_STYLE = _forms(
    rb"""\burl\(\s*(?P<quote>["']?)(?P<said>[^"'()\s]+)(?P=quote)\s*\)""",
    rb"@(?:import|use|forward|require|reference|plugin|config)" + _QUOTED,
    endings=(".css", ".scss", ".sass", ".less"),
)
_PAGE = _forms(rb"(?i)\b(?:src|href|poster|data-main|srcset)\s*=" + _QUOTED)
_C = [
    _Form(
        re.compile(rb"""(?m)^[ \t]*#[ \t]*(?:include|import|embed)[ \t]*["<](?P<said>[^">\n]+)[">]"""),
        (),
        searched=True,
    )
]
_FORMS: Mapping[str, Sequence[_Form]] = {
    **dict.fromkeys((".css", ".scss", ".sass", ".less"), _STYLE),
    **{key: [*_PAGE, *_STYLE[:1]] for key in (".html", ".htm")},
    **{key: [*_PAGE, *_STYLE] for key in (".vue", ".svelte", ".astro")},
    **dict.fromkeys(
        (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".m", ".mm"), _C
    ),
    **dict.fromkeys(
        (".rb", ".rake", ".ru", ".gemspec"),
        _forms(rb"\brequire_relative\b\s*\(?" + _QUOTED, endings=(".rb",)),
    ),
    ".php": _forms(
        rb"(?i)\b(?:include|require)(?:_once)?\b\s*\(?\s*(?:__DIR__|dirname\(\s*__FILE__\s*\))\s*\.\s*(?P<quote>[\"'])/(?P<said>[^\"'\n]+)(?P=quote)"
    ),
    ".rs": _forms(rb"\binclude(?:_str|_bytes)?!\s*\(" + _QUOTED, rb"#\s*!?\[\s*path\s*=" + _QUOTED),
    ".go": [_Form(re.compile(rb"(?m)^//go:embed[ \t]+(?P<said>[^\s*\"`]+)[ \t]*$"), may_climb=False)],
}
_ENTRY = re.compile(
    rb"""(?m)^[ \t]*[\w."'-]+[ \t]*=[ \t]*["'](?P<said>[A-Za-z_][\w.]*)(?=[:"'])[^"'\n]*["']"""
)
_SECTION = re.compile(rb"""(?m)^[ \t]*\[{1,2}(?P<name>[^\]\n]+)\]{1,2}""")
_ENTRY_SECTIONS = re.compile(
    rb"""^\s*(?:project\.(?:gui-)?scripts|project\.entry-points\..+|tool\.poetry\.(?:scripts|plugins\..+))\s*$"""
)


def follow(journey: Journey) -> Followed:
    """Return the edits of statements that name what moves, or are moved, and those that are left."""
    splices: dict[str, list[Splice]] = {}
    left: list[str] = []
    for path in dict.fromkeys(_near(journey)):
        found = Followed({}, [])
        forms = _FORMS.get(posixpath.splitext(path)[1], ())
        if forms:
            found = _respelled(journey, path, forms)
        elif posixpath.basename(path) == "pyproject.toml":
            found = Followed({path: list(_entry_points(journey, path))}, [])
        splices.update({each: those for each, those in found.splices.items() if those})
        left += found.left
    return Followed(splices, left)


def _near(journey: Journey) -> Iterator[str]:
    yield from journey.files
    for subject in journey.subjects:
        words = re.findall(r"\w+", posixpath.splitext(posixpath.basename(subject))[0])
        if words:
            yield from journey.before.holding(max(words, key=len))


def _respelled(journey: Journey, path: str, forms: Sequence[_Form]) -> Followed:
    source = journey.before.source(path)
    splices, left = list[Splice](), list[str]()
    if source is None:
        return Followed({}, [])
    for form in forms:
        for found in form.pattern.finditer(source.text):
            whole = found["said"].decode("utf-8", "surrogateescape")
            said = re.split(r"[?#]", whole, maxsplit=1)[0] if form.pattern in _WITH_QUERY else whole
            new = _renamed(journey, path, said, form)
            start = found.start("said")
            end = start + len(said.encode("utf-8", "surrogateescape"))
            if new is None:
                where = told.spots(journey.to(path), [source.document.line_at(start)])
                left.append(f"{where}: {said} is left: it cannot name the new place")
            elif new != said:
                splices.append(Splice(start, end, new.encode("utf-8", "surrogateescape")))
    return Followed({path: sorted(set(splices))}, left)


_WITH_QUERY = {form.pattern for form in (*_STYLE, *_PAGE)}


def _renamed(journey: Journey, path: str, said: str, form: _Form) -> str | None:
    """Return a path after the move, and None if it cannot be said."""
    if said.startswith(("/", "data:", "#")) or "://" in said:
        return said
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.to(path))
    place = _found(journey.before, posixpath.normpath(posixpath.join(folder, said)), form)
    if place is None:
        return _searched(journey, said) if form.searched else said
    to = journey.means(place)
    if to == place and now == folder:
        return said
    if (
        form.searched
        and to == place
        and _found(journey.after, posixpath.normpath(posixpath.join(now, said)), form) == to
    ):
        return said
    new = _as_said(said, posixpath.relpath(to, now or "."), place, to)
    return new if form.may_climb or not new.startswith("../") else None


def _as_said(said: str, new: str, place: str, to: str) -> str:
    """Return a path with ``./``, its ending and the underscore of a partial as another path has them."""
    suffix, ending = posixpath.splitext(place)[1], posixpath.splitext(to)[1]
    if not said.endswith(suffix):
        new = new.removesuffix(ending)
    folder, name = posixpath.split(new)
    if name.startswith("_") and not posixpath.basename(said).startswith("_"):
        new = posixpath.join(folder, name[1:])
    return f"./{new}" if said.startswith("./") and not new.startswith("../") else new


def _found(files: Files, place: str, form: _Form) -> str | None:
    """Return the file that a path names, whose ending may be left out."""
    head, name = posixpath.split(place)
    tried = [place, *(place + each for each in form.endings)]
    tried += [posixpath.join(head, f"_{name}{each}") for each in form.endings if each != ".rb"]
    return next((each for each in tried if not each.startswith("..") and files.is_file(each)), None)


def _searched(journey: Journey, said: str) -> str | None:
    """Return a path from a folder that the compiler searches; None if it is no longer below that."""
    for path, to in journey.files.items():
        if path == said or path.endswith(f"/{said}"):
            root = path.removesuffix(said)
            if "/" not in said and posixpath.dirname(path) == posixpath.dirname(to):
                return posixpath.basename(to)
            return to.removeprefix(root) if to.startswith(root) and "/" in said else None
    return said


def _entry_points(journey: Journey, path: str) -> Iterator[Splice]:
    """Yield the edits of entry points that name a module that moves."""
    source = journey.before.source(path)
    text = source.text if source is not None else b""
    for section in _SECTION.finditer(text):
        if not _ENTRY_SECTIONS.match(section["name"]):
            continue
        behind = _SECTION.search(text, section.end())
        for found in _ENTRY.finditer(text, section.end(), behind.start() if behind else len(text)):
            said = found["said"].decode()
            new = _module_renamed(journey, posixpath.dirname(path), said)
            if new != said:
                yield Splice(found.start("said"), found.end("said"), new.encode("utf-8", "surrogateescape"))


def _module_renamed(journey: Journey, folder: str, said: str) -> str:
    """Return the dotted name of a module after the move, looked up below the folder of a project."""
    for root in (posixpath.join(folder, each) for each in ("", "src", "lib", "python")):
        stem = posixpath.join(root.rstrip("/"), *said.split("."))
        for place in (f"{stem}.py", f"{stem}/__init__.py"):
            if journey.before.is_file(place):
                to = journey.means(place)
                if to == place:
                    return said
                parts, above = rooted.parts(to), root.strip("/")
                head = above.split("/") if above else []
                is_below = parts[: len(head)] == head
                return ".".join(parts[len(head) :]) if is_below else spelling.dotted(journey.after, to)
    return said
