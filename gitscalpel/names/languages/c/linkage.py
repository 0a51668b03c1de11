"""Declarations of one entity, joined by linkage and distinguished by overload resolution.

Declarations are the same entity if one scope has them, or if includes join them. If only the linker would
join them (a function that two files declare, and no header), they may be the same.

A call means an overload by the number of its arguments, and by their types as far as known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import WHOLE, Binding, Class, Instance, Meaning, Unknown, Value
from gitscalpel.names.languages.c import classes, preprocessor
from gitscalpel.names.nodes import children_of, find_part, node_text
from gitscalpel.names.resolver import Resolver, cache_answers
from gitscalpel.syntax.occurrences import Mention

_NAMES = (
    "qualified_identifier",
    "template_function",
    "template_method",
    "field_expression",
    "dependent_name",
)
_DOUBT = Unknown("it may be any of several functions", among=True)
_LITERALS = {
    "string_literal": "const char*",
    "char_literal": "char",
    "true": "bool",
    "false": "bool",
}


def call_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    above: tree_sitter.Node | None = node.parent
    child: tree_sitter.Node = node
    while above is not None and above.type in _NAMES:
        if child in (above.child_by_field_name("scope"), above.child_by_field_name("argument")):
            return None
        child, above = above, above.parent
    is_called = above is not None and above.type == "call_expression"
    return above if is_called and find_part(above, "function") == child else None


def call_arguments(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [each for each in children_of(find_part(node, "arguments")) if each.type != "comment"]


def choose_overloads(
    resolver: Resolver, path: str, mention: Mention, meanings: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    named = [each for each in meanings if isinstance(each, Binding)]
    if classes.BROUGHT_KINDS in meanings:
        exact = _exact_matches(resolver, path, mention, named)
        meanings = tuple(exact) or meanings
        named = exact or named
    if mention.role == "bind" or len({each.space for each in named}) < 2:
        return meanings
    rest = tuple(each for each in meanings if not isinstance(each, Binding))
    general = [each for each in named if each.space != classes.SPECIAL]
    own, called = classes.declarator_of(mention.node), call_of(mention.node)
    if own is not None:
        chosen = _declarations_defined(resolver, general, own)
    elif called is not None:
        chosen = _callable_with(resolver, path, general, call_arguments(called))
    else:
        chosen = general
    is_unclear = len({each.space for each in chosen}) != 1
    return (*(chosen or named), *rest, *((_DOUBT,) if is_unclear else ()))


def find_declarator(resolver: Resolver, binding: Binding) -> tree_sitter.Node | None:
    for place in resolver.binders(binding):
        declarator = classes.declarator_of(place.mention.node)
        if declarator is not None:
            return declarator
    return None


def _declarations_defined(resolver: Resolver, named: list[Binding], own: tree_sitter.Node) -> list[Binding]:
    """Return the declarations of which an occurrence is the definition."""
    signature = classes.parameter_text(own)
    exact = [each for each in named if each.space == signature]
    if exact:
        return exact
    count = len(classes.parameters_of(own))
    similar = [each for each in named if _count_template_parameters(resolver, each) == count]
    if classes.is_specialization(own) or not similar:
        similar = [each for each in named if _is_template(resolver, each)] or similar
    return similar


def _count_template_parameters(resolver: Resolver, binding: Binding) -> int:
    declarator = find_declarator(resolver, binding)
    return -1 if declarator is None else len(classes.parameters_of(declarator))


def _is_template(resolver: Resolver, binding: Binding) -> bool:
    declarator = find_declarator(resolver, binding)
    return declarator is not None and classes.template_of(declarator) is not None


def _callable_with(
    resolver: Resolver, path: str, named: list[Binding], arguments: list[tree_sitter.Node]
) -> list[Binding]:
    callable_bindings = [each for each in named if _may_take(resolver, each, len(arguments))]
    if any(each.type in ("parameter_pack_expansion", "ERROR") for each in arguments):
        return named
    if len({each.space for each in callable_bindings}) < 2:
        return callable_bindings or named
    return _exactly_matching(resolver, path, callable_bindings, arguments) or callable_bindings


def _exactly_matching(
    resolver: Resolver, path: str, named: list[Binding], arguments: list[tree_sitter.Node]
) -> list[Binding]:
    kinds = [argument_type(resolver, path, each) for each in arguments]
    return [each for each in named if None not in kinds and _parameter_types(resolver, each) == kinds]


def _exact_matches(resolver: Resolver, path: str, mention: Mention, named: list[Binding]) -> list[Binding]:
    """Return the functions that a definition or call means, without those that ``using`` adds."""
    if classes.declarator_of(mention.node) is not None:
        return named
    called = call_of(mention.node) if mention.role != "bind" else None
    return _exactly_matching(resolver, path, named, call_arguments(called)) if called is not None else []


def _may_take(resolver: Resolver, binding: Binding, count: int) -> bool:
    declarator = find_declarator(resolver, binding)
    if declarator is None:
        return True
    parameters = classes.parameters_of(declarator)
    least = sum(each.child_by_field_name("default_value") is None for each in parameters)
    least -= sum(each.type == "variadic_parameter_declaration" for each in parameters)
    return least <= count and (count <= len(parameters) or classes.is_variadic(declarator))


def _parameter_types(resolver: Resolver, binding: Binding) -> list[str]:
    declarator = find_declarator(resolver, binding)
    parameters = classes.parameters_of(declarator) if declarator is not None else []
    return [_without_passing_mode(classes.parameter_type(each)) for each in parameters]


def _without_passing_mode(kind: str) -> str:
    """Return a type without reference and ``const`` marks, which only say how a value is passed."""
    kind = kind.rstrip("&").strip()
    return kind if "*" in kind else re.sub(r"^const ", "", kind)


def argument_type(resolver: Resolver, path: str, node: tree_sitter.Node) -> str | None:
    """Return the type of an argument if its expression shows it; None otherwise."""
    if node.type == "number_literal":
        literal = node_text(node)
        plain = re.fullmatch(r"\d+", literal), re.fullmatch(r"\d+\.\d*|\.\d+", literal)
        return "int" if plain[0] else "double" if plain[1] else None
    if node.type in _LITERALS:
        return _LITERALS[node.type]
    if node.type != "identifier":
        return None
    kinds = {
        _declared_type(resolver, each)
        for each in resolver.meanings(path, nodes.mention(resolver, path, node))
    }
    return kinds.pop() if len(kinds) == 1 else None


def _declared_type(resolver: Resolver, meaning: Meaning) -> str | None:
    places = resolver.binders(meaning) if isinstance(meaning, Binding) else ()
    for place in places:
        above = place.mention.node.parent
        if above is not None and (above.type == "init_declarator" or _is_referred(place.mention)):
            above = above.parent
        if above is not None and above.type in ("declaration", "parameter_declaration"):
            kind = node_text(above.child_by_field_name("type"))
            fixed = _is_referred(place.mention) and any(e.type == "type_qualifier" for e in above.children)
            return None if "auto" in kind or fixed else _without_passing_mode(classes.normalise_type(kind))
    return None


def _is_referred(mention: Mention) -> bool:
    return mention.node.parent is not None and mention.node.parent.type == "reference_declarator"


def argument_dependent_meanings(
    resolver: Resolver, path: str, mention: Mention, named: list[Binding], doubt: list[Meaning]
) -> list[Meaning]:
    """Return the functions in the namespaces of a call's arguments, in addition to those in scope."""
    called = call_of(mention.node)
    is_outside = all(each.kind in classes.OPEN_SCOPES for each in named)
    if called is None or not is_outside or resolver.lexical(path).rules.signature_of is None:
        return [*named, *(doubt if named and called is not None and is_outside else ())]
    values = (
        [value for each in call_arguments(called) for value in resolver.values(path, each)]
        if _is_in_other_namespace(resolver, mention)
        else []
    )
    functions = dict.fromkeys(_functions_of_arguments(resolver, path, mention, values))
    further = [each for each in functions if each not in named]
    unknown = any(isinstance(each, Unknown) for each in values)
    doubts = (Unknown("the namespace of an argument may have it"),) if unknown else ()
    rest = [*doubt, *doubts] if named or further or doubts else []
    return [*named, *further, *rest]


