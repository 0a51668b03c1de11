"""Edit or report paths of moved files in strings, configuration and prose.

Statements that name a file (``#include "x.h"``, ``url(x.png)``, ``src="x.js"``) are edited; other text is
reported. A word that looks like a path is looked up from the directory of its file, then from those above it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from gitscalpel.changesets.answers import quote_path, remark
from gitscalpel.changesets.file_tree import SYMLINK, TREE
from gitscalpel.names.files import FileMoves, Files, MoveEdits
from gitscalpel.names.languages.python import modules
from gitscalpel.refactor.python import module_names
from gitscalpel.text.splice import Splice

_QUOTED = rb"""\s*(?P<quote>["'])(?P<said>[^"'\n]+)(?P=quote)"""


class _Form(NamedTuple):
    """A statement that names a file."""

    pattern: re.Pattern[bytes]  # pattern of the statement; the group ``said`` is the path
    endings: tuple[str, ...] = ()  # suffixes that may be omitted
    searched: bool = False  # True if the path may also be found from other folders
    may_climb: bool = True  # True if the path may leave its own folder


def _make_forms(*patterns: bytes, endings: tuple[str, ...] = ()) -> list[_Form]:
    return [_Form(re.compile(pattern), endings) for pattern in patterns]


_STYLE_FORMS = _make_forms(
    rb"""\burl\(\s*(?P<quote>["']?)(?P<said>[^"'()\s]+)(?P=quote)\s*\)""",
    rb"@(?:import|use|forward|require|reference|plugin|config)" + _QUOTED,
    endings=(".css", ".scss", ".sass", ".less"),
)
_PAGE_FORMS = _make_forms(rb"(?i)\b(?:src|href|poster|data-main|srcset)\s*=" + _QUOTED)
_C_FORMS = [
    _Form(
        re.compile(rb"""(?m)^[ \t]*#[ \t]*(?:include|import|embed)[ \t]*["<](?P<said>[^">\n]+)[">]"""),
        (),
        searched=True,
    )
]
_FORMS: Mapping[str, Sequence[_Form]] = {
    **dict.fromkeys((".css", ".scss", ".sass", ".less"), _STYLE_FORMS),
    **{key: [*_PAGE_FORMS, *_STYLE_FORMS[:1]] for key in (".html", ".htm")},
    **{key: [*_PAGE_FORMS, *_STYLE_FORMS] for key in (".vue", ".svelte", ".astro")},
    **dict.fromkeys(
        (".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl", ".ipp", ".tpp", ".m", ".mm"),
        _C_FORMS,
    ),
    **dict.fromkeys(
        (".rb", ".rake", ".ru", ".gemspec"),
        _make_forms(rb"\brequire_relative\b\s*\(?" + _QUOTED, endings=(".rb",)),
    ),
    ".php": _make_forms(
        rb"(?i)\b(?:include|require)(?:_once)?\b\s*\(?\s*(?:__DIR__|dirname\(\s*__FILE__\s*\))\s*\.\s*(?P<quote>[\"'])/(?P<said>[^\"'\n]+)(?P=quote)"
    ),
    ".rs": _make_forms(rb"\binclude(?:_str|_bytes)?!\s*\(" + _QUOTED, rb"#\s*!?\[\s*path\s*=" + _QUOTED),
    ".go": [_Form(re.compile(rb"(?m)^//go:embed[ \t]+(?P<said>[^\s*\"`]+)[ \t]*$"), may_climb=False)],
}
_ENTRY_LINE = re.compile(
    rb"""(?m)^[ \t]*[\w."'-]+[ \t]*=[ \t]*["'](?P<said>[A-Za-z_][\w.]*)(?=[:"'])[^"'\n]*["']"""
)
_SECTION = re.compile(rb"""(?m)^[ \t]*\[{1,2}(?P<name>[^\]\n]+)\]{1,2}""")
_ENTRY_SECTIONS = re.compile(
    rb"""^\s*(?:project\.(?:gui-)?scripts|project\.entry-points\..+|tool\.poetry\.(?:scripts|plugins\..+))\s*$"""
)


def follow_paths(journey: FileMoves) -> MoveEdits:
    """Return the edits of statements that name moved files, or are in moved files, and notes on the rest."""
    splices: dict[str, list[Splice]] = {}
    notes: list[str] = []
    for path in dict.fromkeys(_iter_affected(journey)):
        forms, found = _FORMS.get(posixpath.splitext(path)[1], ()), list[Splice]()
        if forms:
            found = _rewrite_statements(journey, path, forms, notes)
        elif posixpath.basename(path) == "pyproject.toml":
            found = list(_iter_entry_point_edits(journey, path))
        splices.update({path: found} if found else {})
    return MoveEdits(splices, notes)


def _iter_affected(journey: FileMoves) -> Iterator[str]:
    yield from journey.files
    for subject in journey.subjects:
        words = re.findall(r"\w+", posixpath.splitext(posixpath.basename(subject))[0])
        if words:
            yield from journey.before.holding(max(words, key=len))


def _rewrite_statements(
    journey: FileMoves, path: str, forms: Sequence[_Form], notes: list[str]
) -> list[Splice]:
    source, splices = journey.before.source(path), set[Splice]()
    if source is None:
        return []
    matches = ((form, each) for form in forms for each in form.pattern.finditer(source.text))
    for form, found in matches:
        path_text = found["said"].decode("utf-8", "surrogateescape")
        if form.pattern in _WITH_QUERY:
            path_text = re.split(r"[?#]", path_text, maxsplit=1)[0]
        new, start = _rewrite_path(journey, path, path_text, form), found.start("said")
        if new is None:
            words, lines = (
                f"{path_text} is left: it cannot name the new path",
                [source.document.line_at(start)],
            )
            notes.append(remark(words, path=journey.path_after(path), lines=lines, kind="relative"))
        elif new != path_text:
            end = start + len(path_text.encode("utf-8", "surrogateescape"))
            splices.add(Splice(start, end, new.encode("utf-8", "surrogateescape")))
    return sorted(splices)


_WITH_QUERY = {form.pattern for form in (*_STYLE_FORMS, *_PAGE_FORMS)}


def _rewrite_path(journey: FileMoves, path: str, path_text: str, form: _Form) -> str | None:
    """Return a path after the move, or None if the statement cannot express it."""
    if path_text.startswith(("/", "data:", "#")) or "://" in path_text:
        return path_text
    folder, now = posixpath.dirname(path), posixpath.dirname(journey.path_after(path))
    place = _find_file(journey.before, posixpath.normpath(posixpath.join(folder, path_text)), form)
    if place is None:
        return _rewrite_searched_path(journey, path_text) if form.searched else path_text
    to = journey.target_after(place)
    if to == place and now == folder:
        return path_text
    same = posixpath.normpath(posixpath.join(now, path_text))
    if to == place and form.searched and _find_file(journey.after, same, form) == to:
        return path_text
    new = _apply_style(path_text, posixpath.relpath(to, now or "."), place, to)
    return new if form.may_climb or not new.startswith("../") else None


def _apply_style(path_text: str, new: str, place: str, to: str) -> str:
    """Return a path with ``./``, suffix and partial underscore as in the old path."""
    suffix, ending = posixpath.splitext(place)[1], posixpath.splitext(to)[1]
    if not path_text.endswith(suffix):
        new = new.removesuffix(ending)
    folder, name = posixpath.split(new)
    if name.startswith("_") and not posixpath.basename(path_text).startswith("_"):
        new = posixpath.join(folder, name[1:])
    return f"./{new}" if path_text.startswith("./") and not new.startswith("../") else new


def _find_file(files: Files, place: str, form: _Form) -> str | None:
    head, name = posixpath.split(place)
    tried = [place, *(place + each for each in form.endings)]
    tried += [posixpath.join(head, f"_{name}{each}") for each in form.endings if each != ".rb"]
    return next((each for each in tried if not each.startswith("..") and files.is_file(each)), None)


def _rewrite_searched_path(journey: FileMoves, path_text: str) -> str | None:
    """Return a path relative to a folder on the compiler's search path, or None if the file leaves it."""
    for path, to in journey.files.items():
        if path == path_text or path.endswith(f"/{path_text}"):
            root = path.removesuffix(path_text)
            if "/" not in path_text and posixpath.dirname(path) == posixpath.dirname(to):
                return posixpath.basename(to)
            return to.removeprefix(root) if to.startswith(root) and "/" in path_text else None
    return path_text


def _iter_entry_point_edits(journey: FileMoves, path: str) -> Iterator[Splice]:
    source = journey.before.source(path)
    text = source.text if source is not None else b""
    for section in _SECTION.finditer(text):
        if not _ENTRY_SECTIONS.match(section["name"]):
            continue
        behind = _SECTION.search(text, section.end())
        for found in _ENTRY_LINE.finditer(text, section.end(), behind.start() if behind else len(text)):
            module = found["said"].decode()
            new = _rename_module(journey, posixpath.dirname(path), module)
            if new != module:
                yield Splice(found.start("said"), found.end("said"), new.encode("utf-8", "surrogateescape"))


def _rename_module(journey: FileMoves, folder: str, module: str) -> str:
    """Return the dotted name of a module after the move, looked up below a project folder."""
    for root in (posixpath.join(folder, each).rstrip("/") for each in ("", "src", "lib", "python")):
        stem = posixpath.join(root, *module.split("."))
        place = next(filter(journey.before.is_file, (f"{stem}.py", f"{stem}/__init__.py")), None)
        if place is None:
            continue
        to = journey.target_after(place)
        if to == place:
            return module
        parts, head = modules.path_parts(to), [each for each in root.split("/") if each]
        is_below = parts[: len(head)] == head
        return ".".join(parts[len(head) :]) if is_below else module_names.dotted_name(journey.after, to)
    return module


_TOKEN = re.compile(rb"[\w@.+/\-\x80-\xff]+")
_RELATIVE_PATH = re.compile(rb"(?<![\w@.+/\-\x80-\xff])\.\.?/[\w@.+/\-\x80-\xff]+")
_OBJECT_REFERENCE = re.compile(rb":[A-Za-z_]\w*")
_MODULE_OPTION = re.compile(rb"-m[ \t\"',]+\Z")
_SECTION_HEADER = "mypy-"
"""Prefix of mypy's section for a module."""
_PYTHON_SUFFIXES = (".py", ".pyi")
_OPTIONAL_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".py", ".rb", ".php")
"""Suffixes that a path may omit."""
_CONFIGURATION = re.compile(
    r"\.(?:toml|ya?ml|cfg|ini|json[c5]?)$|(?:^|/)(?:setup\.py|[\w.-]*\.config\.[cm]?[jt]s|\.[\w-]+rc)$"
)
_UNQUOTED_FILE = re.compile(r"\.(?:ya?ml|cfg|ini)$|rc$")
"""Files in which a value needs no quotation marks, by suffix."""
_KEY = re.compile(rb"(?P<key>[\w.:-]+)[\"']?\s*[=:]")
_SECTION_LINE = re.compile(rb"(?m)^\s*\[+(?P<name>[^\]\n]+)\]")
_PATH_KEY = re.compile(
    rb"(?i)package|module|path|dir|folder|root|sources?$|src|files?$|include|exclude|omit|known|where|cover"
    rb"|workspace|member"
)
"""Pattern of keys whose values are directories or packages."""
_KEY_DISTANCE = 1000
"""Number of bytes before a value to search for its key."""
Edited = Mapping[str, Sequence[tuple[int, int]]]
"""Edited byte ranges by old path."""


class PathMention(NamedTuple):
    """A place that names a moved file."""

    path: str  # old path of the file with the place
    start: int  # offset of the word
    subject: str  # the file or folder that is named
    length: int  # length of the word in bytes


_PROSE_SUFFIXES = (".md", ".mdx", ".rst", ".txt", ".adoc")
"""Suffixes of files that only people read."""


def list_left(journey: FileMoves, edited: Edited, listed: Collection[tuple[str, int]] = ()) -> Iterator[str]:
    """Yield notes about text and links that still name old paths, unless edited or listed already."""
    rows: dict[tuple[str, str], list[int]] = {}
    for each in find_mentions(journey):
        source = journey.before.source(each.path)
        end = each.start + each.length
        if source is None or any(a < end and each.start <= b for a, b in edited.get(each.path, ())):
            continue
        line = source.document.line_at(each.start)
        if (quote_path(journey.path_after(each.path)), line) not in listed:
            rows.setdefault((each.path, each.subject), []).append(line)
    for (path, subject), lines in rows.items():
        yield remark(
            f"{quote_path(subject)} is left: it is in a text",
            path=journey.path_after(path),
            lines=sorted({*lines}),
            kind="path",
            severity="note" if path.endswith(_PROSE_SUFFIXES) else "warning",
        )
    yield from _list_broken_paths(journey, edited, listed)
    yield from _list_broken_links(journey)


def find_mentions(journey: FileMoves) -> Iterator[PathMention]:
    """Yield the places in texts that name moved files."""
    for subject in journey.subjects:
        finder = _Finder(journey, subject)
        for path in sorted({path for word in finder.words for path in journey.before.holding(word)}):
            yield from finder.find(path)


class _Finder:
    """Finder of mentions of one file or folder."""

    def __init__(self, journey: FileMoves, subject: str) -> None:
        self._journey, self._subject = journey, subject
        self._is_folder = subject in journey.folders
        self._get_stem = _get_stem(subject) if not self._is_folder else subject
        self._module = _get_module_parts(journey, subject)
        names = [subject, *([self._module[-1]] if self._module else [])]
        found = (re.findall(r"\w+", posixpath.basename(name)) for name in names)
        stems = (re.findall(r"\w+", posixpath.basename(_get_stem(name))) for name in names)
        longest = [max(parts, key=len) for parts in (*stems, *found) if parts]
        self.words = [
            word for word in dict.fromkeys(longest) if word not in ("py", "js", "ts", "index", "__init__")
        ]

    def find(self, path: str) -> Iterator[PathMention]:
        """Yield the places in one file."""
        source = self._journey.before.source(path)
        if source is None:
            return
        seen: set[int] = set()
        pattern = re.compile(
            "|".join(re.escape(word) for word in self.words).encode("utf-8", "surrogateescape")
        )
        is_python = path.endswith(_PYTHON_SUFFIXES)
        for at in pattern.finditer(source.text):
            start, token = _read_token_at(source.text, at.start())
            if start in seen:
                continue
            seen.add(start)
            token_text = token.decode("utf-8", "surrogateescape")
            if source.text[start - 1 : start] == b"$":  # a variable, which the path follows
                token_text = token_text[token_text.find("/") :] if "/" in token_text else ""
            if (
                self._is_named(path, token_text)
                or (not is_python and self._is_module(source.text, start, token_text))
                or self._is_value(path, source.text, start, token)
            ):
                yield PathMention(path, start, self._subject, len(token))

    def _is_named(self, path: str, word: str) -> bool:
        word = word.rstrip(".,")
        if "//" in word or ("/" not in word and not self._is_file_name(word)):
            return False
        parts = posixpath.normpath(word.lstrip("/")).split("/")
        if self._is_folder and posixpath.basename(self._subject) not in parts:
            return False
        for folder in [""] if word.startswith("/") else _iter_folders(path):
            place = posixpath.normpath(posixpath.join(folder, word.lstrip("/")))
            if self._is_subject(place, word):
                return True
            if word.startswith(".") or self._is_existing(place):
                return False
        if "/" not in word:
            return self._is_only
        return self._ends_with(parts, may_be_short=not word.startswith("/"))

    @cached_property
    def _is_only(self) -> bool:
        name = posixpath.basename(self._subject)
        return sum(posixpath.basename(each) == name for each in self._journey.before.overlay.under("")) == 1

    def _is_file_name(self, word: str) -> bool:
        return not self._is_folder and word == posixpath.basename(self._subject) and "." in word.strip(".")

    def _is_subject(self, place: str, word: str) -> bool:
        if place == self._subject:
            return True
        if self._is_folder:
            return place.startswith(self._subject + "/")
        may_be_short = not word.startswith("/") and self._subject.endswith(_OPTIONAL_SUFFIXES)
        return may_be_short and place == self._get_stem

    def _is_existing(self, place: str) -> bool:
        entry = self._journey.before.overlay.entry(place) if not place.startswith("..") else None
        return entry is not None and entry.mode != TREE

    def _ends_with(self, parts: list[str], *, may_be_short: bool) -> bool:
        """Return True if at least two names are the end of the subject's path."""
        parts = [each for each in parts if each != ".."]
        owns = [self._subject.split("/")]
        if may_be_short and self._subject.endswith(_OPTIONAL_SUFFIXES):
            owns.append(self._get_stem.split("/"))
        return not self._is_folder and len(parts) > 1 and any(own[-len(parts) :] == parts for own in owns)

    def _is_module(self, text: bytes, start: int, word: str) -> bool:
        """Return True if a word is the module's dotted name, or starts with it."""
        word = word.rstrip(".")
        names = word.split(".")
        own = self._module
        is_section = names[0].startswith(_SECTION_HEADER) and text[start - 1 : start] == b"["
        if is_section:
            names[0] = names[0].removeprefix(_SECTION_HEADER)
        if not own or names[: len(own)] != own or "/" in word:
            return False
        if len(own) > 1 or is_section:
            return True
        if len(names) > 1:
            return self._is_folder and self._has_module(names[1])
        end = start + len(word.encode("utf-8", "surrogateescape"))
        is_run = _MODULE_OPTION.search(text, max(0, start - 20), start) is not None
        return is_run or (
            text[start - 1 : start] not in (b"$", b"[") and _OBJECT_REFERENCE.match(text, end) is not None
        )

    def _is_value(self, path: str, text: bytes, start: int, token: bytes) -> bool:
        """Return True if a word is the whole value of a path option in a configuration."""
        word, end = token.decode("utf-8", "surrogateescape"), start + len(token)
        is_beside = self._is_folder and posixpath.join(posixpath.dirname(path), word) == self._subject
        if not (is_beside or self._module == [word]) or _CONFIGURATION.search(path) is None:
            return False
        before, after = text[max(0, start - _KEY_DISTANCE) : start], text[end : end + 2]
        quote = before[-1:]
        if quote in (b'"', b"'"):
            is_whole = after[:1] == quote
        else:
            is_key = after.strip()[:1] == b"="
            is_bounded = quote.strip(b" \t\r\n,=:[") == b"" and after[:1].strip(b" \t\r\n,]=") == b""
            is_whole = is_bounded and (is_key or _UNQUOTED_FILE.search(path) is not None)
        return is_whole and _is_path_value(before, after)

    def _has_module(self, name: str) -> bool:
        folder = f"{self._subject}/{name}"
        files = self._journey.before
        return any(files.is_file(folder + suffix) for suffix in (*_PYTHON_SUFFIXES, "/__init__.py"))


def _is_path_value(before: bytes, after: bytes) -> bool:
    """Return True if a value, or a key in a section, stands for a path or a package."""
    if after.lstrip(b"\"'").lstrip()[:1] in (b"=", b":"):
        sections = list(_SECTION_LINE.finditer(before))
        return bool(sections) and b"package" in sections[-1]["name"]
    keys = list(_KEY.finditer(before))
    return bool(keys) and _PATH_KEY.search(keys[-1]["key"]) is not None


def _get_stem(path: str) -> str:
    head, last = posixpath.split(path)
    return posixpath.join(head, last.removesuffix(".d.ts").rpartition(".")[0] or last)


def _get_module_parts(journey: FileMoves, subject: str) -> list[str]:
    inside = (path for path in journey.files if path.startswith(subject + "/"))
    if subject in journey.folders and any(path.endswith(_PYTHON_SUFFIXES) for path in inside):
        parts = subject.split("/")
    elif subject not in journey.folders and subject.endswith(_PYTHON_SUFFIXES):
        parts = modules.path_parts(subject)
    else:
        return []
    root = modules.package_root(journey.before, posixpath.dirname("/".join(parts)), "")
    return parts[len(root.split("/")) if root else 0 :]


def _read_token_at(text: bytes, at: int) -> tuple[int, bytes]:
    start = at
    while start and at - start < 300 and _TOKEN.fullmatch(text, start - 1, start):
        start -= 1
    found = _TOKEN.match(text, start)
    return start, found[0] if found else b""


def _iter_folders(path: str) -> Iterator[str]:
    while path:
        path = posixpath.dirname(path)
        yield path


def _list_broken_paths(
    journey: FileMoves, edited: Edited, listed: Collection[tuple[str, int]]
) -> Iterator[str]:
    """Yield notes about relative paths in moved files that no longer lead to their file."""
    for path, to in journey.files.items():
        source = journey.before.source(path)
        folder, now = posixpath.dirname(path), posixpath.dirname(to)
        if source is None or folder == now:
            continue
        spans, rows = edited.get(path, ()), dict[str, list[int]]()
        for found in _RELATIVE_PATH.finditer(source.text):
            path_text = found[0].decode("utf-8", "surrogateescape").rstrip(".,")
            place = posixpath.normpath(posixpath.join(folder, path_text))
            is_edited = any(a < found.end() and found.start() <= b for a, b in spans)
            if is_edited or place.startswith("..") or journey.before.overlay.entry(place) is None:
                continue
            line = source.document.line_at(found.start())
            is_new = (quote_path(to), line) not in listed
            if is_new and posixpath.normpath(posixpath.join(now, path_text)) != journey.place_after(place):
                rows.setdefault(path_text, []).append(line)
        for path_text, lines in rows.items():
            words = f"{path_text} is left: it is relative to the old place"
            yield remark(words, path=to, lines=sorted({*lines}), kind="relative")


def _list_broken_links(journey: FileMoves) -> Iterator[str]:
    """Yield notes about symbolic links that lead to moved files, or are moved and lead elsewhere."""
    overlay = journey.before.overlay
    for path in overlay.under(""):
        entry = overlay.entry(path)
        if entry is None or entry.mode != SYMLINK:
            continue
        goal = overlay.read(entry.oid).decode("utf-8", "surrogateescape")
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), goal))
        now = posixpath.normpath(posixpath.join(posixpath.dirname(journey.path_after(path)), goal))
        if goal.startswith("/") or place.startswith("..") or overlay.entry(place) is None:
            continue
        if now != journey.place_after(place):
            link = f"the link to {quote_path(goal)} is left, and leads nowhere or elsewhere now"
            yield f"{quote_path(path)}: {link}"
