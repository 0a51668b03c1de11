"""Imports for type checkers alone (``if TYPE_CHECKING:``), which stay so in the file that needs them then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import modules
from gitscalpel.meaning.python.importing import statements, type_checking
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.meaning.python.moving import following
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def read(place: Place) -> list[Statement]:
    """The imports at the top of a file that only type checkers run."""
    return type_checking.imports(place.root, place.text)


def brought(files: Files, path: str, wanted: Sequence[Wanted]) -> Files:
    """A file with more of them: in the block that it has, else in one below its other imports."""
    known = read(Place.of(files, path))
    new = [each for each in wanted if not any(_brings(files, path, one, each) for one in known)]
    lines = list(_lines(new))
    if not lines:
        return files
    place = Place.of(files, path)
    block = next(iter(type_checking.blocks(place.root, place.text)), None)
    if block is not None:
        indent = b" " * block.named_children[0].start_point.column
        imports = [each for each in block.named_children if each.type in type_checking.IMPORTS]
        text = b"".join(b"\n" + indent + line for line in lines)
        if imports:
            at = imports[-1].end_byte
        else:
            at, text = block.named_children[0].start_byte, text[1:].lstrip() + b"\n" + indent
        added = Splice(at, at, text)
    else:
        files = following.brought(files, path, Wanted("typing", "TYPE_CHECKING", None))
        place = Place.of(files, path)
        end = statements.read(place.root, place.text)[-1].end
        body = b"".join(b"    " + line + b"\n" for line in lines)
        below = b"" if place.text[end : end + 1] in (b"", b"\n", b"\r") else b"\n"
        added = Splice(end, end, b"\nif TYPE_CHECKING:\n" + body + below)
    return files.with_text(path, splice.apply(place.text, [added]))


def defined(files: Files, path: str, text: bytes, wanted: Sequence[Wanted]) -> Files:
    """Return the files with a definition for type checkers alone in one of them.

    Args:
        files: the tree.
        path: of the file.
        text: of the definition, without a margin.
        wanted: imports that the definition needs.
    """
    place = Place.of(files, path)
    found = statements.read(place.root, place.text)
    files = brought(files, path, [each for each in wanted if not any(one.brings(*each) for one in found)])
    place = Place.of(files, path)
    blocks = type_checking.blocks(place.root, place.text)
    indent = b" " * blocks[0].named_children[0].start_point.column if blocks else b"    "
    lines = b"".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))
    if blocks:
        at = place.text.find(b"\n", blocks[0].end_byte) + 1 or len(place.text)
        lead = b"" if place.text[:at].endswith(b"\n") else b"\n"
        gap = b"" if _is_assignment(blocks[0].named_children[-1]) else b"\n"
        return files.with_text(path, splice.apply(place.text, [Splice(at, at, lead + gap + lines)]))
    files = following.brought(files, path, Wanted("typing", "TYPE_CHECKING", None))
    place = Place.of(files, path)
    end = statements.read(place.root, place.text)[-1].end
    below = b"" if place.text[end : end + 1] in (b"", b"\n", b"\r") else b"\n"
    added = Splice(end, end, b"\nif TYPE_CHECKING:\n" + lines + below)
    return files.with_text(path, splice.apply(place.text, [added]))


def _is_assignment(node: tree_sitter.Node) -> bool:
    inner = node.named_children[0] if node.type == "expression_statement" else node
    return inner.type == "assignment"


def _brings(files: Files, path: str, statement: Statement, wanted: Wanted) -> bool:
    """Return True if an import brings a name, whichever way it says the module."""
    if statement.brings(wanted.module, wanted.name, wanted.alias) or None in (
        statement.module,
        wanted.module,
    ):
        return statement.brings(wanted.module, wanted.name, wanted.alias)
    source = modules.file(files, path, statement.module or "")
    is_same = source is not None and source == modules.file(files, path, wanted.module or "")
    return is_same and any((each.name, each.alias) == (wanted.name, wanted.alias) for each in statement.names)


def _lines(wanted: Sequence[Wanted]) -> Iterator[bytes]:
    """Yield the statements: one for each module from which names come, and one for each plain import."""
    named: dict[str, list[str]] = {}
    for each in wanted:
        if each.module is None:
            named.setdefault(each.statement, [])
            continue
        said = f"{each.name} as {each.alias}" if each.alias else each.name
        named.setdefault(f"from {each.module} import ", []).append(said)
    for begin, names in named.items():
        yield f"{begin}{', '.join(names)}".encode("utf-8", "surrogateescape")
