"""What a file does as it is run, and where that leaves a definition that comes into it."""

from __future__ import annotations

import tree_sitter

from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Name, Place, Statement
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

_LATER = ("function_definition", "lambda")


def put(place: Place, text: bytes, name: str, *, is_last: bool = False) -> Splice:
    """Return what puts a definition behind all others of a file, but before what needs it as the file is run.

    Args:
        place: the file.
        text: the definition.
        name: the name that it binds.
        is_last: True if it has to be behind all others nevertheless.
    """
    before = _guard(place) if is_last else _first_reader(place, name) or _guard(place)
    if before is not None:
        margin = place.text[place.text.rfind(b"\n", 0, before.start_byte) + 1 : before.start_byte]
        if not margin.strip():
            return Splice(before.start_byte, before.start_byte, text.rstrip() + b"\n\n\n")
    body = place.text.rstrip()
    return Splice(len(body), len(place.text), (b"\n\n\n" if body else b"") + text)


def define_above(files: Files, path: str, name: str, statement: Statement) -> Files | None:
    """Return the files with a definition of one above an import; None if it is there or needs that import.

    The imports that the definition needs as the file is run go above it, too.
    """
    source = files.source(path)
    symbols = [each for each in source.outline.symbols if each.name == name] if source is not None else []
    if len(symbols) != 1 or symbols[0].outer <= statement.start or not _is_at_top(symbols[0].own):
        return None
    place, span = Place.of(files, path), (symbols[0].outer, symbols[0].end)
    needed = _imports_needed_by(place, span, statement.start)
    if any(each.start == statement.start for each, _ in needed):
        return None
    text = place.text
    lines = [Wanted(one.module, each.name, each.alias).statement for one, each in needed]
    above = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    moved = (above + b"\n" if above else b"") + text[slice(*span)].strip() + b"\n\n"
    if text[: statement.start].strip() and not text[: statement.start].endswith(b"\n\n"):
        moved = b"\n" + moved
    kept = text[: span[0]].rstrip() + b"\n"
    if rest := text[span[1] :].lstrip(b"\r\n"):
        kept += b"\n\n" + rest
    kept = splice.apply(kept, taking.without(kept, needed))  # all of them are above the definition
    new = kept[: statement.start] + moved + kept[statement.start :]
    return files.with_text(path, new)


def _is_at_top(node: tree_sitter.Node) -> bool:
    around = node.parent
    return around is not None and around.type in ("module", "decorated_definition")


def _imports_needed_by(place: Place, span: tuple[int, int], start: int) -> list[tuple[Statement, Name]]:
    """Return the imports from a byte on which a definition needs as the file is run."""
    lexical = place.files.lexical(place.path)
    later = ("type",) if _puts_off(place.root) else ()
    found = statements.read(place.root, place.text)
    return [
        (one, each)
        for one in found
        if start <= one.start < span[0]
        for each in one.names
        if any(
            span[0] <= mention.start < span[1] and mention.role == "use" and not is_later(mention.node, later)
            for mention in (lexical.of(each.bound) if lexical is not None else ())
        )
    ]


def _first_reader(place: Place, name: str) -> tree_sitter.Node | None:
    """Return the first statement that needs a name as the file is run, with the comments above it."""
    lexical = place.files.lexical(place.path)
    if lexical is None:
        return None
    later = ("type",) if _puts_off(place.root) else ()
    at_once = [
        each.node for each in lexical.of(name) if each.role == "use" and not is_later(each.node, later)
    ]
    readers = [_top(node) for node in at_once]
    readers += [node for node in place.root.named_children if _reads_all(node)]
    if not readers:
        return None
    first = min(readers, key=lambda node: node.start_byte)
    while (above := first.prev_sibling) is not None and above.type == "comment":
        if above.end_point[0] + 1 != first.start_point[0]:
            break
        first = above
    return first


def _reads_all(node: tree_sitter.Node) -> bool:
    """Return True if a statement goes through all names of the module, or those that ``__all__`` lists."""
    said = node.text or b""
    if node.type == "for_statement":
        return b"__all__" in said or b"globals()" in said or b"locals()" in said
    right = node.child_by_field_name("right") if node.type == "assignment" else None
    said = b"" if right is None else right.text or b""
    if right is not None and right.type in ("call", "identifier"):
        return said in (b"locals()", b"globals()", b"vars()")
    return right is not None and "comprehension" in right.type and b"globals()" in said


def _top(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def _puts_off(root: tree_sitter.Node) -> bool:
    """Whether annotations are looked at when somebody asks for them, and not as the file is run."""
    imported = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in imported)


def is_later(node: tree_sitter.Node, later: tuple[str, ...]) -> bool:
    """Whether it is asked for when something is called, and not as the file is run."""
    inner, above = node, node.parent
    while above is not None:
        if above.type in later or (above.type in _LATER and above.child_by_field_name("body") == inner):
            return True
        inner, above = above, above.parent
    return False


def _guard(place: Place) -> tree_sitter.Node | None:
    """``if __name__ == "__main__":`` at the end of a file, with the comments above it."""
    found = None
    for node in reversed(place.root.named_children):
        if found is None:
            condition = node.child_by_field_name("condition") if node.type == "if_statement" else None
            if condition is None or b"__name__" not in (condition.text or b""):
                return None
            found = node
        elif node.type == "comment" and node.end_point[0] == found.start_point[0] - 1:
            found = node
        else:
            break
    return found
