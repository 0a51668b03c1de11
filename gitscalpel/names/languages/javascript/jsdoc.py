"""Types in JSDoc comments: the names in them, and the types that they declare for other names.

TypeScript reads them as types only in JavaScript files. In its own files they are text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
import tree_sitter

from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Module, Unknown, Value
from gitscalpel.names.languages.javascript import modules, name_nodes
from gitscalpel.names.resolver import Resolver
from gitscalpel.syntax.occurrences import Mention

_TAG = re.compile(
    rb"@(\w+)(?:[ \t]*\{((?:[^{}@]|\{[^{}@]*\})*)\})?"
    rb"(?:[ \t\r\n*]*?[ \t]\[?[ \t]*([A-Za-z_$][\w$]*)(?![\w$.]))?"
)
_NAMED = frozenset({"typedef", "callback"})
_PARAMETERS = frozenset({"param", "arg", "argument"})
_PROPERTIES = frozenset({"property", "prop"})
_GIVEN = frozenset({"returns", "return"})
_NAME = re.compile(rb"[A-Za-z_$][\w$]*")
_IMPORTED = re.compile(rb"""import\(\s*(["'])([^"']+)\1\s*\)\s*\.\s*$""")
_AROUND = re.compile(
    rb"\s*(?:[?!]\s*)?(?:(?:Promise|Readonly|Partial|Required)\s*\.?\s*<(.*)>|([^=]*?))\s*=?\s*$"
)
_PLAIN = frozenset(
    {
        *(
            "string",
            "number",
            "boolean",
            "bigint",
            "symbol",
            "void",
            "never",
            "null",
            "undefined",
            "true",
            "false",
        ),
        *("String", "Number", "Boolean", "RegExp", "Date", "Error", "Symbol"),
    }
)
_OUTER = frozenset(
    {
        *("variable_declarator", "lexical_declaration", "variable_declaration", "export_statement"),
        *("assignment_expression", "expression_statement", "pair", "field_definition"),
    }
)
"""What a comment before it says of what is in it."""


class Tag(NamedTuple):
    """One of a comment.

    Attributes:
        word: behind ``@``.
        kind: the bytes of its type in the file, without braces; None: it has none.
        name: the bytes of what it names; None: nothing.
    """

    word: str
    kind: tuple[int, int] | None
    name: tuple[int, int] | None


def tags(resolver: Resolver, path: str, comment: tree_sitter.Node) -> list[Tag]:
    """Those of a comment; none in what is no documentation, or in another language."""
    lexical = resolver.lexical(path)
    text = lexical.text[comment.start_byte : comment.end_byte]
    if (
        comment.type != "comment"
        or not text.startswith(b"/**")
        or lexical.syntax.language.name != "javascript"
    ):
        return []
    at = comment.start_byte
    return [
        Tag(
            found[1].decode("ascii", "replace"),
            (at + found.start(2), at + found.end(2)) if found[2] is not None else None,
            (at + found.start(3), at + found.end(3)) if found[3] is not None else None,
        )
        for found in _TAG.finditer(text)
    ]


def resolve_word(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What a word in a comment certainly names."""
    if mention.role != "comment":
        return
    for tag in tags(resolver, path, mention.node):
        if tag.kind is not None and tag.kind[0] <= mention.start < tag.kind[1]:
            found = _type(resolver, path, mention)
            yield from (each for each in found if isinstance(each, Binding))
        elif tag.name == (mention.start, mention.end):
            yield from _named(resolver, path, mention, tag)


def _named(resolver: Resolver, path: str, mention: Mention, tag: Tag) -> Iterator[Meaning]:
    if tag.word in _NAMED:
        yield _own(resolver, path, mention.name)
    elif tag.word in _PROPERTIES:
        yield resolver.of_class(Class(path, mention.node), mention.name)
    elif tag.word in _PARAMETERS:
        for parameter in _parameters(mention.node):
            if name_nodes.text(resolver, path, parameter) == mention.name:
                yield from resolver.meanings(path, name_nodes.mention(resolver, path, parameter))


def _own(resolver: Resolver, path: str, name: str) -> Binding:
    root = resolver.lexical(path).syntax.root
    return Binding(path, (root.start_byte, root.end_byte), "module", name)


def defined_type(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    """The type of a name that comments of a file define."""
    if _definition(resolver, path, name) is not None:
        yield _own(resolver, path, name)


def _definition(resolver: Resolver, path: str, name: str) -> tuple[tree_sitter.Node, Tag] | None:
    lexical = resolver.files.lexical(path)
    for mention in lexical.of(name) if lexical is not None else ():
        for tag in tags(resolver, path, mention.node) if mention.role == "comment" else ():
            if tag.word in _NAMED and tag.name == (mention.start, mention.end):
                return mention.node, tag
    return None


def _type(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name in a type is: of a scope around, of the comments, or of a module that is named before."""
    before = resolver.lexical(path).text[mention.node.start_byte : mention.start]
    loaded = _IMPORTED.search(before)
    if loaded is not None:
        module = modules.find_module(resolver, path, loaded[2].decode("utf-8", "replace"))
        return resolver.members(module, mention.name) if isinstance(module, Module) else ()
    if before.rstrip().endswith((b".", b'"', b"'")) or _is_key(resolver, path, mention):
        return ()
    found = tuple(resolver.named(path, msgspec.structs.replace(mention, role="use", kind="any")))
    if any(isinstance(each, Binding) for each in found):
        return found
    return tuple(defined_type(resolver, path, mention.name)) or found


def _is_key(resolver: Resolver, path: str, mention: Mention) -> bool:
    return resolver.lexical(path).text[mention.end : mention.end + 2].lstrip(b"? ").startswith(b":")


def declared_objects(
    resolver: Resolver, path: str, node: tree_sitter.Node, name: str = ""
) -> Iterator[Value]:
    """What the comment before a declaration says that it is; of a function, what one of its parameters is."""
    comment = comment_before(node)
    for tag in tags(resolver, path, comment) if comment is not None else ():
        is_it = tag.word == "type" if not name else tag.word in _PARAMETERS
        if is_it and tag.kind is not None and (not name or _spelled(resolver, path, tag.name) == name):
            yield from allowed_objects(resolver, path, comment, tag.kind)


def returned_objects(resolver: Resolver, path: str, function: tree_sitter.Node) -> Iterator[Value]:
    """What the comment before a function says that it returns."""
    comment = comment_before(function)
    for tag in tags(resolver, path, comment) if comment is not None else ():
        if tag.word in _GIVEN and tag.kind is not None:
            yield from allowed_objects(resolver, path, comment, tag.kind)


def allowed_objects(
    resolver: Resolver, path: str, comment: tree_sitter.Node | None, span: tuple[int, int]
) -> Iterator[Value]:
    """What may be where a comment says a type: names alone, and several of them."""
    text = resolver.lexical(path).text[slice(*span)]
    around = _AROUND.match(text)
    group = 1 if around is not None and around[1] is not None else 2
    start = span[0] + (around.start(group) if around is not None else 0)
    for part in re.finditer(rb"[^|()]+", (around[group] if around is not None else text) or b""):
        word, at = part[0].strip().lstrip(b"?!"), start + part.start()
        at += len(part[0]) - len(part[0].lstrip(b" ?!"))
        name = _NAME.search(word, word.rfind(b".") + 1)
        if name is None or name.end() != len(word) or comment is None:
            yield Unknown("its type is not read here")
        elif word.decode("utf-8", "replace") in _PLAIN:
            yield from () if word in (b"null", b"undefined", b"void") else (Elsewhere("builtins"),)
        else:
            yield from _instances(
                resolver, path, comment, (name[0].decode("utf-8", "replace"), at + name.start())
            )


def _instances(
    resolver: Resolver, path: str, comment: tree_sitter.Node, name: tuple[str, int]
) -> Iterator[Value]:
    for meaning in _type(resolver, path, resolver.lexical(path).mentions.at(*name)) or (
        Unknown("it is no type"),
    ):
        known = _definition(resolver, meaning.path, meaning.name) if isinstance(meaning, Binding) else None
        if known is not None and isinstance(meaning, Binding):
            node, tag = known
            is_object = tag.kind is None or _spelled(resolver, meaning.path, tag.kind) in ("Object", "object")
            if is_object and tag.word != "callback":
                yield Instance(Class(meaning.path, node))
            elif tag.kind is not None:
                yield from allowed_objects(resolver, meaning.path, node, tag.kind)
            else:
                yield Unknown("it is a function")
            continue
        for value in resolver.worth(meaning):
            own = resolver.class_of(value)
            yield Instance(own) if own is not None else value


def _spelled(resolver: Resolver, path: str, span: tuple[int, int] | None) -> str:
    return (
        "" if span is None else resolver.lexical(path).text[slice(*span)].decode("utf-8", "replace").strip()
    )


def comment_before(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The comment before a declaration."""
    at: tree_sitter.Node | None = node
    while at is not None:
        above, last = at.parent, at.prev_named_sibling
        if last is not None and last.type == "comment" and at.start_point.row - last.end_point.row <= 1:
            return last
        at = above if above is not None and above.type in _OUTER else None
    return None


def _parameters(comment: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The parameters of the function that a comment stands before."""
    node = comment.next_named_sibling
    while node is not None:
        held = node.child_by_field_name("parameters")
        if held is not None or node.child_by_field_name("parameter") is not None:
            for each in held.named_children if held is not None else [node.child_by_field_name("parameter")]:
                if each is not None:
                    yield each.child_by_field_name("left") or each
            return
        inner = next(
            (
                node.child_by_field_name(f)
                for f in ("declaration", "value", "right")
                if node.child_by_field_name(f)
            ),
            None,
        )
        is_outer = node.type in _OUTER or node.type == "variable_declarator"
        node = inner or (node.named_children[0] if is_outer and node.named_children else None)
