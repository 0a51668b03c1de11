"""Which imported names nobody uses: neither their own file, nor one that takes them from it."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.python.importing.statements import Name, Statement
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.regex import lazy
from gitscalpel.syntax.mentions import Mention

_TYPES = lazy(rb"[\w.\[\], |\"']+")
_LITERAL = frozenset({"string", "list", "tuple", "comment"})


def names(resolver: Resolver, path: str, statements: list[Statement]) -> Iterator[tuple[Statement, Name]]:
    """The names that can go."""
    if path.endswith(("__init__.py", "__init__.pyi")) or _exports_unknown(resolver, path):
        return
    for statement in statements:
        text = resolver.lexical(path).text[statement.start : statement.end]
        if statement.module == "__future__" or statement.is_star or b"noqa" in text:
            continue
        for name in statement.names:
            is_kept = name.alias == name.name  # which says that others may take it from here
            if not is_kept and not _is_used(resolver, path, name.bound):
                yield statement, name


def _is_used(resolver: Resolver, path: str, name: str) -> bool:
    root = resolver.lexical(path).syntax.root
    own = Binding(path, (root.start_byte, root.end_byte), "module", name)
    for other in resolver.files.holding(name):
        lexical = resolver.files.lexical(other)
        for mention in lexical.of(name) if lexical is not None else ():
            if other != path:
                if own in _taken(resolver, other, mention):
                    return True
            elif mention.kind != "import" and _uses(resolver, path, mention, own):
                return True
    return False


def _uses(resolver: Resolver, path: str, mention: Mention, own: Binding) -> bool:
    text = resolver.lexical(path).text
    if mention.role == "comment":
        return text[mention.node.start_byte : mention.node.end_byte].startswith((b"# type:", b"#type:"))
    if mention.role == "string":
        inner = text[mention.node.start_byte : mention.node.end_byte]
        return _TYPES.fullmatch(inner) is not None and own in resolver.named(path, mention)
    return mention.role not in ("imported", "module") and own in resolver.meanings(path, mention)


def _taken(resolver: Resolver, path: str, mention: Mention) -> tuple[object, ...]:
    """What a name in another file takes from where it comes from."""
    if mention.kind == "import":
        return tuple(resolver.dialect(path).brings(resolver, path, mention))
    return resolver.meanings(path, mention) if mention.role in ("imported", "member", "use") else ()


def _exports_unknown(resolver: Resolver, path: str) -> bool:
    """Whether ``__all__`` is made of more than strings, so that nobody can tell what others take."""
    for mention in resolver.lexical(path).of("__all__"):
        if mention.kind == "import":
            return True
        statement = mention.node.parent
        right = None if statement is None else statement.child_by_field_name("right")
        if mention.role == "bind" and right is not None and not _is_literal(right):
            return True
        if mention.role == "use":
            return True
    return False


def _is_literal(node: tree_sitter.Node) -> bool:
    if node.type == "string":
        return True
    return node.type in _LITERAL and all(_is_literal(child) for child in node.named_children)
