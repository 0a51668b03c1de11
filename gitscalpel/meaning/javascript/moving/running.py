"""What of a module is run as the module itself is, and which of its names are there before that.

Function declarations are there as soon as a module is linked; classes, ``const``, ``let`` and enums only when
their statement has been run. https://tc39.es/ecma262/#sec-moduledeclarationinstantiation
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.javascript import words
from gitscalpel.meaning.javascript.moving import needs
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding
from gitscalpel.syntax.occurrences import Mention

_DECLARED = ("function_declaration", "generator_function_declaration", "function_signature")
_UNREAL = ("interface_declaration", "type_alias_declaration", "ambient_declaration")
_FUNCTIONS = (
    *("function_declaration", "generator_function_declaration", "method_definition", "arrow_function"),
    *("function_expression", "function", "generator_function"),
)
_FIELDS = ("field_definition", "public_field_definition")
_PARAMETERS = ("required_parameter", "optional_parameter")
_AROUND = ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression")
_CLASSES = ("class_declaration", "abstract_class_declaration", "class")
_TYPES = ("type_query", "type_annotation", "type_arguments", "implements_clause", *_UNREAL)


def is_there(name: Mention) -> bool:
    """Whether a name is there before its module is run, or needs not be: it is no more than a type."""
    above = name.node.parent
    is_real = above is not None and words.around(name.node, *_UNREAL) is None
    return not is_real or (above is not None and above.type in _DECLARED)


def own(resolver: Resolver, path: str, name: str) -> list[Mention]:
    """What declares a name at the top level of a file, but for imports and exports."""
    lexical = resolver.lexical(path)
    bound = lexical.bound(name).get(lexical.syntax.root.id, ())
    return [each for each in bound if each.kind not in ("import", "export", "passed")]


def uses(resolver: Resolver, path: str, name: str) -> Iterator[Mention]:
    """Where the value that a name has at the top level of a file is used in it."""
    lexical = resolver.lexical(path)
    root = lexical.syntax.root
    top = (path, (root.start_byte, root.end_byte), "module", name)
    for mention in lexical.of(name):
        if mention.role == "use" and is_value(mention):
            meant = resolver.meanings(path, mention)
            if any(isinstance(each, Binding) and each[:4] == top for each in meant):
                yield mention


def is_value(use: Mention) -> bool:
    """Whether a use is of a value, and not of its type alone."""
    return use.kind != "type" and not _is_type(use.node)


def is_used(resolver: Resolver, path: str, name: str) -> bool:
    """Whether a file uses the value that a name has at its top level, or exports it."""
    listed = resolver.lexical(path).of(name)
    is_exported = any(each.role == "bind" and each.kind == "export" for each in listed)
    return is_exported or any(True for _ in uses(resolver, path, name))


def leans(resolver: Resolver, path: str, name: Mention) -> bool:
    """Whether a function that is there before its module is run uses what is not."""
    function = name.node.parent
    if function is None:
        return False
    used = needs.uses(resolver, path, [(function.start_byte, function.end_byte)])
    declared = (own(resolver, path, each.name) for each in used if each.name != name.name)
    return any(those and not all(is_there(each) for each in those) for those in declared)


def is_called(mention: Mention) -> bool:
    """Whether a value is called, or made an object of, where it is named."""
    above = mention.node.parent
    is_member = above is not None and above.type == "member_expression"
    return _is_called(mention.node, of_class=is_member)


def at_once(resolver: Resolver, path: str, mention: Mention) -> Iterator[Mention]:
    """Where it is run as the file is: itself, or what calls the function of the file in which it stands."""
    waiting, seen = [mention], set[int]()
    for each in waiting:
        later = _later(each.node)
        if later is None:
            yield each
        elif later.id not in seen:
            seen.add(later.id)
            waiting += _calling(resolver, path, later)


def is_later(node: tree_sitter.Node) -> bool:
    """Return True if a node stands in a function or field that is not run where it stands."""
    return _later(node) is not None


def _later(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The innermost function, or field, around a node that is not run where it stands."""
    inner, above, is_of_parameter = node, node.parent, False
    while above is not None:
        is_of_parameter |= inner.type == "decorator" and above.type in _PARAMETERS
        if above.type in (*_FUNCTIONS, *_FIELDS):
            named = above.child_by_field_name("name") or above.child_by_field_name("property")
            if not (is_of_parameter or named == inner or _is_run(above)):
                return above
            is_of_parameter = False
        inner, above = above, above.parent
    return None


def _is_run(node: tree_sitter.Node) -> bool:
    """Whether a function is called where it stands, or a field is one of the class itself."""
    if node.type in _FIELDS:
        return any(child.type == "static" for child in node.children)
    whole = _whole(node)
    above = whole.parent
    return above is not None and above.type == "call_expression" and _called(above) == whole


def _calling(resolver: Resolver, path: str, later: tree_sitter.Node) -> Iterator[Mention]:
    """Where a function is called by its name, or an object is made whose class has it, in its own file."""
    name, is_method = _name(later)
    if name is None:
        return
    bound = {*resolver.meanings(path, words.mention(resolver, path, name))}
    for mention in resolver.lexical(path).of(words.text(resolver, path, name)):
        is_call = mention.role == "use" and _is_called(mention.node, of_class=is_method)
        if is_call and not bound.isdisjoint(resolver.meanings(path, mention)):
            yield mention


def _name(later: tree_sitter.Node) -> tuple[tree_sitter.Node | None, bool]:
    """What a function is called by, and whether that is the class that it is in."""
    if later.type in ("method_definition", *_FIELDS):
        around = words.around(later, *_CLASSES)
        return (around.child_by_field_name("name") if around is not None else None), True
    named = later.child_by_field_name("name")
    if named is None or later.type in ("function_expression", "function", "generator_function"):
        above = _whole(later).parent
        if above is not None and above.type == "variable_declarator":
            named = above.child_by_field_name("name")
    return (named if named is not None and named.type == "identifier" else None), False


def _is_called(node: tree_sitter.Node, *, of_class: bool) -> bool:
    above = node.parent
    if of_class and above is not None and above.type == "member_expression":
        node, above = above, above.parent
    if above is None or above.type not in ("call_expression", "new_expression", "decorator"):
        return False
    return above.type == "decorator" or _called(above) == node


def _called(call: tree_sitter.Node) -> tree_sitter.Node | None:
    return call.child_by_field_name("function") or call.child_by_field_name("constructor")


def _whole(node: tree_sitter.Node) -> tree_sitter.Node:
    """An expression with the parentheses around it, and what is said of its type."""
    while node.parent is not None and node.parent.type in _AROUND:
        node = node.parent
    return node


def _is_type(node: tree_sitter.Node) -> bool:
    """Whether it stands where nothing is run, but only said of which type something is."""
    above = node.parent
    while above is not None and above.type not in ("statement_block", "class_body", "program"):
        if above.type in _TYPES:
            return True
        above = above.parent
    return False
