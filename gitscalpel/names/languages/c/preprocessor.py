"""Follow include directives and macros.

Include paths are set outside the tree (``-I``). So an ``#include`` means a file next to the including
file, or else the nearest file whose path ends with the included one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeAlias, TypeVar

import tree_sitter

from gitscalpel.names import nodes
from gitscalpel.names.entities import Meaning, Unknown
from gitscalpel.names.nodes import find_part, node_text
from gitscalpel.names.resolver import Place, Resolver, cache_answers, cache_value, find_reachable
from gitscalpel.syntax.occurrences import Mention

_INCLUDE = re.compile(rb'(?m)^[ \t]*#[ \t]*(?:include|import|include_next)[ \t]*(["<])([^">\n]+)[">]')
_Table: TypeAlias = dict[str, list[str]]
LANGUAGES = ("c", "cpp")


def is_c_file(resolver: Resolver, path: str) -> bool:
    source = resolver.files.source(path)
    known = source is not None and source.language is not None and source.language.name in LANGUAGES
    return known and resolver.files.lexical(path) is not None


def iter_occurrences(resolver: Resolver, name: str) -> Iterator[Place]:
    """Yield the occurrences of a name in the files of C and C++ of the tree."""
    for path in resolver.files.holding(name) if name else ():
        if is_c_file(resolver, path):
            yield from (Place(path, each) for each in resolver.lexical(path).occurrences_of(name))


def unqualified_mentions(resolver: Resolver, path: str, name: str) -> tuple[Mention, ...]:
    """Return the occurrences of a name in a C or C++ file that are not member accesses."""
    return resolver.lexical(path).mentions.possible_bindings(name) if is_c_file(resolver, path) else ()


@cache_answers
def direct_includes(resolver: Resolver, path: str) -> Iterator[str]:
    source = resolver.files.source(path)
    for quote, name in _INCLUDE.findall(source.text) if source is not None else ():
        yield from _find_included(resolver, path, name.decode("utf-8", "surrogateescape"), quote == b'"')


def _find_included(resolver: Resolver, path: str, name: str, is_near: bool) -> Iterable[str]:
    sibling = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
    if is_near and resolver.files.is_file(sibling):
        return (sibling,)
    end = posixpath.normpath(name).lstrip("./")
    named = _files_by_name(resolver).get(posixpath.basename(end), ())
    paths = [each for each in named if each == end or each.endswith("/" + end)]
    depth = max((len(posixpath.commonpath(["/" + each, "/" + path])) for each in paths), default=0)
    return [each for each in paths if len(posixpath.commonpath(["/" + each, "/" + path])) == depth]


@cache_value(_Table())
def _files_by_name(resolver: Resolver) -> _Table:
    by_name: _Table = {}
    for path in resolver.files.overlay.under(""):
        by_name.setdefault(posixpath.basename(path), []).append(path)
    return by_name


def included_files(resolver: Resolver, path: str) -> dict[str, None]:
    return _all_included(resolver, path) or {path: None}


@cache_value(dict[str, None]())
def _all_included(resolver: Resolver, path: str) -> dict[str, None]:
    return find_reachable([path], lambda each: direct_includes(resolver, each))


@cache_answers
def including_files(resolver: Resolver, path: str) -> Iterator[str]:
    includers = _includers(resolver)
    yield from list(find_reachable([path], lambda each: includers.get(each, ())))[1:]


@cache_value(_Table())
def _includers(resolver: Resolver) -> _Table:
    includers: _Table = {}
    for path in resolver.files.holding("include"):
        source = resolver.files.source(path)
        if source is not None and source.language is not None and source.language.name in LANGUAGES:
            for each in direct_includes(resolver, path):
                includers.setdefault(each, []).append(path)
    return includers


def are_compiled_together(resolver: Resolver, one: str, other: str, *, only_direct: bool = False) -> bool:
    """Return True if a compiled file sees both files."""
    if other in included_files(resolver, one) or one in included_files(resolver, other):
        return True
    if only_direct:
        return False
    return not {*including_files(resolver, one)}.isdisjoint(including_files(resolver, other))


class _InFile(Protocol):
    @property
    def path(self) -> str: ...


_Declared = TypeVar("_Declared", bound=_InFile)


def visible_from(resolver: Resolver, path: str, declared: Iterable[_Declared]) -> list[_Declared]:
    """Return the declarations that a file sees by its includes, or else in files that include it."""
    declarations = list(declared)
    own = included_files(resolver, path) if declarations else {}
    visible = [each for each in declarations if each.path in own]
    if visible or not declarations:
        return visible
    users = including_files(resolver, path)
    around = {included for user in users for included in included_files(resolver, user)}
    return [each for each in declarations if each.path in around]


_CALLED = re.compile(rb"([A-Za-z_]\w*)\s*\Z")
_NEAR = 400
"""Bytes before an argument in which a macro's name is searched."""
_Argument: TypeAlias = tuple[str, int]
"""Name of the called macro, and the 0-based index of the argument."""
_MEMBER_ARGUMENTS = frozenset(
    {("offsetof", 1), ("__builtin_offsetof", 1), ("container_of", 2), ("list_entry", 2)}
)
"""Arguments of macros from outside the tree that are members."""


