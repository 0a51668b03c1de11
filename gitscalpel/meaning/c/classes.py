"""Structs, unions, classes and enums: where their members are, what they inherit, what ``this`` is.

Each is known by its body.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import includes, spaces
from gitscalpel.meaning.c.signatures import plain, word
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Elsewhere, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

SPECIFIERS = ("class_specifier", "struct_specifier", "union_specifier", "enum_specifier")
BODIES = ("field_declaration_list", "enumerator_list")


def of_binding(resolver: Resolver, binding: Binding) -> tuple[Class, ...]:
    """The bodies that a class's name has, in whatever file."""
    return resolver.once(("bodies", binding), lambda: _bodies(resolver, binding), ())


def _bodies(resolver: Resolver, binding: Binding) -> Iterator[Class]:
    same = dict.fromkeys([binding, *resolver.dialect(binding.path).twins(resolver, binding)])
    is_found = False
    for place in (place for each in same for place in resolver.binders(each)):
        above = place.mention.node.parent
        body = above.child_by_field_name("body") if above is not None else None
        if body is not None and above is not None and above.type in SPECIFIERS:
            is_found = True
            yield Class(place.path, body)
    if not is_found:
        yield from _bodies_outside(resolver, binding.name, set(same))


def _bodies_outside(resolver: Resolver, called: str, same: set[Binding]) -> Iterator[Class]:
    """Yield the bodies of a class that is defined outside of what it is a member of (``class A::B {}``)."""
    for path in resolver.files.holding("::" + called):
        lexical = resolver.files.lexical(path) if includes.is_read(resolver, path) else None
        for mention in lexical.of(called) if lexical is not None else ():
            above = mention.node.parent
            while above is not None and above.type in ("qualified_identifier", "template_type"):
                above = above.parent
            body = above.child_by_field_name("body") if above is not None else None
            is_one = mention.role == "member" and above is not None and above.type in SPECIFIERS
            if body is not None and is_one and not same.isdisjoint(resolver.meanings(path, mention)):
                yield Class(path, body)


def name(of: Class) -> tree_sitter.Node | None:
    """The node of a class's name."""
    holder = of.node.parent if of.node.type in BODIES else of.node
    found = holder.child_by_field_name("name") if holder is not None else None
    while found is not None and found.type in ("qualified_identifier", "template_type"):
        found = found.child_by_field_name("name")
    return found


def bases(resolver: Resolver, of: Class) -> Iterator[Value]:
    """What a class inherits from."""
    if of.node.type == "template_type":
        yield Elsewhere("a template from outside")
    holder = of.node.parent
    for child in holder.named_children if holder is not None and of.node.type in BODIES else ():
        for kind in child.named_children if child.type == "base_class_clause" else ():
            if kind.type not in ("access_specifier", "virtual", "attribute_declaration"):
                yield from resolver.values(of.path, kind)


