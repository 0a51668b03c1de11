"""Members that have to be called alike because a class inherits both.

In ``class C extends B implements I {}`` the method that B has is the one that I asks for, though neither of
them names the other, and C need not name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter

from gitscalpel.meaning.lexical import Lexical
from gitscalpel.meaning.resolve import Resolver
from gitscalpel.meaning.things import Class
from gitscalpel.syntax.mentions import Mention

_UP = 7
"""Nodes from the name of a base to the class that says so, at most."""
_DECLARED = re.compile("class|interface|struct|record|object|enum|trait|module")
_Key = tuple[str, tuple[int, int]]


class Heirs:
    """Which classes inherit from which.

    Args:
        resolver: of the tree.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._kept: dict[_Key, tuple[Class, ...]] = {}

    def share(self, one: Class, other: Class) -> bool:
        """Whether a class inherits from both, and neither of them from the other."""
        if self._is_above(one, other) or self._is_above(other, one):
            return False
        return any(self._is_above(one, heir) for heir in self.of(other))

    def meet(self, base: Class, other: Class) -> bool:
        """Whether an object of one class may be one of the other as well."""
        return _key(base) == _key(other) or self._is_above(base, other) or self.share(base, other)

    def of(self, base: Class) -> tuple[Class, ...]:
        """All that inherit from a class."""
        found = self._kept.get(_key(base))
        if found is None:
            found = self._kept[_key(base)] = tuple(self._of(base))
        return found

    def _of(self, base: Class) -> Iterator[Class]:
        seen, waiting = {_key(base)}, [base]
        while waiting:
            for each in self._nearest(waiting.pop()):
                if _key(each) not in seen:
                    seen.add(_key(each))
                    waiting.append(each)
                    yield each

    def _nearest(self, base: Class) -> Iterator[Class]:
        """Those that say so themselves."""
        resolver, name = self._resolver, _name(base.node)
        language = resolver.files.language(base.path)
        for path in resolver.files.naming(name, language) if name else ():
            lexical = resolver.files.lexical(path)
            for mention in lexical.of(name) if lexical is not None else ():
                for node in _naming(lexical, mention) if lexical is not None else ():
                    if self._is_above(base, Class(path, node)):
                        yield Class(path, node)

    def _is_above(self, base: Class, of: Class) -> bool:
        above = self._resolver.ancestry(of)[1:]
        return any(isinstance(each, Class) and _key(each) == _key(base) for each in above)


def _naming(lexical: Lexical, mention: Mention) -> Iterator[tree_sitter.Node]:
    """The classes whose declaration a name stands in: of each the node that is its scope."""
    node = mention.node.parent if mention.role in ("use", "member") else None
    for _ in range(_UP):
        if node is None:
            return
        for scope in lexical.mentions.scopes_at(node.end_byte - 1) if _DECLARED.search(node.type) else ():
            is_its = scope.node.id == node.id or scope.node.parent == node
            if scope.kind in ("class", "module") and is_its:
                yield scope.node
        node = node.parent


def _name(node: tree_sitter.Node) -> str:
    """The name of the class whose scope a node is."""
    for each in (node, node.parent):
        named = each.child_by_field_name("name") if each is not None else None
        if named is None and each is not None:
            named = next((one for one in each.named_children if one.type.endswith("identifier")), None)
        if named is not None:
            return (named.text or b"").decode("utf-8", "surrogateescape").rpartition("::")[2]
    return ""


def _key(of: Class) -> _Key:
    return of.path, of.scope
