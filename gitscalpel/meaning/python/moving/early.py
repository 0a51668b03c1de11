"""What a file does as it is run, and where that leaves a definition that comes into it."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.text.splice import Splice

_LATER = ("function_definition", "lambda")


def put(place: Place, text: bytes) -> Splice:
    """A definition behind all others of a file, before what this does where it is the program itself."""
    guard = _guard(place)
    if guard is not None:
        return Splice(guard.start_byte, guard.start_byte, text.rstrip() + b"\n\n\n")
    body = place.text.rstrip()
    return Splice(len(body), len(place.text), (b"\n\n\n" if body else b"") + text)


def unready(files: Files, path: str, name: str) -> Iterator[int]:
    """The lines of a file that use a name before its definition is there."""
    lexical = files.lexical(path)
    if lexical is None:
        return
    root = lexical.syntax.root
    bound = lexical.bound(name).get(root.id, [])
    if not bound:
        return
    resolver = Resolver(files, dialect)
    own = Binding(path, (root.start_byte, root.end_byte), "module", name)
    there = min(each.start for each in bound)
    later = ("type",) if _puts_off(root) else ()
    for mention in lexical.of(name):
        is_before = mention.role == "use" and mention.start < there and not _is_later(mention.node, later)
        if is_before and own in resolver.meanings(path, mention):
            yield resolver.line(path, mention.start)


def _puts_off(root: tree_sitter.Node) -> bool:
    """Whether annotations are looked at when somebody asks for them, and not as the file is run."""
    imported = (each.text or b"" for each in root.named_children if each.type == "future_import_statement")
    return any(b"annotations" in each for each in imported)


def _is_later(node: tree_sitter.Node, later: tuple[str, ...]) -> bool:
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
