"""Members where they are named: after a dot, as keys, as parameters of constructors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning.javascript import exports, namespaces, type_parameters, words
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Instance, Meaning, Unknown
from gitscalpel.syntax.occurrences import Mention


def holder(mention: Mention) -> tree_sitter.Node | None:
    """The expression, object or pattern of which a mention is a member; of a property, the class's body."""
    above = words.owner(mention.node)
    if above is None:
        return None
    if above.type in ("required_parameter", "optional_parameter"):
        return words.around(above, "class_body")
    if above.type in ("object", "object_pattern"):
        return above
    if above.type in ("pair", "pair_pattern", "method_definition", "object_assignment_pattern"):
        return above.parent
    if above.type in ("arguments", "literal_type"):  # ``Object.defineProperty(o, "x", …)``
        return above.named_children[0] if above.type == "arguments" else None
    return above.child_by_field_name("object") or above.child_by_field_name("module")


def is_set(mention: Mention) -> bool:
    """Whether it is a key of an object, a property, or the target of an assignment."""
    above = words.owner(mention.node)
    if above is None:
        return False
    if above.type in ("pair", "object", "method_definition", "required_parameter", "optional_parameter"):
        return True
    statement = above.parent
    if above.type == "arguments" and statement is not None:
        called = statement.child_by_field_name("function")
        return called is not None and (called.text or b"").endswith((b".defineProperty", b".set"))
    if statement is None or statement.type != "assignment_expression":
        return False
    left = statement.child_by_field_name("left")
    return left is not None and left.id == above.id


def key(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word that is a key as well is as one."""
    node = holder(mention)
    found: list[Meaning] = []
    for value in resolver.values(path, node) if node is not None else ():
        members = resolver.members(value, mention.name)
        of = value.of if isinstance(value, Instance) else value
        found += members or ([resolver.of_class(of, mention.name)] if isinstance(of, Class) else [])
    return found or (Unknown("nothing is known of what has it"),)


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The parameter that makes a property; the same name in other files that share theirs."""
    if binding.kind == "module" and not exports.is_module(resolver, binding.path):
        others = list(exports.shared(resolver, binding.path, binding.name))
        yield from [min(others)] if others else ()  # through which all of them are one
    yield from namespaces.twins(resolver, binding)
    declaration = type_parameters.declaring(resolver, binding)
    if declaration is not None:
        declarations = (declaration, *twins(resolver, declaration))
        yield from type_parameters.twins(resolver, binding, declarations)
    if binding.kind != "class" or binding.space == "static":
        return
    for mention in resolver.lexical(binding.path).of(binding.name):
        node = holder(mention) if mention.kind == "parameter" and mention.key else None
        if node is not None and (node.start_byte, node.end_byte) == binding.scope:
            for meaning in resolver.meanings(binding.path, mention):
                if isinstance(meaning, Binding):
                    yield meaning
