"""Classes, namespaces and signatures of C and C++.

A namespace is a module whose path is its full name (``a::b``, ``""`` for the global one). A struct, union,
class or enum is identified by its body. Signatures distinguish overloads: the types of parameters as written,
without qualifiers before ``::``, parameter names and default values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Meaning, Module, Unknown, Value
from gitscalpel.names.languages.c import preprocessor
from gitscalpel.names.nodes import children_of, find_part, node_text
from gitscalpel.names.readings import as_instances
from gitscalpel.names.resolver import Place, Resolver, cache_answers, cache_value
from gitscalpel.syntax.occurrences import Mention, Scope

SPECIAL = "<>"
"""Namespace of the specializations that ``template <>`` declares."""
_NOISE = re.compile(r"\b(?:struct|class|enum|union|typename|register|signed|volatile)\b|\b\w+\s*::\s*|::")
_LOWER = re.compile(r"\bunsigned\b(?!\s+(?:int|char|long|short))")


def signature_space(mention: Mention) -> str:
    """Return the namespace of a bound name: a function's parameter types, or the outer namespaces."""
    if mention.kind == "namespace":
        return "::".join(_outer_names(mention.node))
    declarator = declarator_of(mention.node)
    if mention.kind not in ("function", "method") or declarator is None:
        return ""
    return SPECIAL if is_specialization(declarator) else parameter_text(declarator)


def _outer_names(node: tree_sitter.Node) -> list[str]:
    above, names = node.parent, []
    if above is None or above.type != "nested_namespace_specifier":
        return []
    while above.parent is not None and above.parent.type == "nested_namespace_specifier":
        above = above.parent
    waiting = [above]
    while waiting:
        each = waiting.pop(0)
        if each.type == "nested_namespace_specifier":
            waiting = [*each.named_children, *waiting]
        elif each.start_byte < node.start_byte:
            names.append(node_text(each))
    return names


def declarator_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the declarator of the function with a name, behind its qualifiers."""
    above: tree_sitter.Node | None = node.parent
    child: tree_sitter.Node = node
    names = ("qualified_identifier", "template_function", "template_method", "destructor_name")
    while above is not None and above.type in names and above.child_by_field_name("scope") != child:
        child, above = above, above.parent
    if above is None or above.type != "function_declarator":
        return None
    return above if above.child_by_field_name("declarator") == child else None


def template_of(declarator: tree_sitter.Node) -> tree_sitter.Node | None:
    barriers = ("field_declaration_list", "compound_statement", "declaration_list", "parameter_list")
    above = nodes.ancestor(declarator, "template_declaration", *barriers)
    return above if above is not None and above.type == "template_declaration" else None


def is_specialization(declarator: tree_sitter.Node) -> bool:
    above = template_of(declarator)
    parameters = find_part(above, "parameters")
    return parameters is not None and not parameters.named_children


def parameters_of(declarator: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the parameters of a function, without ``void``."""
    listed = children_of(find_part(declarator, "parameters"))
    parameters = [each for each in listed if "parameter" in each.type]
    return [] if len(parameters) == 1 and node_text(parameters[0]) == "void" else parameters


def is_variadic(declarator: tree_sitter.Node) -> bool:
    parameter_list = declarator.child_by_field_name("parameters")
    children = parameter_list.children if parameter_list is not None else ()
    return any(
        each.type in ("...", "variadic_parameter", "variadic_parameter_declaration") for each in children
    )


def parameter_text(declarator: tree_sitter.Node) -> str:
    names = _template_parameters(declarator)
    texts = [parameter_type(each) for each in parameters_of(declarator)]
    for at, name in enumerate(names):
        texts = [re.sub(rf"\b{re.escape(name)}\b", f"${at}", each) for each in texts]
    behind = [
        node_text(each) for each in declarator.children if each.type in ("type_qualifier", "ref_qualifier")
    ]
    dots = ["..."] if is_variadic(declarator) else []
    return f"({','.join([*texts, *dots])}){' '.join(behind)}"


def _template_parameters(declarator: tree_sitter.Node) -> list[str]:
    above = template_of(declarator)
    given = find_part(above, "parameters")
    found = []
    for each in children_of(given):
        type_names = [
            child for child in each.named_children if child.type in ("type_identifier", "identifier")
        ]
        found += [node_text(type_names[-1])] if type_names else []
    return found


