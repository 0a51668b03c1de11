"""Name resolution of Go, with lookup of free names and doc comments.

A name that its file does not bind belongs to its package, to an import, or to the language. A doc
comment begins with the name of the declaration below it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Instance,
    Meaning,
    Module,
    Unknown,
    Value,
)
from gitscalpel.names.languages.go import members, packages, types
from gitscalpel.names.languages.go.members import base_types, is_interface_method, other_receivers
from gitscalpel.names.languages.go.packages import implied_import, meanings_in_tests
from gitscalpel.names.languages.go.scopes import SCOPES
from gitscalpel.names.languages.go.values import binding_values, expression_values, literal_key_meanings
from gitscalpel.names.resolver import Language, Place, Resolver
from gitscalpel.syntax.occurrences import Mention
from gitscalpel.text.splice import Splice

_DECLARING = ("bind", "early", "member")
_WITHIN = frozenset({"const_spec", "expression_list", "type_alias", "type_spec", "var_spec", "var_spec_list"})
"""What stands between a declaration and the name that it declares."""
_BEFORE = re.compile(rb"(?://|/\*)[\s*]*\Z")
_BEHIND = re.compile(rb"'s\b|[.,;:]?(?:\s|\*/|\Z)")


def declaration_below(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What is declared under a comment of which a word is its name."""
    node = _declaration(mention.node)
    for each in resolver.lexical(path).of(mention.name) if node is not None else ():
        if node is not None and node.start_byte <= each.start < node.end_byte and each.role in _DECLARING:
            yield from resolver.meanings(path, each)
            return


