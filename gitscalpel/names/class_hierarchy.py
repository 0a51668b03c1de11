"""Find the classes that inherit from a class, the aliases that they know it by, and joined members.

In ``class C extends B implements I {}`` the method of B implements that of I, though neither names the
other and C need not name it. So both must have one name.

Aliases (``from a import A as B``, ``using B = A``) are not resolved. An alias too many costs the caller a
look, but with one too few a reference would be missed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import cast

import tree_sitter

from gitscalpel.names.entities import Class
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import find_part
from gitscalpel.names.resolver import Resolver
from gitscalpel.names.scope_rules import files_with_rules_of
from gitscalpel.syntax.occurrences import Mention, Mentions

_DEFAULT = re.compile(rb"\bexport\s*=|\bdefault\b")
_ALIAS_DEPTH = 3
"""Nodes from a name to what gives it another one, at most."""
_PATHS = ("attribute", "expression", "identifier", "name", "descriptor", "constant", "scope_resolution")
"""How the types of nodes end that say where a name is found, or that it is one of a type."""
_ASSIGNED = frozenset({"assignment", "variable_declarator"})
"""Where names of one function are given as well, which is no other name of a class for anybody else."""
_GIVEN = {
    **dict.fromkeys(("aliased_import", "import_specifier", "export_specifier", "use_as_clause"), "alias"),
    **dict.fromkeys(("namespace_use_clause", "namespace_use_group_clause"), "alias"),
    **dict.fromkeys(("assignment", "type_alias_statement"), "left"),
    **dict.fromkeys(("variable_declarator", "alias_declaration", "type_alias_declaration"), "name"),
    **dict.fromkeys(("using_directive", "type_item", "type_alias"), "name"),
    "type_definition": "declarator",
    "import_header": "",
}
"""By the type of a node that gives something another name: the field in which that stands."""


def is_taken_unnamed(lexical: Lexical) -> bool:
    """Whether other files may take something from a file by a name of their own alone."""
    return _DEFAULT.search(lexical.text) is not None


def other_names(resolver: Resolver, path: str, name: str) -> Iterator[str]:
    """The names that files may know by another one which is called ``name`` in a file that can be read."""
    yield from names_given(resolver.lexical(path), name)
    yield from resolver.dialect(path).unnamed(resolver, path, name)


def names_given(lexical: Lexical, name: str) -> Iterator[str]:
    """Which names a file gives to what is called ``name``."""
    for start in Mention.places(name, lexical.text, lexical.syntax.language.name):
        node = lexical.mentions.node(name, start)
        above = _around(node)
        other = _other(above) if above is not None else None
        if above is None or other is None or other.start_byte == node.start_byte or other.named_child_count:
            continue
        if above.type not in _ASSIGNED or lexical.mentions.at(name, start).scopes[0].kind == "module":
            yield (other.text or b"").decode("utf-8", "surrogateescape")


def alias_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the other name that a file gives to what a name means; None if it gives none there."""
    above = _around(node)
    other = _other(above) if above is not None else None
    is_own = other is None or other.start_byte == node.start_byte or other.named_child_count
    return None if is_own else other