def parameter_type(parameter: tree_sitter.Node) -> str:
    parameter_text, skipped = node_text(parameter), []
    value = parameter.child_by_field_name("default_value")
    name = _declared_name(parameter.child_by_field_name("declarator"))
    end = parameter.end_byte if value is None else value.start_byte
    if name is not None:
        skipped.append((name.start_byte, name.end_byte))
    text, at = b"", parameter.start_byte
    raw = parameter_text.encode("utf-8", "surrogateescape")
    for start, stop in [*skipped, (end, end)]:
        text += raw[at - parameter.start_byte : start - parameter.start_byte] + b" "
        at = stop
    return normalise_type(text.decode("utf-8", "surrogateescape").rstrip("= \n\t"))


def normalise_type(text: str) -> str:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = _LOWER.sub("unsigned int", _NOISE.sub(" ", text)).replace("[]", "*")
    text = re.sub(r"\[[^\]]*\]", "*", text)
    if not re.search(r"[*&<]", text):
        text = re.sub(r"\bconst\b", " ", text)
    text = re.sub(r"^\s*(\w+)\s+const\b", r"const \1", text)
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(text.split()))


def _declared_name(declarator: tree_sitter.Node | None) -> tree_sitter.Node | None:
    while declarator is not None and declarator.type not in ("identifier", "field_identifier"):
        inner = declarator.child_by_field_name("declarator")
        declarator = inner or next(
            (c for c in declarator.named_children if c.type.endswith(("declarator", "identifier"))), None
        )
    return declarator


_Spots: TypeAlias = dict[str, list[Place]]
OPEN_SCOPES = ("module", "namespace")
"""Kinds of scopes that continue in other places."""
BROUGHT_KINDS = Unknown("a using declaration brings others of this name as well, which are not known here")


class DeclaredName(NamedTuple):
    """A name that a file declares in a namespace."""

    path: str
    mention: Mention
    binding: Binding
    kind: str  # kind of the binding; "using" if the name comes from another scope


def namespace_module(name: str) -> Module:
    return Module(name, "cpp")


def namespace_at(node: tree_sitter.Node) -> str:
    parts: list[str] = []
    for definition in nodes.iter_ancestors(node, "namespace_definition"):
        parts = [*namespace_name(definition), *parts]
    return "::".join(parts)


def namespace_name(definition: tree_sitter.Node) -> list[str]:
    """Return the names that a namespace definition adds to the name of the one around it."""
    name = definition.child_by_field_name("name")
    if name is None or any(each.type == "inline" for each in definition.children):
        return []
    return node_text(name).replace(" ", "").split("::")


def namespace_of_scope(scope: Scope) -> str | None:
    """Return the namespace that a scope is a part of; None for any other scope."""
    return namespace_at(scope.node) if scope.kind in OPEN_SCOPES else None


def namespace_of_mention(resolver: Resolver, path: str, mention: Mention) -> str | None:
    holder = resolver.lexical(path).holder(mention)
    namespace = namespace_of_scope(holder)
    if namespace is None or mention.kind != "namespace":
        return namespace
    return join_namespaces(namespace, signature_space(mention))


def join_namespaces(*parts: str) -> str:
    return "::".join(part for part in parts if part)


def is_anonymous(node: tree_sitter.Node) -> bool:
    """Return True in a namespace without a name, which other files do not see."""
    definitions = nodes.iter_ancestors(node, "namespace_definition")
    return any(each.child_by_field_name("name") is None for each in definitions)


@cache_answers
def declared_in(resolver: Resolver, space: str, name: str) -> Iterator[DeclaredName]:
    for path, mention in _declarations_of(resolver, name).get(space, ()):
        if mention.role != "bind":
            meanings = resolver.meanings(path, mention)
        else:
            meanings = tuple(resolver.own_scope_meanings(path, mention))
        kind = mention.kind if mention.role == "bind" else "using"
        yield from (DeclaredName(path, mention, each, kind) for each in meanings if isinstance(each, Binding))


def brought_in(resolver: Resolver, path: str | None, space: str, name: str) -> Iterator[Unknown]:
    """Yield a doubt for each visible ``using`` declaration of a name from outside the tree."""
    for each, mention in _declarations_of(resolver, name).get(space, ()):
        is_seen = path is None or each in preprocessor.included_files(resolver, path)
        if mention.role != "bind" and is_seen:
            meanings = resolver.meanings(each, mention)
            yield from () if any(isinstance(meaning, Binding) for meaning in meanings) else (BROUGHT_KINDS,)


