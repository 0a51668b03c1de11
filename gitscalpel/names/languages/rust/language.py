"""Name resolution of Rust, with lookup, self, lifetimes and field shorthand.

``self`` is a module in a path, or the receiver of a method
(https://doc.rust-lang.org/reference/items/associated-items.html#methods). An elided lifetime (``'_``) may get
a name (https://doc.rust-lang.org/reference/lifetime-elision.html). Each one among the parameters of a
function, or in the header of an ``impl``, is a lifetime of its own, which the function or ``impl`` may
declare. One in a result is that of a parameter, and one in a function type belongs to that type.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

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
from gitscalpel.names.languages.rust import items, macros
from gitscalpel.names.languages.rust.items import bases_of, implementing_files
from gitscalpel.names.languages.rust.macros import format_meanings, macro_word_meanings
from gitscalpel.names.languages.rust.values import binding_values, expression_values
from gitscalpel.names.nodes import find_part
from gitscalpel.names.references import find_references
from gitscalpel.names.resolver import Language, Place, Resolver, cache_answers
from gitscalpel.names.scope_rules import BOTH, TYPE, VALUE, Scoping
from gitscalpel.syntax.occurrences import Mention, Scope
from gitscalpel.text.splice import Splice

_WORDS = """
_ r#_ self Self super crate r#self r#Self r#super r#crate as async await break const continue dyn else enum
extern false fn for if impl in let loop match mod move mut pub ref return static struct trait true type unsafe
use where while
"""
_OF_ITEMS = frozenset({"generic", "number", "lifetime"})
_LOCAL = frozenset({"let", "parameter", "pattern", "label", "self"})
_SPACES = {
    **dict.fromkeys(("let", "parameter", "pattern", "self", "function"), VALUE),
    **dict.fromkeys(("const", "number"), VALUE | {"given"}),
    **dict.fromkeys(("struct", "mod", "generic"), TYPE),
    "tuple": BOTH,
    "value": VALUE | {"import"},
    **dict.fromkeys(("type", "path"), TYPE | {"import"}),
    "argument": TYPE | {"import", "given"},
    "any": BOTH | {"import", "macro"},
    "import": frozenset({"import"}),
    "macro": frozenset({"macro"}),
    "called": frozenset({"macro", "import"}),
    "attribute": frozenset({"import"}),
    "member": frozenset({"member"}),
    "lifetime": frozenset({"lifetime"}),
    "label": frozenset({"label"}),
}
_ANY = frozenset[str]()
SCOPES = Scoping(
    unreached=_LOCAL | _OF_ITEMS | {"struct", "mod", "tuple", "const"},
    entries=frozenset({"main"}),
    declared=True,
    only={
        "class": frozenset({"member"}),
        "item": _OF_ITEMS,
        "generic": _OF_ITEMS,
        "let": frozenset({"let"}),
        "use": frozenset(),
    },
    never={
        "module": frozenset({"member"}),
        "mod": frozenset({"member"}),
        "function": frozenset({"member"}),
        "block": frozenset({"member"}),
    },
    spaces=_SPACES,
    sequels=frozenset({"let"}),
    hides={
        "function": _LOCAL,
        "item": _LOCAL,
        "mod": frozenset(_SPACES) - {"macro", "called", "attribute"},
    },
    open=frozenset({"use", "block", "mod", "module"}),
    overrides=False,
    fulfils=False,
    reserved=frozenset(_WORDS.split()),
    kinds=frozenset({"module", "mod"}),
    given={"self": _ANY, "Self": _ANY, "_": frozenset({"lifetime"})},
    alone=frozenset({"elided"}),
    never_members=_OF_ITEMS,
)


_BLANK = frozenset({"let", "parameter", "pattern"})


def module_of_self(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    before = items.use_prefix(mention.node)
    values = resolver.values(path, before) if before is not None else (items.module_at(path, mention.node),)
    for each in values:
        yield (
            Binding(each.path, each.within or WHOLE, "rust", mention.name)
            if isinstance(each, Module)
            else Elsewhere("no module of the tree")
        )


def self_name_error(resolver: Resolver, places: list[Place], to: str) -> str:
    """Return why ``self`` or the names at these places may not change; empty if they may."""
    name = places[0].mention.name if places else ""
    defined = [each for each in places if each.mention.role == "bind"]
    if name == "Self" or (name == "self" and not defined):
        return f"{name} is a keyword, which cannot be renamed"
    if to == "_":
        is_blank = all(each.mention.role == "bind" and each.mention.kind in _BLANK for each in places)
        return "" if is_blank else f"{name} is used, and _ is no name"
    if to == "self":
        is_one = len(defined) == 1 and _receiver_form(defined[0].mention) is not None
        return "" if is_one else f"{name} is no first parameter of the type that self would have"
    if name == "self":
        return _dot_call_reason(resolver, defined[0])
    return f"{to} is a keyword, not a name" if to in resolver.lexical(places[0].path).rules.reserved else ""


def rename_receiver(mention: Mention, new: str) -> Splice | None:
    """Return the edit that turns a receiver into a parameter, or the reverse; None for other names."""
    holder = mention.node.parent
    if holder is not None and holder.type == "self_parameter":
        signs = b"".join(
            (each.text or b"") + (b"" if each.type == "&" else b" ")
            for each in holder.children
            if each.type in ("&", "lifetime") or (each.type == "mutable_specifier" and _has_kind(holder, "&"))
        )
        is_own = _has_kind(holder, "mutable_specifier") and not _has_kind(holder, "&")
        raw = (b"mut " if is_own else b"") + new.encode() + b": " + signs + b"Self"
        return Splice(holder.start_byte, holder.end_byte, raw)
    if new == "self" and mention.role == "bind":
        receiver = _receiver_form(mention)
        parameter = nodes.ancestor(mention.node, "parameter")
        if receiver is not None and parameter is not None:
            return Splice(parameter.start_byte, parameter.end_byte, receiver)
    return None


def _has_kind(holder: tree_sitter.Node, kind: str) -> bool:
    return any(each.type == kind for each in holder.children)


def _receiver_form(mention: Mention) -> bytes | None:
    """Return the text of a parameter as a receiver; None if it cannot be one."""
    parameter = nodes.ancestor(mention.node, "parameter")
    kind = find_part(parameter, "type")
    function = parameter.parent.parent if parameter is not None and parameter.parent is not None else None
    block = function.parent.parent if function is not None and function.parent is not None else None
    if parameter is None or kind is None or block is None or block.type not in ("impl_item", "trait_item"):
        return None
    pattern = parameter.child_by_field_name("pattern")
    if parameter.prev_named_sibling is not None or pattern is None or pattern.type != "identifier":
        return None
    own = block.child_by_field_name("type") if block.type == "impl_item" else None
    type_text, own_types = (
        _without_blanks(kind),
        {b"Self", _without_blanks(own) if own is not None else b"Self"},
    )
    before = b"mut " if _has_kind(parameter, "mutable_specifier") else b""
    if type_text in own_types:
        return before + b"self"
    inner = kind.child_by_field_name("type") if kind.type == "reference_type" else None
    if inner is not None and _without_blanks(inner) in own_types and not before:
        return (kind.text or b"")[: inner.start_byte - kind.start_byte] + b"self"
    return None


def _without_blanks(node: tree_sitter.Node) -> bytes:
    return b"".join((node.text or b"").split())


def _dot_call_reason(resolver: Resolver, defined: Place) -> str:
    """Return why a method may not lose its receiver; empty if it may."""
    function = nodes.ancestor(defined.mention.node, "function_item", "function_signature_item")
    name = find_part(function, "name")
    block = nodes.ancestor(function, "impl_item", "trait_item")
    if name is None or block is None:
        return ""
    if block.type == "trait_item" or block.child_by_field_name("trait") is not None:
        return "a trait says that it is a method, so it has self"
    own = resolver.meanings(defined.path, items.mention_of(resolver, defined.path, name))
    known = {each for each in own if isinstance(each, Binding)}
    if not known:
        return "its method calls are unknown, so it needs self"
    for each in find_references(resolver, known).places:
        above = each.mention.node.parent
        if above is not None and above.type == "field_expression":
            spot = f"{each.path}:{resolver.line(each.path, each.mention.start)}"
            return f"it may be called as a method in {spot}, so it has self"
    return ""


ELIDED = "_"
_FUNCTIONS = ("function_item", "function_signature_item")
_ENDS = (*_FUNCTIONS, "function_type", "impl_item", "block", "declaration_list")


def elided_lifetime(path: str, mention: Mention) -> Iterator[Binding]:
    """Yield the lifetime of ``'_``; empty if it cannot have a name."""
    if mention.kind == "lifetime" and mention.name == ELIDED and _elision_scope(mention.node) is not None:
        yield Binding(path, (mention.node.start_byte, mention.node.end_byte), "elided", ELIDED)


