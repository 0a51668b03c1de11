"""New imports that would come too early go to the functions that need them, or to their first use.

What only annotations name is imported for type checkers alone, and quoted where Python would evaluate it.
https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter

from gitscalpel.meaning.dialects import dialect
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.python import quoted
from gitscalpel.meaning.python.import_scopes import has_future_annotations, is_type_checking
from gitscalpel.meaning.python.importing import statements, taking
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place, Statement
from gitscalpel.meaning.python.moving import checking, exported
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice

PLAIN_DECORATORS = frozenset(
    b"""
    property staticmethod classmethod overload abstractmethod contextmanager asynccontextmanager wraps final
    override setter getter deleter lru_cache cache cached_property define frozen attrs s dataclass
    """.split()
)
"""Decorators that read no annotation, or read it as text."""
_LATE = b"  # noqa: E402"
"""Comment of an import below the first statement of a file, for linters."""
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


class _Uses(NamedTuple):
    """Where a file uses what an import brings.

    Attributes:
        bodies: of the functions that use it when they are called.
        annotations: that name it, outside of functions.
        is_for_types: True if quoted annotations name it, or what only type checkers run.
        at_once: where it is used as the file is run.
        is_listed: True if ``__all__`` lists it.
    """

    bodies: list[tree_sitter.Node]
    annotations: list[tree_sitter.Node]
    is_for_types: bool
    at_once: list[tree_sitter.Node]
    is_listed: bool = False


def defer_unlisted(files: Files, path: str, wanted: Wanted) -> Files | None:
    """Return the files as `defer` does, without the name in the list of exports that the file has."""
    uses = _find_uses(files, path, wanted)
    if uses is not None and uses.is_listed and not path.endswith("/__init__.py"):
        files = exported.unlisted(files, path, wanted.bound)
    return defer(files, path, wanted)


def drop(files: Files, path: str, wanted: Wanted) -> Files | None:
    """Return the files without an import of a name that a file only passes on; None if it uses the name."""
    uses = _find_uses(files, path, wanted)
    if uses is None or uses.at_once or uses.bodies or uses.annotations or uses.is_for_types:
        return None
    files = exported.unlisted(files, path, wanted.bound)
    place = Place.of(files, path)
    return files.with_text(path, splice.apply(place.text, _without(place, wanted)))


def defer(files: Files, path: str, wanted: Wanted) -> Files | None:
    """Return the files with an import in the functions that use it.

    None if the name is used at once, or if ``__all__`` lists it.
    """
    uses = _find_uses(files, path, wanted)
    if uses is None or uses.at_once or uses.is_listed:
        return None
    if not (uses.bodies or uses.annotations or uses.is_for_types):
        return None
    place = Place.of(files, path)
    line = wanted.statement.encode("utf-8", "surrogateescape")
    splices = _without(place, wanted)
    splices += [_begin(place.text, body, line) for body in uses.bodies if line not in (body.text or b"")]
    if not has_future_annotations(place.root):
        splices += [each for node in uses.annotations for each in quote(place.text, node)]
    files = files.with_text(path, splice.apply(place.text, sorted(splices)))
    if uses.annotations or uses.is_for_types:
        files = checking.brought(files, path, [wanted])
    return files


def put_off(files: Files, path: str, wanted: Wanted) -> Files | None:
    """Return the files with an import right before its first use; None if it may not go there."""
    uses = _find_uses(files, path, wanted)
    if uses is None:
        return None
    place = Place.of(files, path)
    at = _first(place, uses.at_once)
    if at is None:
        return None
    line = wanted.statement.encode("utf-8", "surrogateescape") + _LATE
    before = b"" if place.text[:at].endswith(b"\n\n") or not at else b"\n"
    gone = _without(place, wanted)
    at = next((each.end for each in gone if each.start < at < each.end), at)
    added = Splice(at, at, before + line + b"\n" + (b"\n\n" if place.text[at:].strip() else b""))
    splices = [*gone, added]
    return files.with_text(path, splice.apply(place.text, sorted(splices)))


def is_put_off(place: Place, statement: Statement) -> bool:
    """Return True if an import stands right before its first use."""
    return place.text[statement.node.end_byte : statement.end].rstrip() == _LATE


def _first(place: Place, at_once: list[tree_sitter.Node]) -> int | None:
    """Return where the first statement begins that uses a name at once, else the end of the imports."""
    if at_once:
        top = _statement(min(at_once, key=lambda node: node.start_byte))
        while top.prev_sibling is not None and top.prev_sibling.type == "comment":
            if top.prev_sibling.end_point[0] + 1 != top.start_point[0]:
                break
            top = top.prev_sibling
        return place.text.rfind(b"\n", 0, top.start_byte) + 1
    found = statements.read(place.root, place.text)
    return found[-1].end if found else None


def _statement(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.parent is not None and node.parent.parent is not None:
        node = node.parent
    return node


def quote(text: bytes, node: tree_sitter.Node) -> Iterator[Splice]:
    """Yield what makes an annotation a string, which it is not yet."""
    said = text[node.start_byte : node.end_byte]
    mark = b'"' if b'"' not in said else b"'" if b"'" not in said else b""
    if mark and b"\n" not in said and not said.startswith((b'"', b"'")):
        yield Splice(node.start_byte, node.end_byte, mark + said + mark)


def _without(place: Place, wanted: Wanted) -> list[Splice]:
    found = statements.read(place.root, place.text)
    key = wanted.name, wanted.alias
    gone = [(s, n) for s in found if s.module == wanted.module for n in s.names if (n.name, n.alias) == key]
    return taking.without(place.text, gone)


def _begin(text: bytes, body: tree_sitter.Node, line: bytes) -> Splice:
    """Return what puts a statement at the beginning of a function, below its docstring."""
    first, *rest = [each for each in body.named_children if each.type != "comment"] or [body]
    if first.type in ("string", "expression_statement") and (first.text or b"").lstrip(b"rRbuU").startswith(
        (b'"', b"'")
    ):
        margin = text[text.rfind(b"\n", 0, first.start_byte) + 1 : first.start_byte]
        if rest or margin.strip():
            first = rest[0] if rest else first
        else:
            return Splice(first.end_byte, first.end_byte, b"\n" + margin + line)
    margin = text[text.rfind(b"\n", 0, first.start_byte) + 1 : first.start_byte]
    end = b"; " if margin.strip() else b"\n\n" + margin
    if first.type in _IMPORTS and not margin.strip():
        end = b"\n" + margin
    return Splice(first.start_byte, first.start_byte, line + end)


def _find_uses(files: Files, path: str, wanted: Wanted) -> _Uses | None:
    """Return where a file uses what an import brings; None if the name may not go to functions."""
    resolver = Resolver(files, dialect)
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    own = Binding(path, (root.start_byte, root.end_byte), "module", wanted.bound)
    found = _Uses([], [], is_for_types=False, at_once=[])
    for mention in lexical.of(wanted.bound):
        if mention.role == "global" or (mention.role == "bind" and _is_own_bind(resolver, path, mention)):
            return None
        if mention.role == "string" and own in quoted.meant(resolver, path, mention):
            is_export = is_listed(mention.node)
            found = found._replace(is_listed=True) if is_export else found._replace(is_for_types=True)
        elif mention.role == "use" and own in resolver.meanings(path, mention) and _is_of(mention, wanted):
            if is_for_type_checkers(mention.node):
                found = found._replace(is_for_types=True)
            else:
                _sort(mention.node, found)
    return found


def is_for_type_checkers(node: tree_sitter.Node) -> bool:
    """Return True if a place stands in a branch that only type checkers take."""
    inner, above = node, node.parent
    while above is not None:
        if above.type == "if_statement" and above.child_by_field_name("consequence") == inner:
            condition = above.child_by_field_name("condition")
            if condition is not None and is_type_checking((condition.text or b"").decode("utf-8", "replace")):
                return True
        inner, above = above, above.parent
    return False


def _is_own_bind(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if a place binds a name of the module otherwise than by an import."""
    lexical = resolver.lexical(path)
    return mention.kind != "import" and lexical.holder(mention).node.id == lexical.syntax.root.id


