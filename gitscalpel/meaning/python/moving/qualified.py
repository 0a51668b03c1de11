"""Names with their module before them, or without."""

from __future__ import annotations

import tree_sitter

from gitscalpel.changesets.answers import quoted
from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.importing.statements import Name, Place
from gitscalpel.meaning.python.moving import needs, nested
from gitscalpel.meaning.references import Reference
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.syntax.languages import recognise
from gitscalpel.syntax.parse import Syntax
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def bare(files: Files, path: str, found: list[Reference], came: str) -> Files:
    """The file to which a definition comes, without what brought it there: ``module.name`` is ``name``."""
    if not found:
        return files
    place, name = Place.of(files, path), found[0].mention.name
    splices: list[Splice] = []
    for each in found:
        receiver = dialect("python").receiver(each.mention) if each.mention.role == "member" else None
        if receiver is not None:
            splices.append(Splice(receiver.start_byte, each.mention.start, b""))
    top = [(s, n) for s in statements.read(place.root, place.text) for n in s.names if n.name == name]
    inner = nested.read(place, name)
    gone = [(s, n) for s, n in (*top, *inner) if s.module and modules.file(files, path, s.module) == came]
    _refuse_other_names(place, [one for _, one in gone])
    splices += taking.without(place.text, [each for each in gone if each in top])
    splices += [one for each in gone if each in inner for one in nested.without(place.text, *each)]
    return files.with_text(path, splice.apply(place.text, sorted(splices)))


def renamed(text: bytes, name: str, to: str) -> bytes:
    """Return a definition in which what it takes from outside under a name has another one."""
    python = recognise("a.py", b"")
    assert python is not None  # noqa: S101 - it is one of the languages
    lexical = Lexical(Syntax(python, text))
    uses = [each for each in lexical.of(name) if each.role == "use" and lexical.scope_of(each) is None]
    new = to.encode("utf-8", "surrogateescape")
    return splice.apply(text, [Splice(each.start, each.end, new) for each in uses])


def _refuse_other_names(place: Place, names: list[Name]) -> None:
    """Refuse a file in which the definition is called otherwise.

    Raises:
        DoesNotFit: ``kind_mismatch``.
    """
    for each in names:
        if each.bound != each.name:
            line = place.text.count(b"\n", 0, each.start) + 1
            where = f"{quoted(place.path)}:{line}"
            said = f"{where} calls {each.name} {each.bound}, and would have it under its own name"
            raise DoesNotFit("kind_mismatch", said, f"call it {each.name} there first")


def prefixed(files: Files, path: str, found: list[Reference], module: str) -> Files:
    """A file in which names have their module before them."""
    place = Place.of(files, path)
    splices = [Splice(r.mention.start, r.mention.start, module.encode() + b".") for r in found]
    return files.with_text(path, splice.apply(place.text, sorted(splices)))


def through(
    resolver: Resolver, path: str, span: tuple[int, int], names: set[str], module: str
) -> list[Splice]:
    """Return what puts their module before a file's own names in some bytes, also where they are set."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    found: list[Splice] = []
    for name, at in needs.uses(resolver, path, span):
        if name in names and lexical.mentions.at(name, at).role != "global":
            found.append(Splice(at, at, module.encode() + b"."))
    for name in names:
        set_there = (each for each in lexical.of(name) if each.role == "bind")
        for each in set_there:
            if span[0] <= each.start < span[1] and lexical.holder(each).node.id == root.id:
                found.append(Splice(each.start, each.start, module.encode() + b"."))
    for node in lexical.syntax.of_type("global_statement"):
        if span[0] <= node.start_byte < span[1]:
            found += _without_globals(lexical.text, node, names)
    return sorted(found)


def _without_globals(text: bytes, node: tree_sitter.Node, names: set[str]) -> list[Splice]:
    """Return what takes names out of a ``global`` statement; it goes if none is left."""
    said = [text[each.start_byte : each.end_byte] for each in node.named_children]
    kept = [each for each in said if each.decode("utf-8", "surrogateescape") not in names]
    if len(kept) == len(said):
        return []
    if kept:
        return [Splice(node.start_byte, node.end_byte, b"global " + b", ".join(kept))]
    start, end = text.rfind(b"\n", 0, node.start_byte) + 1, text.find(b"\n", node.end_byte) + 1
    is_alone = not text[start : node.start_byte].strip() and not text[node.end_byte : end].strip()
    others = [each for each in node.parent.named_children if each.type != "comment"] if node.parent else []
    if not is_alone or len(others) < 2:
        return [Splice(node.start_byte, node.end_byte, b"pass")]
    following = text[end:]
    blank = len(following) - len(following.lstrip(b"\r\n"))
    return [Splice(start, end + blank, b"")]