def declare_lifetime(resolver: Resolver, path: str, mention: Mention, new: str) -> Splice | None:
    """Return the edit that names ``'_`` and declares the name; None for other occurrences."""
    holder = _elision_scope(mention.node) if (mention.kind, mention.name) == ("lifetime", ELIDED) else None
    if holder is None:
        return None
    others = holder.child_by_field_name("type_parameters")
    head = holder.child_by_field_name("parameters")
    if others is not None:
        start, opened, closed = others.start_byte + 1, "'", ", " if others.named_children else ""
    else:
        start, opened, closed = head.start_byte if head else holder.children[0].end_byte, "<'", ">"
    between = resolver.lexical(path).text[start : mention.start]
    declaration = f"{opened}{new}{closed}".encode("utf-8", "surrogateescape")
    return Splice(start, mention.end, declaration + between + new.encode("utf-8", "surrogateescape"))


def lifetime_name_error(resolver: Resolver, places: Iterable[Place], to: str) -> str:
    """Return why lifetimes may not have a name; empty if they may.

    Nested declarations may not have the same name: https://doc.rust-lang.org/error_codes/E0496.html.
    """
    for path, mention in places:
        lexical, own_nodes = resolver.lexical(path), _declaring_nodes(mention)
        for other in (
            each for declared in lexical.bindings_by_scope(to).values() for each in declared if own_nodes
        ):
            other_nodes = _declaring_nodes(other)
            if other_nodes and (own_nodes[0] in other_nodes or other_nodes[0] in own_nodes):
                line = resolver.line(path, other.start)
                return f"line {line} of {path} declares the lifetime '{to}, and none may be declared twice"
    return ""


