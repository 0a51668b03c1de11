"""Which of several functions a call means: by how many arguments it has, and by what is known of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import tree_sitter

from gitscalpel.meaning import nodes
from gitscalpel.meaning.c import signatures, spaces
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Class, Instance, Meaning, Unknown, Value
from gitscalpel.syntax.occurrences import Mention

_NAMES = (
    "qualified_identifier",
    "template_function",
    "template_method",
    "field_expression",
    "dependent_name",
)
_DOUBT = Unknown("nobody can tell which of several functions it is", among=True)
_LITERALS = {
    "string_literal": "const char*",
    "char_literal": "char",
    "true": "bool",
    "false": "bool",
}


def call(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The call of what a name's node names."""
    above: tree_sitter.Node | None = node.parent
    child: tree_sitter.Node = node
    while above is not None and above.type in _NAMES:
        if child in (above.child_by_field_name("scope"), above.child_by_field_name("argument")):
            return None
        child, above = above, above.parent
    is_called = above is not None and above.type == "call_expression"
    return (
        above if is_called and above is not None and above.child_by_field_name("function") == child else None
    )


def given(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """The arguments of a call."""
    found = node.child_by_field_name("arguments")
    return [each for each in found.named_children if each.type != "comment"] if found is not None else []


def chosen(
    resolver: Resolver, path: str, mention: Mention, found: tuple[Meaning, ...]
) -> tuple[Meaning, ...]:
    """Those of several meanings that a mention can have."""
    named = [each for each in found if isinstance(each, Binding)]
    if spaces.BROUGHT in found:
        exact = _exact(resolver, path, mention, named)
        found = tuple(exact) or found
        named = exact or named
    if mention.role == "bind" or len({each.space for each in named}) < 2:
        return found
    rest = tuple(each for each in found if not isinstance(each, Binding))
    general = [each for each in named if each.space != signatures.SPECIAL]
    own, called = signatures.declared(mention.node), call(mention.node)
    if own is not None:
        left = _defined(resolver, general, own)
    elif called is not None:
        left = _called(resolver, path, general, given(called))
    else:
        left = general
    several = len({each.space for each in left}) != 1
    return (*(left or named), *rest, *((_DOUBT,) if several else ()))


def declarator(resolver: Resolver, binding: Binding) -> tree_sitter.Node | None:
    """The declarator of a function that a name is."""
    for place in resolver.binders(binding):
        found = signatures.declared(place.mention.node)
        if found is not None:
            return found
    return None


def _defined(resolver: Resolver, named: list[Binding], own: tree_sitter.Node) -> list[Binding]:
    """Which of its declarations a definition is of."""
    said = signatures.spelled(own)
    exact = [each for each in named if each.space == said]
    if exact:
        return exact
    count = len(signatures.parameters(own))
    like = [each for each in named if _count(resolver, each) == count]
    if signatures.is_special(own) or not like:
        like = [each for each in named if _is_template(resolver, each)] or like
    return like


def _count(resolver: Resolver, binding: Binding) -> int:
    found = declarator(resolver, binding)
    return -1 if found is None else len(signatures.parameters(found))


def _is_template(resolver: Resolver, binding: Binding) -> bool:
    found = declarator(resolver, binding)
    return found is not None and signatures.template(found) is not None


def _called(
    resolver: Resolver, path: str, named: list[Binding], said: list[tree_sitter.Node]
) -> list[Binding]:
    able = [each for each in named if _takes(resolver, each, len(said))]
    if any(each.type in ("parameter_pack_expansion", "ERROR") for each in said):
        return named
    if len({each.space for each in able}) < 2:
        return able or named
    return _alike(resolver, path, able, said) or able


def _alike(
    resolver: Resolver, path: str, named: list[Binding], said: list[tree_sitter.Node]
) -> list[Binding]:
    """Those that take just what is said to be given."""
    kinds = [spelled(resolver, path, each) for each in said]
    return [each for each in named if None not in kinds and _exactly(resolver, each) == kinds]


def _exact(resolver: Resolver, path: str, mention: Mention, named: list[Binding]) -> list[Binding]:
    """Those that a definition or a call means, whatever ``using`` brings beside them."""
    if signatures.declared(mention.node) is not None:
        return named
    called = call(mention.node) if mention.role != "bind" else None
    return _alike(resolver, path, named, given(called)) if called is not None else []


def _takes(resolver: Resolver, binding: Binding, count: int) -> bool:
    """Whether a function takes so many arguments."""
    found = declarator(resolver, binding)
    if found is None:
        return True
    those = signatures.parameters(found)
    least = sum(each.child_by_field_name("default_value") is None for each in those)
    least -= sum(each.type == "variadic_parameter_declaration" for each in those)
    return least <= count and (count <= len(those) or signatures.is_variadic(found))


def _exactly(resolver: Resolver, binding: Binding) -> list[str]:
    found = declarator(resolver, binding)
    those = signatures.parameters(found) if found is not None else []
    return [_bare(signatures.kind(each)) for each in those]


def _bare(kind: str) -> str:
    """A type without what says how it is handed over."""
    kind = kind.rstrip("&").strip()
    return kind if "*" in kind else re.sub(r"^const ", "", kind)


def spelled(resolver: Resolver, path: str, node: tree_sitter.Node) -> str | None:
    """The type of an argument, where it says so plainly."""
    if node.type == "number_literal":
        said = signatures.word(node)
        plain = re.fullmatch(r"\d+", said), re.fullmatch(r"\d+\.\d*|\.\d+", said)
        return "int" if plain[0] else "double" if plain[1] else None
    if node.type in _LITERALS:
        return _LITERALS[node.type]
    if node.type != "identifier":
        return None
    kinds = {
        _declared(resolver, each) for each in resolver.meanings(path, nodes.mention(resolver, path, node))
    }
    return kinds.pop() if len(kinds) == 1 else None


def _declared(resolver: Resolver, meaning: Meaning) -> str | None:
    """The type that a variable or parameter is declared with."""
    places = resolver.binders(meaning) if isinstance(meaning, Binding) else ()
    for place in places:
        above = place.mention.node.parent
        if above is not None and (above.type == "init_declarator" or _is_referred(place.mention)):
            above = above.parent
        if above is not None and above.type in ("declaration", "parameter_declaration"):
            kind = signatures.word(above.child_by_field_name("type"))
            fixed = _is_referred(place.mention) and any(e.type == "type_qualifier" for e in above.children)
            return None if "auto" in kind or fixed else _bare(signatures.plain(kind))
    return None


def _is_referred(mention: Mention) -> bool:
    return mention.node.parent is not None and mention.node.parent.type == "reference_declarator"


def others(
    resolver: Resolver, path: str, mention: Mention, named: list[Binding], doubt: list[Meaning]
) -> list[Meaning]:
    """What a call means beside what its scopes have: functions of the namespaces of its arguments."""
    called = call(mention.node)
    is_outside = all(each.kind in spaces.OPEN for each in named)
    if called is None or not is_outside or resolver.lexical(path).rules.told is None:
        return [*named, *(doubt if named and called is not None and is_outside else ())]
    values = (
        [value for each in given(called) for value in resolver.values(path, each)]
        if _is_split(resolver, mention)
        else []
    )
    found = dict.fromkeys(_by_arguments(resolver, path, mention, values))
    beside = [each for each in found if each not in named]
    unknown = any(isinstance(each, Unknown) for each in values)
    far = (Unknown("the namespace of an argument may have it"),) if unknown else ()
    rest = [*doubt, *far] if named or beside or far else []
    return [*named, *beside, *rest]


def _is_split(resolver: Resolver, mention: Mention) -> bool:
    """Whether some namespace that does not enclose a mention declares a function of its name."""
    around = {spaces.of_scope(scope) for scope in mention.scopes}
    return any(each not in around for each in spaces.spaces_of(resolver, mention.name, "function"))


def _by_arguments(
    resolver: Resolver, path: str, mention: Mention, values: Iterable[Value]
) -> Iterator[Binding]:
    for value in values:
        of = value.of if isinstance(value, Instance) else value
        if isinstance(of, Class):
            found = spaces.declared(resolver, spaces.of_node(of.node), mention.name)
            functions = [each for each in found if each.kind == "function"]
            yield from (each.binding for each in spaces.visible(resolver, path, functions))
