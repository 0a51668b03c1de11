"""Names in strings that certainly are names: in ``__all__``, ``__slots__``, and annotations in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable

import tree_sitter

from gitscalpel.meaning.python import annotated, fixtures, imports, string_names
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Binding, Meaning, Module
from gitscalpel.syntax.occurrences import Mention

_GENERIC = frozenset(
    """
    Annotated AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable ClassVar Collection Coroutine
    DefaultDict Deque Dict Final FrozenSet Generator Generic Iterable Iterator List Mapping MutableMapping
    MutableSequence Optional Sequence Set Tuple Type Union dict frozenset list set tuple type
    """.split()  # noqa: SIM905 - it is read more easily so
)
"""What takes types in brackets, also where it is no annotation: ``Alias = Union["A", str]``."""
_VALUES = frozenset({b"Literal", b"Annotated"})
"""What takes values in brackets; ``Annotated`` behind its type."""
_QUOTED = re.compile(rb"(\w+)\s*\[[^\[\]]*['\"][^'\",\]]*\Z")
"""What stands before a string in brackets that is quoted within another one."""
_BEFORE = re.compile(rb"[\w.]*\.\Z")
"""What stands before a word that is a member."""
_INSIDE = ("subscript", "generic_type", "type_parameter", "binary_operator", "tuple", "list")
_NAMED = frozenset(b"TypeVar TypeVarTuple ParamSpec NewType NamedTuple namedtuple TypedDict".split())
"""What has to be told the name that it is given (https://typing.python.org/en/latest/spec/generics.html)."""
_ADDS = ("append", "extend", "remove")


def meant(resolver: Resolver, path: str, mention: Mention) -> Iterable[Meaning]:
    """What a word in a string names; nothing where it is just text."""
    string = mention.node
    while string.type != "string" and string.parent is not None:
        string = string.parent
    if string.type != "string" or any(child.type == "interpolation" for child in string.children):
        return ()
    for read in (fixtures.named, string_names.named, _whole, _typed):
        found = tuple(read(resolver, path, mention, string))
        if found:
            return found
    return ()


def _whole(resolver: Resolver, path: str, mention: Mention, string: tree_sitter.Node) -> Iterable[Meaning]:
    """Return what a string that says a name alone names."""
    text = resolver.lexical(path).text
    inner = text[string.start_byte : string.end_byte].strip(b"rRbBuU").strip(b"'\"")
    if inner != mention.name.encode("utf-8", "surrogateescape"):
        return ()
    listed = _list_of(string, text)
    if listed == b"__all__":
        return imports.member(resolver, Module(path, "python"), mention.name)
    if listed in (b"__slots__", b"__match_args__") and mention.scopes[0].kind == "class":
        return (Binding(path, mention.scopes[0].span, "class", mention.name),)
    return resolver.named(path, mention) if _is_own_name(string, text) else ()


def _typed(resolver: Resolver, path: str, mention: Mention, string: tree_sitter.Node) -> Iterable[Meaning]:
    """Return what a word names in a string that is a type."""
    text = resolver.lexical(path).text
    if _is_value(string, text, mention.start) or not (_is_annotation(string) or _is_type(string, text)):
        return ()
    before = _BEFORE.search(text[string.start_byte : mention.start])
    return resolver.named(path, mention) if before is None else _dotted(resolver, path, mention, before[0])


def _dotted(resolver: Resolver, path: str, mention: Mention, before: bytes) -> list[Meaning]:
    """What a word behind dots in a type names, if that is certain."""
    first, *rest = before.removesuffix(b".").decode().split(".")
    values = annotated.followed(resolver, path, first, mention.start - len(before), rest) if first else []
    found = [each for value in values for each in resolver.members(value, mention.name)]
    return found if all(isinstance(each, Binding) for each in found) else []


def _is_value(string: tree_sitter.Node, text: bytes, start: int) -> bool:
    """Whether a string, or one that is quoted in it, is itself what a type says: ``Literal["A"]``."""
    quoted = _QUOTED.search(text[string.start_byte : start])
    if quoted is not None and quoted[1] in _VALUES:
        return True
    node = string.parent
    while node is not None and node.type in (*_INSIDE, "type"):
        if node.type in ("subscript", "generic_type"):
            head, *given = node.named_children
            name = text[head.start_byte : head.end_byte].rpartition(b".")[2]
            first = given[0].named_children[:1] if given and given[0].type == "type_parameter" else given[:1]
            is_first = bool(first) and first[0].start_byte <= string.start_byte < first[0].end_byte
            if name in _VALUES and not (name == b"Annotated" and is_first):
                return True
        node = node.parent
    return False


def _is_own_name(string: tree_sitter.Node, text: bytes) -> bool:
    """Whether it tells a type the name that it is given: ``T = TypeVar("T")``."""
    arguments = string.parent
    call = arguments.parent if arguments is not None else None
    statement = call.parent if call is not None else None
    if arguments is None or call is None or statement is None or statement.type != "assignment":
        return False
    left, called = statement.child_by_field_name("left"), call.child_by_field_name("function")
    is_first = arguments.type == "argument_list" and arguments.named_children[0] == string
    if left is None or called is None or not is_first:
        return False
    given = text[string.start_byte : string.end_byte].strip(b"'\"")
    name = text[called.start_byte : called.end_byte].rpartition(b".")[2]
    return given == text[left.start_byte : left.end_byte] and name in _NAMED


def _list_of(string: tree_sitter.Node, text: bytes) -> bytes | None:
    """The name of the list that a string is an item of."""
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


def _is_annotation(string: tree_sitter.Node) -> bool:
    node: tree_sitter.Node | None = string.parent
    while node is not None and node.type in _INSIDE:
        node = node.parent
    return node is not None and node.type == "type"


def _is_type(string: tree_sitter.Node, text: bytes) -> bool:
    """Whether it stands where an expression takes a type: in brackets of a generic one, in ``cast``."""
    inner, node = string, string.parent
    called: list[bytes] = []
    while node is not None and node.type in _INSIDE:
        if node.type == "subscript":
            value = node.child_by_field_name("value")
            called.append(text[value.start_byte : value.end_byte].rpartition(b".")[2] if value else b"")
        inner, node = node, node.parent
    if node is not None and node.type in ("argument_list", "keyword_argument"):
        return _is_argument(inner, node, text)
    return bool(called) and all(each.decode("utf-8", "replace") in _GENERIC for each in called)


def _is_argument(inner: tree_sitter.Node, holder: tree_sitter.Node, text: bytes) -> bool:
    """Whether a call takes a type there: ``cast("A", x)``, ``TypeVar("T", bound="A")``."""
    arguments = holder.parent if holder.type == "keyword_argument" else holder
    call = arguments.parent if arguments is not None else None
    function = call.child_by_field_name("function") if call is not None else None
    name = text[function.start_byte : function.end_byte].rpartition(b".")[2] if function is not None else b""
    if holder.type == "keyword_argument":
        key = holder.child_by_field_name("name")
        return name == b"TypeVar" and key is not None and key.text == b"bound"
    return name == b"cast" and holder.named_children[0] == inner
