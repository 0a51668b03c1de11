"""What a method needs that is handed on: its receiver, what it is given, and the place where it goes."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.errors import DoesNotFit
from gitscalpel.meaning.files import Files
from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.python import parameters, words
from gitscalpel.meaning.python.importing.asked import Wanted
from gitscalpel.meaning.python.importing.statements import Place
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.syntax.symbols import Symbol
from gitscalpel.text import splice
from gitscalpel.text.splice import Splice


def receiver(path: str, node: tree_sitter.Node, symbol: Symbol) -> tree_sitter.Node:
    """The first parameter of a plain method.

    Raises:
        DoesNotFit: ``kind_mismatch``: it has none, is decorated, named by Python, or gives one value after
            the other.
    """
    given = node.child_by_field_name("parameters")
    first = next(iter(given.named_children), None) if given is not None else None
    why = ""
    if parameters.decorators(node):
        why = "is decorated"
    elif symbol.name.startswith("__"):
        why = "means something by its name"
    elif first is None or first.type != "identifier":
        why = "names no receiver"
    elif is_async(node) and _gives(node):
        why = "gives one value after the other, and waits in between"
    if why or first is None:
        where = f"{symbol.qualname} of {path}"
        raise DoesNotFit("kind_mismatch", f"{where} {why}", "only a plain method is handed on")
    return first


def is_async(node: tree_sitter.Node) -> bool:
    """Whether who calls it has to wait."""
    return any(child.type == "async" for child in node.children)


def given(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[str]:
    """Its parameters but the first, as they are given on."""
    listed = node.child_by_field_name("parameters")
    by_name = False
    for each in listed.named_children[1:] if listed is not None else ():
        if each.type == "keyword_separator" or "list_splat_pattern" in (
            each.type,
            *(c.type for c in each.children),
        ):
            by_name = True
        if each.type in ("keyword_separator", "positional_separator", "comment"):
            continue
        said = words.text(resolver, path, each.child_by_field_name("name") or _name(each))
        is_plain = not said.startswith("*")
        yield f"{said}={said}" if by_name and is_plain else said


def uses(resolver: Resolver, path: str, node: tree_sitter.Node, first: tree_sitter.Node) -> list[Mention]:
    """Where a method uses its receiver."""
    lexical = resolver.lexical(path)
    word = words.text(resolver, path, first)
    own = Binding(path, (node.start_byte, node.end_byte), "function", word)
    inside = (each for each in lexical.of(word) if node.start_byte <= each.start < node.end_byte)
    return [each for each in inside if each.node.id != first.id and own in resolver.meanings(path, each)]


def is_through(lexical: Lexical, use: Mention, attribute: str) -> bool:
    """Whether a use only reads the attribute."""
    above = use.node.parent
    named = above.child_by_field_name("attribute") if above is not None else None
    if above is None or above.type != "attribute" or named is None:
        return False
    around = above.parent
    is_set = around is not None and any(
        around.child_by_field_name(field) == above for field in ("left", "alias")
    )
    is_set = is_set or (
        around is not None and around.type in ("delete_statement", "pattern_list", "as_pattern_target")
    )
    return not is_set and lexical.text[named.start_byte : named.end_byte] == attribute.encode()


def address(files: Files, of: Class) -> str:
    """The path of a class's symbol in its file."""
    source = files.source(of.path)
    waiting = list(source.outline.symbols) if source is not None else []
    while waiting:
        each = waiting.pop()
        if each.own.start_byte <= of.scope[0] and each.own.end_byte == of.scope[1] and each.kind == "class":
            return f"/{each.qualname}"
        waiting += each.children
    raise DoesNotFit("symbol_not_found", f"{of.path} has no symbol for that class", "move it by hand")


def without_pass(files: Files, path: str, symbol: str) -> Files:
    """The file without a ``pass`` that held a method's place."""
    from gitscalpel.syntax import addresses

    place, source = Place.of(files, path), files.source(path)
    assert source is not None  # noqa: S101 - it has just been written
    body = addresses.resolve(source.outline, symbol).body_node
    first = next(iter(body.named_children), None) if body is not None else None
    if body is None or first is None or first.type != "pass_statement" or len(body.named_children) == 1:
        return files
    line = place.text.rfind(b"\n", 0, first.start_byte) + 1
    end = place.text.find(b"\n", first.end_byte) + 1
    end += len(place.text[end:]) - len(place.text[end:].lstrip(b"\r\n"))
    return files.with_text(path, splice.apply(place.text, [Splice(line, end, b"")]))


def refuse_taken(there: Place, wanted: list[Wanted]) -> None:
    """Refuse a file in which a name that has to be imported is something else.

    Raises:
        DoesNotFit: ``duplicate_symbol``.
    """
    lexical = there.files.lexical(there.path)
    for each in wanted:
        bound = lexical.bound(each.bound).get(there.root.id, []) if lexical is not None else []
        other = next((mention for mention in bound if mention.kind != "import"), None)
        if other is not None:
            line = there.text.count(b"\n", 0, other.start) + 1
            raise DoesNotFit(
                "duplicate_symbol",
                f"{each.bound} is something else in {there.path}:{line}",
                "rename that first",
            )


def _name(parameter: tree_sitter.Node) -> tree_sitter.Node:
    return parameter.named_children[0] if parameter.type == "typed_parameter" else parameter


def _gives(node: tree_sitter.Node) -> bool:
    waiting = list(node.children)
    while waiting:
        each = waiting.pop()
        if each.type == "yield":
            return True
        if each.type not in ("function_definition", "lambda", "class_definition"):
            waiting += each.children
    return False
