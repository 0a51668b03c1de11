"""Names in strings: exports, quoted annotations, keys, and names that are looked up.

Strings in ``__all__`` and ``__slots__`` and annotations in quotes are certainly names. A name that is
computed where it is looked up (``getattr``) is reported, not resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from gitscalpel.names import nodes, unresolved_notes
from gitscalpel.names.entities import Binding, Class, Elsewhere, Instance, Meaning, Module, Value
from gitscalpel.names.languages.python import imports, pytest_fixtures, type_annotations
from gitscalpel.names.nodes import children_of, find_part
from gitscalpel.names.resolver import Place, Resolver
from gitscalpel.syntax.occurrences import Mention

_MEMBER_CALLS = frozenset({"getattr", "hasattr", "setattr", "delattr", "object"})
"""Calls that take an object and the name of its member; ``object`` is ``mock.patch.object``."""
_KEY_METHODS = frozenset({"get", "pop", "setdefault", "__getitem__"})
"""Dict methods whose first argument is a key."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


def named_members(resolver: Resolver, path: str, mention: Mention, string: Node) -> tuple[Meaning, ...]:
    """Return the members that a word in a string names; empty if it is or may be just text."""
    return (
        item_members(resolver, path, string) if _string_text(resolver, path, string) == mention.name else ()
    )


def item_members(resolver: Resolver, path: str, string: Node) -> tuple[Meaning, ...]:
    """Return the members that a whole string names; empty if it is or may be just text."""
    name = _string_text(resolver, path, string)
    values = _holders(resolver, path, string)
    found = [each for value in values for each in resolver.members(value, name)]
    bound = [each for each in found if isinstance(each, Binding) and resolver.binders(each)]
    return tuple(dict.fromkeys(bound)) if len(bound) == len(found) else ()


def is_typed_dict(resolver: Resolver, value: Value) -> bool:
    """Return True for a class whose objects are dicts with known keys, and for its objects."""
    return _inherits(resolver, value.of if isinstance(value, Instance) else value, frozenset({"TypedDict"}))


def find_enum_member(resolver: Resolver, path: str, mention: Mention) -> Instance | None:
    """Return the enum member that a name in the body of an ``Enum`` is; None for any other name."""
    if not mention.scopes or mention.scopes[0].kind != "class" or mention.name.startswith("_"):
        return None
    own = Class(path, mention.scopes[0].node)
    return Instance(own) if _inherits(resolver, own, _ENUMS) else None


def _string_text(resolver: Resolver, path: str, string: Node) -> str:
    inner = [each for each in string.named_children if each.type == "string_content"]
    return type_annotations.text(resolver, path, inner[0]) if len(inner) == 1 else ""


def _holders(resolver: Resolver, path: str, string: Node) -> list[Value]:
    """Return all values whose member a string names; empty if any is unknown."""
    above = string.parent
    if above is None:
        return []
    if above.type == "subscript":
        values = _holders_of_node(resolver, path, above.child_by_field_name("value"))
        return values if string != above.child_by_field_name("value") and _have_keys(resolver, values) else []
    if above.type == "comparison_operator":
        values = _holders_of_node(resolver, path, above.named_children[-1])
        is_in = above.named_children[0] == string and any(
            each.type in ("in", "not in") for each in above.children
        )
        return values if is_in and _have_keys(resolver, values) else []
    if above.type == "pair" and above.child_by_field_name("key") == string and above.parent is not None:
        values = [*type_annotations.expected_objects(resolver, path, above.parent, is_typed_dict)]
        return values if _have_keys(resolver, values) else []
    return _holders_of_argument(resolver, path, string, above) if above.type == "argument_list" else []


def _holders_of_argument(resolver: Resolver, path: str, string: Node, arguments: Node) -> list[Value]:
    call = arguments.parent
    called = find_part(call, "function")
    plain_arguments = [each for each in arguments.named_children if each.type != "comment"]
    if called is None:
        return []
    function_name = type_annotations.last_name(resolver, path, called)
    if function_name in _MEMBER_CALLS and len(plain_arguments) > 1 and plain_arguments[1] == string:
        return _holders_of_node(resolver, path, plain_arguments[0])
    if function_name in _KEY_METHODS and plain_arguments[0] == string and called.type == "attribute":
        values = _holders_of_node(resolver, path, called.child_by_field_name("object"))
        return values if _have_keys(resolver, values) else []
    return []