def _is_of(mention: Mention, wanted: Wanted) -> bool:
    """Return True if a name is that of the import: of ``import a.b``, where ``a.b`` is said."""
    if wanted.module is not None or "." not in wanted.name or wanted.alias is not None:
        return True
    node = mention.node
    for _ in range(wanted.name.count(".")):
        node = node.parent if node.parent is not None and node.parent.type == "attribute" else node
    return (node.text or b"").decode("utf-8", "surrogateescape") == wanted.name


def is_listed(node: tree_sitter.Node) -> bool:
    """Return True if a string stands in ``__all__``."""
    above: tree_sitter.Node | None = node
    while above is not None and above.type not in ("assignment", "augmented_assignment"):
        above = above.parent
    left = above.child_by_field_name("left") if above is not None else None
    return left is not None and left.text == b"__all__"


def _sort(node: tree_sitter.Node, found: _Uses) -> None:
    """Note a use as one of a function's body, of an annotation, or of the module as it is run."""
    inner, above = node, node.parent
    body, annotation = None, None
    while above is not None:
        if above.type == "function_definition" and above.child_by_field_name("body") == inner:
            body = inner
        if inner.type == "type" and above.type != "type" and body is None:
            annotation = inner
        inner, above = above, above.parent
    if body is not None and not _is_module_getattr(body):
        if all(each.id != body.id for each in found.bodies):
            found.bodies.append(body)
    elif annotation is not None and _is_text_enough(annotation):
        if all(each.id != annotation.id for each in found.annotations):
            found.annotations.append(annotation)
    else:
        found.at_once.append(node)


def _is_module_getattr(body: tree_sitter.Node) -> bool:
    """Return True if a function is called while its module is imported, which asks for ``__path__``."""
    function = body.parent
    named = function.child_by_field_name("name") if function is not None else None
    is_at_top = function is not None and function.parent is not None and function.parent.type == "module"
    return is_at_top and named is not None and named.text == b"__getattr__"


def _is_text_enough(annotation: tree_sitter.Node) -> bool:
    """Return True if whoever reads an annotation as the file is run takes it as text."""
    above = annotation.parent
    while above is not None:
        if above.type == "lambda":
            return False
        if above.type == "class_definition" and above.child_by_field_name("superclasses") is not None:
            is_field = annotation.parent is not None and annotation.parent.type == "assignment"
            if is_field:
                return False
        if above.type == "decorated_definition":
            said = (
                each.named_children[0].text or b""
                for each in above.named_children
                if each.type == "decorator"
            )
            if any(each.partition(b"(")[0].rpartition(b".")[2] not in PLAIN_DECORATORS for each in said):
                return False
        above = above.parent
    return True