@cache_value(_Spots())
def _declarations_of(resolver: Resolver, name: str) -> _Spots:
    by_namespace: _Spots = {}
    for path in resolver.files.holding(name):
        for mention in preprocessor.unqualified_mentions(resolver, path, name):
            space = None
            if mention.role == "bind":
                space = namespace_of_mention(resolver, path, mention)
            elif mention.role not in ("comment", "string") and is_using(mention.node):
                space = namespace_of_scope(mention.scopes[0])
            if space is not None:
                by_namespace.setdefault(space, []).append(Place(path, mention))
    return by_namespace


def namespaces_with(resolver: Resolver, name: str, kind: str) -> list[str]:
    spots = _declarations_of(resolver, name)
    return [space for space, places in spots.items() if any(place.mention.kind == kind for place in places)]


def is_using(node: tree_sitter.Node) -> bool:
    """Return True for a name that ``using a::b`` brings."""
    above = node.parent
    if above is None or above.type != "qualified_identifier":
        return False
    while above is not None and above.type == "qualified_identifier":
        above = above.parent if above.end_byte == node.end_byte else None
    brought = ("namespace", "enum")
    is_declaration = above is not None and above.type == "using_declaration"
    return is_declaration and above is not None and not any(each.type in brought for each in above.children)


def using_declarations(resolver: Resolver, path: str, name: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for each in preprocessor.included_files(resolver, path):
        for mention in preprocessor.unqualified_mentions(resolver, each, name):
            declaration = nodes.ancestor(mention.node, "using_declaration")
            if is_using(mention.node) and declaration is not None:
                yield each, declaration


def using_directives(resolver: Resolver, path: str, space: str) -> Iterator[str]:
    for each in preprocessor.included_files(resolver, path):
        for holder, name in _directives_in_file(resolver, each):
            if namespace_of_scope(holder) == space:
                yield name


def using_directives_in(resolver: Resolver, path: str, scope: Scope) -> Iterator[str]:
    for holder, name in _directives_in_file(resolver, path):
        if holder.node.id == scope.node.id:
            yield name


def used_enums(resolver: Resolver, path: str, scope: Scope) -> Iterator[tuple[str, tree_sitter.Node]]:
    """Yield the names of the enums whose enumerators ``using enum`` brings into a scope, with their files."""
    space = namespace_of_scope(scope)
    for each in (path,) if space is None else preprocessor.included_files(resolver, path):
        for holder, name in _enums_in_file(resolver, each):
            if holder.node.id == scope.node.id or (space is not None and namespace_of_scope(holder) == space):
                yield each, name


def used_enums_of_class(resolver: Resolver, of: Class) -> Iterator[tuple[str, tree_sitter.Node]]:
    for holder, name in _enums_in_file(resolver, of.path):
        if holder.node.id == of.node.id:
            yield of.path, name


def used_enums_of_namespace(resolver: Resolver, space: str) -> Iterator[tuple[str, tree_sitter.Node]]:
    for path in preprocessor.files_containing(resolver, "using enum"):
        for holder, name in _enums_in_file(resolver, path):
            if namespace_of_scope(holder) == space:
                yield path, name


@cache_answers
def _enums_in_file(resolver: Resolver, path: str) -> Iterator[tuple[Scope, tree_sitter.Node]]:
    for node in _using_in_file(resolver, path):
        if any(each.type == "enum" for each in node.children) and node.named_children:
            last = node.named_children[-1]
            yield nodes.mention(resolver, path, _last_name(last)).scopes[0], last


def _using_in_file(resolver: Resolver, path: str) -> list[tree_sitter.Node]:
    source = resolver.files.source(path)
    if source is None or source.language is None or source.language.name != "cpp":
        return []
    if resolver.files.lexical(path) is None or b"using" not in source.text:
        return []
    return resolver.lexical(path).syntax.of_type("using_declaration")


def _last_name(node: tree_sitter.Node) -> tree_sitter.Node:
    while node.type == "qualified_identifier":
        node = node.child_by_field_name("name") or node.named_children[-1]
    return node


def is_opened_to(resolver: Resolver, space: str) -> bool:
    """Return True if a file opens another namespace in one."""
    for path in preprocessor.files_containing(resolver, "using"):
        for holder, _ in (
            _directives_in_file(resolver, path) if preprocessor.is_c_file(resolver, path) else ()
        ):
            if namespace_of_scope(holder) == space:
                return True
    return False


@cache_answers
def _directives_in_file(resolver: Resolver, path: str) -> Iterator[tuple[Scope, str]]:
    for node in _using_in_file(resolver, path):
        if any(each.type == "namespace" for each in node.children) and node.named_children:
            last = node.named_children[-1]
            name = _last_name(last)
            for space in _possible_namespaces(resolver, path, last, node_text(name)):
                yield nodes.mention(resolver, path, name).scopes[0], space


def _possible_namespaces(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterable[str]:
    """Return the full name of a namespace, searched innermost first, or the targets of an alias."""
    around, said = namespace_at(node).split("::"), node_text(node).replace(" ", "").strip(":")
    known = {join_namespaces(space, name) for space in namespaces_with(resolver, name, "namespace")}
    for end in range(len(around), -1, -1):
        if join_namespaces(*around[:end], said) in known:
            return (join_namespaces(*around[:end], said),)
    if namespaces_with(resolver, name, "alias"):
        return [each.path for each in resolver.values(path, node) if isinstance(each, Module)]
    return (said,)


SPECIFIERS = ("class_specifier", "struct_specifier", "union_specifier", "enum_specifier")
BODIES = ("field_declaration_list", "enumerator_list")


@cache_answers
def class_bodies(resolver: Resolver, binding: Binding) -> Iterator[Class]:
    same = dict.fromkeys([binding, *resolver.dialect(binding.path).find_redeclarations(resolver, binding)])
    is_found = False
    for place in (place for each in same for place in resolver.binders(each)):
        above = place.mention.node.parent
        body = find_part(above, "body")
        if body is not None and above is not None and above.type in SPECIFIERS:
            is_found = True
            yield Class(place.path, body)
    if not is_found:
        yield from _bodies_outside(resolver, binding.name, set(same))


def _bodies_outside(resolver: Resolver, called: str, same: set[Binding]) -> Iterator[Class]:
    """Yield the bodies of a class that is defined outside of its scope (``class A::B {}``)."""
    for path in resolver.files.holding("::" + called):
        lexical = resolver.files.lexical(path) if preprocessor.is_c_file(resolver, path) else None
        for mention in lexical.occurrences_of(called) if lexical is not None else ():
            above = nodes.skip_types(mention.node.parent, "qualified_identifier", "template_type")
            body = find_part(above, "body")
            is_one = mention.role == "member" and above is not None and above.type in SPECIFIERS
            if body is not None and is_one and not same.isdisjoint(resolver.meanings(path, mention)):
                yield Class(path, body)


def class_name(of: Class) -> tree_sitter.Node | None:
    holder = of.node.parent if of.node.type in BODIES else of.node
    name = find_part(holder, "name")
    while name is not None and name.type in ("qualified_identifier", "template_type"):
        name = name.child_by_field_name("name")
    return name


def base_classes(resolver: Resolver, of: Class) -> Iterator[Value]:
    if of.node.type == "template_type":
        yield Elsewhere("a template from outside")
    holder = of.node.parent
    for child in holder.named_children if holder is not None and of.node.type in BODIES else ():
        for kind in child.named_children if child.type == "base_class_clause" else ():
            if kind.type not in ("access_specifier", "virtual", "attribute_declaration"):
                yield from resolver.values(of.path, kind)


def enclosing_class(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    """Return the class of the member around a node, also if the member is defined outside of the class."""
    for above in nodes.iter_ancestors(node, "field_declaration_list", "function_definition"):
        if above.type == "field_declaration_list":
            return (Class(path, above),)
        classes = [
            each for each in class_of_definition(resolver, path, above) if isinstance(each, (Class, Unknown))
        ]
        if classes:
            return classes
    return ()


def class_of_definition(resolver: Resolver, path: str, definition: tree_sitter.Node) -> Iterable[Value]:
    scope = qualifier_of(definition)
    return resolver.values(path, scope)


def qualifier_of(definition: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the qualifier before the last ``::`` of a defined name."""
    each: tree_sitter.Node | None = definition
    while each is not None and each.type != "qualified_identifier":
        inner = each.child_by_field_name("declarator")
        each = inner or next((c for c in each.named_children if c.type.endswith("declarator")), None)
    return _last_qualifier(each)


def _last_qualifier(name: tree_sitter.Node | None) -> tree_sitter.Node | None:
    qualifier = None
    while name is not None and name.type == "qualified_identifier":
        qualifier, name = name.child_by_field_name("scope"), name.child_by_field_name("name")
    return qualifier


def type_of_this(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    classes = list(enclosing_class(resolver, path, node))
    yield from as_instances(classes)
    if not classes:
        yield Unknown("this is in no known class")


def members_by_using(resolver: Resolver, of: Class, name: str) -> Iterator[Meaning]:
    """Yield the members that ``using`` brings, unless the class declares the same parameters."""
    if of.node.type != "field_declaration_list" or b"using" not in resolver.lexical(of.path).text:
        return
    for path, node in used_enums_of_class(resolver, of):
        yield from enumerators_by_using(resolver, path, node, name)
    own = {each.space for each in resolver.own_members(of, name)}
    for mention in resolver.lexical(of.path).occurrences_of(name):
        if is_using(mention.node) and mention.scopes[0].node.id == of.node.id:
            for each in resolver.meanings(of.path, mention):
                if isinstance(each, Binding) and each.space not in own:
                    yield each
                elif isinstance(each, Elsewhere) or (isinstance(each, Unknown) and not each.among):
                    yield BROUGHT_KINDS


def enumerators_by_using(
    resolver: Resolver, path: str, node: tree_sitter.Node, called: str
) -> Iterator[Binding]:
    for value in resolver.values(path, node):
        if isinstance(value, Class) and value.node.type == "enumerator_list":
            members = resolver.members(value, called) or injected_names(resolver, value, called)
            yield from (each for each in members if isinstance(each, Binding))


def injected_names(resolver: Resolver, of: Class, called: str) -> Iterable[Meaning]:
    """Return the class's own name as a member, and the enumerators in the scope around an enum."""
    node = class_name(of)
    if node is not None and node_text(node) == called and of.node.type != "template_type":
        return resolver.meanings(of.path, nodes.mention(resolver, of.path, node))
    if of.node.type == "enumerator_list":
        lexical = resolver.lexical(of.path)
        for mention in lexical.occurrences_of(called):
            above = mention.node.parent
            if above is not None and above.type == "enumerator" and above.parent == of.node:
                return resolver.meanings(of.path, mention)
    return _anonymous_members(resolver, of, called)


def injected_base_names(resolver: Resolver, of: Class, called: str) -> Iterator[Meaning]:
    """Yield the names of bases, which subclasses can use as members wherever the base is declared.

    A template does not see the name of a template base: such names depend on its arguments.
    """
    for base in resolver.ancestry(of)[1:]:
        if isinstance(base, Class) and not (_is_template(base) and _is_template(of)):
            node = class_name(base)
            if node is not None and node_text(node) == called and base.node.type != "template_type":
                yield from resolver.meanings(base.path, nodes.mention(resolver, base.path, node))


def _is_template(of: Class) -> bool:
    holder = of.node.parent if of.node.type in BODIES else of.node
    above = holder.parent if holder is not None else None
    return above is not None and above.type == "template_declaration"


def _anonymous_members(resolver: Resolver, of: Class, called: str) -> Iterator[Meaning]:
    for member in of.node.named_children if of.node.type == "field_declaration_list" else ():
        kind = member.child_by_field_name("type") if member.type == "field_declaration" else None
        body = find_part(kind, "body")
        is_bare = member.child_by_field_name("declarator") is None
        if body is not None and is_bare and kind is not None and kind.child_by_field_name("name") is None:
            inner = Class(of.path, body)
            yield from resolver.members(inner, called) or injected_names(resolver, inner, called)


def choose_specialization(resolver: Resolver, node: tree_sitter.Node, values: list[Value]) -> list[Value]:
    """Return the template or specialization that ``name<arguments>`` means."""
    arguments = node.child_by_field_name("arguments")
    templates = [each for each in values if isinstance(each, Class)]
    if arguments is None or not templates:
        return values
    forms = [form for each in templates for form in _specializations(resolver, each)]
    wanted = [normalise_type(node_text(each)) for each in arguments.named_children]
    exact = [each for each in forms if _matches(each, wanted, ()) is True]
    if exact:
        return list(dict.fromkeys(exact))
    partial = [
        each
        for each in forms
        if _matches(each, wanted, _parameter_names(nodes.ancestor(each.node, "template_declaration")))
    ]
    if len(partial) > 1:
        return [*values, *partial, Unknown("the form of the template is unknown")]
    if (
        not partial
        and forms
        and _has_dependent_arguments(node, arguments)
        and not _is_current_template(node, templates)
    ):
        return [*values, *forms, Unknown("its arguments choose the form of the template")]
    return list(partial) or values


def _has_dependent_arguments(node: tree_sitter.Node, arguments: tree_sitter.Node) -> bool:
    words = re.findall(r"\w+", node_text(arguments))
    templates = nodes.iter_ancestors(node, "template_declaration")
    return any(name in words for each in templates for name in _parameter_names(each))


def _is_current_template(node: tree_sitter.Node, general: list[Class]) -> bool:
    """Return True in the template itself, and in its members defined outside of it."""
    above: tree_sitter.Node | None = node
    while above is not None:
        if any(above == each.node for each in general):
            return True
        outer = qualifier_of(above) if above.type in ("function_definition", "declaration") else None
        outer = definition_scope(Class("", above)) if above.type == "field_declaration_list" else outer
        if outer is not None and (outer == node or node_text(outer) == node_text(node)):
            return True
        if above.type in SPECIFIERS and _scope_of(above) == node:
            return True
        above = above.parent
    return False


def _scope_of(specifier: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the qualifier of a class name, or that of the template that it specializes."""
    called = specifier.child_by_field_name("name")
    return (
        called.child_by_field_name("scope")
        if called is not None and called.type == "qualified_identifier"
        else called
    )


@cache_answers
def _specializations(resolver: Resolver, of: Class) -> Iterator[Class]:
    mention = mention_of(resolver, of)
    own = set(resolver.meanings(of.path, mention)) if mention is not None else set()
    for path, each in preprocessor.iter_occurrences(resolver, mention.name if mention is not None else ""):
        above = each.node.parent
        holder = above.parent if above is not None and above.type == "template_type" else None
        body = find_part(holder, "body")
        if body is None or holder is None or holder.type not in SPECIFIERS:
            continue
        if not own.isdisjoint(resolver.meanings(path, each)):
            yield Class(path, body)


def _argument_texts(form: Class) -> list[str]:
    arguments = find_part(find_part(form.node.parent, "name"), "arguments")
    return [normalise_type(node_text(each)) for each in children_of(arguments)]


def _parameter_names(template: tree_sitter.Node | None) -> tuple[str, ...]:
    parameters = children_of(find_part(template, "parameters"))
    return tuple(node_text(each.named_children[-1]) for each in parameters if each.named_children)


def _matches(form: Class, wanted: list[str], generic: tuple[str, ...]) -> bool:
    """Return True if arguments match those of a specialization, whose own parameters match any type."""
    own_arguments = _argument_texts(form)
    if len(own_arguments) != len(wanted):
        return False
    for own_argument, argument in zip(own_arguments, wanted, strict=True):
        bare = own_argument.rstrip("*&")
        ends = own_argument[len(bare) :]
        if own_argument != argument and not (bare in generic and argument.endswith(ends)):
            return False
    return True


def enclosing_classes(resolver: Resolver, value: Value) -> Iterator[Class | str]:
    """Yield a class, and the classes and namespaces around it, innermost first."""
    if not isinstance(value, Class):
        return
    yield value
    outer = definition_scope(value)
    for each in resolver.values(value.path, outer):
        yield from enclosing_classes(resolver, each)
    for node in nodes.iter_ancestors(value.node, "field_declaration_list", "namespace_definition"):
        if node.type == "field_declaration_list":
            yield Class(value.path, node)
        else:
            yield namespace_at(node.named_children[-1])


def definition_scope(of: Class) -> tree_sitter.Node | None:
    """Return the qualifier of a class that is defined outside of its scope."""
    holder = of.node.parent if of.node.type in BODIES else None
    return _last_qualifier(find_part(holder, "name"))


def mention_of(resolver: Resolver, of: Class) -> Mention | None:
    node = class_name(of)
    return nodes.mention(resolver, of.path, node) if node is not None else None
