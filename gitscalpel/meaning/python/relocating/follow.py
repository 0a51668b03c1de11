"""What follows Python modules that move."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.changesets.file_tree import Overlay
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning import told
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.journey import Followed, Journey
from gitscalpel.meaning.python import imports, modules
from gitscalpel.meaning.python.moving import circles, rooted
from gitscalpel.meaning.python.relocating import naming, package_stubs, reach, statements, uses
from gitscalpel.meaning.references import Reference, References, references
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Module
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_ASKED = re.compile(rb"(?:import_module|__import__)\(\s*[\"']\Z")
_SUFFIXES = (".py", ".pyi")
_COMPUTED = re.compile(rb"(?:import_module|__import__)\(\s*(?:[^\W\d]|[fF][\"'])")
"""An import of a module whose name is not written there."""
_PART = re.compile(rb"\.([^\W\d]\w*)")


def follow(journey: Journey) -> Followed:
    """The edits of all files that name a module that has moved, and of those that have.

    Raises:
        DoesNotFit: ``duplicate_symbol``: a name would be another's; ``kind_mismatch``: a module would
            have none.
    """
    resolver = Resolver(journey.before, dialect)
    named: dict[tuple[str, int], tree_sitter.Node] = {}
    used: dict[str, list[uses.Use]] = defaultdict(list)
    splices: dict[str, list[Splice]] = defaultdict(list)
    left: list[str] = []
    for module in _modules(journey):
        _require_name(journey, module.path)
        found = references(resolver, {module})
        user = next((each for each in found.certain if each.path != module.path), None)
        if user is not None:
            place = f"{quoted(user.path)}:{resolver.line(user.path, user.mention.start)}"
            naming.require_importable(journey, module.path, place)
        for each in found.certain:
            statement = imports.statement_of(each.mention.node)
            if statement is not None:
                named[each.path, statement.start_byte] = statement
            else:
                use = uses.respelled(resolver, journey, each, module.path)
                if isinstance(use, str):
                    left.append(use)
                elif use is not None:
                    used[each.path].append(use)
        left += package_stubs.follow(resolver, journey, module.path, splices)
        telling = _telling(resolver, found, module.path)
        left += told.left(resolver, telling, text=telling.text)
    those_by_place = (*_own(journey), *_of_packages(resolver, journey))
    named.update(((path, node.start_byte), node) for path, node in those_by_place)
    for (path, _), statement in named.items():
        splices[path] += statements.respelled(resolver, journey, path, statement)
    for path, those in used.items():
        splices[path] += [use.splice for use in those]
    kept = {path: sorted(set(those)) for path, those in splices.items() if those}
    uses.refuse_captures(journey, kept, used)
    concerned = {*kept, *(path for path in journey.files if path.endswith((".py", ".pyi")))}
    if any(path.rpartition("/")[0] != to.rpartition("/")[0] for path, to in journey.files.items()):
        after = _after(journey, kept)
        left += circles.closed(journey.before, after, concerned, journey.to)
        left += reach.list_unreached(journey, after, [path for path in concerned if path.endswith(_SUFFIXES)])
    left += _outside_packages(journey)
    left += _hidden_directories(resolver, journey)
    return Followed(kept, left)


def _after(journey: Journey, kept: dict[str, list[Splice]]) -> Files:
    """The tree in the end."""
    overlay = Overlay(journey.after.overlay)
    for path, splices in kept.items():
        source, entry = journey.before.source(path), overlay.entry(journey.to(path))
        if source is not None and entry is not None:
            text = splice.apply(source.text, splices)
            overlay.rewrite(journey.to(path), entry.mode, source.document.with_text(text).raw)
    return Files(overlay, journey.after.read)


def _modules(journey: Journey) -> Iterable[Binding]:
    """What moves, as modules; a package at the top of the tree has no name there, nor has a hidden file."""
    for path in journey.subjects:
        found = modules.package(journey.before, path) if path in journey.folders else None
        module = path if path.endswith((".py", ".pyi")) else found.path if found is not None else ""
        is_unread = journey.before.is_file(module) and journey.before.lexical(module) is None
        if modules.name(module) and not is_unread:
            yield Binding(module, WHOLE, "python", modules.name(module))


def _own(journey: Journey) -> Iterable[tuple[str, tree_sitter.Node]]:
    """What moved files import by their place, but for what the same change has written there."""
    for path in journey.files:
        lexical = journey.before.lexical(path) if path.endswith((".py", ".pyi")) else None
        if lexical is None:
            continue
        first = journey.before.overlay.before(path) or b""
        for node in lexical.syntax.of_type("relative_import"):
            statement = imports.statement_of(node)
            if statement is not None and lexical.text[statement.start_byte : statement.end_byte] in first:
                yield path, statement


def _require_name(journey: Journey, path: str) -> None:
    """Refuse a move after which no import could name a module: ``__init__.py`` at the root."""
    to = journey.means(path)
    if not rooted.parts(to):
        raise DoesNotFit(
            "kind_mismatch",
            f"{quoted(path)} would be {quoted(to)} at the root, which no import can name",
            "move it into a directory that has the name of the package",
            path=path,
        )


def _outside_packages(journey: Journey) -> Iterator[str]:
    """Report files with relative imports that leave the directories with an ``__init__.py``."""
    for path, statement in _own(journey):
        to = journey.to(path)
        old, new = (posixpath.join(posixpath.dirname(each), "__init__.py") for each in (path, to))
        if journey.before.overlay.entry(old) and not journey.after.overlay.entry(new):
            line = statement.start_point.row + 1
            yield f"{quoted(to)}:{line}: it has a relative import, which fails where {quoted(new)} is needed"


def _hidden_directories(resolver: Resolver, journey: Journey) -> Iterator[str]:
    """Report imports from a directory without ``__init__.py`` whose name a moved file takes."""
    for to in journey.files.values():
        folder = to.removesuffix(".py")
        if folder == to or modules.package(journey.after, folder) != Module(folder, "python"):
            continue
        name = modules.name(folder)
        for each in references(resolver, {Binding(folder, WHOLE, "python", name)}).certain:
            line = resolver.line(each.path, each.mention.start)
            place = f"{quoted(journey.to(each.path))}:{line}"
            yield f"{place}: {name} is {quoted(to)} now, no longer the directory"


def _of_packages(resolver: Resolver, journey: Journey) -> Iterable[tuple[str, tree_sitter.Node]]:
    """Where files that stay name a package that goes by dots alone (``from . import f``)."""
    for package in journey.files:
        folder, _, last = package.rpartition("/")
        if not last.startswith("__init__.py") or journey.means(package) == package:
            continue
        for path in journey.before.overlay.under(folder):
            source = journey.before.source(path) if path.endswith((".py", ".pyi")) else None
            if source is None or path in journey.files or b"from ." not in source.text:
                continue
            lexical = resolver.lexical(path)
            for node in lexical.syntax.of_type("relative_import"):
                said = lexical.text[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")
                found = modules.named(journey.before, path, said) if not said.strip(".") else None
                statement = imports.statement_of(node)
                if isinstance(found, Module) and found.path == package and statement is not None:
                    yield path, statement


def _telling(resolver: Resolver, found: References, path: str) -> References:
    """The places without words in text that most likely are about something else."""
    head = path.removesuffix("/__init__.py").rpartition("/")[0].rpartition("/")[2]
    places = [
        each
        for each in found.places
        if each.kind != "text"
        or (each.path.endswith(_SUFFIXES) and _is_module(resolver, each, head, path))  # others: path_mentions
    ]
    return msgspec.structs.replace(found, places=tuple(places), unread={})


def _is_module(resolver: Resolver, each: Reference, head: str, path: str) -> bool:
    return _is_about(resolver, each, head) or _is_whole(resolver, each, path)


def _is_about(resolver: Resolver, each: Reference, head: str) -> bool:
    """Whether the name of the folder stands before the word, or ``.py`` behind it."""
    text, mention = resolver.lexical(each.path).text, each.mention
    before, behind = text[: mention.start], text[mention.end : mention.end + 4]
    folder = head.encode("utf-8", "surrogateescape")
    is_below = bool(folder) and before.endswith((folder + b".", folder + b"/"))
    return is_below or behind.startswith((b".py", b".py\n"))


def _is_all_of_string(text: bytes, mention: Mention) -> bool:
    """Return True if a string contains the word and nothing else, but for the dot of a relative name."""
    before = text[max(0, mention.start - 2) : mention.start].removesuffix(b".")[-1:]
    return (
        mention.role == "string" and before in (b'"', b"'") and before == text[mention.end : mention.end + 1]
    )


def _is_whole(resolver: Resolver, each: Reference, path: str) -> bool:
    """Return True if code asks for the word as a module, or a name of the module stands behind the word."""
    text, mention = resolver.lexical(each.path).text, each.mention
    if _ASKED.search(text, max(0, mention.start - 99), mention.start):
        return True
    if _is_all_of_string(text, mention) and (
        modules.package(resolver.files, posixpath.dirname(path)) == Module(each.path, "python")
        or _COMPUTED.search(text)
    ):
        return True
    said = _PART.match(text, mention.end)
    if said is None or text[: mention.start].endswith(b"."):
        return False
    part = said[1].decode("utf-8", "surrogateescape")
    folder = modules.folder(Module(path, "python"))
    if folder is not None and modules.below(resolver.files, folder, [part]) is not None:
        return True
    lexical = resolver.files.lexical(path)
    return lexical is not None and lexical.syntax.root.id in lexical.bound(part)
