"""Update imports of and in moved files, Go and Java packages, and Rust modules.

In Go and Java a directory is a package, and in Java a file has the name of its class. Imports of a Go package
that moves as a whole get its new path. Other changes of packages and of Rust modules are reported, not
edited.
"""

from __future__ import annotations

import importlib
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from msgspec import UNSET

from gitscalpel.changesets.answers import Affected, Remark, quote_path, remark
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.changesets.operations import MovedFiles
from gitscalpel.edit.outcome import FileSplices, LoweredOperation, OpenSource
from gitscalpel.errors import DoesNotFit
from gitscalpel.names import unresolved_notes
from gitscalpel.names.entities import WHOLE, Binding
from gitscalpel.names.files import FileMoves, MoveEdits
from gitscalpel.names.references import Reference, find_references
from gitscalpel.names.resolver import Resolver, dialect
from gitscalpel.refactor import path_references
from gitscalpel.syntax.languages import recognise
from gitscalpel.text import line_endings
from gitscalpel.text.splice import Splice

_PACKAGE_SUFFIXES = (".go", ".java")
_MODULE_LINE = re.compile(rb"(?m)^module[ \t]+\"?([^\s\"]+)")
_PUBLIC_TYPE = rb"(?m)^[^\n/*]*\bpublic\b[^\n({;]*\b(?:class|interface|enum|record)[ \t]+%s\b"
_BUILD_CONSTRAINTS = frozenset(
    {"test", "aix", "android", "darwin", "dragonfly", "freebsd", "illumos", "ios", "js", "linux", "netbsd"}
    | {"openbsd", "plan9", "solaris", "unix", "wasip1", "windows", "386", "amd64", "arm", "arm64", "loong64"}
    | {"mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x", "wasm"}
)
"""Suffixes of Go file names that are build constraints: https://pkg.go.dev/cmd/go#hdr-Build_constraints."""
_MAX_NAMES = 50
"""Largest number of names of a file to search for."""


def follow_packages(journey: FileMoves) -> MoveEdits:
    """Return the edits of imports of moved packages, and notes on the rest."""
    splices: dict[str, list[Splice]] = {}
    notes: list[str] = []
    whole = _find_whole_packages(journey)
    for folder in sorted(whole):
        for path, edits in _iter_import_edits(journey, folder):
            splices.setdefault(path, []).extend(edits)
    for path, to in journey.files.items():
        if path.endswith(_PACKAGE_SUFFIXES) and posixpath.dirname(path) not in whole:
            is_beside = posixpath.dirname(path) == posixpath.dirname(to)
            notes += (_list_name_effects if is_beside else _list_package_effects)(journey, path, to)
    return MoveEdits(splices, notes)


def _find_whole_packages(journey: FileMoves) -> set[str]:
    found = {posixpath.dirname(path) for path in journey.files if path.endswith(".go")}
    return {each for each in found if each in journey.folders and _read_import_path(journey, each)}


def _read_import_path(journey: FileMoves, folder: str) -> str:
    above = folder
    while above:
        above = posixpath.dirname(above)
        source = journey.before.source(posixpath.join(above, "go.mod"))
        found = _MODULE_LINE.search(source.text) if source is not None else None
        if found is not None:
            return posixpath.join(found[1].decode(), posixpath.relpath(folder, above or "."))
    return ""


def _iter_import_edits(journey: FileMoves, folder: str) -> Iterator[tuple[str, list[Splice]]]:
    old, to = _read_import_path(journey, folder), journey.folders[folder]
    shared = posixpath.commonpath([folder, to])
    tail = folder[len(shared) :].lstrip("/")  # the module's folder may be above the tree
    if not old.endswith(tail):
        return
    new = (old.removesuffix(tail) + to[len(shared) :].lstrip("/")).encode()
    pattern = re.compile(
        rb'(?m)^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"(?P<path>%s)"' % re.escape(old.encode())
    )
    for path in journey.before.holding(re.findall(r"\w+", old)[-1]):
        source = journey.before.source(path) if path.endswith(".go") else None
        if source is not None:
            yield path, [Splice(*found.span("path"), new) for found in pattern.finditer(source.text)]


def _list_name_effects(journey: FileMoves, path: str, to: str) -> Iterator[str]:
    """Yield a note if the new file name changes the meaning of the file."""
    stem, new = (posixpath.basename(each).rpartition(".")[0] for each in (path, to))
    source = journey.before.source(path)
    if source is None:
        return
    if path.endswith(".go"):
        was, now = ({*each.split("_")[1:]} & _BUILD_CONSTRAINTS for each in (stem, new))
        if was != now:
            effect = "its name decides when it is compiled, and the new name decides differently"
            yield f"{quote_path(to)}: {effect}"
        return
    found = re.search(_PUBLIC_TYPE % re.escape(stem.encode("utf-8", "surrogateescape")), source.text)
    if found is not None and stem != new:
        words = f"{stem} is public and must be named {new} like its file: rename it"
        yield remark(words, path=to, lines=[source.document.line_at(found.end())])


