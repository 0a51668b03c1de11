"""Find the subclasses of a class, its aliases, and members that a common subclass joins.

In ``class C extends B implements I {}`` the method of B implements that of I, so both need one name. Aliases
(``from a import A as B``) are found but not resolved: a wrong alias costs one more search, and a missing
alias would lose a reference.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import cast

import tree_sitter

from gitscalpel.names.entities import Class, ClassKey
from gitscalpel.names.lexical_scopes import Lexical
from gitscalpel.names.nodes import child_of_type, find_part
from gitscalpel.names.resolver import Resolver
from gitscalpel.names.scope_rules import files_with_rules_of
from gitscalpel.syntax.occurrences import Mention, Mentions

_DEFAULT = re.compile(rb"\bexport\s*=|\bdefault\b")
_ALIAS_DEPTH = 3
"""Maximum number of nodes from a name to the node that gives it an alias."""
_QUALIFIERS = ("attribute", "expression", "identifier", "name", "descriptor", "constant", "scope_resolution")
"""Suffixes of the node types that qualify a name or derive a type from it."""
_ASSIGNED = frozenset({"assignment", "variable_declarator"})
"""Assignments inside a function, which create no alias that other files can use."""
_ALIAS_FIELDS = {
    **dict.fromkeys(("aliased_import", "import_specifier", "export_specifier", "use_as_clause"), "alias"),
    **dict.fromkeys(("namespace_use_clause", "namespace_use_group_clause"), "alias"),
    **dict.fromkeys(("assignment", "type_alias_statement"), "left"),
    **dict.fromkeys(("variable_declarator", "alias_declaration", "type_alias_declaration"), "name"),
    **dict.fromkeys(("using_directive", "type_item", "type_alias"), "name"),
    "type_definition": "declarator",
    "import_header": "",
}
"""By the type of a node that gives an alias: the field of the alias."""


def can_use_without_name(lexical: Lexical) -> bool:
    """Return True if other files may use a definition of a file without spelling its name."""
    return _DEFAULT.search(lexical.text) is not None


def other_names(resolver: Resolver, path: str, name: str) -> Iterator[str]:
    """Yield the aliases that files may use for a name of one file."""
    yield from local_aliases(resolver.lexical(path), name)
    yield from resolver.dialect(path).find_other_names(resolver, path, name)


def local_aliases(lexical: Lexical, name: str) -> Iterator[str]:
    for start in Mention.places(name, lexical.text, lexical.syntax.language.name):
        node = lexical.mentions.node(name, start)
        statement = _alias_statement(node)
        alias = _alias_in(statement) if statement is not None else None
        if (
            statement is None
            or alias is None
            or alias.start_byte == node.start_byte
            or alias.named_child_count
        ):
            continue
        if statement.type not in _ASSIGNED or lexical.mentions.at(name, start).scopes[0].kind == "module":
            yield (alias.text or b"").decode("utf-8", "surrogateescape")


def alias_of(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the alias that the statement around a name gives it; None if there is none."""
    statement = _alias_statement(node)
    alias = _alias_in(statement) if statement is not None else None
    is_own = alias is None or alias.start_byte == node.start_byte or alias.named_child_count
    return None if is_own else alias


