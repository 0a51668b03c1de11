"""Names in strings: exports, quoted annotations, keys, and names that are looked up.

Strings in ``__all__`` and ``__slots__`` and annotations in quotes are certainly names. A name that is
computed where it is looked up (``getattr``) is reported, not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from gitscalpel.names import nodes, unresolved_notes
from gitscalpel.names.entities import (
    Binding,
    Class,
    Elsewhere,
    Instance,
    Meaning,
    Module,
    Value,
    bindings_in,
    type_of,
)
from gitscalpel.names.languages.python import classes, imports, pytest_fixtures, type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver, cache_value
from gitscalpel.syntax.occurrences import Mention

_MEMBER_CALLS = frozenset({"getattr", "hasattr", "setattr", "delattr", "object"})
"""Calls that take an object and the name of its member; ``object`` is ``mock.patch.object``."""
_KEY_METHODS = frozenset({"get", "pop", "setdefault", "__getitem__"})
"""Dict methods whose first argument is a key."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def named_members(resolver: Resolver, path: str, mention: Mention, string: Node) -> tuple[Meaning, ...]:
    """Return the members that a word in a string names; empty if it is or may be just text."""
    is_whole = _read_string(resolver, path, string) == mention.name
    return item_members(resolver, path, string) if is_whole else ()


def item_members(resolver: Resolver, path: str, string: Node) -> tuple[Meaning, ...]:
    """Return the members that a whole string names; empty if it is or may be just text."""
    name, values = _read_string(resolver, path, string), _infer_holders(resolver, path, string)
    found = [each for value in values for each in resolver.members(value, name)]
    bound = [each for each in bindings_in(found) if resolver.binders(each)]
    return tuple(dict.fromkeys(bound)) if len(bound) == len(found) else ()


def is_typed_dict(resolver: Resolver, value: Value) -> bool:
    """Return True for a class whose objects are dicts with known keys, and for its objects."""
    return _is_subclass(resolver, type_of(value), frozenset({"TypedDict"}))


def find_enum_member(resolver: Resolver, path: str, mention: Mention) -> Instance | None:
    """Return the enum member that a name in the body of an ``Enum`` is; None for any other name."""
    if not mention.scopes or mention.scopes[0].kind != "class" or mention.name.startswith("_"):
        return None
    own = Class(path, mention.scopes[0].node)
    return Instance(own) if _is_subclass(resolver, own, _ENUMS) else None


def _read_string(resolver: Resolver, path: str, string: Node) -> str:
    inner = [each for each in string.named_children if each.type == "string_content"]
    return type_annotations.text(resolver, path, inner[0]) if len(inner) == 1 else ""


def _infer_holders(resolver: Resolver, path: str, string: Node) -> Sequence[Value]:
    """Return all values whose member a string names; empty if any is unknown."""
    above = string.parent
    values: Sequence[Value] = ()
    if above is None:
        return values
    if above.type == "argument_list":
        return _infer_argument_holders(resolver, path, string, above)
    if above.type == "subscript" and not nodes.is_part(string, "value"):
        values = resolver.values(path, find_part(above, "value"))
    elif above.type == "comparison_operator" and nodes.has_child(above, "in", "not in"):
        is_left = above.named_children[0] == string
        values = resolver.values(path, above.named_children[-1]) if is_left else ()
    elif above.type == "pair" and nodes.is_part(string, "key") and above.parent is not None:
        values = [*type_annotations.expected_objects(resolver, path, above.parent, is_typed_dict)]
    return values if _have_keys(resolver, values) else ()


def _infer_argument_holders(resolver: Resolver, path: str, string: Node, arguments: Node) -> Sequence[Value]:
    called, given = find_part(arguments.parent, "function"), nodes.without_comments(arguments)
    function_name = type_annotations.last_name(resolver, path, called)
    if function_name in _MEMBER_CALLS and given[1:2] == [string]:
        return resolver.values(path, given[0])
    if function_name in _KEY_METHODS and given[0] == string and nodes.type_of(called) == "attribute":
        values = resolver.values(path, find_part(called, "object"))
        return values if _have_keys(resolver, values) else ()
    return ()


def _have_keys(resolver: Resolver, values: Sequence[Value]) -> bool:
    """Return True if all values are of types with known keys."""
    return bool(values) and all(
        is_typed_dict(resolver, each)
        if isinstance(each, Instance)
        else isinstance(each, Class) and _is_subclass(resolver, each, _ENUMS)
        for each in values
    )


def _is_subclass(resolver: Resolver, value: Value, names: frozenset[str]) -> bool:
    above = resolver.ancestry(value) if isinstance(value, Class) else ()
    return any(_has_base(resolver, each, names) for each in above if isinstance(each, Class))