def _declaring_nodes(mention: Mention) -> list[int]:
    """Return the ids of the nodes from a lifetime's declaration up to a body; empty for a use."""
    if mention.kind != "lifetime" or (mention.role != "bind" and mention.name != ELIDED):
        return []
    kinds = [scope.kind for scope in mention.scopes]
    until = kinds.index("block") if "block" in kinds else len(kinds)
    return [scope.node.id for scope in mention.scopes[:until]]


def _elision_scope(node: tree_sitter.Node) -> tree_sitter.Node | None:
    inner, above = node, node.parent
    while above is not None and above.type not in _ENDS:
        inner, above = above, above.parent
    if above is None:
        return None
    fields = ("parameters",) if above.type in _FUNCTIONS else ("trait", "type")
    if above.type != "impl_item" and above.type not in _FUNCTIONS:
        return None
    return above if any(above.child_by_field_name(each) == inner for each in fields) else None


_MACROS = frozenset({"called", "attribute"})
_PRIMITIVES = frozenset(
    "bool char str f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize".split()  # noqa: SIM905
)


def item_of_module(resolver: Resolver, module: Module, name: str) -> Iterable[Meaning]:
    return _find_item(resolver, module, name) or (Elsewhere("nothing that is read here"),)


def look_up_in_scope(resolver: Resolver, path: str, scope: Scope, mention: Mention) -> Iterable[Meaning]:
    """Return the meaning of a ``use`` path's first name, or of names that globs bring into a scope."""
    if scope.kind == "use":
        return items.first_of_path(resolver, path, mention, mention.kind)
    key = ("globs", path, scope.span, scope.kind, mention.name)
    brought = resolver.compute_once(key, lambda: _glob_items(resolver, path, scope.node, mention.name), ())
    meet = resolver.lexical(path).rules.meet
    fitting = [each for each in brought if not each.space or meet(each.space, mention.kind)]
    if mention.kind not in _MACROS:
        return fitting
    # Another item may have the name of the macro, but a macro call cannot mean it.
    return [each for each in fitting if resolver.may_have_kind(each, mention.kind)]


