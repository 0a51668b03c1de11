"""Which declarations are of the same thing: of one scope, or joined by what files include.

What a linker alone would join (a function that two files declare, and no header) may be the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import arguments, classes, includes, signatures, spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import WHOLE, Binding, Class
from gitscalpel.syntax.occurrences import Mention

_LOCAL = ("block", "let")


def twins(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What else certainly declares the same."""
    if binding.scope == WHOLE:
        return
    mention = first(resolver, binding)
    if mention is None:
        return
    if binding.kind == "class":
        yield from _members(resolver, binding)
    elif binding.kind in _LOCAL:
        yield from _outer(resolver, binding, mention)
    elif binding.kind in spaces.OPEN:
        yield from _others(resolver, binding, mention)


def first(resolver: Resolver, binding: Binding) -> Mention | None:
    """A mention that binds a name."""
    return next((place.mention for place in resolver.binders(binding)), None)


def _same(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[spaces.Declared]:
    """What other scopes declare in the same namespace, of the same sort, and told apart by nothing."""
    space = spaces.of_mention(resolver, binding.path, mention)
    rules = resolver.lexical(binding.path).rules
    for each in spaces.declared(resolver, space, binding.name) if space is not None else ():
        is_alike = each.kind == mention.kind or (
            each.kind != "using"
            and "namespace" not in (each.kind, mention.kind)
            and rules.meet(each.kind, mention.kind)
        )
        if each.binding != binding and is_alike and _told(resolver, each.binding, binding):
            yield each


def _told(resolver: Resolver, one: Binding, other: Binding) -> bool:
    """Whether what is told of two declarations fits; C tells nothing."""
    both = all(resolver.lexical(each.path).rules.told is not None for each in (one, other))
    return one.space == other.space or not both or _is_form(resolver, one, other)


def _is_form(resolver: Resolver, one: Binding, other: Binding) -> bool:
    """Whether one is a form of its own (``template <>``) of the other."""
    if signatures.SPECIAL not in (one.space, other.space):
        return False
    general = one if other.space == signatures.SPECIAL else other
    declarator = arguments.declarator(resolver, general)
    return declarator is not None and signatures.template(declarator) is not None


def _others(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    for each in _same(resolver, binding, mention):
        if mention.kind == "namespace" or each.path == binding.path:
            yield each.binding
        else:
            inner = any(is_internal(one) for one in (mention, each.mention))
            if includes.joined(resolver, binding.path, each.path, only_direct=inner):
                yield each.binding


def akin(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """What may be the same: by its name in the namespace, or by a type that is spelt otherwise."""
    mention = first(resolver, binding)
    if binding.kind not in spaces.OPEN or mention is None or mention.kind not in ("function", "variable"):
        return
    for each in _same(resolver, binding, mention):
        if each.kind == mention.kind and not (is_internal(mention) or is_internal(each.mention)):
            yield each.binding
    yield from _spelt(resolver, binding, mention)


def _spelt(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    """Where only a declaration, or only a definition, is known of functions that take as many arguments."""
    space = spaces.of_mention(resolver, binding.path, mention)
    own = arguments.declarator(resolver, binding)
    found = spaces.declared(resolver, space, binding.name) if space is not None and own is not None else ()
    functions = [each for each in found if each.kind == "function" and not is_internal(each.mention)]
    for each in functions:
        other = signatures.declared(each.mention.node)
        if other is None or own is None or each.binding.space == binding.space:
            continue
        counts = {len(signatures.parameters(one)) for one in (own, other)}
        if len(counts) == 1 and _is_alone(functions, binding) != _is_alone(functions, each.binding):
            yield each.binding
        elif len(counts) == 1 and None not in (
            kinds := {_is_alone(functions, one) for one in (binding, each.binding)}
        ):
            yield from () if len(kinds) == 1 else (each.binding,)


def _is_alone(functions: list[spaces.Declared], binding: Binding) -> bool | None:
    """True of what is defined and nowhere declared, False of the opposite, None of what is both."""
    of = {_is_defined(each.mention.node) for each in functions if each.binding.space == binding.space}
    return of.pop() if len(of) == 1 else None


def _is_defined(node: tree_sitter.Node) -> bool:
    above = nodes.around(node, "function_definition", "declaration")
    return above is not None and above.type == "function_definition"


def is_internal(mention: Mention) -> bool:
    """Whether a name is not seen by other files but those that include its own."""
    above = nodes.around(mention.node, "declaration", "function_definition")
    if spaces.is_anonymous(mention.node):
        return True
    words = _words(above) if above is not None and mention.kind in ("function", "variable") else set[str]()
    is_constant = mention.kind == "variable" and not words.isdisjoint({"const", "constexpr"})
    return "static" in words or (is_constant and "extern" not in words and _is_cpp(mention.node))


def _words(declaration: tree_sitter.Node) -> set[str]:
    """The words with which a declaration begins."""
    kinds = ("storage_class_specifier", "type_qualifier")
    return {signatures.word(each) for each in declaration.children if each.type in kinds}


def _is_cpp(node: tree_sitter.Node) -> bool:
    return nodes.around(node, "namespace_definition", "template_declaration") is not None


def _outer(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    """What ``extern`` in a block, or a function that is declared in one, declares outside of it."""
    above = nodes.around(mention.node, "declaration")
    is_extern = above is not None and "extern" in _words(above)
    if not is_extern and mention.kind != "function":
        return
    around = next((scope for scope in mention.scopes if scope.kind in spaces.OPEN), None)
    space = spaces.of_scope(around) if around is not None else None
    found = spaces.declared(resolver, space, binding.name) if space is not None else ()
    for each in spaces.visible(resolver, binding.path, found):
        if each.kind in ("function", "variable") and _told(resolver, each.binding, binding):
            yield each.binding


def _members(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """The same member in another definition of its class."""
    root = resolver.lexical(binding.path).syntax.root
    node = root.descendant_for_byte_range(binding.scope[0], max(binding.scope[0], binding.scope[1] - 1))
    while node is not None and (node.start_byte, node.end_byte) != binding.scope:
        node = node.parent
    mention = classes.mention_of(resolver, Class(binding.path, node)) if node is not None else None
    for meaning in (
        resolver.meanings(binding.path, mention) if mention is not None and mention.role == "bind" else ()
    ):
        for each in classes.of_binding(resolver, meaning) if isinstance(meaning, Binding) else ():
            for member in resolver.own_members(each, binding.name):
                if member.space == binding.space and member != binding:
                    yield member


def overridden(resolver: Resolver, binding: Binding, member: Binding) -> bool:
    """Whether a method takes the place of a virtual one of a base."""
    own, other = arguments.declarator(resolver, binding), arguments.declarator(resolver, member)
    if own is None or other is None or not _is_virtual(other):
        return False
    same = len(signatures.parameters(own)) == len(signatures.parameters(other))
    return binding.space == member.space or (same and _says_so(own))


def _is_virtual(declarator: tree_sitter.Node) -> bool:
    above = nodes.around(declarator, "field_declaration", "function_definition", "declaration")
    children = above.children if above is not None else []
    return _says_so(declarator) or any(each.type == "virtual" for each in children)


def _says_so(declarator: tree_sitter.Node) -> bool:
    """Whether it says ``override`` or ``final``."""
    return any(each.type == "virtual_specifier" for each in declarator.children)
