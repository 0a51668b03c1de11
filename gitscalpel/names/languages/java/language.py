"""Name resolution of Java: a name that its file does not bind is inherited, of the package, or imported."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import tree_sitter

from gitscalpel.names import nodes
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
from gitscalpel.names.languages.java import overloads, types
from gitscalpel.names.languages.java.overloads import choose_methods
from gitscalpel.names.languages.java.types import (
    base_types,
    binding_values,
    expression_values,
    import_origin,
    record_accessors,
)
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Language, Place, Resolver
from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

_WORDS = """
_ abstract assert boolean break byte case catch char class const continue default do double else enum extends
false final finally float for goto if implements import instanceof int interface long native new null package
private protected public return short static strictfp super switch synchronized this throw throws transient
true try void volatile while
"""
_MEMBERS = frozenset({"field", "method"})
SCOPES = Scoping(
    unreached=frozenset({"parameter", "local", "field", "class", "generic", "label", "component"}),
    entries=frozenset({"main"}),
    declared=True,
    unaliased=True,
    reached=frozenset({"class", "item"}),
    only={
        "class": _MEMBERS | {"class"},
        "item": frozenset({"generic", "component"}),
        "let": frozenset({"local"}),
    },
    never={
        "block": _MEMBERS | {"label", "generic", "component"},
        "function": _MEMBERS | {"component"},
    },
    spaces={
        **dict.fromkeys(("class", "generic", "type"), TYPE),
        **dict.fromkeys(("field", "parameter", "local", "component", "value"), VALUE),
        "method": frozenset({"method"}),
        "any": BOTH,
        "import": BOTH | {"method"},
        "label": frozenset({"label"}),
    },
    sequels=frozenset({"let"}),
    open=frozenset({"class"}),
    hiding=frozenset({"field", "class"}),
    filed=frozenset({"class"}),
    file_follows=True,
    overloads=frozenset({"method"}),
    overloads_apart=True,
    reserved=frozenset(_WORDS.split()),
)


def look_up_free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    meanings: tuple[Meaning, ...] = ()
    if mention.kind in ("type", "any"):
        meanings = types.package_types(resolver, types.package_of(resolver, path), mention.name)
    meanings = meanings or tuple(_imported_by_wildcard(resolver, path, mention))
    if meanings or mention.kind not in ("type", "any"):
        return meanings or (Elsewhere("another library"),)
    return (
        (Binding(mention.name, WHOLE, "java", mention.name),)
        if mention.name.islower()
        else (Elsewhere("another library"),)
    )


def _imported_by_wildcard(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    """Yield the meanings from ``import a.*`` and ``import static a.B.*``."""
    for node, is_static in types.wildcard_imports(resolver, path):
        for value in resolver.values(path, node):
            for each in resolver.members(value, mention.name):
                is_kind = mention.kind in ("type", "any") or is_static
                if isinstance(each, Binding) and each.scope != WHOLE and is_kind:
                    yield each


def look_up_inherited(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    own = Class(path, scope.node)
    for each in resolver.ancestry(own):
        for member in resolver.own_members(each, mention.name) if isinstance(each, Class) else ():
            if resolver.may_have_kind(member, mention.kind):
                return (member,)
    component = types.record_component(resolver, own, mention.name) if _may_read_component(mention) else None
    return (component,) if component is not None else ()


def _may_read_component(mention: Mention) -> bool:
    """Return True if a name can read a record's component: as a field, or by its accessor method."""
    arguments = find_part(mention.node.parent, "arguments")
    return mention.kind != "method" or (arguments is not None and not arguments.named_children)


class Java(Language):
    """Imports, values and members of Java."""

    rules = SCOPES

    free = staticmethod(look_up_free)

    find_in_open_scope = staticmethod(look_up_inherited)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return the component of a record."""
        of = value.of if isinstance(value, Instance) else value
        component = types.record_component(resolver, of, mention.name) if isinstance(of, Class) else None
        return () if component is None else (component,)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        above = mention.node.parent
        if above is not None and above.type == "generic_type":  # a.new B<>()
            above = above.parent
        if above is None:
            return None
        before = find_part(above, "object", "scope")
        return before or above.named_children[0]

    resolve_origin = staticmethod(import_origin)

    find_redeclarations = staticmethod(record_accessors)

    def overrides(self, resolver: Resolver, place: Place) -> bool:
        return types.is_marked_override(place)

    may_override = staticmethod(overloads.may_override)

    choose_overloads = staticmethod(choose_methods)

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        """Return the edit of a name; a second import is added if other overloads need the first."""
        statement = nodes.ancestor(mention.node, "import_declaration")
        if form != "both" or statement is None:
            return super().replace_name(resolver, path, mention, form, new)
        text = resolver.lexical(path).text
        line_start = text[statement.start_byte : mention.start].decode("utf-8", "surrogateescape")
        end = "\r\n" if b"\r\n" in text else "\n"
        return mention.make_splice(f"{mention.name};{end}{line_start}{new}")

    def lookup_reason(self, resolver: Resolver, place: Place) -> str:
        """Return why ``main``, or the class that has it, is known outside the tree; empty if it is not."""
        is_started = place.mention.kind == "class" and types.has_main(place.mention.node)
        return (
            "what runs programs knows it by this name"
            if is_started
            else super().lookup_reason(resolver, place)
        )

    def keyword(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the enum constant in a ``switch``, or the element of an annotation."""
        above = mention.node.parent
        holder = nodes.ancestor(mention.node, "switch_expression", "annotation")
        if above is None or holder is None:
            return ()
        members = [
            each
            for value in resolver.values(path, find_part(holder, "name", "condition"))
            for each in resolver.members(value, mention.name)
        ]
        if any(isinstance(each, Binding) for each in members) or above.type == "element_value_pair":
            return dict.fromkeys(members)
        plain = msgspec.structs.replace(mention, role="use", kind="value")
        named = [each for each in resolver.scope_meanings(path, plain) if isinstance(each, Binding)]
        return named or members or (Unknown("the matched value is unknown"),)

    bases = staticmethod(base_types)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        return types.package_member(resolver, module.path, name)