def look_up_free(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of free names: included files, macros, crates, or names outside the tree."""
    if mention.name == "Self" or mention.kind == "lifetime":
        return _meanings_of_self(path, mention) if mention.name == "Self" else elided_lifetime(path, mention)
    meanings = tuple(_included_names(resolver, path, mention.name))
    if meanings:
        return meanings
    if mention.kind in _MACROS:
        meanings = _visible_macros(resolver, path, mention) if mention.kind == "called" else ()
        return meanings or (Elsewhere("macros"),)
    if mention.kind == "path" and mention.name not in _PRIMITIVES:
        return items.crate_meanings(resolver, mention.name)
    if mention.kind == "value" and macros_named(resolver, mention.name):
        return (
            *macros_named(resolver, mention.name),
            Unknown("it has no ! behind it, and only a macro is called so"),
        )
    return (Elsewhere("the language" if mention.name in _PRIMITIVES else "the prelude"),)


def _meanings_of_self(path: str, mention: Mention) -> Iterable[Meaning]:
    """Return ``Self``, which each ``impl``, trait and type has for itself."""
    item = nodes.ancestor(mention.node, "impl_item", "trait_item", *items.ITEMS)
    return (Binding(path, (item.start_byte, item.end_byte), "item", "Self"),) if item is not None else ()


def _included_names(resolver: Resolver, path: str, name: str) -> Iterator[Binding]:
    for mention in resolver.lexical(path).occurrences_of("include"):
        match = re.match(r'include!\s*[({[]\s*"([^"]+)"', nodes.text(resolver, path, mention.node.parent))
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1])) if match else path
        lexical = resolver.files.lexical(place) if place != path else None
        if lexical is not None and place.endswith(".rs"):
            yield from _own_items(resolver, place, lexical.syntax.root, name)


def _visible_macros(resolver: Resolver, path: str, mention: Mention) -> tuple[Binding, ...]:
    bindings = macros_named(resolver, mention.name)
    if len(bindings) < 2:
        return bindings
    own = {*items.crates_of(resolver, items.module_at(path, mention.node))}
    of_crate = tuple(
        each for each in bindings if own & {*items.crates_of(resolver, Module(each.path, "rust"))}
    )
    return of_crate or bindings


@cache_answers
def macros_named(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path, lexical in resolver.parsed_files(name, ".rs"):
        for mentions in lexical.bindings_by_scope(name).values():
            for each in mentions:
                holder = each.scopes[0]
                if each.kind == "macro" and holder.kind in ("module", "mod"):
                    yield from resolver.own_bindings(path, each)


@cache_answers
def _find_item(resolver: Resolver, module: Module, name: str) -> Iterator[Meaning]:
    node = items.module_body(resolver, module)
    if node is None:
        return
    yield from _own_items(resolver, module.path, node, name)
    bound = resolver.lexical(module.path).bindings_by_scope(name).get(node.id, ())
    if not bound:
        yield from _glob_items(resolver, module.path, node, name)
    if module.within is None and all(each.kind == "import" for each in bound):
        yield from macros_named(resolver, name)


def _own_items(resolver: Resolver, path: str, node: tree_sitter.Node, name: str) -> Iterator[Binding]:
    mentions = resolver.lexical(path).bindings_by_scope(name).get(node.id, ())
    yield from dict.fromkeys(each for mention in mentions for each in resolver.own_bindings(path, mention))


def _glob_items(resolver: Resolver, path: str, scope: tree_sitter.Node, name: str) -> Iterator[Binding]:
    """Yield the names that globs bring into a scope."""
    for node in items.glob_imports(resolver, path, scope):
        for value in resolver.values(path, node):
            for each in resolver.members(value, name):
                if isinstance(each, Binding) and _is_visible(resolver, path, scope, value, each):
                    yield each


def meanings_in_other_builds(resolver: Resolver, place: Place) -> Iterator[Binding]:
    """Yield the meanings of an imported name in builds in which its ``#[cfg(...)]`` condition is false."""
    path, mention = place
    statement = nodes.ancestor(mention.node, "use_declaration") if mention.kind == "import" else None
    attributes = items.attributes_of(resolver, path, statement) if statement is not None else ()
    if any(each.startswith("#[cfg(") for each in attributes):
        yield from _glob_items(resolver, path, resolver.lexical(path).holder(mention).node, mention.name)


def _is_visible(
    resolver: Resolver, path: str, scope: tree_sitter.Node, source: object, binding: Binding
) -> bool:
    """Return True if a glob brings a name: a public one, or one of a module around."""
    if binding.kind == "class":
        return True
    around = items.module_at(path, scope) if scope.type != "source_file" else Module(path, "rust")
    if scope.type == "declaration_list":
        around = Module(path, "rust", (scope.start_byte, scope.end_byte))
    waiting, seen = [around], set[Module]()
    while waiting:
        each = waiting.pop()
        if each == source:
            return True
        waiting += [above for above in items.parent_modules(resolver, each) if above not in seen]
        seen.add(each)
    return any(_is_public(place.mention.node) for place in resolver.binders(binding))


def _is_public(node: tree_sitter.Node) -> bool:
    item = nodes.ancestor(node, "use_declaration") or node.parent
    return item is not None and (
        item.type == "macro_definition" or any(each.type == "visibility_modifier" for each in item.children)
    )


_REFERS = ("ref_pattern", "mut_pattern")


def rename_with_shorthand(mention: Mention, form: str, new: str) -> Splice:
    """Return the edit of a name and of its field shorthand (``S { x }``) in a form of ``Form``."""
    old = mention.name
    if form == "alias":
        return mention.make_splice(f"{old} as {new}")
    if form == "plain":
        return _join_shorthand(mention, new) or mention.make_splice(new)
    field, value = (new, old) if form == "key" else (old, new)
    holder = mention.node.parent
    words = _modifiers(holder, mention.node) if holder is not None and holder.type == "field_pattern" else []
    start = words[0].start_byte if words else mention.start
    pattern = " ".join([*(each.type if not each.is_named else "mut" for each in words), value])
    return Splice(start, mention.end, f"{field}: {pattern}".encode("utf-8", "surrogateescape"))


def _modifiers(holder: tree_sitter.Node, name: tree_sitter.Node) -> list[tree_sitter.Node]:
    return [each for each in holder.children if each.end_byte <= name.start_byte]


def _join_shorthand(mention: Mention, new: str) -> Splice | None:
    """Return the edit that joins ``x: x`` to ``x``."""
    inner = mention.node
    while inner.parent is not None and inner.parent.type in _REFERS:
        inner = inner.parent
    holder = inner.parent
    if holder is None or holder.type not in ("field_initializer", "field_pattern"):
        return None
    value = find_part(holder, "value", "pattern")
    field = find_part(holder, "field", "name")
    name = value
    while name is not None and name.type in _REFERS:
        name = name.named_children[-1]
    if field is None or value is None or name is None or name.type != "identifier" or name.text is None:
        return None
    raw = new.encode("utf-8", "surrogateescape")
    if (name if field.id == mention.node.id else field).text != raw:
        return None
    before = (value.text or b"")[: name.start_byte - value.start_byte]
    return Splice(field.start_byte, value.end_byte, before + raw)


class Rust(Language):
    """Imports, values and members of Rust."""

    rules = SCOPES

    free = staticmethod(look_up_free)

    find_in_open_scope = staticmethod(look_up_in_scope)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return the members that a trait of the tree may give to any type."""
        receiver = self.receiver(mention)
        is_open = not isinstance(value, (Unknown, Module)) and not self.is_set(mention)
        if receiver is None or not is_open or _is_field(mention):
            return ()
        return items.members_by_traits(resolver, path, mention, receiver)

    resolve_imported = staticmethod(module_of_self)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        """Return the expression before the dot or ``::``, or the type or trait of a defined item."""
        block = items.impl_of(mention)
        above = mention.node.parent
        if block is not None:
            return find_part(block, "trait", "type")
        if above is None or above.type in ("scoped_identifier", "scoped_type_identifier"):
            return above and above.child_by_field_name("path")
        if above.type == "field_expression":
            return mention.node if _is_field(mention) else above.child_by_field_name("value")
        if above.type == "type_binding":
            return nodes.ancestor(above, "generic_type")
        return above.parent

    def is_set(self, mention: Mention) -> bool:
        return items.impl_of(mention) is not None

    files_defining = staticmethod(implementing_files)

    def resolve_origin(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        return () if items.is_alias(mention) else items.import_origin(resolver, path, mention)

    def key(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        """Return the field that ``S { x }`` also names."""
        above = mention.node.parent
        holder = above.parent if above is not None else None
        members: list[Meaning] = []
        for value in resolver.values(path, holder):
            of = value.of if isinstance(value, Instance) else value
            members += resolver.members(value, mention.name) or (
                [resolver.class_member(of, mention.name)] if isinstance(of, Class) else []
            )
        return members or (Unknown("the value that has it is unknown"),)

    resolve_in_string = staticmethod(format_meanings)

    def replace_name(self, resolver: Resolver, path: str, mention: Mention, form: str, new: str) -> Splice:
        return (
            rename_receiver(mention, new)
            or declare_lifetime(resolver, path, mention, new)
            or rename_with_shorthand(mention, form, new)
        )

    def holder(self, resolver: Resolver, path: str, mention: Mention) -> object:
        """Return the type for which a trait's item is defined or used."""
        return items.implementing_type(resolver, path, mention, self.receiver(mention))

    def strip_sigils(self, mention: Mention, wished: str) -> str:
        return wished.removeprefix("'") if mention.kind in ("lifetime", "label") else wished

    def name_error(self, resolver: Resolver, places: Iterable[Place], to: str) -> str:
        named = list(places)
        return self_name_error(resolver, named, to) or lifetime_name_error(resolver, named, to)

    def lookup_reason(self, resolver: Resolver, place: Place) -> str:
        why = macros.derive_reason(place) or macros.debug_output_reason(resolver, place)
        return why or super().lookup_reason(resolver, place)

    def find_redeclarations(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """Yield a module's name and its file, and items of one name under several conditions."""
        for place in resolver.binders(binding) if binding.scope != WHOLE and binding.kind != "class" else ():
            yield from meanings_in_other_builds(resolver, place)
            item = place.mention.node.parent
            if place.mention.kind == "mod" and item is not None and item.child_by_field_name("body") is None:
                module = items.declared_module(resolver, place.path, item)
                if module is not None:
                    yield Binding(module.path, WHOLE, "rust", binding.name)

    keyword = staticmethod(macro_word_meanings)

    bases = staticmethod(bases_of)

    module_member = staticmethod(item_of_module)


def _is_field(mention: Mention) -> bool:
    """Return True for a member after a dot that is not called."""
    above = mention.node.parent
    if above is None or above.type != "field_expression":
        return False
    called = above.parent
    if called is not None and called.type == "generic_function":
        return False
    return called is None or called.type != "call_expression" or not items.is_field(above, called, "function")
