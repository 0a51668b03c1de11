"""Write the specifier by which one file names another, in the style of the file or its neighbours."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import Literal, NamedTuple

from gitscalpel.names.files import FileMoves, Files
from gitscalpel.names.languages.javascript import modules
from gitscalpel.names.resolver import Resolver, dialect

SpecifierStyle = Literal["whole", "compiled", "bare", "folder"]
"""Form of a path: with its suffix, with the suffix of the compiled file, without suffix, or as its folder."""
_COMPILED_SUFFIX = {written: out for out, those in modules.WRITTEN_FOR.items() for written in those}


class SpecifierMove(NamedTuple):
    """A move, with resolvers for the files before and after."""

    journey: FileMoves
    before: Resolver
    after: Resolver


class _Found(NamedTuple):
    """Result of a specifier lookup."""

    place: str  # path that the specifier names
    path: str
    is_around: bool = False  # True if the path is relative to the importing file


def rewrite_specifier(move: SpecifierMove, path: str, specifier: str) -> str | None:
    """Return the specifier after the move, or None if it cannot be determined."""
    found = _locate(move.before, path, specifier)
    if found is None:
        return None if _may_name_moved_file(move.journey, specifier) else specifier
    importer, to = move.journey.path_after(path), move.journey.target_after(found.path)
    if to == found.path and (importer == path or not specifier.startswith(".")):
        return specifier
    is_published = not specifier.startswith(".") and modules.is_published(move.before, specifier)
    for new in _iter_candidates(specifier, found, importer, to):
        located = _locate(move.after, importer, new)
        is_hidden = is_published and modules.is_published(move.after, new) is False
        if located is not None and located.path == to and not is_hidden:
            return new
    return None


def specifier_in_style_of(
    before: Resolver, after: Resolver, importer: str, to: str, sample: tuple[str, str]
) -> str | None:
    """Return the specifier of ``to`` in the style of a sample (file and specifier), or None."""
    path, sample_specifier = sample
    found = _locate(before, path, sample_specifier)
    for new in _iter_candidates(sample_specifier, found, importer, to) if found is not None else ():
        located = _locate(after, importer, new)
        if located is not None and located.path == to:
            return new
    return None


def _may_name_moved_file(journey: FileMoves, specifier: str) -> bool:
    stems = {posixpath.basename(path).partition(".")[0] for path in journey.files}
    return not specifier.startswith("@") and posixpath.basename(specifier).partition(".")[0] in stems


def _locate(resolver: Resolver, path: str, specifier: str) -> _Found | None:
    """Return what a specifier names, which is the same for all files of a directory."""
    key = ("located", posixpath.dirname(path), specifier)
    return resolver.compute_once(key, lambda: (_find_located(resolver, path, specifier),), (None,))[0]


def _find_located(resolver: Resolver, path: str, specifier: str) -> _Found | None:
    for place in modules.candidate_paths(resolver, path, specifier):
        clean = posixpath.normpath(place)
        found = modules.find_file(resolver.files, clean)
        if found is not None:
            around = map(posixpath.normpath, modules.nearby_paths(resolver.files, path, specifier))
            return _Found(clean, found.path, clean in around)
        if resolver.files.is_file(clean):
            return _Found(clean, clean)
    return None


def _iter_candidates(specifier: str, found: _Found, importer: str, to: str) -> Iterator[str]:
    style = _find_style(specifier, found)
    is_relative = specifier.startswith(".") or found.is_around
    if not is_relative:
        yield specifier
    for each in (style, "bare", "compiled", "whole"):
        place = _write_path(to, each, keeps_index=posixpath.basename(specifier) == "index")
        if is_relative:
            yield _make_relative(place, importer)
        else:
            yield from _replace_alias_target(specifier, found.place, place)
            suffix = posixpath.splitext(found.place)[1]
            if suffix in modules.SUFFIXES and not specifier.endswith(suffix):  # a pattern adds the suffix
                yield from _replace_alias_target(
                    specifier, found.place.removesuffix(suffix), _write_path(to, "bare", keeps_index=True)
                )


def _find_style(specifier: str, found: _Found) -> SpecifierStyle:
    if found.path == found.place:
        return "whole"
    folder, name = posixpath.split(found.path)
    if name.startswith("index.") and folder == ("" if found.place == "." else found.place):
        return "folder"
    return "compiled" if posixpath.splitext(specifier)[1] in modules.WRITTEN_FOR else "bare"


def _write_path(path: str, style: SpecifierStyle, *, keeps_index: bool) -> str:
    suffix = next((each for each in (".d.ts", *modules.SUFFIXES) if path.endswith(each)), "")
    stem = path.removesuffix(suffix)
    if style == "whole" or not suffix:
        return path
    if style == "compiled":
        return stem + _COMPILED_SUFFIX.get(suffix, suffix)
    if posixpath.basename(stem) == "index" and not (keeps_index and style == "bare"):
        return posixpath.dirname(stem)
    return stem


def _replace_alias_target(specifier: str, old_path: str, new_path: str) -> Iterator[str]:
    """Yield the path with the same alias prefix: the common end of specifier and path may change."""
    shared = 0
    names, places = specifier.split("/"), old_path.split("/")
    while shared < min(len(names), len(places)) and names[-1 - shared] == places[-1 - shared]:
        shared += 1
    head, folder = names[: len(names) - shared], places[: len(places) - shared]
    parts = new_path.split("/")
    if shared and parts[: len(folder)] == folder:
        yield "/".join([*head, *parts[len(folder) :]])


_STRICT_SUFFIXES = (".mjs", ".mts")
"""Suffixes of files whose specifiers need a suffix."""
_EXPLICIT_SUFFIXES = (*_STRICT_SUFFIXES, ".cjs", ".cts")
"""Suffixes that a resolver does not add."""
_OUTPUT_SUFFIX = {".ts": ".js", ".tsx": ".js", ".d.ts": ".js", ".mts": ".mjs", ".cts": ".cjs"}
_WRITTEN_SUFFIXES = frozenset((*modules.SUFFIXES, ".json"))
_MAX_SAMPLE_FILES = 20
"""Largest number of files to search for sample specifiers."""


def specifier_for(files: Files, importer: str, to: str, *samples: tuple[str, str]) -> str:
    """Return the specifier of ``to`` in a file. Samples are a file and a specifier in it, best first."""
    resolver = Resolver(files.with_file(to), dialect)
    is_strict = importer.endswith(_STRICT_SUFFIXES) or to.endswith(_EXPLICIT_SUFFIXES)
    for sample in (*samples, *_iter_samples(resolver, importer, to)):
        specifier = specifier_in_style_of(resolver, resolver, importer, to, sample)
        if specifier is not None and not (
            is_strict and posixpath.splitext(specifier)[1] not in _WRITTEN_SUFFIXES
        ):
            return specifier
    suffix = next((each for each in (".d.ts", *modules.SUFFIXES) if to.endswith(each)), "")
    stem = to.removesuffix(suffix)
    if suffix in _EXPLICIT_SUFFIXES or importer.endswith(_STRICT_SUFFIXES):
        stem += _OUTPUT_SUFFIX.get(suffix, suffix)
    return _make_relative(stem, importer)


def repeat_specifier(files: Files, old_importer: str, importer: str, specifier: str) -> str:
    """Return the specifier in ``importer`` of the module that another file names by ``specifier``."""
    if not specifier.startswith("."):
        return specifier
    path = getattr(modules.find_module(Resolver(files, dialect), old_importer, specifier), "path", None)
    if path is not None:
        return specifier_for(files, importer, path, (old_importer, specifier))
    return _make_relative(
        posixpath.normpath(posixpath.join(posixpath.dirname(old_importer), specifier)), importer
    )


def _make_relative(path: str, importer: str) -> str:
    relative = posixpath.relpath(path or ".", posixpath.dirname(importer) or ".")
    return relative if relative.startswith(".") else f"./{relative}"


def find_naming_files(files: Files, path: str) -> Iterator[str]:
    """Yield the scripts that contain a word of the file's name, or of its folder's for an index file."""
    folder, name = posixpath.split(path)
    is_index = name.partition(".")[0] == "index"
    words = re.findall(r"\w+", name.partition(".")[0])
    words += re.findall(r"\w+", posixpath.basename(folder)) if is_index else []
    found = dict.fromkeys(each for word in words[-1:] for each in files.holding(word))
    if is_index:  # the specifier may be "." or ".."
        found.update(dict.fromkeys(files.overlay.under(folder)))
    yield from (each for each in found if modules.is_script(files, each))


def _iter_samples(resolver: Resolver, importer: str, to: str) -> Iterator[tuple[str, str]]:
    naming_files = (find_naming_files(resolver.files, path) for path in (to, importer))
    for path in islice(chain((importer,), *naming_files), _MAX_SAMPLE_FILES):
        found = modules.find_specifiers(resolver, path) if modules.is_script(resolver.files, path) else ()
        yield from ((path, each.said) for each in found if each.said.startswith("."))