def documented_declaration(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """What is declared right under a comment that begins with its name."""
    node, text = _declaration(mention.node), resolver.lexical(path).text
    if node is None or not _is_first(text, mention):
        return
    for each in resolver.lexical(path).of(mention.name):
        if each.role in _DECLARING and _declares(node, each.node):
            yield from resolver.meanings(path, each)


def _declaration(comment: tree_sitter.Node) -> tree_sitter.Node | None:
    """What stands right under a comment and those that go on with it."""
    node = comment.next_named_sibling
    while node is not None and node.type == "comment" and node.start_point[0] == comment.end_point[0] + 1:
        comment, node = node, node.next_named_sibling
    if node is None or node.start_point[0] != comment.end_point[0] + 1:
        return None
    # What is above the first statement of a block stands beside all of them.
    return node.named_children[0] if node.type == "statement_list" else node


def _is_first(text: bytes, mention: Mention) -> bool:
    """Whether a word is the first one of a comment that has its lines for itself and continues no other."""
    comment = mention.node
    above = comment.prev_named_sibling
    is_next = above is not None and above.end_point[0] + 1 == comment.start_point[0]
    if is_next and above is not None and above.type == "comment" and _is_alone(text, above):
        return False
    before = text[comment.start_byte : mention.start]
    behind = text[mention.start + len(mention.name.encode()) : comment.end_byte]
    return bool(_is_alone(text, comment) and _BEFORE.match(before) and _BEHIND.match(behind))


def _is_alone(text: bytes, comment: tree_sitter.Node) -> bool:
    """Whether nothing stands before a comment in its line."""
    return not text[text.rfind(b"\n", 0, comment.start_byte) + 1 : comment.start_byte].strip()


def _declares(node: tree_sitter.Node, name: tree_sitter.Node) -> bool:
    """Whether a name is what a declaration gives, and no part of what is in it."""
    above = name.parent
    while above is not None and above.type in _WITHIN and above != node:
        above = above.parent
    return above == node


_NAMES = """
any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag
len make max min new panic print println real recover
"""
_OWN = frozenset(_NAMES.split())


def look_up_free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a name means that no scope of its file binds."""
    if mention.kind == "label":
        return (Elsewhere("no label"),)
    is_test = packages.is_test_file(path)
    key = ("go name", posixpath.dirname(path), packages.package_of(resolver, path), is_test, mention.name)
    found = resolver.once(key, lambda: _declared(resolver, path, mention.name), ())
    return (
        found
        or tuple(_imported(resolver, path, mention.name))
        or tuple(_dotted(resolver, path, mention.name))
        or ((Elsewhere("the language"),) if mention.name in _OWN else (Unknown("nothing here defines it"),))
    )


def _declared(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """What the package of a file declares; what its tests do, they alone see."""
    others = packages.package_files(resolver, path, word)
    seen = [each for each in others if packages.is_test_file(path) or not packages.is_test_file(each)]
    yield from packages.declared_at_top(resolver, seen, word)


def _imported(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """A package under the name that it has itself."""
    for mention in resolver.implied(path, word):
        yield from resolver.written(path, mention)


def _dotted(resolver: Resolver, path: str, word: str) -> Iterator[Meaning]:
    """What ``import . "path"`` brings."""
    for alias, said in packages.imports_of(resolver, path):
        package = packages.find_package(resolver, said) if alias == "." else None
        if isinstance(package, Module):
            yield from packages.package_member(resolver, package, word)
        elif package is not None and word[:1].isupper():
            yield Unknown("a package from outside may bring it")


def documented_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word in no code names: the package that an import brings; what a comment above declares."""
    if mention.role == "comment":
        return declaration_below(resolver, path, mention)
    for each in resolver.implied(path, mention.name):
        if each.start <= mention.start < each.node.end_byte:
            return resolver.written(path, each)
    return ()


_TESTS = re.compile("(?:Test|Benchmark|Fuzz|Example)(?![a-z])")

_CHOSEN = (Unknown("its type is chosen elsewhere"),)


class Go(Language):
    """Imports, values and members of Go."""

    rules = SCOPES

    free = staticmethod(look_up_free)

    def extended(self, resolver: Resolver, path: str, mention: Mention, value: Value) -> Iterable[Meaning]:
        """Return the field that an embedded type is, or what a type has that is chosen for a parameter."""
        found = tuple(types.embedded_type_named(resolver, value, mention.name))
        # An interface has no fields: a type that it constrains has them.
        return found or (_CHOSEN if _is_interface(resolver, value) and not _is_called(mention) else ())

    def lacking(self, resolver: Resolver, value: Value, name: str) -> Iterable[Meaning]:
        """Return what a type that is chosen for a parameter may have beside what its constraint asks for."""
        return _CHOSEN if _is_interface(resolver, value) else super().lacking(resolver, value, name)

    values = staticmethod(expression_values)

    bound = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """What stands before the dot; the type of which a method is defined."""
        above = mention.node.parent
        if above is None or above.type == "method_declaration":
            return members.receiver_type(mention.node)
        return above.child_by_field_name("operand") or above.child_by_field_name("package")

    def is_set(self, mention: Mention) -> bool:
        """Whether it is the name of a method."""
        return members.receiver_type(mention.node) is not None

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """The files of the package with the word."""
        return packages.package_files(resolver, binding.path, binding.name)

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """The name; that of a package is said where it is imported, unless it is the package's own."""
        return packages.rename_import(resolver, path, mention, new)

    implied = staticmethod(implied_import)

    def sees(self, resolver: Resolver, path: str, binding: Binding) -> bool:
        """What begins with a capital, and all in its own package; what tests define, in tests."""
        if not packages.is_test_file(path) and all(
            packages.is_test_file(p) for p, _ in resolver.binders(binding)
        ):
            return False
        return binding.name[:1].isupper() or packages.is_same_package(resolver, path, binding.path)

    besides = staticmethod(meanings_in_tests)

    customary = staticmethod(other_receivers)

    def twins(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """What other files of the package declare under the name; methods of interfaces and their types."""
        yield from members.implementing_methods(resolver, binding)
        yield from members.same_fields(resolver, binding)
        if binding.kind == "module" and binding.scope != WHOLE:
            # No file of a package may import under a name that another one declares: there it would be one.
            files = packages.package_files(resolver, binding.path, binding.name)
            others = [path for path in files if path != binding.path]
            yield from packages.declared_at_top(resolver, others, binding.name)

    def known(self, resolver: Resolver, place: Place) -> str:
        """What the library calls, and what tests are."""
        if packages.is_test_file(place.path) and _TESTS.match(place.mention.name):
            return "what runs tests knows it by this name"
        is_local = place.mention.kind not in ("func", "member", "name", "")
        return "" if is_local else super().known(resolver, place) or members.encoder_reason(resolver, place)

    is_open = staticmethod(is_interface_method)

    quoted = staticmethod(documented_meanings)

    def begun(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What is declared under a comment: its name is the first word there."""
        return documented_declaration(resolver, path, mention) if mention.role == "comment" else ()

    keyword = staticmethod(literal_key_meanings)

    bases = staticmethod(base_types)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """What a package exports."""
        return packages.package_member(resolver, module, name) or (Elsewhere("it is not exported"),)


def _is_interface(resolver: Resolver, value: Value) -> bool:
    kinds = types.underlying_type(resolver, value) if isinstance(value, Instance) else ()
    return any(isinstance(each, Class) and each.node.type == "interface_type" for each in kinds)


def _is_called(mention: Mention) -> bool:
    selected = mention.node.parent
    call = selected.parent if selected is not None else None
    return call is not None and call.child_by_field_name("function") == selected
