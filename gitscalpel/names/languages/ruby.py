"""Name resolution of Ruby.

Any file may reopen a class or module, so it is identified by its full name. Meanings that are decided at run
time are unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import (
    WHOLE,
    Binding,
    Class,
    Elsewhere,
    Function,
    Instance,
    Meaning,
    Unknown,
    Value,
)
from gitscalpel.names.languages import namespaced
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.readings import (
    reading_table,
    value_of,
    values_of_name,
)
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.names.scope_rules import Scoping
from gitscalpel.syntax.occurrences import Mention

_LOCAL_KINDS = frozenset({"local", "parameter"})
_MEMBERS = frozenset({"constant", "static", "method", "attribute", "instance", "shared"})
_WORDS = """
alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not
or redo rescue retry return self super then true undef unless until when while yield
"""
_PROTOCOL = """
coerce const_missing extended hash included inherited initialize initialize_copy inspect method_added
method_missing prepended respond_to_missing to_a to_ary to_hash to_proc to_s to_str to_sym
"""
SCOPES = Scoping(
    protocol=frozenset(_PROTOCOL.split()),
    only={"class": _MEMBERS | _LOCAL_KINDS},
    never=dict.fromkeys(("function", "block"), _MEMBERS | {"global"}),
    spaces={
        **{
            each: frozenset({each})
            for each in ("static", "instance", "shared", "global", "constant", "symbol")
        },
        **dict.fromkeys(("local", "parameter"), frozenset({"local"})),
        **dict.fromkeys(("method", "own"), frozenset({"method"})),
        "attribute": frozenset({"method", "instance"}),
        "value": frozenset({"local", "method"}),
        "call": frozenset({"method", "static"}),
    },
    hides=dict.fromkeys(("function", "class"), _LOCAL_KINDS),
    hiding=frozenset({"constant"}),
    reserved=frozenset(_WORDS.split()),
    keyworded=frozenset({"keyword_parameter"}),
    linked=True,
    reached=frozenset({"class", "module"}),
)


TYPES = ("class", "module")


def qualified_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    name = nodes.text(resolver, path, node.child_by_field_name("name"))
    around = nodes.ancestor(node, *TYPES)
    if name.startswith("::") or around is None:
        return name.removeprefix("::")
    return f"{qualified_name(resolver, path, around)}::{name}"


def constant_holder(resolver: Resolver, path: str, node: tree_sitter.Node) -> str:
    """Return the class or module whose constant a node names."""
    above = node.parent
    around = nodes.ancestor(node, *TYPES)
    if above is not None and above.type == "scope_resolution" and above.parent is not None:
        holder = above.parent
        if holder.type in TYPES and holder.child_by_field_name("name") == above:
            return qualified_name(resolver, path, holder).rpartition("::")[0]
    if around is not None and around.child_by_field_name("name") == node:
        around = nodes.ancestor(around, *TYPES)
    return qualified_name(resolver, path, around) if around is not None else ""


NAMESPACE_RULES = namespaced.NamespaceRules(
    "ruby", constant_holder, frozenset({"constant"}), ("module", "class")
)


def look_up_constant(resolver: Resolver, path: str, mention: Mention) -> tuple[Meaning, ...]:
    """Return the meanings of a constant: in the classes and modules around it, or in their bases."""
    around = [scope for scope in mention.scopes if scope.kind == "class"]
    for scope in around:
        constants = namespaced.declared_in(
            resolver, NAMESPACE_RULES, qualified_name(resolver, path, scope.node), mention.name
        )
        if constants:
            return constants
    for scope in around[:1]:
        for each in resolver.ancestry(Class(path, scope.node)):
            constants = constants_of(resolver, each, mention.name) if isinstance(each, Class) else ()
            if constants:
                return constants
    constants = namespaced.declared_in(resolver, NAMESPACE_RULES, "", mention.name)
    if constants or not namespaced.namespace_places(resolver, NAMESPACE_RULES, mention.name):
        return constants or (Elsewhere("a library"),)
    return (namespaced.UNDECLARED,)


def constants_of(resolver: Resolver, of: Class, name: str) -> tuple[Binding, ...]:
    if of.node.type not in TYPES:
        return ()
    return namespaced.declared_in(resolver, NAMESPACE_RULES, qualified_name(resolver, of.path, of.node), name)


def other_parts(resolver: Resolver, of: Class) -> Iterator[Class]:
    """Yield the other places that open a class or module."""
    name_node = of.node.child_by_field_name("name")
    if of.node.type not in TYPES or name_node is None:
        return
    space, _, name = qualified_name(resolver, of.path, of.node).rpartition("::")
    for namespace, _, place in namespaced.namespace_places(resolver, NAMESPACE_RULES, name):
        above = place.mention.node.parent
        if above is not None and above.type == "scope_resolution":
            above = above.parent
        if namespace == space and above is not None and above.type in TYPES:
            each = Class(place.path, above)
            if each != of:
                yield each


_PLAIN_WORDS = """
each reverse_each map select reject each_with_index each_with_object inject reduce find detect any? all?
none? sort_by group_by flat_map collect times upto downto each_pair each_key each_value tap then lambda proc
loop min_by max_by sum count partition filter filter_map delete_if reject! map! select! fetch open
synchronize catch each_line step zip to_h
"""
_KEEPING_SELF = frozenset(_PLAIN_WORDS.split())
"""Library methods that do not change ``self`` in their blocks."""
_MIXED_IN = Unknown("a base, a module or a class that includes it may have it")
_OTHER_SELF = Unknown("a block may be run for another object")
_METHODS = ("method", "singleton_method")


def type_of_self(path: str, node: tree_sitter.Node) -> Value:
    around = nodes.ancestor(node, *TYPES)
    method = nodes.ancestor(node, *_METHODS, *TYPES)
    if around is None:
        return Unknown("self is the program's own object")
    own = Class(path, around)
    if method is None or method.type in TYPES or is_class_method(method):
        return own
    return Instance(own)


def is_class_method(method: tree_sitter.Node) -> bool:
    around = nodes.ancestor(method, "singleton_class", *TYPES)
    return method.type == "singleton_method" or (around is not None and around.type == "singleton_class")


def is_rebound(node: tree_sitter.Node) -> bool:
    """Return True if a block around a node may run with another ``self``."""
    above = node.parent
    while above is not None and above.type not in (*_METHODS, *TYPES):
        holder = above.parent
        if above.type in ("block", "do_block") and holder is not None and holder.type == "call":
            name = holder.child_by_field_name("method")
            if name is None or (name.text or b"").decode("utf-8", "replace") not in _KEEPING_SELF:
                return True
        above = above.parent
    return False


def called_methods(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    if not has_method(resolver, mention.name):
        return (Elsewhere("no class of the tree has it"),)
    own = type_of_self(path, mention.node)
    if mention.kind == "own" and isinstance(own, Class):
        own = Instance(own)
    methods = [*fitting_methods(resolver, own, resolver.members(own, mention.name))]
    doubt = (_OTHER_SELF,) if is_rebound(mention.node) else ()
    if methods and not isinstance(own, Unknown):
        return (*methods, *doubt)
    top = list(dict.fromkeys(_top_level_methods(resolver, mention.name)))
    is_top = nodes.ancestor(mention.node, *TYPES) is None
    return (*top, *(doubt if is_top and top else (_MIXED_IN,)))


def has_method(resolver: Resolver, name: str) -> bool:
    return namespaced.is_declared(resolver, NAMESPACE_RULES, name, "method", "static", "attribute")


def fitting_methods(resolver: Resolver, value: Value, found: Iterable[Meaning]) -> Iterator[Binding]:
    kind = "static" if isinstance(value, Class) else "method"
    for each in found:
        if isinstance(each, Binding) and resolver.may_have_kind(each, kind):
            yield each


def _top_level_methods(resolver: Resolver, name: str) -> Iterator[Binding]:
    for path, mention in namespaced.iter_bindings(resolver, NAMESPACE_RULES, name, "method"):
        if resolver.lexical(path).holder(mention).kind == "module":
            yield from resolver.own_bindings(path, mention)


_UNKNOWN_VALUE = Unknown("its value is unknown")


def expression_values(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    read = _EXPRESSION_READERS.get(node.type)
    return read(resolver, path, node) if read is not None else (_UNKNOWN_VALUE,)


def binding_values(resolver: Resolver, path: str, mention: Mention) -> Iterable[Value]:
    above = mention.node.parent
    if above is not None and above.type == "scope_resolution":
        above = above.parent
    if above is None:
        return (_UNKNOWN_VALUE,)
    if mention.kind == "constant" and above.type in TYPES:
        return (Class(path, above),)
    if mention.kind in ("method", "static"):
        return (Function(path, above),)
    if mention.kind == "local" and above.type == "assignment" and _is_only_binding(resolver, path, mention):
        return resolver.values(path, above.child_by_field_name("right"))
    return (_UNKNOWN_VALUE,)


def _is_only_binding(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if nothing else in the function binds a variable."""
    function = next((scope for scope in mention.scopes if scope.kind != "block"), mention.scopes[-1])
    bound = (
        each
        for each in resolver.lexical(path).occurrences_of(mention.name)
        if each.kind in ("local", "parameter")
    )
    inside = [e for e in bound if function.span[0] <= e.start < function.span[1] and e.role == "bind"]
    return len(inside) == 1


