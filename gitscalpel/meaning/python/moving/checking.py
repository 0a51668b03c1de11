"""Imports for type checkers alone (``if TYPE_CHECKING:``), which stay so in the file that needs them then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    """The statements, one for each module."""
    named: dict[str | None, list[str]] = {}
    for each in wanted:
        named.setdefault(each.module, []).append(f"{each.name} as {each.alias}" if each.alias else each.name)
    for module, names in named.items():
        said = f"import {', '.join(names)}" if module is None else f"from {module} import {', '.join(names)}"
        yield said.encode("utf-8", "surrogateescape")