def visible_macros(resolver: Resolver, path: str, name: str) -> tuple[Place, ...]:
    macros = _find_macros(resolver, name)
    if not macros:
        return ()
    own = included_files(resolver, path)
    included = tuple(each for each in macros if each.path in own)
    around = {*including_files(resolver, path)} if not included else set()
    return included or tuple(
        each for each in macros if not around.isdisjoint(including_files(resolver, each.path))
    )


@cache_answers
def files_containing(resolver: Resolver, word: str) -> Iterable[str]:
    return resolver.files.holding(word)


@cache_answers
def _find_macros(resolver: Resolver, name: str) -> Iterator[Place]:
    defines = _definition_of(name)
    for path in files_containing(resolver, name):
        source = resolver.files.source(path)
        if source is None or not defines.search(source.text):
            continue
        for mention in unqualified_mentions(resolver, path, name):
            if mention.kind == "macro" and mention.role == "bind":
                yield Place(path, mention)


def _definition_of(name: str) -> re.Pattern[bytes]:
    """Return a pattern that matches every text that may define a macro with a name.

    Occurrences of the name are not examined, however many there are, if it does not match.
    """
    if not name.isascii():
        return re.compile(rb"define")  # its letters may be spelled as ``\u00e9``
    letters = rb"(?:\\\r?\n)*".join(re.escape(each.encode()) for each in name)
    return re.compile(rb"define(?:\s|\\|/\*(?s:.*?)\*/)+%s(?!\w)" % letters)


def macro_bindings(resolver: Resolver, places: tuple[Place, ...]) -> tuple[Meaning, ...]:
    return tuple(dict.fromkeys(each for place in places for each in resolver.own_scope_meanings(*place)))


def fragment_meanings(resolver: Resolver, path: str, mention: Mention) -> tuple[Meaning, ...]:
    holder = nodes.ancestor(mention.node, "preproc_function_def")
    parameters = find_part(holder, "parameters")
    if parameters is not None and mention.name in {node_text(each) for each in parameters.named_children}:
        return ()
    macros = macro_bindings(resolver, visible_macros(resolver, path, mention.name))
    return (*macros, Unknown("it is in a macro"))


def is_pasted(resolver: Resolver, path: str, node: tree_sitter.Node) -> bool:
    """Return True if a word is an argument of a macro that stringifies or pastes it."""
    for above in nodes.iter_ancestors(node, "call_expression"):
        called = above.child_by_field_name("function")
        if called is not None and called.type == "identifier" and called != node:
            for place in visible_macros(resolver, path, node_text(called)):
                holder = place.mention.node.parent
                if holder is not None and "#" in node_text(holder.child_by_field_name("value")):
                    return True
    return False


def picks_member(resolver: Resolver, path: str, mention: Mention) -> bool:
    """Return True if a macro makes a word in its argument a member, or part of another name."""
    if mention.role == "member":
        return False
    text = resolver.lexical(path).text
    return any(_picks_argument(resolver, path, call, ()) for call in _calls_around(text, mention.start))


def _picks_argument(resolver: Resolver, path: str, call: _Argument, above: tuple[_Argument, ...]) -> bool:
    """Return True if a macro does so with an argument, itself or by passing it on to another one."""
    name, position = call
    places = visible_macros(resolver, path, name)
    for place in places:
        holder = place.mention.node.parent
        parameters = find_part(holder, "parameters")
        names = [node_text(each) for each in parameters.named_children] if parameters is not None else []
        value = node_text(holder.child_by_field_name("value")) if holder is not None else ""
        own = re.escape(names[position]) if position < len(names) else r"__VA_ARGS__"
        if re.search(rf"(?:\.|->|##)\s*{own}\b|\b{own}\s*##", value):
            return True
        inner = value.encode()
        passed_on = {
            each
            for match in re.finditer(rf"\b{own}\b".encode(), inner)
            for each in _calls_around(inner, match.start())
        }
        if any(
            _picks_argument(resolver, path, each, (*above, call))
            for each in passed_on.difference(above, (call,))
        ):
            return True
    return not places and call in _MEMBER_ARGUMENTS


def _calls_around(text: bytes, at: int) -> Iterator[_Argument]:
    """Yield the names before the parentheses that are open at a byte, and the index of the argument there."""
    depth = commas = 0
    for position in range(at - 1, max(at - _NEAR, 0) - 1, -1):
        byte = text[position : position + 1]
        if byte in (b";", b"{", b"}"):
            return
        depth += (byte == b")") - (byte == b"(")
        commas += depth == 0 and byte == b","
        if depth < 0:
            called = _CALLED.search(text[max(position - _NEAR, 0) : position])
            yield from ((called[1].decode(), commas),) if called is not None else ()
            depth = commas = 0


@cache_value(False)
def opens_namespace(resolver: Resolver, name: str) -> bool:
    """Return True if the text of a macro may open a namespace with a name."""
    for path in resolver.files.holding(name):
        source = resolver.files.source(path)
        if source is None or b"namespace" not in source.text:
            continue
        for mention in unqualified_mentions(resolver, path, name):
            if mention.role == "fragment" and "namespace" in node_text(mention.node):
                return True
    return False