def _values_of_name(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    return [
        _UNKNOWN_VALUE if isinstance(each, Function) else each
        for each in values_of_name(resolver, path, node)
    ]


def _values_of_call(resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterator[Value]:
    """Yield the values of ``A.new`` and ``self.class``."""
    before, name = node.child_by_field_name("receiver"), node.child_by_field_name("method")
    method = nodes.text(resolver, path, name)
    if before is None or method not in ("new", "class"):
        yield _UNKNOWN_VALUE
        return
    for value in resolver.values(path, before):
        if method == "class":
            yield value.of if isinstance(value, Instance) else _UNKNOWN_VALUE
        elif (
            isinstance(value, Class)
            and value.node.type == "class"
            and not _has_own_constructor(resolver, value)
        ):
            yield Instance(value)
        else:
            yield _UNKNOWN_VALUE


def _has_own_constructor(resolver: Resolver, of: Class) -> bool:
    return any(True for _ in fitting_methods(resolver, of, resolver.members(of, "new")))


def _values_of_self(_resolver: Resolver, path: str, node: tree_sitter.Node) -> Iterable[Value]:
    if is_rebound(node):
        return (_UNKNOWN_VALUE,)
    return (type_of_self(path, node),)


def base_classes(resolver: Resolver, of: Class) -> Iterator[Value]:
    above = of.node.child_by_field_name("superclass")
    if above is not None and above.named_children:
        yield from resolver.values(of.path, above.named_children[0])
    for call in children_of(of.node.child_by_field_name("body")):
        method = (
            nodes.text(resolver, of.path, call.child_by_field_name("method")) if call.type == "call" else ""
        )
        arguments = (
            call.child_by_field_name("arguments") if method in ("include", "prepend", "extend") else None
        )
        for each in children_of(arguments):
            yield from resolver.values(of.path, each)


_EXPRESSION_READERS = reading_table(
    ("identifier constant", _values_of_name),
    ("scope_resolution", value_of("name")),
    ("call", _values_of_call),
    ("self", _values_of_self),
)
"""By node type: reader of an expression."""


_MIXED = Unknown("constants of several modules are bound in one place")
_VALUES = nodes.ValuePositions(
    dotted="scope_resolution",
    holding=frozenset({"argument_list", "array", "pair"}),
    given={"assignment": "right"},
)
_LOCAL = ("local", "parameter")
_SIGILS = {"instance": "@", "shared": "@@", "global": "$"}
"""Sigils of variables, by kind."""


class Ruby(namespaced.NamespacedLanguage):
    """Imports, values and members of Ruby."""

    rules = SCOPES

    def resolve_use(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        if mention.kind in ("symbol", "unknown"):
            return (Unknown("it may be the name of a method"),)
        if mention.kind == "constant":
            return look_up_constant(resolver, path, mention)
        if mention.kind == "value":
            variables = tuple(_find_variable(resolver, path, mention))
            if variables:
                return variables
        return called_methods(resolver, path, mention)

    def free(self, resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
        return self.resolve_use(resolver, path, mention)

    def settle_meanings(
        self, resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
    ) -> Iterable[Meaning]:
        """Return instance methods for objects and class methods for classes."""
        before = self.receiver(mention) if mention.role == "member" and mention.kind == "call" else None
        if before is None:
            is_mixed = mention.kind == "constant" and any(_is_mixed(resolver, each) for each in found)
            return dict.fromkeys((*found, *((_MIXED,) if is_mixed else ())))
        if not has_method(resolver, mention.name):
            return (Elsewhere("no class of the tree has it"),)
        known: list[Meaning] = [each for each in found if not isinstance(each, Binding)]
        for value in resolver.values(path, before):
            known += list(fitting_methods(resolver, value, found)) or [namespaced.DYNAMIC]
        return dict.fromkeys(known)

    def find_added_members(
        self, resolver: Resolver, path: str, mention: Mention, value: Value
    ) -> Iterable[Meaning]:
        """Return the constants of a module in other files, or a doubt about dynamic members."""
        own = value.of if isinstance(value, Instance) else value
        constants = constants_of(resolver, own, mention.name) if isinstance(own, Class) else ()
        return constants if mention.kind == "constant" and constants else (namespaced.DYNAMIC,)

    values = staticmethod(expression_values)

    values_at_binding = staticmethod(binding_values)

    def receiver(self, mention: Mention) -> tree_sitter.Node | None:
        above = mention.node.parent
        if above is None:
            return None
        return find_part(above, "receiver", "scope")

    def strip_sigils(self, mention: Mention, wished: str) -> str:
        sign = _SIGILS.get(mention.kind, "")
        return wished.removeprefix(sign) if sign else wished

    def is_class_passed(self, node: tree_sitter.Node) -> bool:
        return nodes.value_holder(node, _VALUES) is not None

    other_parts = staticmethod(other_parts)
    bases = staticmethod(base_classes)

    def other_declarations(self, resolver: Resolver, binding: Binding) -> Iterator[Binding]:
        """Yield the name in other openings of a class, and a variable in the blocks that see it."""
        if binding.scope == WHOLE:
            return
        places = resolver.binders(binding)
        kinds = {place.mention.kind for place in places}
        if "constant" in kinds:
            for place in places:
                space = constant_holder(resolver, place.path, place.mention.node)
                yield from namespaced.declared_in(resolver, NAMESPACE_RULES, space, binding.name)
        elif "global" in kinds:
            for place in namespaced.iter_bindings(resolver, NAMESPACE_RULES, binding.name, "global"):
                yield from resolver.own_bindings(*place)
        elif binding.kind == "class":
            holder = resolver.class_of_member(binding)
            for part in other_parts(resolver, holder) if holder is not None else ():
                members = resolver.own_members(part, binding.name)
                yield from (each for each in members if resolver.may_have_kind(each, *kinds))
        elif binding.kind == "block" and "parameter" not in kinds:
            yield from _outer_variable(resolver, places)

    def parameters(self, resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
        pair = mention.node.parent
        call = nodes.ancestor(mention.node, "call")
        name = find_part(call, "method")
        if pair is None or pair.child_by_field_name("value") is None:
            return
        if name is None or pair.parent is None or pair.parent.type != "argument_list":
            yield Unknown("a lambda may take it, or a call that is given the hash (**)", called="")
            return
        for meaning in resolver.meanings(path, nodes.mention(resolver, path, name)):
            for value in resolver.values_of(meaning):
                given = value.node.child_by_field_name("parameters") if isinstance(value, Function) else None
                if not isinstance(value, Function) or given is None:
                    yield Unknown("the called function is unknown")
                    continue
                yield from namespaced.parameters_named(
                    resolver, value.path, given, mention.name, _name_of_keyword
                )


def _name_of_keyword(parameter: tree_sitter.Node) -> tree_sitter.Node | None:
    return find_part(parameter, "name") if parameter.type == "keyword_parameter" else None


def _is_mixed(resolver: Resolver, meaning: Meaning) -> bool:
    """Return True if ``class A::B`` and ``class B`` are in one scope."""
    places = resolver.binders(meaning) if isinstance(meaning, Binding) and meaning.scope != WHOLE else ()
    return len({constant_holder(resolver, each.path, each.mention.node) for each in places}) > 1


def _find_variable(resolver: Resolver, path: str, mention: Mention) -> Iterator[Meaning]:
    lexical = resolver.lexical(path)
    later: list[Mention] = []
    for scope in mention.scopes:
        bound = [
            e for e in lexical.bindings_by_scope(mention.name).get(scope.node.id, []) if e.kind in _LOCAL
        ]
        before = [each for each in bound if each.start < mention.start]
        if before:
            yield from resolver.own_scope_meanings(path, before[0])
            return
        later += bound
        if scope.kind in ("function", "class"):
            break
    if later:
        yield from resolver.own_scope_meanings(path, later[0])
        yield Unknown("it may be called before it is a variable")


def _outer_variable(resolver: Resolver, places: tuple[Place, ...]) -> Iterator[Binding]:
    """Yield the earlier variable around a block that assigns it."""
    path, mention = next(iter(places))
    lexical = resolver.lexical(path)
    own = lexical.holder(mention)
    for scope in mention.scopes[mention.scopes.index(own) + 1 :]:
        bound = lexical.bindings_by_scope(mention.name).get(scope.node.id, [])
        if any(each.kind in _LOCAL and each.start < own.span[0] for each in bound):
            yield from resolver.own_bindings(path, bound[0])
            return
        if scope.kind != "block":
            return
