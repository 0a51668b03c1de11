"""What names a moved definition follows it: imports, and uses through its module."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import imports, modules
from gitscalpel.meaning.python.importing import adding, statements, taking, top, unused
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.meaning.python.moving import nested, spelling
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module
from gitscalpel.syntax.occurrences import Mention
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
    resolver = Resolver(files, dialect)
    members = [each for each in found if each.mention.role == "member"]
    through = [each for each in members if not _is_passed_on(resolver, each, came)]
    if through:
        files = _through(files, path, through, to)

    def moved(module: str) -> str | None:
        source = modules.file(files, path, module)
        is_it = source == came or (source is not None and _is_starred(files, source, name))
        return spelling.like(files, path, to, module) if is_it else None

    inner = nested.read(Place.of(files, path), name)
    files = nested.followed(files, path, name, moved)
    place = Place.of(files, path)
    named = _imported(place, name)
    mine = [(s, n, now) for s, n in named if (now := moved(s.module or "")) is not None]
    for statement, each, now in mine:
        files = _instead(files, path, statement.module, each, Wanted(now, each.name, each.alias))
    is_bare = any(each.mention.role in ("use", "string") for each in found)
    passed = [s for s, _ in (*named, *inner) if _has(files, path, s.module or "", name)]
    is_inside = inner and not any(s.is_star for s in statements.read(place.root, place.text))
    if is_bare and not mine and not passed and not is_inside:  # it came with a star
        found_by_star = imports.starred(Resolver(files, dialect), path, name)
        if all(not isinstance(each, Binding) or each.path != to for each in found_by_star):
            near = spelling.style(statements.read(place.root, place.text))
            files = brought(files, path, Wanted(spelling.like(files, path, to, near), name, None))
    return files


def keep_starred(before: Resolver, own: Binding, files: Files, to: str) -> Files:
    """Return the files in which the packages around a definition have it that had it by a star.

    Args:
        before: the tree before the move.
        own: the definition there.
        files: the tree with the definition in its new file.
        to: the path of that file.
    """
    folder = own.path.rpartition("/")[0]
    while folder:
        path, folder = f"{folder}/__init__.py", folder.rpartition("/")[0]
        if path in (own.path, to) or own.name.startswith("_") or not files.is_file(path):
            continue
        if own not in imports.starred(before, path, own.name) or _binding(files, path, own.name):
            continue
        if not imports.starred(Resolver(files, dialect), path, own.name):
            near = spelling.style(statements.read(Place.of(files, path).root, Place.of(files, path).text))
            files = brought(files, path, Wanted(spelling.like(files, path, to, near), own.name, None))
    return files


def _is_passed_on(after: Resolver, each: Reference, came: str) -> bool:
    """Whether a place takes it from a module that imports it, and goes on doing so."""
    resolver = each.found.resolver
    receiver = dialect("python").receiver(each.mention)
    values = resolver.values(each.path, receiver) if receiver is not None else ()
    those = [value.path for value in values if isinstance(value, Module)]
    name = each.mention.name

    def has(one: str) -> bool:
        is_named = _imports(resolver.files, one, name) or _imports(after.files, one, name)
        return is_named or bool(imports.starred(after, one, name))

    return bool(those) and all(one != came and has(one) for one in those)


def _has(files: Files, path: str, module: str, name: str) -> bool:
    """Whether a file names a module that imports something by its name."""
    other = modules.file(files, path, module)
    return other is not None and _imports(files, other, name)


def _is_starred(files: Files, path: str, name: str) -> bool:
    """Whether a module does not say a name that others take from it, and imports all that another one has."""
    if _binding(files, path, name) or files.lexical(path) is None:
        return False
    place = Place.of(files, path)
    return any(each.is_star for each in statements.read(place.root, place.text))


def _imports(files: Files, path: str, name: str) -> bool:
    return any(each.kind == "import" for each in _binding(files, path, name))


def _binding(files: Files, path: str, name: str) -> Sequence[Mention]:
    """What binds a name at the top level of a file; nothing where that is not read."""
    lexical = files.lexical(path)
    return lexical.bound(name).get(lexical.syntax.root.id, ()) if lexical is not None else ()


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
