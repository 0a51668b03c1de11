"""Which imported names nobody uses: neither their own file, nor one that takes them from it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.python import fixtures, modules
from gitscalpel.meaning.python.importing import side_effects
from gitscalpel.meaning.python.importing.statements import Name, Statement
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Module
from gitscalpel.syntax.occurrences import Mention

_KEPT = re.compile(rb"noqa|pylint:[^\n]*\b(?:unused-import|W0611)\b")
"""Comments by which a linter is told to leave an import."""
_WHOLE_FILE = re.compile(
    rb"^[ \t]*#[ \t]*(?:(?:flake8|ruff):[ \t]*noqa(?:[ \t]*$|:[^\n]*\bF401\b)"
    rb"|pylint:[^\n]*\b(?:unused-import|W0611)\b)",
    re.MULTILINE | re.IGNORECASE,
)
"""Lines by which a linter is told to leave all imports of a file."""
_TYPES = re.compile(rb"[\w.\[\], |\"']+")
_LITERAL = frozenset({"string", "list", "tuple", "comment"})


def names(resolver: Resolver, path: str, statements: list[Statement]) -> Iterator[tuple[Statement, Name]]:
    """The names that can go."""
    if path.endswith(("__init__.py", "__init__.pyi")) or _exports_unknown(resolver, path):
        return
    whole = resolver.lexical(path).text
    if _WHOLE_FILE.search(whole):
        return
    for statement in statements:
        text = whole[statement.start : statement.end]
        if statement.module == "__future__" or statement.is_star or _KEPT.search(text):
            continue
        for name in statement.names:
            is_kept = name.alias == name.name  # which says that others may take it from here
            is_left = is_kept or _is_needed(resolver, path, statement, name)
            if not is_left or _is_brought(resolver, path, statements, statement, name):
                yield statement, name


def _is_needed(resolver: Resolver, path: str, statement: Statement, name: Name) -> bool:
    if _is_used(resolver, path, name.bound):
        return True
    if side_effects.imports_for_effect(resolver.files, path, statement, name):
        return True
    if not fixtures.is_test_file(path) or not _is_from_elsewhere(resolver, path, statement):
        return False
    return fixtures.is_conftest(path) or any(
        fixtures.may_be_requested(resolver, path, mention)
        for mention in resolver.lexical(path).of(name.bound)
    )


def _is_from_elsewhere(resolver: Resolver, path: str, statement: Statement) -> bool:
    """Return True for names of a module that is neither in the tree nor in the library."""
    if statement.module is None or statement.module.partition(".")[0] in sys.stdlib_module_names:
        return False
    return not isinstance(modules.named(resolver.files, path, statement.module), Module)


def _is_brought(
    resolver: Resolver, path: str, statements: list[Statement], statement: Statement, name: Name
) -> bool:
    """Whether the statement right before has brought it, with all that its module has."""
    at = statements.index(statement)
    before = statements[at - 1] if at else None
    if before is None or not before.is_star or before.module != statement.module or name.alias is not None:
        return False
    dots = len(before.module or "") - len((before.module or "").lstrip("."))
    module = modules.find(resolver.files, path, (before.module or "").lstrip("."), dots)
    lexical = resolver.files.lexical(module.path) if isinstance(module, Module) else None
    if lexical is None or lexical.of("__all__") or name.name.startswith("_"):
        return False
    return lexical.syntax.root.id in lexical.bound(name.name)


def is_taken_by_others(resolver: Resolver, path: str, name: str) -> bool:
    """Return True if another file takes a name from a module that may only import it."""
    root = resolver.lexical(path).syntax.root
    own = Binding(path, (root.start_byte, root.end_byte), "module", name)
    others = ((each, resolver.files.lexical(each)) for each in resolver.files.holding(name) if each != path)
    return any(
        own in _taken(resolver, other, mention)
        for other, lexical in others
        if lexical is not None
        for mention in lexical.of(name)
    )


def _is_used(resolver: Resolver, path: str, name: str) -> bool:
    root = resolver.lexical(path).syntax.root
    own = Binding(path, (root.start_byte, root.end_byte), "module", name)
    if fixtures.is_automatic(resolver, own):
        return True
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
        if own in resolver.dialect(path).quoted(resolver, path, mention):
            return True
        if _is_in_doctest(text, mention, own.name):
            return True
        return _TYPES.fullmatch(inner) is not None and own in resolver.named(path, mention)
    if mention.kind == "parameter" and own in fixtures.requested(resolver, path, mention):
        return True
    return mention.role not in ("imported", "module") and own in resolver.meanings(path, mention)


def _is_in_doctest(text: bytes, mention: Mention, name: str) -> bool:
    """Return True if an example in a documentation string uses a name, which it finds in the module."""
    node = mention.node if mention.node.type == "string" else nodes.around(mention.node, "string")
    inner = text[node.start_byte : node.end_byte] if node is not None else b""
    word = re.compile(rb"(?<![\w.])" + re.escape(name.encode()) + rb"(?!\w)")
    examples = (line for line in inner.splitlines() if line.lstrip().startswith((b">>> ", b"... ")))
    return b">>>" in inner and any(word.search(line) for line in examples)


def _taken(resolver: Resolver, path: str, mention: Mention) -> tuple[object, ...]:
    """What a name in another file takes from where it comes from."""
    if mention.kind == "import":
        return tuple(resolver.dialect(path).brings(resolver, path, mention))
    if mention.kind == "parameter":
        return fixtures.requested(resolver, path, mention)
    if mention.role == "string":
        return tuple(resolver.dialect(path).quoted(resolver, path, mention))
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
