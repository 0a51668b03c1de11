"""Name resolution of JavaScript and TypeScript."""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Meaning, Module, Unknown
from gitscalpel.names.language import PassedValue
from gitscalpel.names.languages.javascript import (
    classes,
    exports,
    imports,
    jsdoc,
    jsx,
    strings,
    types,
)
from gitscalpel.names.languages.javascript.classes import (
    added_members,
    bases_of,
    function_class,
    is_member_set,
    member_holder,
    property_redeclarations,
)
from gitscalpel.names.languages.javascript.imports import default_names, import_target
from gitscalpel.names.languages.javascript.jsx import resolve_attribute
from gitscalpel.names.languages.javascript.scopes import SCOPES
from gitscalpel.names.languages.javascript.structural_typing import ExpectedType, is_assignable
from gitscalpel.names.languages.javascript.values import infer_binding, infer_expression
from gitscalpel.names.resolver import Language, Place, Resolver
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

_VALUES = nodes.ValuePositions(
    dotted="member_expression",
    holding=frozenset(
        {"arguments", "return_statement", "arrow_function", "array", "pair", "ternary_expression"}
    ),
    given={"variable_declarator": "value"},
)


class JavaScript(Language):
    """Imports, values and members of JavaScript."""

    rules = SCOPES
    importer = "javascript"

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """A name of another file that is no module either, or of what runs it."""
        found = tuple(exports.reopened_members(resolver, path, mention))
        return found or tuple(exports.shared_globals(resolver, path, mention.name)) or (Elsewhere("globals"),)

    def opened(self, resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
        """``with`` brings what its object has."""
        return (*resolver.written(path, mention), Unknown("the object of `with` may have it"))

    imported = staticmethod(import_target)

    values = staticmethod(infer_expression)

    bound = staticmethod(infer_binding)

    receiver = staticmethod(member_holder)

    is_set = staticmethod(is_member_set)

    def definers(self, resolver: Resolver, binding: Binding) -> Iterable[str]:
        """Its own file."""
        return (binding.path,)

    def brings(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """What an import without an alias binds."""
        if mention.kind == "export":
            return exports.resolve_export(resolver, path, mention) if mention.key else ()
        return (
            imports.import_target(resolver, path, mention)
            if imports.keeps_name(resolver, path, mention)
            else ()
        )

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The member that ``{ x }``, or a parameter that is a property, names as well; what is exported."""
        if mention.kind == "export":
            return exports.resolve_export(resolver, path, mention)
        return classes.resolve_key(resolver, path, mention)

    def quoted(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """The file that an import names, what is a type of its own, types in comments; all else is text."""
        if mention.role == "comment":
            return jsdoc.resolve_word(resolver, path, mention)
        return (
            *imports.imported_file(resolver, path, mention),
            *strings.resolve_string(resolver, path, mention),
        )

    def respelled(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """``new: old`` for a key, ``old: new`` for what is behind it, ``old as new`` for an import."""
        return mention.renamed(_spelled(mention, form, mention.name, new))

    twins = staticmethod(property_redeclarations)

    def is_open(self, resolver: Resolver, binding: Binding) -> bool:
        """A part of a type of which another part is from outside; what others may declare as well."""
        declaration = types.find_declaring_class(resolver, binding) or binding
        return classes.has_sibling_parts(resolver, binding) or exports.is_ambient(resolver, declaration)

    def is_held(self, resolver: Resolver, binding: Binding) -> bool:
        """What a module exports; what `module.exports` lists has another name there."""
        module = Module(binding.path, resolver.lexical(binding.path).syntax.language.name)
        return binding in exports.module_member(resolver, module, binding.name)

    keyword = staticmethod(resolve_attribute)

    def hands(self, node: tree_sitter.Node) -> bool:
        """As an argument, in what is returned or listed, as what a variable is."""
        return nodes.value_holder(node, _VALUES) is not None

    bases = staticmethod(bases_of)

    def mixes(self, of: Class) -> bool:
        """Objects that are spread into another one."""
        return of.node.type == "object"

    def addressed(self, resolver: Resolver, path: str, mention: Mention) -> str:
        """An element of the page is no name of its declaration."""
        is_element = mention.role == "keyword" and mention.node.type == "identifier"
        return (
            f"{mention.name} is an element of the page, as all are that are called so" if is_element else ""
        )

    def unfit(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        """Nor is what would make an element of the page of a component, or another text of a string."""
        found = list(places)
        why = jsx.component_name_error(resolver, found, to) or strings.string_name_error(resolver, found, to)
        return why or super().unfit(resolver, found, to)

    def known(self, resolver: Resolver, place: Place) -> str:
        """What elements, or those who put names together, look for by its name."""
        why = (
            super().known(resolver, place)
            or strings.dynamic_lookup_reason(resolver, place)
            or classes.language_call_reason(resolver, place)
            or strings.find_enum_reader(resolver, place)
        )
        is_elsewhere = not why and exports.is_declared_only(resolver, place)
        return "what it declares is defined elsewhere, under this name" if is_elsewhere else why

    made = staticmethod(function_class)

    def is_private(self, resolver: Resolver, binding: Binding) -> bool:
        """Return True for what a module does not export, and for local names that no other file declares."""
        twins = classes.property_redeclarations(resolver, binding) if binding.kind == "generic" else ()
        return exports.is_private(resolver, binding) and all(each.path == binding.path for each in twins)

    lacking = staticmethod(added_members)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        """What a module exports."""
        return exports.module_member(resolver, module, name) or exports.unnamed_default(
            resolver, module, name
        )


class TypeScript(JavaScript):
    """The same rules, with types."""

    def asks(self, resolver: Resolver, member: Binding) -> bool:
        """Whatever has the members that a type asks for is of it."""
        return True

    unnamed = staticmethod(default_names)

    fits = staticmethod(is_assignable)

    def handed(self, resolver: Resolver, asked: Class) -> Iterable[PassedValue]:
        """By arguments, values that are given to what has a type, and so on."""
        return ExpectedType(resolver).of(asked)


def _spelled(mention: Mention, form: str, old: str, new: str) -> str:
    if form == "plain" or (form == "alias" and not imports.is_specifier(mention)):
        return new
    if mention.kind == "export":
        return f"{new} as {old}" if form == "key" else f"{old} as {new}"
    if form == "alias":
        return f"{old} as {new}"
    return f"{new}: {old}" if form == "key" else f"{old}: {new}"