def _around(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """What gives another name to what a name is the last part of, and to nothing else than that."""
    above = node.parent
    for _ in range(_ALIAS_DEPTH):
        if above is None or above.type in _GIVEN:
            return above
        if above.end_byte != node.end_byte or not above.type.endswith(_PATHS):
            return None
        above = above.parent
    return None


def _other(above: tree_sitter.Node) -> tree_sitter.Node | None:
    field = _GIVEN[above.type]
    if field:
        return above.child_by_field_name(field)
    alias = next((each for each in above.named_children if each.type == "import_alias"), None)
    return alias.named_children[0] if alias is not None and alias.named_children else None


ClassKey = tuple[str, tuple[int, int]]


class Subclasses:
    """The heirs of a class.

    Args:
        base: the class.
        nearest: those that say themselves that they inherit from a class.
        ahead: how many files are looked through for these.

    Attributes:
        base: see above.
        found: the heirs that are known by now.
    """

    def __init__(
        self, base: Class, nearest: Callable[[Class], Iterable[Class]], ahead: Callable[[Class], int]
    ) -> None:
        self._nearest, self._ahead = nearest, ahead
        self._seen, self._waiting = {class_key(base)}, [base]
        self._spent = 0
        self.base = base
        self.found: list[Class] = []

    @property
    def is_whole(self) -> bool:
        """Whether all of them are known."""
        return not self._waiting

    @property
    def price(self) -> int:
        """How many files will have been looked through after the next step."""
        return self._spent + self._ahead(self._waiting[-1])

    def step(self) -> list[Class]:
        """Those that another class has which nobody has asked yet."""
        self._spent = self.price
        new: list[Class] = []
        for each in self._nearest(self._waiting.pop()):
            if class_key(each) not in self._seen:
                self._seen.add(class_key(each))
                new.append(each)
        self._waiting += new
        self.found += new
        return new


def class_key(of: Class) -> ClassKey:
    """By which a class is known, whoever has come across it."""
    return of.path, of.scope


_UP = 7
"""Nodes from the name of a base to the class that says so, at most."""
_STATEMENTS = "block"
_DECLARED = re.compile("class|interface|struct|record|object|enum|trait|module")


class ClassHierarchy:
    """Which classes inherit from which.

    Args:
        resolver: of the tree.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._descents: dict[ClassKey, Subclasses] = {}
        self._said: dict[tuple[str, str], dict[ClassKey, list[Class]]] = {}
        self._handed: dict[tuple[str, str], bool] = {}

    def share(self, one: Class, other: Class) -> bool:
        """Whether a class inherits from both, and neither of them from the other.

        Those of both are looked for, as costs least: one may have none, and the other hundreds.
        """
        if self._is_above(one, other) or self._is_above(other, one):
            return False
        pairs = ((one, self._descent(other)), (other, self._descent(one)))
        if any(self._is_above(beside, heir) for beside, descent in pairs for heir in descent.found):
            return True
        while unseen := [pair for pair in pairs if not pair[1].is_whole]:
            if any(self._is_certain(descent) for _, descent in pairs):
                break
            beside, descent = min(unseen, key=lambda pair: pair[1].price)
            if any(self._is_above(beside, heir) for heir in descent.step()):
                return True
        return False

    def meet(self, base: Class, other: Class) -> bool:
        """Whether an object of one class may be one of the other as well."""
        return class_key(base) == class_key(other) or self._is_above(base, other) or self.share(base, other)

    def of(self, base: Class) -> tuple[Class, ...]:
        """All that inherit from a class."""
        descent = self._descent(base)
        while not descent.is_whole:
            descent.step()
        return tuple(descent.found)

    def _descent(self, base: Class) -> Subclasses:
        found = self._descents.get(class_key(base))
        if found is None:
            found = self._descents[class_key(base)] = Subclasses(base, self._nearest, self._ahead)
        return found

    def _is_certain(self, descent: Subclasses) -> bool:
        """Whether no others are possible: heirs of what has no name, or comes as a value, are not found."""
        those = (descent.base, *descent.found)
        return descent.is_whole and all(_name(each.node) and not self._is_handed(each) for each in those)

    def _is_handed(self, of: Class) -> bool:
        """Whether a class is handed on as a value, so that another one may inherit it by what is called."""
        name, language = _name(of.node), self._resolver.files.language(of.path)
        if (name, language) not in self._handed:
            paths = self._resolver.files.mentions(name, files_with_rules_of(language))
            read = (path for path in paths if self._resolver.files.lexical(path) is not None)
            self._handed[name, language] = any(
                self._resolver.dialect(path).hands(mention.node)
                for path in read
                for mention in self._resolver.lexical(path).of(name)
            )
        return self._handed[name, language]

    def _ahead(self, base: Class) -> int:
        """How many files are looked through for those that name a class."""
        name, language = _name(base.node), self._resolver.files.language(base.path)
        if not name or (name, language) in self._said:
            return 0
        return len([*self._resolver.files.mentions(name, files_with_rules_of(language))])

    def _nearest(self, base: Class) -> Iterable[Class]:
        """Those that say so themselves."""
        name = _name(base.node)
        found = self._saying(name, self._resolver.files.language(base.path)) if name else {}
        return found.get(class_key(base), ())

    def _saying(self, name: str, language: str) -> dict[ClassKey, list[Class]]:
        """The classes of a language in whose declaration a name stands, by what they inherit from."""
        found = self._said.get((name, language))
        if found is None:
            found = self._said[name, language] = defaultdict(list)
            for each in self._declared(name, language).values():
                for above in dict.fromkeys(self._above(each)):
                    found[above].append(each)
        return found

    def _declared(self, name: str, language: str) -> dict[ClassKey, Class]:
        """Those classes, whatever the name means there; also by other names that files give to the same."""
        classes: dict[ClassKey, Class] = {}
        words, waiting = {name}, [name]
        while waiting:
            word = waiting.pop()
            for path in self._resolver.files.naming(word, language):
                lexical = self._resolver.files.lexical(path)
                if lexical is not None:
                    found = (Class(path, node) for node in _naming(lexical, word))
                    classes = {**{class_key(one): one for one in found}, **classes}
                    new = {*other_names(self._resolver, path, word)} - words
                    words |= new
                    waiting += sorted(new)
        return classes

    def _above(self, of: Class) -> Iterator[ClassKey]:
        """What a class inherits from."""
        return (class_key(each) for each in self._resolver.ancestry(of)[1:] if isinstance(each, Class))

    def _is_above(self, base: Class, of: Class) -> bool:
        return class_key(base) in self._above(of)


def hierarchy_of(resolver: Resolver) -> ClassHierarchy:
    """The same for all who ask one resolver."""
    resolver.know(("heirs",), (ClassHierarchy(resolver),))
    (found,) = cast("tuple[ClassHierarchy]", resolver.known(("heirs",)))
    return found


def _naming(lexical: Lexical, name: str) -> Iterator[tree_sitter.Node]:
    """The classes whose declaration a name stands in: of each the node that is its scope."""
    mentions, language = lexical.mentions, lexical.syntax.language.name
    for start in Mention.places(name, lexical.text, language):
        # Most places are in no declaration, and need not be looked at more closely.
        above = _declarations(mentions.node(name, start))
        if above and mentions.at(name, start).role in ("use", "member"):
            for node in above:
                yield from _scopes(mentions, node)


def _declarations(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Those around a name; what stands in a block of statements says nothing of what one inherits from."""
    found, above = [], node.parent
    for _ in range(_UP):
        if above is None or above.type == _STATEMENTS:
            break
        if _is_declaring(above.type):
            found.append(above)
        above = above.parent
    return found


def _is_declaring(kind: str) -> bool:
    return bool(_DECLARED.search(kind))


def _scopes(mentions: Mentions, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for scope in mentions.scopes_at(node.end_byte - 1):
        is_its = scope.node.id == node.id or scope.node.parent == node
        if scope.kind in ("class", "module") and is_its:
            yield scope.node


def _name(node: tree_sitter.Node) -> str:
    """The name of the class whose scope a node is."""
    for each in (node, node.parent):
        named = find_part(each, "name")
        if named is None and each is not None:
            named = next((one for one in each.named_children if one.type.endswith("identifier")), None)
        if named is not None:
            return (named.text or b"").decode("utf-8", "surrogateescape").rpartition("::")[2]
    return ""
