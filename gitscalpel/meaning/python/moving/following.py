"""What names a moved definition follows it: imports, and uses through its module."""

from __future__ import annotations

from collections.abc import Iterable

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing import adding, statements, taking, top, unused
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.meaning.python.moving import spelling
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Module
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def follow(files: Files, path: str, found: list[Reference], came: str, to: str) -> Files:
    """A file that names the definition, after it.

    Args:
        files: of the tree.
        path: of the file, which is neither where it was nor where it goes.
        found: where it names it.
        came: the path of the file in which it was defined.
        to: the path of the file in which it will be.
    """
    name = found[0].mention.name
    through = [each for each in found if each.mention.role == "member"]
    if through:
        files = _through(files, path, through, to)
    place = Place.of(files, path)
    mine = [(s, n) for s, n in _imported(place, name) if module_of(files, path, s.module or "") == came]
    for statement, each in mine:
        module = spelling.like(files, path, to, statement.module or "")
        files = _instead(files, path, statement.module, each, Wanted(module, each.name, each.alias))
    is_bare = any(each.mention.role in ("use", "string") for each in found)
    if is_bare and not mine:  # it came with a star
        files = brought(files, path, Wanted(spelling.dotted(files, to, path), name, None))
    return files


def brought(files: Files, path: str, wanted: Wanted) -> Files:
    """A file with one more import."""
    place = Place.of(files, path)
    found = statements.read(place.root, place.text)
    splices = adding.add(place, found, top.of(place.root, place.text), wanted)
    return files.with_text(path, splice.apply(place.text, splices)) if splices else files


def without_unused(files: Files, path: str, names: Iterable[str]) -> Files:
    """A file without the imports of some names, where nobody uses them any more."""
    place = Place.of(files, path)
    found = statements.read(place.root, place.text)
    gone = unused.names(Resolver(files, dialect), path, found)
    among = set(names)
    splices = taking.without(place.text, [(s, n) for s, n in gone if n.bound in among])
    return files.with_text(path, splice.apply(place.text, splices)) if splices else files


def _through(files: Files, path: str, found: list[Reference], to: str) -> Files:
    """``module.name`` becomes ``other.name``, and that other module is imported."""
    place = Place.of(files, path)
    module = spelling.dotted(files, to, path)
    splices: list[Splice] = []
    before: set[str] = set()
    for each in found:
        receiver = dialect("python").receiver(each.mention)
        if receiver is not None:
            said = place.text[receiver.start_byte : receiver.end_byte]
            before.add(said.decode("utf-8", "surrogateescape").partition(".")[0])
            splices.append(Splice(receiver.start_byte, receiver.end_byte, module.encode()))
    files = files.with_text(path, splice.apply(place.text, sorted(splices)))
    files = brought(files, path, Wanted(None, module, None))
    return without_unused(files, path, before - {module.partition(".")[0]})


def _instead(files: Files, path: str, module: str | None, name: Name, wanted: Wanted) -> Files:
    """A file in which one import is another one."""
    place = Place.of(files, path)
    found = statements.read(place.root, place.text)
    gone = [
        (s, n)
        for s in found
        for n in s.names
        if (s.module, n.name, n.alias) == (module, name.name, name.alias)
    ]
    whole = [s for s, _ in gone if len(s.names) == 1]
    same = any(s.module == wanted.module for s in found)
    if whole and not same:  # it stays where it is, with its comments
        at = whole[0].node.child_by_field_name("module_name")
        if at is not None:
            new = Splice(at.start_byte, at.end_byte, (wanted.module or "").encode())
            return files.with_text(path, splice.apply(place.text, [new]))
    files = files.with_text(path, splice.apply(place.text, taking.without(place.text, gone)))
    return brought(files, path, wanted)


def _imported(place: Place, name: str) -> list[tuple[Statement, Name]]:
    found = statements.read(place.root, place.text)
    return [(s, n) for s in found if s.module is not None for n in s.names if n.name == name]


def module_of(files: Files, path: str, module: str) -> str | None:
    """The path of a module as a file names it; None: it is none of the tree."""
    rest = module.lstrip(".")
    found = modules.find(files, path, rest, len(module) - len(rest))
    return found.path if isinstance(found, Module) else None
