"""Which imported names their file does not use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gitscalpel.meaning.javascript.importing.statements import Name, Statement
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention

_ELEMENTS = ("jsx_element", "jsx_self_closing_element")
_IN_DOCS = re.compile(
    rb"[{<|(,.]\s*$|@(?:link|see|extends|implements|augments|type|param|returns?)\s+\{?\s*$"
)
"""What stands before a name in documentation that is one of the program: ``{x``, ``@see x``."""


def names(resolver: Resolver, path: str, found: Iterable[Statement]) -> Iterator[tuple[Statement, Name]]:
    """The names that can go."""
    for statement in found:
        for name in statement.names:
            if not is_used(resolver, path, name.alias):
                yield statement, name


def is_used(resolver: Resolver, path: str, name: str) -> bool:
    """Whether a name of the top of a file is used in it, by what runs, as a type, or in documentation."""
    lexical = resolver.lexical(path)
    if name in of_elements(resolver, path):
        return True
    root = lexical.syntax.root
    own = (path, (root.start_byte, root.end_byte), "module", name)
    return any(_uses(resolver, path, each, own) for each in lexical.of(name))


def _uses(resolver: Resolver, path: str, mention: Mention, own: tuple[object, ...]) -> bool:
    if mention.role == "comment":
        text = resolver.lexical(path).text
        is_doc = text[mention.node.start_byte : mention.node.start_byte + 3] == b"/**"
        return is_doc and _IN_DOCS.search(text[mention.node.start_byte : mention.start]) is not None
    if mention.role == "bind" and mention.kind != "export":
        return False
    if mention.role in ("string", "text", "imported", "member"):
        return False
    meant = (*resolver.meanings(path, mention), *_exported(resolver, path, mention))
    return any(isinstance(each, Binding) and each[:4] == own for each in meant)


def _exported(resolver: Resolver, path: str, mention: Mention) -> Iterable[object]:
    return resolver.dialect(path).key(resolver, path, mention) if mention.key else ()


def of_elements(resolver: Resolver, path: str) -> tuple[str, ...]:
    """What elements are made with, where a file has some (``React.createElement``, ``@jsx h``)."""
    return resolver.once(("elements of", path), lambda: _made_with(resolver, path), ())


def _made_with(resolver: Resolver, path: str) -> list[str]:
    syntax = resolver.lexical(path).syntax
    if syntax.language.name == "typescript":  # whose grammar has none
        return []
    if not any(True for kind in _ELEMENTS for _ in syntax.of_type(kind)):
        return []
    return ["React", "Preact", "h", "Fragment", "jsx"]