def _is_in_other_namespace(resolver: Resolver, mention: Mention) -> bool:
    around = {classes.namespace_of_scope(scope) for scope in mention.scopes}
    return any(each not in around for each in classes.namespaces_with(resolver, mention.name, "function"))


def _functions_of_arguments(
    resolver: Resolver, path: str, mention: Mention, values: Iterable[Value]
) -> Iterator[Binding]:
    for value in values:
        of = value.of if isinstance(value, Instance) else value
        if isinstance(of, Class):
            declared = classes.declared_in(resolver, classes.namespace_at(of.node), mention.name)
            functions = [each for each in declared if each.kind == "function"]
            yield from (each.binding for each in preprocessor.visible_from(resolver, path, functions))


_LOCAL = ("block", "let")


@cache_answers
def same_entity(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield the other declarations that are certainly the same entity."""
    if binding.scope == WHOLE:
        return
    mention = first_binder(resolver, binding)
    if mention is None:
        return
    if binding.kind == "class":
        yield from _same_members(resolver, binding)
    elif binding.kind in _LOCAL:
        yield from _outer_declarations(resolver, binding, mention)
    elif binding.kind in classes.OPEN_SCOPES:
        yield from _other_declarations(resolver, binding, mention)


def first_binder(resolver: Resolver, binding: Binding) -> Mention | None:
    return next((place.mention for place in resolver.binders(binding)), None)


def _same_in_namespace(
    resolver: Resolver, binding: Binding, mention: Mention
) -> Iterator[classes.DeclaredName]:
    """Yield declarations in other scopes of the namespace with the same kind and parameters."""
    space = classes.namespace_of_mention(resolver, binding.path, mention)
    rules = resolver.lexical(binding.path).rules
    for each in classes.declared_in(resolver, space, binding.name) if space is not None else ():
        is_alike = each.kind == mention.kind or (
            each.kind != "using"
            and "namespace" not in (each.kind, mention.kind)
            and rules.meet(each.kind, mention.kind)
        )
        if each.binding != binding and is_alike and _has_same_signature(resolver, each.binding, binding):
            yield each


def _has_same_signature(resolver: Resolver, one: Binding, other: Binding) -> bool:
    """Return True if two declarations may have the same signature; always in C."""
    have_signatures = all(resolver.lexical(each.path).rules.signature_of is not None for each in (one, other))
    return one.space == other.space or not have_signatures or _is_specialization_of(resolver, one, other)


def _is_specialization_of(resolver: Resolver, one: Binding, other: Binding) -> bool:
    if classes.SPECIAL not in (one.space, other.space):
        return False
    general = one if other.space == classes.SPECIAL else other
    declarator = find_declarator(resolver, general)
    return declarator is not None and classes.template_of(declarator) is not None


def _other_declarations(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    for each in _same_in_namespace(resolver, binding, mention):
        if mention.kind == "namespace" or each.path == binding.path:
            yield each.binding
        else:
            inner = any(is_internal(one) for one in (mention, each.mention))
            if preprocessor.are_compiled_together(resolver, binding.path, each.path, only_direct=inner):
                yield each.binding


def possibly_same_entity(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    """Yield entities that may be the same: by namespace and name, or by another spelling of a type."""
    mention = first_binder(resolver, binding)
    if (
        binding.kind not in classes.OPEN_SCOPES
        or mention is None
        or mention.kind not in ("function", "variable")
    ):
        return
    for each in _same_in_namespace(resolver, binding, mention):
        if each.kind == mention.kind and not (is_internal(mention) or is_internal(each.mention)):
            yield each.binding
    yield from _differently_spelled(resolver, binding, mention)


def _differently_spelled(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    """Yield functions with as many parameters of which only a declaration or only a definition is known."""
    space = classes.namespace_of_mention(resolver, binding.path, mention)
    own = find_declarator(resolver, binding)
    declared = (
        classes.declared_in(resolver, space, binding.name) if space is not None and own is not None else ()
    )
    functions = [each for each in declared if each.kind == "function" and not is_internal(each.mention)]
    for each in functions:
        other = classes.declarator_of(each.mention.node)
        if other is None or own is None or each.binding.space == binding.space:
            continue
        counts = {len(classes.parameters_of(one)) for one in (own, other)}
        if len(counts) == 1 and _is_only_defined(functions, binding) != _is_only_defined(
            functions, each.binding
        ):
            yield each.binding
        elif len(counts) == 1 and None not in (
            kinds := {_is_only_defined(functions, one) for one in (binding, each.binding)}
        ):
            yield from () if len(kinds) == 1 else (each.binding,)


def _is_only_defined(functions: list[classes.DeclaredName], binding: Binding) -> bool | None:
    """Return True for a definition without a declaration, False for the opposite, None for both."""
    of = {_is_defined(each.mention.node) for each in functions if each.binding.space == binding.space}
    return of.pop() if len(of) == 1 else None


def _is_defined(node: tree_sitter.Node) -> bool:
    above = nodes.ancestor(node, "function_definition", "declaration")
    return above is not None and above.type == "function_definition"


def is_internal(mention: Mention) -> bool:
    """Return True if only the file and those that include it see a name (internal linkage)."""
    above = nodes.ancestor(mention.node, "declaration", "function_definition")
    if classes.is_anonymous(mention.node):
        return True
    words = (
        _specifiers(above) if above is not None and mention.kind in ("function", "variable") else set[str]()
    )
    is_constant = mention.kind == "variable" and not words.isdisjoint({"const", "constexpr"})
    is_cpp = nodes.ancestor(mention.node, "namespace_definition", "template_declaration") is not None
    return "static" in words or (is_constant and "extern" not in words and is_cpp)


def _specifiers(declaration: tree_sitter.Node) -> set[str]:
    kinds = ("storage_class_specifier", "type_qualifier")
    return {node_text(each) for each in declaration.children if each.type in kinds}


def _outer_declarations(resolver: Resolver, binding: Binding, mention: Mention) -> Iterator[Binding]:
    """Yield the outer entities that ``extern`` or a function declaration in a block refers to."""
    above = nodes.ancestor(mention.node, "declaration")
    is_extern = above is not None and "extern" in _specifiers(above)
    if not is_extern and mention.kind != "function":
        return
    around = next((scope for scope in mention.scopes if scope.kind in classes.OPEN_SCOPES), None)
    space = classes.namespace_of_scope(around) if around is not None else None
    declared = classes.declared_in(resolver, space, binding.name) if space is not None else ()
    for each in preprocessor.visible_from(resolver, binding.path, declared):
        if each.kind in ("function", "variable") and _has_same_signature(resolver, each.binding, binding):
            yield each.binding


def _same_members(resolver: Resolver, binding: Binding) -> Iterator[Binding]:
    own = resolver.class_of_member(binding)
    mention = classes.mention_of(resolver, own) if own is not None else None
    for meaning in (
        resolver.meanings(binding.path, mention) if mention is not None and mention.role == "bind" else ()
    ):
        for each in classes.class_bodies(resolver, meaning) if isinstance(meaning, Binding) else ():
            for member in resolver.own_members(each, binding.name):
                if member.space == binding.space and member != binding:
                    yield member


def is_overridden(resolver: Resolver, binding: Binding, member: Binding) -> bool:
    own, other = find_declarator(resolver, binding), find_declarator(resolver, member)
    if own is None or other is None or not _is_virtual(other):
        return False
    same = len(classes.parameters_of(own)) == len(classes.parameters_of(other))
    return binding.space == member.space or (same and _has_override_mark(own))


def _is_virtual(declarator: tree_sitter.Node) -> bool:
    above = nodes.ancestor(declarator, "field_declaration", "function_definition", "declaration")
    children = above.children if above is not None else []
    return _has_override_mark(declarator) or any(each.type == "virtual" for each in children)


def _has_override_mark(declarator: tree_sitter.Node) -> bool:
    return any(each.type == "virtual_specifier" for each in declarator.children)