def _holders_of_node(resolver: Resolver, path: str, node: Node | None) -> list[Value]:
    return [] if node is None else [*resolver.values(path, node)]


def _have_keys(resolver: Resolver, values: list[Value]) -> bool:
    """Return True if all values are of types with known keys."""
    return bool(values) and all(
        is_typed_dict(resolver, each)
        if isinstance(each, Instance)
        else isinstance(each, Class) and _inherits(resolver, each, _ENUMS)
        for each in values
    )


def _inherits(resolver: Resolver, value: Value, names: frozenset[str]) -> bool:
    """Return True if a class or a base names one of these as a base from outside the tree."""
    classes = resolver.ancestry(value) if isinstance(value, Class) else ()
    return any(_names_base(resolver, each, names) for each in classes if isinstance(each, Class))


def _names_base(resolver: Resolver, of: Class, names: frozenset[str]) -> bool:
    for each in children_of(of.node.child_by_field_name("superclasses")):
        is_one = (
            each.type in ("identifier", "attribute")
            and type_annotations.last_name(resolver, of.path, each) in names
        )
        if is_one and any(isinstance(value, Elsewhere) for value in resolver.values(of.path, each)):
            return True
    return False


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


def resolve_quoted(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """Return the meanings of a word in a string; empty if it is just text."""
    string = mention.node
    while string.type != "string" and string.parent is not None:
        string = string.parent
    if string.type != "string" or any(child.type == "interpolation" for child in string.children):
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
    listed = _list_name(string, text)
    if listed == b"__all__":
        return imports.module_member(resolver, Module(path, "python"), mention.name)
    if listed in (b"__slots__", b"__match_args__") and mention.scopes[0].kind == "class":
        return (Binding(path, mention.scopes[0].span, "class", mention.name),)
    return resolver.scope_meanings(path, mention) if _is_own_name(string, text) else ()


def _resolve_in_type(resolver: Resolver, path: str, mention: Mention, string: Node) -> Iterable[Meaning]:
    text = resolver.lexical(path).text
    if _is_value(string, text, mention.start) or not (
        _is_annotation(string) or _is_type_argument(string, text)
    ):
        return ()
    before = _BEFORE.search(text[string.start_byte : mention.start])
    return (
        resolver.scope_meanings(path, mention)
        if before is None
        else _resolve_dotted(resolver, path, mention, before[0])
    )


def _resolve_dotted(resolver: Resolver, path: str, mention: Mention, before: bytes) -> list[Meaning]:
    first, *rest = before.removesuffix(b".").decode().split(".")
    values = (
        type_annotations.follow_dotted(resolver, path, first, mention.start - len(before), rest)
        if first
        else []
    )
    found = [each for value in values for each in resolver.members(value, mention.name)]
    return found if all(isinstance(each, Binding) for each in found) else []


def _is_value(string: Node, text: bytes, start: int) -> bool:
    """Return True if a string is a value in a type, directly or in quotes: ``Literal["A"]``."""
    quoted = _QUOTED.search(text[string.start_byte : start])
    if quoted is not None and quoted[1] in _VALUES:
        return True
    node = string.parent
    while node is not None and node.type in (*_INSIDE, "type"):
        if node.type in ("subscript", "generic_type"):
            head, *arguments = node.named_children
            name = text[head.start_byte : head.end_byte].rpartition(b".")[2]
            first = (
                arguments[0].named_children[:1]
                if arguments and arguments[0].type == "type_parameter"
                else arguments[:1]
            )
            is_first = bool(first) and first[0].start_byte <= string.start_byte < first[0].end_byte
            if name in _VALUES and not (name == b"Annotated" and is_first):
                return True
        node = node.parent
    return False


def _is_own_name(string: Node, text: bytes) -> bool:
    """Return True if the string is the name of a new type: ``T = TypeVar("T")``."""
    arguments = string.parent
    call = arguments.parent if arguments is not None else None
    statement = call.parent if call is not None else None
    if arguments is None or call is None or statement is None or statement.type != "assignment":
        return False
    left, called = statement.child_by_field_name("left"), call.child_by_field_name("function")
    is_first = arguments.type == "argument_list" and arguments.named_children[0] == string
    if left is None or called is None or not is_first:
        return False
    content = text[string.start_byte : string.end_byte].strip(b"'\"")
    name = text[called.start_byte : called.end_byte].rpartition(b".")[2]
    return content == text[left.start_byte : left.end_byte] and name in _NAMED


def _list_name(string: Node, text: bytes) -> bytes | None:
    node = string.parent
    while node is not None and node.type in (
        "list",
        "tuple",
        "expression_list",
        "set",
        "binary_operator",
        "argument_list",
    ):
        node = node.parent
    if node is None:
        return None
    if node.type in ("assignment", "augmented_assignment"):
        left = node.child_by_field_name("left")
        return None if left is None else text[left.start_byte : left.end_byte]
    if node.type == "call":
        called = node.child_by_field_name("function")
        words = (text[called.start_byte : called.end_byte] if called else b"").split(b".")
        return words[0] if len(words) == 2 and words[1].decode("utf-8", "replace") in _ADDS else None
    return None


def _is_annotation(string: Node) -> bool:
    node = nodes.skip_types(string.parent, *_INSIDE)
    return node is not None and node.type == "type"


def _is_type_argument(string: Node, text: bytes) -> bool:
    """Return True if an expression takes a type at the string: in generic brackets, in ``cast``."""
    inner, node = string, string.parent
    called: list[bytes] = []
    while node is not None and node.type in _INSIDE:
        if node.type == "subscript":
            value = node.child_by_field_name("value")
            called.append(text[value.start_byte : value.end_byte].rpartition(b".")[2] if value else b"")
        inner, node = node, node.parent
    if node is not None and node.type in ("argument_list", "keyword_argument"):
        return _is_type_parameter(inner, node, text)
    return bool(called) and all(each.decode("utf-8", "replace") in _GENERIC for each in called)


def _is_type_parameter(inner: Node, holder: Node, text: bytes) -> bool:
    """Return True if a call takes a type at an argument: ``cast("A", x)``, ``TypeVar("T", bound="A")``."""
    arguments = holder.parent if holder.type == "keyword_argument" else holder
    call = arguments.parent if arguments is not None else None
    function = find_part(call, "function")
    name = text[function.start_byte : function.end_byte].rpartition(b".")[2] if function is not None else b""
    if holder.type == "keyword_argument":
        key = holder.child_by_field_name("name")
        return name == b"TypeVar" and key is not None and key.text == b"bound"
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
    if not unresolved_notes.is_reachable(resolver, place):
        return ""
    name = place.mention.name
    found = resolver.once(("composed", name), lambda: [*_find_lookups(resolver, name)][:1], ())
    return found[0] if found else ""


def set_name_reason(resolver: Resolver, place: Place) -> str:
    """Return why an object knows the name that its class gives it (``__set_name__``); empty if not."""
    mention, above = place.mention, place.mention.node.parent
    is_in_class = bool(mention.scopes) and mention.scopes[0].kind == "class" and mention.role == "bind"
    right = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
    if not is_in_class or right is None:
        return ""
    for value in resolver.values(place.path, right):
        hooks = resolver.members(value, "__set_name__") if isinstance(value, Instance) else ()
        if any(isinstance(each, Binding) for each in hooks):
            return "what it is set to is told this name (__set_name__)"
    return ""


def debug_format_reason(resolver: Resolver, place: Place) -> str:
    """Return why a use prints its own name (``f"{x=}"``); empty if it does not."""
    above = nodes.ancestor(place.mention.node, "interpolation", "module", "block")
    if above is None or above.type != "interpolation":
        return ""
    inner = above.named_children[0] if above.named_children else above
    text = resolver.lexical(place.path).text
    return "the text says it (=)" if _SAYS.match(text, inner.end_byte) else ""


def _find_lookups(resolver: Resolver, name: str) -> Iterator[str]:
    clues = "\n".join((*_CLUES, "attrgetter", "methodcaller"))
    for path in resolver.files.holding(clues) if unresolved_notes.has_parts(name) else ():
        source = resolver.files.source(path) if path.endswith((".py", ".pyi", ".pyw")) else None
        for each in unresolved_notes.find_composed(source.text, name) if source is not None else ():
            around = source.text[max(each.start() - _NEAR, 0) : each.end() + _NEAR] if source else b""
            if _DYNAMIC_LOOKUP.search(around) and resolver.files.lexical(path) is not None:
                yield unresolved_notes.describe_place(resolver, path, each)
