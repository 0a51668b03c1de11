"""Name resolution of C and C++, with lookup of names and receivers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

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
from gitscalpel.names.languages.c import classes, linkage, preprocessor
from gitscalpel.names.languages.c.classes import base_classes, members_by_using, using_declarations
from gitscalpel.names.languages.c.linkage import is_overridden, possibly_same_entity, same_entity
from gitscalpel.names.languages.c.values import binding_values, expression_values
from gitscalpel.names.lexical_scopes import contains
from gitscalpel.names.resolver import Language, Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention, Scope

_TYPES = ("tag", "type", "generic")


def look_up(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    until = resolver.lexical(path).scope_of(mention)
    doubt: list[Meaning] = []
    for scope in mention.scopes:
        if until is not None and contains(scope, until):
            break
        meanings = list(look_up_in_scope(resolver, path, scope, mention))
        named = [each for each in meanings if isinstance(each, Binding)]
        if named:
            more = [classes.BROUGHT_KINDS] if classes.BROUGHT_KINDS in meanings else []
            return [*linkage.argument_dependent_meanings(resolver, path, mention, named, doubt), *more]
        doubt += [each for each in meanings if isinstance(each, Unknown)]
    if until is not None and until.kind not in classes.OPEN_SCOPES:
        by_using = classes.members_by_using(resolver, Class(path, until.node), mention.name)
        return [*resolver.own_scope_meanings(path, mention), *by_using]
    space = classes.namespace_of_scope(until or mention.scopes[-1]) or ""
    named = list(look_up_in_namespace(resolver, path, space, mention))
    meanings = linkage.argument_dependent_meanings(resolver, path, mention, named, doubt)
    meanings += classes.brought_in(resolver, path, space, mention.name) if named else ()
    return meanings or undeclared_meanings(resolver, path, mention)


def look_up_in_scope(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterator[Meaning]:
    """Yield the meanings of a name in a scope that does not bind it itself."""
    if scope.kind in ("function", "bounds"):
        yield from _look_up_in_owner(resolver, path, scope.node, mention)
    elif scope.kind == "class":
        yield from _look_up_in_class(resolver, Class(path, scope.node), mention)
    elif scope.kind == "block":
        yield from _look_up_enumerators(resolver, path, scope, mention)
        for each in resolver.lexical(path).occurrences_of(mention.name):
            if classes.is_using(each.node) and each.scopes[0].node.id == scope.node.id and each != mention:
                yield from resolver.meanings(path, each)
    elif scope.kind in classes.OPEN_SCOPES:
        space = classes.namespace_of_scope(scope) or ""
        yield from look_up_in_namespace(resolver, path, space, mention)
        yield from classes.brought_in(resolver, path, space, mention.name)
        yield from _look_up_enumerators(resolver, path, scope, mention)


def _look_up_enumerators(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterator[Meaning]:
    for each in classes.used_enums(resolver, path, scope):
        yield from classes.enumerators_by_using(resolver, *each, mention.name)


def _look_up_in_class(resolver: Resolver, of: Class, mention: Mention) -> Iterator[Meaning]:
    """Yield the members of a class with a name, or names of the scopes around its definition."""
    meanings = list(look_up_member(resolver, of, mention))
    outer = classes.definition_scope(of)
    if (
        outer is not None
        and mention.start > of.scope[0]
        and not any(isinstance(e, Binding) for e in meanings)
    ):
        for value in resolver.values(of.path, outer):
            meanings += _look_up_outwards(resolver, of.path, value, mention)
    yield from meanings


def _look_up_in_owner(
    resolver: Resolver, path: str, definition: tree_sitter.Node, mention: Mention
) -> Iterator[Meaning]:
    """Yield the names of the class or namespace whose member is defined outside of it."""
    scope = classes.qualifier_of(definition)
    if scope is None or mention.start < scope.end_byte:
        return
    for value in resolver.values(path, scope):
        meanings = list(_look_up_outwards(resolver, path, value, mention))
        if any(isinstance(each, Binding) for each in meanings):
            yield from (
                each for each in meanings if isinstance(each, Binding) or each == classes.BROUGHT_KINDS
            )
            return
        yield from meanings


def _look_up_outwards(resolver: Resolver, path: str, value: Value, mention: Mention) -> Iterator[Meaning]:
    """Yield the names of a class or namespace, or else of those around it."""
    if isinstance(value, Unknown):
        yield value
    around: Iterable[Class | str] = classes.enclosing_classes(resolver, value)
    if isinstance(value, Module):
        parts = value.path.split("::")
        around = ["::".join(parts[:end]) for end in range(len(parts), 0, -1)]
    for each in around:
        meanings: list[Meaning] = [
            *(
                look_up_member(resolver, each, mention)
                if isinstance(each, Class)
                else look_up_in_namespace(resolver, path, each, mention)
            )
        ]
        yield from meanings
        if any(isinstance(meaning, Binding) for meaning in meanings):
            return


def look_up_member(resolver: Resolver, of: Class, mention: Mention) -> Iterator[Meaning]:
    """Yield the members of a class; in a call, also a doubt if a base is unknown."""
    had = resolver.members(of, mention.name)
    members: list[Meaning] = [each for each in had if not isinstance(each, Elsewhere)]
    if not any(isinstance(each, Binding) for each in members):
        own = [*classes.injected_names(resolver, of, mention.name)]
        members = own or [*classes.injected_base_names(resolver, of, mention.name)] or members
    named = [each for each in members if isinstance(each, Binding)]
    is_call = linkage.call_of(mention.node) is not None
    beyond = any(not isinstance(each, Class) for each in resolver.ancestry(of))
    yield from named
    yield from (classes.BROUGHT_KINDS,) if named and classes.BROUGHT_KINDS in members else ()
    if not named and beyond and is_call:
        yield Unknown("a base that is not known here may have it")


def look_up_in_namespace(resolver: Resolver, path: str, space: str, mention: Mention) -> Iterator[Binding]:
    bindings: dict[Binding, None] = {}
    blocks = [scope for scope in mention.scopes if scope.kind == "block"]
    opened = [each for scope in blocks for each in classes.using_directives_in(resolver, path, scope)]
    for each in (space, *classes.using_directives(resolver, path, space), *opened):
        bindings |= dict.fromkeys(_visible_names(resolver, path, each, mention))
    yield from bindings


def _visible_names(resolver: Resolver, path: str, space: str, mention: Mention) -> Iterator[Binding]:
    declarations = fitting_meanings(
        resolver, path, mention, classes.declared_in(resolver, space, mention.name)
    )
    yield from (each.binding for each in preprocessor.visible_from(resolver, path, declarations))


def fitting_meanings(
    resolver: Resolver, path: str, mention: Mention, declarations: Iterable[classes.DeclaredName]
) -> list[classes.DeclaredName]:
    """Return the meanings that fit the place of a name: functions in calls, tags after ``struct``."""
    rules = resolver.lexical(path).rules
    named = [each for each in declarations if each.kind != "macro"]
    if rules.signature_of is None:
        fitting = [e for e in named if e.kind in ("using", "namespace") or rules.meet(e.kind, mention.kind)]
        # Only a tag fits where a type is expected: the header is C++, though nothing else shows it.
        return fitting or [each for each in named if each.kind == "tag" and mention.kind == "type"]
    kinds = {each.kind for each in named}
    if mention.kind == "tag":
        return [each for each in named if each.kind in ("tag", "using")]
    if "tag" in kinds and "type" in kinds:
        named = [each for each in named if each.kind != "tag" or resolver.dialect(each.path) is None] or named
        named = [each for each in named if each.kind != "tag"] if _is_from_c(resolver, named) else named
    if "tag" in kinds and "function" in kinds:
        dropped_kind = "tag" if mention.kind != "type" else "function"
        return [each for each in named if each.kind != dropped_kind]
    return named


def _is_from_c(resolver: Resolver, declarations: Iterable[classes.DeclaredName]) -> bool:
    """Return True for declarations in C, where a tag and a type of one name are two."""
    return all(
        resolver.lexical(each.path).rules.signature_of is None for each in declarations if each.kind == "tag"
    )


def undeclared_meanings(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    if mention.kind == "label":
        return (Elsewhere("no label"),)
    if mention.kind in _TYPES and mention.name in ("std",):
        return (Elsewhere("the library"),)
    if preprocessor.opens_namespace(resolver, mention.name):
        return (Unknown("a macro may open a namespace that is called so"),)
    around = dict.fromkeys(classes.namespace_of_scope(scope) for scope in mention.scopes)
    for space in around:
        declared = classes.declared_in(resolver, space, mention.name) if space is not None else ()
        if fitting_meanings(resolver, path, mention, declared):
            return (Unknown("no included file declares it, but the tree does"),)
    return (Elsewhere("what is included"),)


_NAMES = ("template_type", "template_function", "template_method", "dependent_name", "destructor_name")


def receiver_of(mention: Mention) -> tree_sitter.Node | None:
    """Return the expression before the dot, the arrow or ``::``, or the sign itself if it says more."""
    above, child = mention.node.parent, mention.node
    while above is not None and above.type in _NAMES:
        child, above = above, above.parent
    if above is not None and above.type == "qualified_identifier":
        is_scope = above.child_by_field_name("scope") == child
        above = above.parent if is_scope else above
    read = _RECEIVER_READERS.get(above.type) if above is not None else None
    if above is None or above.type == "nested_namespace_specifier":
        return mention.node.prev_named_sibling
    return read(above) if read is not None else above.child_by_field_name("type")


def _find_designator(above: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the designator before one, or the initializer list of the first one."""
    before = above.prev_named_sibling
    if before is not None and before.type.endswith("designator"):
        return before
    return above.parent and above.parent.parent