def _has_base(resolver: Resolver, of: Class, names: frozenset[str]) -> bool:
    return any(
        each.type in ("identifier", "attribute")
        and type_annotations.last_name(resolver, of.path, each) in names
        and any(isinstance(value, Elsewhere) for value in resolver.values(of.path, each))
        for each in children_of(find_part(of.node, "superclasses"))
    )


_GENERIC = frozenset(
    """
    Annotated AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable ClassVar Collection Coroutine
    DefaultDict Deque Dict Final FrozenSet Generator Generic Iterable Iterator List Mapping MutableMapping
    MutableSequence Optional Sequence Set Tuple Type Union dict frozenset list set tuple type
    """.split()  # noqa: SIM905 - it is read more easily so
)
"""Names that take types in brackets, also outside of annotations: ``Alias = Union["A", str]``."""
_VALUES = frozenset({b"Literal", b"Annotated"})
"""Names that take values in brackets; ``Annotated`` after its type."""
_QUOTED = re.compile(rb"(\w+)\s*\[[^\[\]]*['\"][^'\",\]]*\Z")
"""Text before a string in brackets that is quoted in another string."""
_BEFORE = re.compile(rb"[\w.]*\.\Z")
"""Text before a word that is a member."""
_INSIDE = ("subscript", "generic_type", "type_parameter", "binary_operator", "tuple", "list")
_NAMED = frozenset(b"TypeVar TypeVarTuple ParamSpec NewType NamedTuple namedtuple TypedDict".split())
"""Functions whose first argument must be the assigned name
(https://typing.python.org/en/latest/spec/generics.html)."""
_ADDS = ("append", "extend", "remove")
_LISTS = ("list", "tuple", "expression_list", "set", "binary_operator", "argument_list")