def own(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """The class in whose members a node stands, in its body or where a member is defined outside of it."""
    above = nodes.around(node, "field_declaration_list", "function_definition")
    while above is not None:
        if above.type == "field_declaration_list":
            return (Class(path, above),)
        found = [each for each in outside(resolver, path, above) if isinstance(each, (Class, Unknown))]
        if found:
            return found
        above = nodes.around(above, "field_declaration_list", "function_definition")
    return ()


def outside(resolver: Resolver, path: str, definition: tree_sitter.Node) -> Iterable[Value]:
    """What a function is a member of that is defined outside of it (``A::f``)."""
    scope = qualifier(definition)
    return resolver.values(path, scope) if scope is not None else ()


def qualifier(definition: tree_sitter.Node) -> tree_sitter.Node | None:
    """What stands before the last ``::`` of what a definition defines."""
    each: tree_sitter.Node | None = definition
    while each is not None and each.type != "qualified_identifier":
        inner = each.child_by_field_name("declarator")
        each = inner or (
            next((c for c in each.named_children if c.type.endswith("declarator")), None)
            if each.type != "qualified_identifier"
            else None
        )
    found = None
    while each is not None and each.type == "qualified_identifier":
        found, each = each.child_by_field_name("scope"), each.child_by_field_name("name")
    return found


def this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """What ``this`` is where it stands."""
    found = list(own(resolver, path, node))
    for value in found:
        yield Instance(value) if isinstance(value, Class) else value
    if not found:
        yield Unknown("this stands in no class that is known")


def taken(resolver: Resolver, of: Class, called: str) -> Iterator[Meaning]:
    """What ``using`` brings into a class, but for what this declares itself with the same parameters."""
    if of.node.type != "field_declaration_list" or b"using" not in resolver.lexical(of.path).text:
        return
    for path, node in spaces.enums_of_class(resolver, of):
        yield from of_enum(resolver, path, node, called)
    own = {each.space for each in resolver.own_members(of, called)}
    for mention in resolver.lexical(of.path).of(called):
        if spaces.is_using(mention.node) and mention.scopes[0].node.id == of.node.id:
            for each in resolver.meanings(of.path, mention):
                if isinstance(each, Binding) and each.space not in own:
                    yield each
                elif isinstance(each, Elsewhere) or (isinstance(each, Unknown) and not each.among):
                    yield spaces.BROUGHT


def of_enum(resolver: Resolver, path: str, node: tree_sitter.Node, called: str) -> Iterator[Binding]:
    """Yield the enumerator of a name that ``using enum`` brings; ``node`` names the enum."""
    for value in resolver.values(path, node):
        if isinstance(value, Class) and value.node.type == "enumerator_list":
            found = resolver.members(value, called) or injected(resolver, value, called)
            yield from (each for each in found if isinstance(each, Binding))


def injected(resolver: Resolver, of: Class, called: str) -> Iterable[Meaning]:
    """The class's own name as one of its names, and those that an enum gives to the scope around it."""
    node = name(of)
    if node is not None and word(node) == called and of.node.type != "template_type":
        return resolver.meanings(of.path, nodes.mention(resolver, of.path, node))
    if of.node.type == "enumerator_list":
        lexical = resolver.lexical(of.path)
        for mention in lexical.of(called):
            above = mention.node.parent
            if above is not None and above.type == "enumerator" and above.parent == of.node:
                return resolver.meanings(of.path, mention)
    return _unnamed(resolver, of, called)


def inherited(resolver: Resolver, of: Class, called: str) -> Iterator[Meaning]:
    """A base's own name, which is one of its members: wherever it is declared, an heir calls it so.

    Of a template as a base of a template it is not: what depends on arguments is not looked up there.
    """
    for base in resolver.ancestry(of)[1:]:
        if isinstance(base, Class) and not (_is_template(base) and _is_template(of)):
            node = name(base)
            if node is not None and word(node) == called and base.node.type != "template_type":
                yield from resolver.meanings(base.path, nodes.mention(resolver, base.path, node))


def _is_template(of: Class) -> bool:
    holder = of.node.parent if of.node.type in BODIES else of.node
    above = holder.parent if holder is not None else None
    return above is not None and above.type == "template_declaration"


def _unnamed(resolver: Resolver, of: Class, called: str) -> Iterator[Meaning]:
    """What a struct or union without a name in it has."""
    for member in of.node.named_children if of.node.type == "field_declaration_list" else ():
        kind = member.child_by_field_name("type") if member.type == "field_declaration" else None
        body = kind.child_by_field_name("body") if kind is not None else None
        is_bare = member.child_by_field_name("declarator") is None
        if body is not None and is_bare and kind is not None and kind.child_by_field_name("name") is None:
            yield from resolver.members(Class(of.path, body), called)
            yield from _found(resolver, Class(of.path, body), called)


def _found(resolver: Resolver, of: Class, called: str) -> Iterable[Meaning]:
    return injected(resolver, of, called) if not resolver.members(of, called) else ()


def special(resolver: Resolver, node: tree_sitter.Node, found: list[Value]) -> list[Value]:
    """Which form of a template ``name<arguments>`` is: the general one, or one of its own."""
    given = node.child_by_field_name("arguments")
    general = [each for each in found if isinstance(each, Class)]
    if given is None or not general:
        return found
    forms = [form for each in general for form in _forms(resolver, each)]
    wanted = [plain(word(each)) for each in given.named_children]
    exact = [each for each in forms if _fits(each, wanted, ()) is True]
    if exact:
        return list(dict.fromkeys(exact))
    partial = [each for each in forms if _fits(each, wanted, _generic(each))]
    if len(partial) > 1:
        return [*found, *partial, Unknown("nobody can tell which form of the template it is")]
    if not partial and forms and _is_open(node, given) and not _is_current(node, general):
        return [*found, *forms, Unknown("its arguments choose the form of the template")]
    return list(partial) or found


def _is_open(node: tree_sitter.Node, given: tree_sitter.Node) -> bool:
    """Return True if arguments name a parameter of a template around them."""
    said = re.findall(r"\w+", word(given))
    above = nodes.around(node, "template_declaration")
    while above is not None:
        parameters = above.child_by_field_name("parameters")
        names = (
            [each.named_children[-1] for each in parameters.named_children if each.named_children]
            if (parameters is not None)
            else []
        )
        if any(word(each) in said for each in names):
            return True
        above = nodes.around(above, "template_declaration")
    return False


def _is_current(node: tree_sitter.Node, general: list[Class]) -> bool:
    """Return True in the template itself, and in what is defined outside of it."""
    above: tree_sitter.Node | None = node
    while above is not None:
        if any(above == each.node for each in general):
            return True
        outer = qualifier(above) if above.type in ("function_definition", "declaration") else None
        outer = definition_scope(Class("", above)) if above.type == "field_declaration_list" else outer
        if outer is not None and (outer == node or word(outer) == word(node)):
            return True
        if above.type in SPECIFIERS and _scope_of(above) == node:
            return True
        above = above.parent
    return False


def _scope_of(specifier: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return what stands before ``::`` in the name of a class, or the form that it is one of."""
    called = specifier.child_by_field_name("name")
    return (
        called.child_by_field_name("scope")
        if called is not None and called.type == "qualified_identifier"
        else called
    )


def _forms(resolver: Resolver, of: Class) -> tuple[Class, ...]:
    """The forms of its own that a class template has for some arguments."""
    return resolver.once(("forms", of.path, of.scope), lambda: _all_forms(resolver, of), ())


def _all_forms(resolver: Resolver, of: Class) -> Iterator[Class]:
    node = name(of)
    called = word(node)
    own = (
        set(resolver.meanings(of.path, nodes.mention(resolver, of.path, node))) if node is not None else set()
    )
    for path in resolver.files.holding(called) if called else ():
        lexical = resolver.files.lexical(path)
        for mention in lexical.of(called) if lexical is not None and includes.is_read(resolver, path) else ():
            above = mention.node.parent
            holder = above.parent if above is not None and above.type == "template_type" else None
            body = holder.child_by_field_name("body") if holder is not None else None
            if body is None or holder is None or holder.type not in SPECIFIERS:
                continue
            if not own.isdisjoint(resolver.meanings(path, mention)):
                yield Class(path, body)


def _arguments(form: Class) -> list[str]:
    holder = form.node.parent
    called = holder.child_by_field_name("name") if holder is not None else None
    given = called.child_by_field_name("arguments") if called is not None else None
    return [plain(word(each)) for each in given.named_children] if given is not None else []


def _generic(form: Class) -> tuple[str, ...]:
    above = nodes.around(form.node, "template_declaration")
    given = above.child_by_field_name("parameters") if above is not None else None
    return tuple(
        word(each.named_children[-1])
        for each in (given.named_children if given is not None else ())
        if each.named_children
    )


def _fits(form: Class, wanted: list[str], generic: tuple[str, ...]) -> bool:
    """Whether arguments are those of a form, each of whose own parameters may be anything."""
    said = _arguments(form)
    if len(said) != len(wanted):
        return False
    for mine, its in zip(said, wanted, strict=True):
        bare = mine.rstrip("*&")
        ends = mine[len(bare) :]
        if mine != its and not (bare in generic and its.endswith(ends)):
            return False
    return True


def enclosing(resolver: Resolver, value: Value) -> Iterator[Class | str]:
    """Yield a class, and the classes and namespaces around it, innermost first."""
    if not isinstance(value, Class):
        return
    yield value
    outer = definition_scope(value)
    for each in resolver.values(value.path, outer) if outer is not None else ():
        yield from enclosing(resolver, each)
    node = nodes.around(value.node, "field_declaration_list", "namespace_definition")
    while node is not None:
        if node.type == "field_declaration_list":
            yield Class(value.path, node)
        else:
            yield spaces.of_node(node.named_children[-1])
        node = nodes.around(node, "field_declaration_list", "namespace_definition")


def definition_scope(of: Class) -> tree_sitter.Node | None:
    """Return what stands before the last ``::`` of the name of a class that is defined outside of another."""
    holder = of.node.parent if of.node.type in BODIES else None
    called = holder.child_by_field_name("name") if holder is not None else None
    found = None
    while called is not None and called.type == "qualified_identifier":
        found, called = called.child_by_field_name("scope"), called.child_by_field_name("name")
    return found


def mention_of(resolver: Resolver, of: Class) -> Mention | None:
    """Where a class's name stands in its definition."""
    node = name(of)
    return nodes.mention(resolver, of.path, node) if node is not None else None