def _alias_statement(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """Return the statement that gives an alias to the dotted name that ends with this node."""
    above = node.parent
    for _ in range(_ALIAS_DEPTH):
        if above is None or above.type in _ALIAS_FIELDS:
            return above
        if above.end_byte != node.end_byte or not above.type.endswith(_QUALIFIERS):
            return None
        above = above.parent
    return None


def _alias_in(above: tree_sitter.Node) -> tree_sitter.Node | None:
    field = _ALIAS_FIELDS[above.type]
    if field:
        return above.child_by_field_name(field)
    return find_part(child_of_type(above, "import_alias"), 0)


class Subclasses:
    """Search for the subclasses of a class, in steps; ``found`` are those up to now.

    ``nearest`` returns the classes that directly inherit from a class, and ``ahead`` the number of files to
    search for these.
    """

    def __init__(
        self, base: Class, nearest: Callable[[Class], Iterable[Class]], ahead: Callable[[Class], int]
    ) -> None:
        self._direct_subclasses, self._count_files = nearest, ahead
        self._seen, self._waiting = {base.key}, [base]
        self._spent = 0
        self.base = base
        self.found: list[Class] = []

    @property
    def is_whole(self) -> bool:
        return not self._waiting

    @property
    def price(self) -> int:
        """Number of files searched by the end of the next step."""
        return self._spent + self._count_files(self._waiting[-1])

    def step(self) -> list[Class]:
        """Search one more class, and return its direct subclasses."""
        self._spent = self.price
        new: list[Class] = []
        for each in self._direct_subclasses(self._waiting.pop()):
            if each.key not in self._seen:
                self._seen.add(each.key)
                new.append(each)
        self._waiting += new
        self.found += new
        return new


_BASE_DEPTH = 7
"""Maximum number of nodes from the name of a base to the class that names it."""
_STATEMENTS = "block"
_DECLARATION = re.compile("class|interface|struct|record|object|enum|trait|module")


class ClassHierarchy:
    """Inheritance between the classes of a tree."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._searches: dict[ClassKey, Subclasses] = {}
        self._classes_by_name: dict[tuple[str, str], dict[ClassKey, list[Class]]] = {}
        self._passed: dict[tuple[str, str], bool] = {}

    def has_common_subclass(self, one: Class, other: Class) -> bool:
        """Return True if some other class inherits from both, but neither of the two from the other.

        The class with fewer files to search comes first: one may have no subclass, the other hundreds.
        """
        if self._inherits(one, other) or self._inherits(other, one):
            return False
        pairs = ((one, self._search_of(other)), (other, self._search_of(one)))
        if any(
            self._inherits(other_class, subclass)
            for other_class, search in pairs
            for subclass in search.found
        ):
            return True
        while unseen := [pair for pair in pairs if not pair[1].is_whole]:
            if any(self._is_certain(search) for _, search in pairs):
                break
            other_class, search = min(unseen, key=lambda pair: pair[1].price)
            if any(self._inherits(other_class, subclass) for subclass in search.step()):
                return True
        return False

    def may_overlap(self, base: Class, other: Class) -> bool:
        """Return True if an object of one class may also be an object of the other."""
        return base.key == other.key or self._inherits(base, other) or self.has_common_subclass(base, other)

    def subclasses_of(self, base: Class) -> tuple[Class, ...]:
        search = self._search_of(base)
        while not search.is_whole:
            search.step()
        return tuple(search.found)

    def _search_of(self, base: Class) -> Subclasses:
        search = self._searches.get(base.key)
        if search is None:
            search = self._searches[base.key] = Subclasses(base, self._direct_subclasses, self._count_files)
        return search

    def _is_certain(self, search: Subclasses) -> bool:
        """Return True if no other subclasses can exist, such as those of an unnamed or passed class."""
        known_classes = (search.base, *search.found)
        return search.is_whole and all(
            _class_name(each.node) and not self._is_passed(each) for each in known_classes
        )

    def _is_passed(self, of: Class) -> bool:
        """Return True if a class is passed as a value, so that a call may return a base made of it."""
        name, language = _class_name(of.node), self._resolver.files.language(of.path)
        if (name, language) not in self._passed:
            paths = self._resolver.files.mentions(name, files_with_rules_of(language))
            read = (path for path in paths if self._resolver.files.lexical(path) is not None)
            self._passed[name, language] = any(
                self._resolver.dialect(path).is_class_passed(mention.node)
                for path in read
                for mention in self._resolver.lexical(path).occurrences_of(name)
            )
        return self._passed[name, language]

    def _count_files(self, base: Class) -> int:
        name, language = _class_name(base.node), self._resolver.files.language(base.path)
        if not name or (name, language) in self._classes_by_name:
            return 0
        return len([*self._resolver.files.mentions(name, files_with_rules_of(language))])

    def _direct_subclasses(self, base: Class) -> Iterable[Class]:
        name = _class_name(base.node)
        by_base = self._classes_naming(name, self._resolver.files.language(base.path)) if name else {}
        return by_base.get(base.key, ())

    def _classes_naming(self, name: str, language: str) -> dict[ClassKey, list[Class]]:
        """Return the classes whose declarations contain a name, by the classes that they inherit from."""
        by_base = self._classes_by_name.get((name, language))
        if by_base is None:
            by_base = self._classes_by_name[name, language] = defaultdict(list)
            for each in self._declared_classes(name, language).values():
                for base_key in dict.fromkeys(self._base_keys(each)):
                    by_base[base_key].append(each)
        return by_base

    def _declared_classes(self, name: str, language: str) -> dict[ClassKey, Class]:
        """Return the classes with a name or an alias of it in their declarations."""
        classes: dict[ClassKey, Class] = {}
        words, waiting = {name}, [name]
        while waiting:
            word = waiting.pop()
            for path in self._resolver.files.naming(word, language):
                lexical = self._resolver.files.lexical(path)
                if lexical is not None:
                    declared = (Class(path, node) for node in _scopes_naming(lexical, word))
                    classes = {**{each.key: each for each in declared}, **classes}
                    new = {*other_names(self._resolver, path, word)} - words
                    words |= new
                    waiting += sorted(new)
        return classes

    def _base_keys(self, of: Class) -> Iterator[ClassKey]:
        return (each.key for each in self._resolver.ancestry(of)[1:] if isinstance(each, Class))

    def _inherits(self, base: Class, of: Class) -> bool:
        return base.key in self._base_keys(of)


def hierarchy_of(resolver: Resolver) -> ClassHierarchy:
    """Return the class hierarchy of a resolver; all callers share one."""
    resolver.put(("heirs",), (ClassHierarchy(resolver),))
    (hierarchy,) = cast("tuple[ClassHierarchy]", resolver.get(("heirs",)))
    return hierarchy


def _scopes_naming(lexical: Lexical, name: str) -> Iterator[tree_sitter.Node]:
    mentions, language = lexical.mentions, lexical.syntax.language.name
    for start in Mention.places(name, lexical.text, language):
        # Most places are in no declaration, so the costly role is read last.
        above = _declarations_around(mentions.node(name, start))
        if above and mentions.at(name, start).role in ("use", "member"):
            for node in above:
                yield from _scope_nodes(mentions, node)


def _declarations_around(node: tree_sitter.Node) -> list[tree_sitter.Node]:
    """Return the declarations around a name, but not beyond a block of statements."""
    declarations, above = [], node.parent
    for _ in range(_BASE_DEPTH):
        if above is None or above.type == _STATEMENTS:
            break
        if _DECLARATION.search(above.type):
            declarations.append(above)
        above = above.parent
    return declarations


def _scope_nodes(mentions: Mentions, node: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    for scope in mentions.scopes_at(node.end_byte - 1):
        is_its = scope.node.id == node.id or scope.node.parent == node
        if scope.kind in ("class", "module") and is_its:
            yield scope.node


def _class_name(node: tree_sitter.Node) -> str:
    for each in (node, node.parent):
        named = find_part(each, "name")
        if named is None and each is not None:
            named = next((child for child in each.named_children if child.type.endswith("identifier")), None)
        if named is not None:
            return (named.text or b"").decode("utf-8", "surrogateescape").rpartition("::")[2]
    return ""