def resolve_quoted(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a word in a string; empty if it is just text."""
    string = mention.node if mention.node.type == "string" else nodes.ancestor(mention.node, "string")
    if string is None or nodes.has_child(string, "interpolation"):
        return ()
    for read in (pytest_fixtures.fixtures_in_string, named_members, _resolve_whole_string, _resolve_in_type):
        found = tuple(read(resolver, path, mention, string))
        if found:
            return found
    return ()


def _resolve_whole_string(resolver: Resolver, path: str, mention: Mention, string: Node) -> Iterable[Meaning]:
    text = resolver.lexical(path).text
    inner = text[string.start_byte : string.end_byte].strip(b"rRbBuU").strip(b"'\"")
    if inner != mention.name.encode("utf-8", "surrogateescape"):
        return ()
    listed = _find_list_name(string)
    if listed == b"__all__":
        return imports.module_member(resolver, Module(path, "python"), mention.name)
    if listed in (b"__slots__", b"__match_args__") and mention.scopes[0].kind == "class":
        return (Binding(path, mention.scopes[0].span, "class", mention.name),)
    return resolver.scope_meanings(path, mention) if _is_own_name(string, text) else ()


def _resolve_in_type(resolver: Resolver, path: str, mention: Mention, string: Node) -> Iterable[Meaning]:
    text = resolver.lexical(path).text
    is_type = _is_annotation(string) or _is_type_argument(string)
    if not is_type or _is_value(string, text, mention.start):
        return ()
    before = _BEFORE.search(text[string.start_byte : mention.start])
    if before is None:
        return resolver.scope_meanings(path, mention)
    return _resolve_dotted(resolver, path, mention, before[0])


def _resolve_dotted(resolver: Resolver, path: str, mention: Mention, before: bytes) -> list[Meaning]:
    """Return the certain meanings of a word after dots in a type."""
    first, *rest = before.removesuffix(b".").decode().split(".")
    start = mention.start - len(before)
    values = type_annotations.follow_dotted(resolver, path, first, start, rest) if first else []
    found = [each for value in values for each in resolver.members(value, mention.name)]
    return found if all(isinstance(each, Binding) for each in found) else []


def _is_value(string: Node, text: bytes, start: int) -> bool:
    """Return True if a string is a value in a type, directly or in quotes: ``Literal["A"]``."""
    quoted = _QUOTED.search(text[string.start_byte : start])
    if quoted is not None and quoted[1] in _VALUES:
        return True
    node = string.parent
    while node is not None and node.type in (*_INSIDE, "type"):
        name = _read_last_part(node.named_children[0]) if node.type in ("subscript", "generic_type") else b""
        first = type_annotations.type_arguments(node)[:1] if name == b"Annotated" else []
        if name in _VALUES and not any(nodes.covers(each, string.start_byte) for each in first):
            return True
        node = node.parent
    return False


def _read_last_part(node: Node | None) -> bytes:
    return b"" if node is None else (node.text or b"").rpartition(b".")[2]


def _is_own_name(string: Node, text: bytes) -> bool:
    """Return True if the string is the name of a new type: ``T = TypeVar("T")``."""
    arguments = nodes.parent_of(string, "argument_list")
    call = nodes.parent_of(arguments)
    left = find_part(nodes.parent_of(call, "assignment"), "left")
    if find_part(arguments, 0) != string or left is None:
        return False
    content = text[string.start_byte : string.end_byte].strip(b"'\"")
    return content == left.text and _read_last_part(find_part(call, "function")) in _NAMED


def _find_list_name(string: Node) -> bytes | None:
    node = nodes.skip_types(string.parent, *_LISTS)
    if node is not None and node.type in ("assignment", "augmented_assignment"):
        left = find_part(node, "left")
        return None if left is None else left.text
    called = find_part(node, "function") if nodes.type_of(node) == "call" else None
    words = nodes.node_text(called).split(".")
    return words[0].encode("utf-8", "surrogateescape") if len(words) == 2 and words[1] in _ADDS else None


def _is_annotation(string: Node) -> bool:
    return nodes.type_of(nodes.skip_types(string.parent, *_INSIDE)) == "type"


def _is_type_argument(string: Node) -> bool:
    """Return True if an expression takes a type at the string: in generic brackets, in ``cast``."""
    inner, node = string, string.parent
    called: list[str] = []
    while node is not None and node.type in _INSIDE:
        if node.type == "subscript":
            called.append(_read_last_part(find_part(node, "value")).decode("utf-8", "replace"))
        inner, node = node, node.parent
    if node is not None and node.type in ("argument_list", "keyword_argument"):
        return _is_type_parameter(inner, node)
    return bool(called) and all(each in _GENERIC for each in called)


def _is_type_parameter(inner: Node, holder: Node) -> bool:
    """Return True if a call takes a type at an argument: ``cast("A", x)``, ``TypeVar("T", bound="A")``."""
    is_keyword = holder.type == "keyword_argument"
    arguments = holder.parent if is_keyword else holder
    name = _read_last_part(find_part(nodes.parent_of(arguments), "function"))
    if is_keyword:
        return name == b"TypeVar" and classes.is_keyword(holder, b"bound")
    return name == b"cast" and holder.named_children[0] == inner


_DYNAMIC_LOOKUP = re.compile(
    rb"\b[ghsd]?(?:et|as|el)attr\s*\(|\b(?:globals|locals|vars)\s*\(|\b__dict__\b|\b(?:eval|exec|attrgetter|methodcaller)\s*\("
)
_CLUES = ("getattr", "hasattr", "setattr", "delattr", "globals", "locals", "vars", "__dict__", "eval", "exec")
"""Words of which every file with dynamic look-ups contains one."""
_SAYS = re.compile(rb"\s*=\s*[}!:]")
_NEAR = 300
"""Maximum distance in bytes from a composed name to its look-up."""


def dynamic_lookup_reason(resolver: Resolver, place: Place) -> str:
    """Return the place where a definition may be looked up by a computed name; empty if no file does that."""
    is_reachable = unresolved_notes.is_reachable(resolver, place)
    return _find_lookup(resolver, place.mention.name) if is_reachable else ""


def set_name_reason(resolver: Resolver, place: Place) -> str:
    """Return why an object knows the name that its class gives it (``__set_name__``); empty if not."""
    mention = place.mention
    is_in_class = bool(mention.scopes) and mention.scopes[0].kind == "class" and mention.role == "bind"
    right = find_part(nodes.parent_of(mention.node, "assignment"), "right") if is_in_class else None
    for value in resolver.values(place.path, right):
        hooks = resolver.members(value, "__set_name__") if isinstance(value, Instance) else ()
        if bindings_in(hooks):
            return "what it is set to is told this name (__set_name__)"
    return ""


def debug_format_reason(resolver: Resolver, place: Place) -> str:
    """Return why a use prints its own name (``f"{x=}"``); empty if it does not."""
    above = nodes.ancestor(place.mention.node, "interpolation", "module", "block")
    if above is None or above.type != "interpolation":
        return ""
    inner = find_part(above, 0) or above
    is_debug = _SAYS.match(resolver.lexical(place.path).text, inner.end_byte)
    return "the text says it (=)" if is_debug else ""


@cache_value(otherwise="")
def _find_lookup(resolver: Resolver, name: str) -> str:
    clues = "\n".join((*_CLUES, "attrgetter", "methodcaller"))
    for path in resolver.files.holding(clues) if unresolved_notes.has_parts(name) else ():
        source = resolver.files.source(path) if path.endswith((".py", ".pyi", ".pyw")) else None
        for each in unresolved_notes.find_composed(source.text, name) if source is not None else ():
            around = source.text[max(each.start() - _NEAR, 0) : each.end() + _NEAR] if source else b""
            if _DYNAMIC_LOOKUP.search(around) and resolver.files.lexical(path) is not None:
                return unresolved_notes.describe_place(resolver, path, each)
    return ""