_RECEIVER_READERS: Mapping[str, Callable[[tree_sitter.Node], tree_sitter.Node | None]] = {
    "qualified_identifier": lambda above: above.child_by_field_name("scope") or above.children[0],
    "field_expression": lambda above: above.child_by_field_name("operator"),
    "field_designator": _find_designator,
    "field_initializer": lambda above: above.parent,
}
"""By the type of the node around a member: finder of its receiver."""


def visible_meanings(
    resolver: Resolver, path: str, mention: Mention, meanings: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """Return the meanings from namespaces that a file sees, or doubtful ones if it sees none."""
    far = [each for each in meanings if isinstance(each, Binding) and each.kind in classes.OPEN_SCOPES]
    if mention.role != "member" or not far or any(each.scope == WHOLE for each in far):
        return meanings
    visible = preprocessor.visible_from(resolver, path, far)
    kinds = {place.mention.kind for each in far for place in resolver.binders(each)}
    if visible or kinds <= {"namespace"}:
        return tuple(
            each for each in meanings if each not in far or each in visible or kinds <= {"namespace"}
        )
    return (*meanings, Unknown("no included file declares it, but the tree does"))


def with_doubts(
    resolver: Resolver, path: str, mention: Mention, meanings: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """Return the meanings with doubts: parse errors, stringified words and possible macros."""
    if nodes.ancestor(mention.node, "ERROR") is not None:
        return (*meanings, Unknown("the grammar does not understand this code"))
    known = preprocessor.macro_bindings(resolver, preprocessor.visible_macros(resolver, path, mention.name))
    if known:
        named = [each for each in meanings if isinstance(each, Binding) and each not in known]
        meanings = (*meanings, *known) if named else known
    if preprocessor.picks_member(resolver, path, mention):
        return (*meanings, Unknown("a macro decides what it means", anywhere=True))
    if preprocessor.is_pasted(resolver, path, mention.node):
        return (*meanings, Unknown("a macro makes text of it", among=True))
    return meanings


_C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
_Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
"""
_CPP_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
while xor xor_eq
"""
_MEMBERS = frozenset({"field", "method"})
_NAMED = frozenset({"name"})
_TAG = frozenset({"tag"})
_NAME_KINDS = (
    "variable",
    "local",
    "parameter",
    "function",
    "type",
    "enumerator",
    "generic",
    "field",
    "method",
)
_KINDS = frozenset(
    {"module", "namespace", "class", "function", "signature", "block", "let", "item", "bounds"}
)
_ELSEWHERE = frozenset({*_MEMBERS, "macro"})
_ONLY = {
    "class": _MEMBERS,
    "let": frozenset({"local"}),
    "signature": frozenset({"parameter"}),
    "bounds": frozenset(),
    "item": frozenset({"generic", "parameter"}),
}
C_RULES = Scoping(
    unreached=frozenset({"local", "parameter", "label", "tag", "type", "macro", "enumerator", "generic"}),
    entries=frozenset({"main", "begin", "end"}),
    declared=True,
    fulfils=False,
    only=_ONLY,
    never={
        "block": _ELSEWHERE | {"label"},
        "function": _ELSEWHERE | {"function"},
        "module": _MEMBERS,
    },
    spaces={
        **dict.fromkeys(("", *_NAME_KINDS), _NAMED),
        "tag": _TAG,
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    sequels=frozenset({"let", "signature"}),
    reserved=frozenset(_C_WORDS.split()),
    linked=True,
    reached=frozenset({"class", "module", "namespace"}),
    kinds=_KINDS,
    fixed=frozenset({"macro"}),
)
CPP_RULES = msgspec.structs.replace(
    C_RULES,
    only={**_ONLY, "class": _MEMBERS | {"tag", "type", "enumerator"}},
    never={**C_RULES.never, "namespace": _ELSEWHERE},
    spaces={
        **dict.fromkeys(("", *_NAME_KINDS, "tag", "namespace", "alias"), _NAMED),
        "label": frozenset({"label"}),
        "macro": frozenset({"macro"}),
    },
    open=frozenset({"function", "class", "block", "namespace"}),
    reserved=frozenset(_CPP_WORDS.split()),
    signature_of=classes.signature_space,
)


class C(Language):
    """Imports, values and members of C and C++."""

    rules = C_RULES

    def settle_meanings(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        if mention.role == "fragment":
            return preprocessor.fragment_meanings(resolver, path, mention)
        if mention.role in ("comment", "string", "text", "label"):
            return found
        if mention.role == "bind" and mention.kind == "macro":
            return found
        chosen = linkage.choose_overloads(
            resolver, path, mention, visible_meanings(resolver, path, mention, found)
        )
        return with_doubts(resolver, path, mention, tuple(dict.fromkeys(chosen)))

    find_related = staticmethod(possibly_same_entity)

    is_override_of = staticmethod(is_overridden)

    free = staticmethod(look_up)

    find_in_open_scope = staticmethod(look_up_in_scope)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return a class's own name, the enumerators of an enum around, or a base in an initializer list."""
        of = value.of if isinstance(value, Instance) else value
        names = tuple(classes.injected_names(resolver, of, mention.name)) if isinstance(of, Class) else ()
        if not names and isinstance(of, Class):
            names = tuple(classes.injected_base_names(resolver, of, mention.name))
        above = mention.node.parent
        while not names and above is not None and above.type == "template_method":
            above = above.parent
        if not names and above is not None and above.type == "field_initializer":
            return look_up(resolver, path, msgspec.structs.replace(mention, role="use", kind="type"))
        return names

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    receiver = staticmethod(receiver_of)

    def find_redeclarations(self, resolver: Resolver, binding: Binding) -> Iterable[Binding]:
        return same_entity(resolver, binding)

    find_adopted_members = staticmethod(members_by_using)

    find_import_declarations = staticmethod(using_declarations)

    bases = staticmethod(base_classes)

    def module_member(self, resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
        declarations = [
            each for each in classes.declared_in(resolver, module.path, name) if each.kind != "macro"
        ]
        enums = classes.used_enums_of_namespace(resolver, module.path) if not declarations else ()
        enumerators = [
            enumerator for each in enums for enumerator in classes.enumerators_by_using(resolver, *each, name)
        ]
        if enumerators:
            return enumerators
        if (
            not declarations
            and module.path
            and preprocessor.opens_namespace(resolver, module.path.rpartition("::")[2])
        ):
            return (Unknown("a macro opens that namespace, and may do so around it"),)
        if not declarations and classes.is_opened_to(resolver, module.path):
            return (Unknown("that namespace includes another one"),)
        if not declarations:
            return (Elsewhere("nothing in the tree has it"),)
        return [
            *(each.binding for each in declarations),
            *classes.brought_in(resolver, None, module.path, name),
        ]


class CPP(C):
    """C++, with namespaces and overloads."""

    rules = CPP_RULES