def _list_package_effects(journey: FileMoves, path: str, to: str) -> Iterator[str]:
    moved = quote_path(to)
    yield f"{moved}: it is now in another package: its uses of the old package stay"
    for other, lines in sorted(_find_using_lines(journey, path).items()):
        words = f"it may use names that are now in {moved}"
        yield remark(words, path=journey.path_after(other), lines=sorted(lines), kind="package")


def _find_using_lines(journey: FileMoves, path: str) -> dict[str, set[int]]:
    source, found = journey.before.source(path), dict[str, set[int]]()
    try:
        symbols = source.outline.symbols if source is not None else ()
    except DoesNotFit:
        return {}
    names = list(dict.fromkeys(each.name.rpartition(".")[2] for each in symbols))[:_MAX_NAMES]
    for name in names:
        word = re.compile(rb"\b%s\b" % re.escape(name.encode("utf-8", "surrogateescape")))
        for other in journey.before.holding(name):
            is_read = other.endswith(_PACKAGE_SUFFIXES) and other != path
            using = journey.before.source(other) if is_read else None
            if using is not None:
                lines = {using.document.line_at(each.start()) for each in word.finditer(using.text)}
                found.setdefault(other, set()).update(lines)
    return {other: lines for other, lines in found.items() if lines}


_RELATIVE_MODULE = re.compile(rb"\bsuper\s*::|\bmod\s+\w+\s*;")
_CRATE_ROOTS = ("lib.rs", "main.rs", "build.rs")


def follow_rust_modules(journey: FileMoves) -> MoveEdits:
    """Return the edits of files that name a renamed Rust module, and notes on the rest."""
    resolver = Resolver(journey.before, dialect)
    splices: dict[str, list[Splice]] = {}
    remaining: list[str] = []
    for subject in journey.subjects:
        place = f"{subject}/mod.rs" if subject in journey.folders else subject
        if not place.endswith(".rs") or resolver.files.lexical(place) is None:
            continue
        name, new = (_get_stem(each) for each in (subject, journey.path_after(subject)))
        found = find_references(resolver, {Binding(place, WHOLE, "rust", name)})
        named = [each for each in found.certain if each.mention.name == name]
        is_beside = posixpath.dirname(subject) == posixpath.dirname(journey.path_after(subject))
        paths = {each.path for each in named}
        is_taken = any(resolver.lexical(path).occurrences_of(new) for path in paths)
        if is_beside and new.isidentifier() and new != "mod" and not is_taken:
            for each in named:
                splices.setdefault(each.path, []).append(each.mention.make_splice(new))
        else:
            remaining += _list_declarations(resolver, journey, subject, named)
        notes = unresolved_notes.iter_unresolved(resolver, found)
        remaining += [each for each in notes if not each.startswith(f"{quote_path(subject)}:")]
        remaining += _list_relative_modules(resolver, journey, subject, is_beside=is_beside)
    return MoveEdits(
        {path: sorted(set(edits)) for path, edits in splices.items()}, list(dict.fromkeys(remaining))
    )


def _get_stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".rs")


def _list_declarations(
    resolver: Resolver, journey: FileMoves, subject: str, named: list[Reference]
) -> Iterator[str]:
    """Yield notes about declarations and uses of a module that becomes another one."""
    places = ((each.path, resolver.line(each.path, each.mention.start)) for each in named)
    for path, lines in unresolved_notes.lines_by_name(places):
        words = f"{_get_stem(subject)} is left: its module is {quote_path(journey.path_after(subject))} now"
        yield remark(words, path=journey.path_after(path), lines=lines, kind="removed")


def _list_relative_modules(
    resolver: Resolver, journey: FileMoves, subject: str, *, is_beside: bool
) -> Iterator[str]:
    source = resolver.files.source(subject) if subject not in journey.folders else None
    if source is None or (is_beside and posixpath.basename(subject) in (*_CRATE_ROOTS, "mod.rs")):
        return
    matches = _RELATIVE_MODULE.finditer(source.text)
    starts = [each.start() for each in matches if not is_beside or each[0].startswith(b"mod")]
    lines = sorted(set(map(source.document.line_at, starts)))
    if lines:
        words = "it is now resolved from the module's new place"
        yield remark(words, path=journey.path_after(subject), lines=lines)


_BY_LANGUAGE: Mapping[str, str] = {
    "python": "python",
    "rust": "rust",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "javascript"),
}
_LISTED_LANGUAGES = frozenset({"bash", "c", "cpp", "go", "java"})
"""Languages in which each reference that is not updated is listed."""
_PATH_FREE_LANGUAGES = frozenset({"kotlin", "csharp", "swift", "scala"})
"""Languages in which a file name has no meaning, but its folder may have one."""
_IMPORTABLE_SUFFIXES = frozenset(
    {
        *(".json", ".jsonc", ".json5", ".yaml", ".yml", ".css", ".scss", ".sass", ".less", ".vue", ".svelte"),
        *(".astro", ".graphql", ".gql", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".html", ".txt"),
        *(".md", ".mdx", ".wasm", ".node"),
    }
)
"""Suffixes of other files that JavaScript may import."""


def lower_moved_files(op: MovedFiles, overlay: Overlay, read: OpenSource) -> LoweredOperation:
    """Return the edits that update references. Raises ``duplicate_symbol`` if a name would be captured."""
    journey = FileMoves(op.pairs, overlay, read)
    languages = {path: _find_follower(path) for path in journey.files}
    splices: dict[str, set[Splice]] = {}
    notes: list[str] = []
    followers = map(_load_follower, sorted({each for each in languages.values() if each}))
    for follow in (*followers, path_references.follow_paths, follow_packages):
        found: MoveEdits = follow(journey)
        notes += found.left
        for path, edits in found.splices.items():
            splices.setdefault(path, set()).update(edits)
    inside = list(edit_moved_files(journey, splices))
    for path, language in languages.items():
        notes += _list_unfollowed(journey, path) if language is None else ()
    for path, language in languages.items():
        notes += _list_unread(journey, path) if language is not None else ()
    notes = [_replace_old_path(journey, each) for each in notes]
    edited, listed = _list_edited_spans(journey, inside), unresolved_notes.listed_lines(notes)
    notes += path_references.list_left(journey, edited, listed)
    return LoweredOperation(tuple(inside), _count_affected(journey, inside), tuple(dict.fromkeys(notes)))


def _load_follower(language: str) -> Callable[[FileMoves], MoveEdits]:
    if language == "rust":
        return follow_rust_modules
    module = importlib.import_module(f"gitscalpel.refactor.{language}.move_file")
    follow: Callable[[FileMoves], MoveEdits] = module.follow
    return follow


def _replace_old_path(journey: FileMoves, words: str) -> str:
    if isinstance(words, Remark):
        return _remark_at_new_path(journey, words)
    path, colon, rest = words.partition(":")
    return f"{quote_path(journey.files[path])}{colon}{rest}" if colon and path in journey.files else words


def _remark_at_new_path(journey: FileMoves, words: Remark) -> Remark:
    found = words.finding
    if found.path is UNSET or found.path not in journey.files:
        return words
    path, lines = journey.files[found.path], found.lines or ()
    return remark(found.message, path=path, lines=lines, kind=found.kind, severity=found.severity)


def _list_unfollowed(journey: FileMoves, path: str) -> Iterator[str]:
    """Yield a note about a source file in a language whose imports are not followed."""
    language = recognise(path, b"")
    if language is None or language.data or language.name in _LISTED_LANGUAGES:
        return
    to = journey.path_after(path)
    is_beside = posixpath.dirname(path) == posixpath.dirname(to)
    if not (is_beside and language.name in _PATH_FREE_LANGUAGES):
        yield f"{quote_path(to)}: imports of {language.name} by the names of modules are not followed"


def _list_unread(journey: FileMoves, path: str) -> Iterator[str]:
    if journey.before.lexical(path) is None and path in journey.before.unread:
        why = journey.before.unread[path]
        yield f"{quote_path(path)}: skipped: imports in it and of it were not followed: {why}"


def _find_follower(path: str) -> str | None:
    language = recognise(path, b"")
    by_language = None if language is None else _BY_LANGUAGE.get(language.name)
    return by_language or ("javascript" if posixpath.splitext(path)[1] in _IMPORTABLE_SUFFIXES else None)


def edit_moved_files(journey: FileMoves, found: Mapping[str, set[Splice]]) -> Iterator[FileSplices]:
    """Yield the edits of imports, by the new path of each file."""
    for path, splices in sorted(found.items()):
        source = journey.before.source(path)
        if splices and source is not None:
            ended = (line_endings.make_splice(source.document, *each) for each in sorted(splices))
            yield FileSplices(journey.path_after(path), tuple(ended))


def _list_edited_spans(journey: FileMoves, inside: list[FileSplices]) -> dict[str, list[tuple[int, int]]]:
    old_paths = {to: path for path, to in journey.files.items()}
    return {old_paths.get(each.path, each.path): [(s.start, s.end) for s in each.splices] for each in inside}


def _count_affected(journey: FileMoves, inside: list[FileSplices]) -> tuple[Affected, ...]:
    if not inside:
        return ()
    subject = next(iter(journey.subjects), next(iter(journey.files)))
    references = sum(len(each.splices) for each in inside)
    return (Affected(symbol=quote_path(subject), references=references, files=len(inside)),)
